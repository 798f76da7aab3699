#include "converter/sections/drift/section.h"

#include <algorithm>
#include <cmath>
#include <map>
#include <numeric>
#include <string>

#include "runtime/drift/section.h"
#include "runtime/format/drift_record.h"

namespace octet::drift {
namespace {

using lower::Layer;
using lower::Program;
using lower::Tensor;

// The layer's record as far as the runtime's rules of scales look at it.
blob::LayerRecord RecordOf(const Layer& layer) {
  blob::LayerRecord record{};
  record.op = layer.op;
  record.precision = layer.precision;
  record.table.offset = layer.table.empty() ? blob::kNone : 0;
  record.extra.offset = layer.extra.empty() ? blob::kNone : 0;
  std::copy(std::begin(layer.params), std::end(layer.params), record.params.bytes);
  return record;
}

blob::TensorRecord RecordOf(const Tensor& tensor) {
  blob::TensorRecord record{};
  record.zero_point = static_cast<int8_t>(tensor.zero_point);
  return record;
}

// Tensors that have to move together, as sets of equal roots.
class Sets {
 public:
  explicit Sets(size_t count) : parent_(count), fixed_(count, false) {
    std::iota(parent_.begin(), parent_.end(), size_t{0});
  }
  size_t Root(size_t i) {
    while (parent_[i] != i) i = parent_[i] = parent_[parent_[i]];
    return i;
  }
  void Join(size_t a, size_t b) {
    a = Root(a);
    b = Root(b);
    fixed_[std::min(a, b)] = fixed_[a] || fixed_[b];
    parent_[std::max(a, b)] = std::min(a, b);
  }
  void Fix(size_t i) { fixed_[Root(i)] = true; }
  bool IsFixed(size_t i) { return fixed_[Root(i)]; }

 private:
  std::vector<size_t> parent_;
  std::vector<bool> fixed_;  // of roots
};

// Zero points of channels that differ stand in the biases, in steps of the output's scale, where
// nobody could tell them from the rest of the bias.
bool HasOneZeroPoint(const Tensor& tensor) {
  return std::all_of(tensor.channels.begin(), tensor.channels.end(),
                     [&](const auto& channel) { return channel.zero_point == tensor.zero_point; });
}

// Functions that end as the identity, or a multiple of it: what goes in grows with what comes out.
bool Follows(blob::Function function) {
  switch (function) {
    case blob::Function::kLeakyRelu:
    case blob::Function::kSilu:
    case blob::Function::kHardSwish:
    case blob::Function::kScale:
    case blob::Function::kElu:
    case blob::Function::kSoftplus:
    case blob::Function::kMish:
    case blob::Function::kGelu:
    case blob::Function::kAbs:
    case blob::Function::kNeg:
      return true;
    default:
      return false;
  }
}

bool IsConvolution(const Layer& layer) {
  return layer.op == blob::Op::kConv || layer.op == blob::Op::kDepthwiseConv;
}

// Tensors between a convolution and the function that alone reads it, by number: the result of the
// function, with which they grow. The FP16 plan has no such tensor, there the two are one layer.
std::map<size_t, size_t> FindFollowers(const Program& program) {
  std::vector<int> readers(program.tensors.size(), 0);
  std::vector<bool> convolved(program.tensors.size(), false);
  for (const Layer& layer : program.layers) {
    for (const int input : layer.inputs) ++readers[static_cast<size_t>(input)];
    convolved[static_cast<size_t>(layer.output)] =
        IsConvolution(layer) && layer.precision == blob::Precision::kInt8 && layer.table.empty();
  }
  for (const auto& parts : program.outputs) {
    for (const auto& part : parts) ++readers[static_cast<size_t>(part.tensor)];
  }
  std::map<size_t, size_t> followers;
  for (const Layer& layer : program.layers) {
    if (layer.op != blob::Op::kUnary || layer.precision != blob::Precision::kInt8 ||
        !layer.activation.is_computable || !Follows(layer.activation.function)) {
      continue;
    }
    const auto input = static_cast<size_t>(layer.inputs[0]);
    if (readers[input] == 1 && convolved[input]) {
      followers[input] = static_cast<size_t>(layer.output);
    }
  }
  return followers;
}

Sets FindSets(const Program& program, const std::map<size_t, size_t>& followers) {
  Sets sets(program.tensors.size());
  for (size_t i = 0; i < program.tensors.size(); ++i) {
    const Tensor& tensor = program.tensors[i];
    if (tensor.type != blob::ElementType::kInt8 || !HasOneZeroPoint(tensor) ||
        followers.count(i) != 0) {
      sets.Fix(i);
    }
  }
  for (const auto& parts : program.outputs) {
    for (const auto& part : parts) sets.Fix(static_cast<size_t>(part.tensor));
  }
  for (const Layer& layer : program.layers) {
    const blob::LayerRecord record = RecordOf(layer);
    const auto output = static_cast<size_t>(layer.output);
    std::vector<size_t> tensors{output};
    for (const int input : layer.inputs) tensors.push_back(static_cast<size_t>(input));
    std::erase_if(tensors,
                  [&](size_t t) { return program.tensors[t].type != blob::ElementType::kInt8; });
    if (CanRescale(record)) {
      const bool by_channel = layer.op == blob::Op::kUnary && !layer.extra.empty();
      const auto input = static_cast<size_t>(layer.inputs[0]);
      // Tables by channel between scales by channel on both sides are rare, and left alone.
      const bool plain = program.tensors[output].channels.empty() &&
                         program.tensors[input].channels.size() ==
                             (by_channel ? program.tensors[output].dims[3] : 0);
      if (layer.activation.is_computable && (layer.op != blob::Op::kUnary || plain)) continue;
      // Its table stays as it is, and with it what goes in and out; a convolution's own factors
      // take any scale.
      sets.Fix(output);
      if (layer.op == blob::Op::kUnary) sets.Fix(static_cast<size_t>(layer.inputs[0]));
    } else if (KeepsScale(record, RecordOf(program.tensors[output]))) {
      for (const size_t t : tensors) sets.Join(tensors[0], t);
    } else {
      for (const size_t t : tensors) sets.Fix(t);
    }
  }
  return sets;
}

// FP16 tensors by name.
std::map<std::string, uint32_t> Halves(const Program& program) {
  std::map<std::string, uint32_t> halves;
  for (size_t i = 0; i < program.tensors.size(); ++i) {
    if (program.tensors[i].type == blob::ElementType::kFp16) {
      halves.emplace(program.tensors[i].name, static_cast<uint32_t>(i));
    }
  }
  return halves;
}

blob::DriftGroup GroupOf(uint32_t tensor, const calibrate::Statistics& seen) {
  const auto n = static_cast<double>(seen.peaks);
  const double mean = static_cast<double>(seen.peak_sum) / n;
  const double variance = static_cast<double>(seen.peak_squares) / n - mean * mean;
  blob::DriftGroup group{};
  group.tensor = tensor;
  group.peak = static_cast<int32_t>(std::floor(mean + 0.5));
  group.spread = static_cast<uint32_t>(std::lround(std::sqrt(std::max(variance, 0.0))));
  return group;
}

blob::DriftLayer LayerOf(uint32_t number, const Layer& layer) {
  blob::DriftLayer entry{};
  entry.layer = number;
  entry.first_channel = blob::kNone;
  if (!layer.activation.is_computable) {
    entry.table_scale = layer.activation.table_scale;
    return entry;
  }
  entry.function = layer.activation.function;
  entry.alpha = layer.activation.alpha;
  entry.beta = layer.activation.beta;
  entry.table_scale = layer.activation.table_scale;
  entry.follows = Follows(entry.function) ? 1 : 0;
  return entry;
}

template <typename T>
uint32_t Append(const std::vector<T>& values, std::vector<uint8_t>* section) {
  const auto offset = static_cast<uint32_t>(section->size());
  const lower::Bytes bytes = lower::ToBytes(values);
  section->insert(section->end(), bytes.begin(), bytes.end());
  return offset;
}

// The layers that read or write a group, and the schemes of the channels that they need.
std::vector<blob::DriftLayer> MovingLayers(const Program& int8,
                                           const std::vector<uint16_t>& group_of,
                                           std::vector<blob::DriftChannel>* channels) {
  std::map<size_t, uint32_t> first_channels;  // by tensor
  const auto channels_of = [&](int tensor) {
    const auto& own = int8.tensors[static_cast<size_t>(tensor)].channels;
    if (own.empty()) return blob::kNone;
    const auto [at, is_new] = first_channels.try_emplace(static_cast<size_t>(tensor),
                                                         static_cast<uint32_t>(channels->size()));
    for (size_t c = 0; is_new && c < own.size(); ++c) {
      channels->push_back({own[c].scale, static_cast<int8_t>(own[c].zero_point), {}});
    }
    return at->second;
  };
  const auto moves = [&](int tensor) {
    return group_of[static_cast<size_t>(tensor)] != blob::kNoDriftGroup;
  };
  std::vector<blob::DriftLayer> layers;
  for (size_t k = 0; k < int8.layers.size(); ++k) {
    const Layer& layer = int8.layers[k];
    const bool reads = std::any_of(layer.inputs.begin(), layer.inputs.end(), moves);
    if (!(reads || moves(layer.output)) || !CanRescale(RecordOf(layer))) continue;
    layers.push_back(LayerOf(static_cast<uint32_t>(k), layer));
    if (IsConvolution(layer)) {
      layers.back().first_channel = channels_of(layer.output);
    } else if (layer.op == blob::Op::kUnary && !layer.extra.empty()) {
      layers.back().first_channel = channels_of(layer.inputs[0]);
    }
  }
  return layers;
}

}  // namespace

std::vector<uint8_t> MakeSection(
    const graph::Graph& graph, const std::vector<std::optional<calibrate::Statistics>>& statistics,
    const Program& int8, const Program& fp16, uint32_t fp16_plan, Summary* summary) {
  std::map<std::string, const calibrate::Statistics*> seen;
  for (size_t id = 0; id < statistics.size(); ++id) {
    if (statistics[id] && statistics[id]->peaks > 0) seen[graph.values[id].name] = &*statistics[id];
  }
  const std::map<std::string, uint32_t> halves = Halves(fp16);
  const std::map<size_t, size_t> followers = FindFollowers(int8);
  Sets sets = FindSets(int8, followers);
  // The member with the largest peak stands for its group.
  std::map<size_t, blob::DriftGroup> candidates;  // by root
  for (size_t i = 0; i < int8.tensors.size(); ++i) {
    const std::string& name = int8.tensors[i].name;
    const auto statistic = seen.find(name);
    const auto half = halves.find(name);
    if (sets.IsFixed(i) || statistic == seen.end() || half == halves.end()) continue;
    const blob::DriftGroup group = GroupOf(half->second, *statistic->second);
    const auto [at, is_new] = candidates.try_emplace(sets.Root(i), group);
    if (!is_new && group.peak > at->second.peak) at->second = group;
  }
  std::vector<blob::DriftGroup> groups;
  std::map<size_t, uint16_t> numbers;
  for (const auto& [root, group] : candidates) {
    if (groups.size() == blob::kMostDriftGroups) break;
    numbers[root] = static_cast<uint16_t>(groups.size());
    groups.push_back(group);
  }
  *summary = {groups.size(), 0, 0, 0};
  if (groups.empty()) return {};
  std::vector<uint16_t> group_of;
  for (size_t i = 0; i < int8.tensors.size(); ++i) {
    const auto followed = followers.find(i);
    const size_t led = followed == followers.end() ? i : followed->second;
    const auto number = numbers.find(sets.Root(led));
    const bool moves = number != numbers.end() && !sets.IsFixed(led);
    const uint16_t flag = led == i ? 0 : blob::kGrowsOnly;
    group_of.push_back(moves ? number->second | flag : blob::kNoDriftGroup);
    if (moves) ++summary->tensors;
    if (!moves && int8.tensors[i].type == blob::ElementType::kInt8) ++summary->fixed;
  }
  std::vector<blob::DriftChannel> channels;
  const std::vector<blob::DriftLayer> layers = MovingLayers(int8, group_of, &channels);
  summary->layers = layers.size();
  blob::DriftRecord record{};
  record.record_bytes = sizeof(record);
  record.plan = 0;
  record.observe_plan = fp16_plan;
  record.group_count = static_cast<uint32_t>(groups.size());
  record.layer_count = static_cast<uint32_t>(layers.size());
  record.tensor_count = static_cast<uint32_t>(group_of.size());
  std::vector<uint8_t> section(sizeof(record));
  record.groups_offset = Append(groups, &section);
  record.layers_offset = Append(layers, &section);
  record.channel_count = static_cast<uint32_t>(channels.size());
  record.channels_offset = Append(channels, &section);
  record.tensors_offset = Append(group_of, &section);
  std::copy_n(reinterpret_cast<const uint8_t*>(&record), sizeof(record), section.begin());
  return section;
}

}  // namespace octet::drift
