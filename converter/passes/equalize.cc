#include "converter/passes/equalize.h"

#include <algorithm>
#include <cmath>
#include <memory>
#include <numeric>
#include <string>
#include <vector>

#include "converter/operators/scaling.h"
#include "converter/operators/weights.h"

namespace octet::passes {
namespace {

using graph::Tensor;
using graph::ValueId;

// Each sweep goes through all tensors; a factor passes a depthwise layer in one.
constexpr int kMostSweeps = 20;
constexpr double kSettled = 1e-3;  // of ln s
// No weight shrinks or grows by more: what a channel lost to underflow or a dead one cannot say.
constexpr double kFarthest = 1e4;

// Channels are axis 1, of pictures and of rows.
int64_t ChannelsOf(const graph::Value& value) {
  if (value.type != graph::DataType::kFloat || !value.shape || value.shape->size() < 2) return 0;
  return (*value.shape)[1];
}

// A layer whose weights factors can move into: a convolution, or a matrix [outputs, inputs].
struct Layer {
  size_t node = 0;
  size_t outputs = 0, depth = 0;       // of the weights: [outputs][depth][taps]
  size_t taps = 1, group_outputs = 1;  // depth = input channels of a group
  size_t In(size_t o, size_t i) const { return o / group_outputs * depth + i; }
};

class Equalizer {
 public:
  Equalizer(graph::Graph& graph, const std::function<bool(size_t)>& wants)
      : graph_(graph), parent_(graph.values.size()), pinned_(graph.values.size()) {
    std::iota(parent_.begin(), parent_.end(), size_t{0});
    layer_of_.assign(graph.nodes.size(), -1);
    for (ValueId id : graph.inputs) Pin(id);
    for (ValueId id : graph.outputs) Pin(id);
    for (size_t v = 0; v < graph.values.size(); ++v) {
      if (graph.values[v].given != nullptr) pinned_[Root(v)] = true;
    }
    for (size_t n = 0; n < graph.nodes.size(); ++n) Visit(n);
    Collect(wants);
  }

  int Run(bool others) {
    if (others) {
      BalanceAll();
      for (Group& group : groups_) group.wanted = group.wanted || Gains(group);
    }
    std::erase_if(groups_, [](const Group& group) { return !group.wanted; });
    if (groups_.empty()) return 0;
    std::fill(group_of_.begin(), group_of_.end(), -1);
    for (size_t g = 0; g < groups_.size(); ++g) {
      group_of_[groups_[g].root] = static_cast<int>(g);
      std::fill(groups_[g].s.begin(), groups_[g].s.end(), 1.0);
    }
    BalanceAll();
    for (Group& group : groups_) ScaleConstants(group);
    for (Layer& layer : layers_) Rewrite(layer);
    return static_cast<int>(groups_.size());
  }

 private:
  // Values with the same factors, one a channel: value = s_c * what it is now.
  struct Group {
    size_t root = 0;
    bool wanted = false;
    std::vector<double> s;
    std::vector<size_t> writers, readers;              // layers
    std::vector<std::pair<size_t, size_t>> constants;  // node and input
  };

  size_t Root(size_t v) {
    while (parent_[v] != v) v = parent_[v] = parent_[parent_[v]];
    return v;
  }
  void Pin(ValueId id) {
    if (id != graph::kNoValue) pinned_[Root(static_cast<size_t>(id))] = true;
  }
  void PinAll(const graph::Node& node) {
    for (const auto* ids : {&node.inputs, &node.outputs}) {
      for (ValueId id : *ids) Pin(id);
    }
  }
  void Tie(ValueId a, ValueId b) {
    const auto rank = [&](ValueId id) { return graph_.At(id).shape->size(); };
    if (!graph_.At(a).shape || !graph_.At(b).shape || rank(a) != rank(b)) {
      Pin(a);  // what is broadcast to a higher rank has its channels elsewhere
      Pin(b);
    }
    Unite(a, b);
  }
  void Unite(ValueId a, ValueId b) {
    const size_t x = Root(static_cast<size_t>(a)), y = Root(static_cast<size_t>(b));
    const bool fits = ChannelsOf(graph_.values[x]) == ChannelsOf(graph_.values[y]);
    const size_t leader = std::min(x, y), other = std::max(x, y);
    parent_[other] = leader;
    pinned_[leader] = pinned_[leader] || pinned_[other] || !fits;
  }
  bool Computed(ValueId id) const {
    return id != graph::kNoValue && graph_.Constant(id) == nullptr;
  }

  void Visit(size_t n) {
    const graph::Node& node = graph_.nodes[n];
    if (operators::FusedScalingOf(node) != operators::FusedScaling::kPasses) Pin(node.outputs[0]);
    if (AsLayer(n)) return;
    if (IsFlattened(node)) return Unite(node.inputs[0], node.outputs[0]);
    if (operators::ScalingOf(node) != operators::Scaling::kHomogeneous ||
        !operators::KeepsChannelsApart(node)) {
      return PinAll(node);
    }
    for (size_t i = 0; i < node.inputs.size(); ++i) {
      const ValueId id = node.inputs[i];
      if (id == graph::kNoValue || !operators::IsScaled(node, i)) continue;
      if (Computed(id)) {
        Tie(id, node.outputs[0]);
      } else if (!IsByChannel(node, i)) {
        Pin(node.outputs[0]);
      }
    }
    for (ValueId id : node.outputs) {
      if (id != graph::kNoValue && graph_.At(id).type == graph::DataType::kFloat) {
        Tie(id, node.outputs[0]);
      }
    }
  }

  // [1, C, 1, 1] to [1, C].
  bool IsFlattened(const graph::Node& node) const {
    if (node.op != "Reshape" && node.op != "Flatten") return false;
    const auto &from = graph_.At(node.inputs[0]).shape, &to = graph_.At(node.outputs[0]).shape;
    return from && to && to->size() == 2 && from->size() == 4 && (*to)[0] == (*from)[0] &&
           (*to)[1] == (*from)[1];
  }

  // A constant operand that can hold a factor a channel: one number for each of them.
  bool IsByChannel(const graph::Node& node, size_t input) const {
    const Tensor* constant = graph_.Constant(node.inputs[input]);
    const auto& result = graph_.At(node.outputs[0]).shape;
    if (constant == nullptr || !constant->IsFloat() || !result) return false;
    const size_t rank = constant->shape.size();
    // Axis 1 of the result.
    if (rank + 1 < result->size() || rank > result->size() || rank == 0) return false;
    const size_t axis = rank == result->size() ? 1 : 0;
    if (axis >= rank) return false;
    return constant->shape[axis] == (*result)[1] && constant->Count() == (*result)[1];
  }

  // Remembers a layer and returns true, where factors can move into its weights.
  bool AsLayer(size_t n) {
    const graph::Node& node = graph_.nodes[n];
    const auto weights = operators::WeightsOf(graph_, node);
    if (!weights || !Computed(node.inputs[0]) || weights->axis != 0 ||
        !node.weight_scales.empty() || !node.bias_codes.empty() ||
        graph_.At(node.inputs[1]).given != nullptr) {
      return false;
    }
    const Tensor* bias = node.inputs.size() > 2 ? graph_.Constant(node.inputs[2]) : nullptr;
    const bool has_bias = node.inputs.size() > 2 && node.inputs[2] != graph::kNoValue;
    if (has_bias && (bias == nullptr || bias->Count() != weights->outputs)) return false;
    const graph::Shape& shape = weights->tensor->shape;
    const int64_t groups = node.Int("group", 1);
    const bool matrix = !operators::IsConvolution(node);
    if (matrix && (shape.size() != 2 || node.Float("alpha", 1) != 1 || node.Float("beta", 1) != 1 ||
                   node.Int("transA", 0) != 0)) {
      return false;
    }
    if (ChannelsOf(graph_.At(node.inputs[0])) != shape[1] * groups ||
        ChannelsOf(graph_.At(node.outputs[0])) != shape[0]) {
      return false;
    }
    Layer layer;
    layer.node = n;
    layer.outputs = static_cast<size_t>(shape[0]);
    layer.depth = static_cast<size_t>(shape[1]);
    layer.taps = weights->tensor->floats.size() / (layer.outputs * layer.depth);
    layer.group_outputs = layer.outputs / static_cast<size_t>(groups);
    layer_of_[n] = static_cast<int>(layers_.size());
    layers_.push_back(layer);
    return true;
  }

  void Collect(const std::function<bool(size_t)>& wants) {
    group_of_.assign(graph_.values.size(), -1);
    std::vector<bool> wanted(graph_.values.size());
    for (const Layer& layer : layers_) {
      const graph::Node& node = graph_.nodes[layer.node];
      if (!wants(layer.node)) continue;
      wanted[Root(static_cast<size_t>(node.inputs[0]))] = true;
      wanted[Root(static_cast<size_t>(node.outputs[0]))] = true;
    }
    const auto group_at = [&](ValueId id) -> Group* {
      const size_t root = Root(static_cast<size_t>(id));
      if (pinned_[root]) return nullptr;
      if (group_of_[root] < 0) {
        group_of_[root] = static_cast<int>(groups_.size());
        groups_.emplace_back().root = root;
        groups_.back().wanted = wanted[root];
        groups_.back().s.assign(static_cast<size_t>(ChannelsOf(graph_.values[root])), 1);
      }
      return &groups_[static_cast<size_t>(group_of_[root])];
    };
    for (size_t n = 0; n < graph_.nodes.size(); ++n) {
      const graph::Node& node = graph_.nodes[n];
      if (layer_of_[n] >= 0) {
        const auto layer = static_cast<size_t>(layer_of_[n]);
        if (Group* group = group_at(node.inputs[0])) group->readers.push_back(layer);
        if (Group* group = group_at(node.outputs[0])) group->writers.push_back(layer);
        continue;
      }
      if (!operators::KeepsChannelsApart(node)) continue;
      for (size_t i = 0; i < node.inputs.size(); ++i) {
        if (node.inputs[i] == graph::kNoValue || Computed(node.inputs[i])) continue;
        if (!operators::IsScaled(node, i)) continue;
        if (Group* group = group_at(node.outputs[0])) group->constants.emplace_back(n, i);
      }
    }
    std::erase_if(
        groups_, [](const Group& group) { return group.writers.empty() || group.readers.empty(); });
    std::fill(group_of_.begin(), group_of_.end(), -1);
    for (size_t g = 0; g < groups_.size(); ++g) group_of_[groups_[g].root] = static_cast<int>(g);
  }

  void BalanceAll() {
    for (int sweep = 0; sweep < kMostSweeps; ++sweep) {
      double moved = 0;
      for (Group& group : groups_) moved = std::max(moved, Balance(&group));
      if (moved < kSettled) break;
    }
  }

  // Squares of all weights by channel of the results, or of what the layer reads.
  std::vector<double> Squares(const Layer& layer, bool reads, size_t channels) const {
    const std::vector<float>& weights = graph_.Constant(graph_.nodes[layer.node].inputs[1])->floats;
    std::vector<double> squares(channels, 0);
    for (size_t at = 0; at < weights.size(); ++at) {
      const size_t o = at / layer.taps / layer.depth, i = at / layer.taps % layer.depth;
      squares[reads ? layer.In(o, i) : o] += static_cast<double>(weights[at]) * weights[at];
    }
    return squares;
  }

  // E of the header, as the model is over what it becomes.
  bool Gains(const Group& group) const {
    const size_t channels = group.s.size();
    std::vector<double> written(channels, 0), read(channels, 0);
    for (size_t layer : group.writers) {
      const std::vector<double> own = Squares(layers_[layer], false, channels);
      for (size_t c = 0; c < channels; ++c) written[c] = std::max(written[c], own[c]);
    }
    for (size_t layer : group.readers) {
      const std::vector<double> own = Squares(layers_[layer], true, channels);
      for (size_t c = 0; c < channels; ++c) read[c] += own[c];
    }
    double range[2] = {0, 0}, noise[2] = {0, 0};
    for (size_t c = 0; c < channels; ++c) {
      const double square = group.s[c] * group.s[c];
      range[0] = std::max(range[0], written[c]);
      range[1] = std::max(range[1], written[c] / square);
      noise[0] += read[c];
      noise[1] += read[c] * square;
    }
    return range[0] * noise[0] > kWorthEqualizing * range[1] * noise[1];
  }

  const Group* GroupOf(ValueId id) {
    const int group = group_of_[Root(static_cast<size_t>(id))];
    return group < 0 ? nullptr : &groups_[static_cast<size_t>(group)];
  }

  // |weight| as the factors stand, of output o, input i of its group.
  struct Factors {
    const Group *in, *out;
    double Of(const Layer& layer, size_t o, size_t i) const {
      return (in == nullptr ? 1 : in->s[layer.In(o, i)]) / (out == nullptr ? 1 : out->s[o]);
    }
  };
  Factors FactorsOf(const Layer& layer) {
    const graph::Node& node = graph_.nodes[layer.node];
    return {GroupOf(node.inputs[0]), GroupOf(node.outputs[0])};
  }

  // Raises ranges[c] to the largest share that a channel of the layer's results (or of what it
  // reads) has of its range.
  void AddRanges(const Layer& layer, bool reads, std::vector<double>* ranges) {
    const std::vector<float>& weights = graph_.Constant(graph_.nodes[layer.node].inputs[1])->floats;
    const Factors factors = FactorsOf(layer);
    std::vector<double> own(ranges->size(), 0);
    double all = 0;
    for (size_t o = 0; o < layer.outputs; ++o) {
      for (size_t i = 0; i < layer.depth; ++i) {
        double largest = 0;
        for (size_t t = 0; t < layer.taps; ++t) {
          const float weight = weights[(o * layer.depth + i) * layer.taps + t];
          largest = std::max(largest, std::fabs(static_cast<double>(weight)));
        }
        largest *= factors.Of(layer, o, i);
        double& range = own[reads ? layer.In(o, i) : o];
        range = std::max(range, largest);
        all = std::max(all, largest);
      }
    }
    if (!(all > 0) || !std::isfinite(all)) return;
    for (size_t c = 0; c < own.size(); ++c) (*ranges)[c] = std::max((*ranges)[c], own[c] / all);
  }

  // One step; returns the largest change of ln s.
  double Balance(Group* group) {
    const size_t channels = group->s.size();
    std::vector<double> written(channels, 0), read(channels, 0);
    for (size_t layer : group->writers) AddRanges(layers_[layer], false, &written);
    for (size_t layer : group->readers) AddRanges(layers_[layer], true, &read);
    std::vector<double> step(channels, 0);
    double sum = 0;
    size_t alive = 0;
    for (size_t c = 0; c < channels; ++c) {
      if (!(written[c] > 0) || !(read[c] > 0)) continue;
      step[c] = std::log(written[c] / read[c]) / 2;
      sum += std::log(group->s[c]) + step[c];
      ++alive;
    }
    if (alive == 0) return 0;
    const double mean = sum / static_cast<double>(alive);
    double moved = 0;
    for (size_t c = 0; c < channels; ++c) {
      if (!(written[c] > 0) || !(read[c] > 0)) continue;
      const double before = std::log(group->s[c]);
      const double after =
          std::clamp(before + step[c] - mean, -std::log(kFarthest), std::log(kFarthest));
      moved = std::max(moved, std::fabs(after - before));
      group->s[c] = std::exp(after);
    }
    return moved;
  }

  void SetConstant(size_t node, size_t input, std::vector<float> values) {
    const ValueId old = graph_.nodes[node].inputs[input];
    const graph::Shape shape = graph_.Constant(old)->shape;
    const ValueId id = graph_.AddConstant(graph_.At(old).name + "/" + graph_.nodes[node].name,
                                          Tensor::Floats(shape, std::move(values)));
    graph_.At(id).shape = shape;
    graph_.nodes[node].inputs[input] = id;
  }

  void ScaleConstants(const Group& group) {
    for (const auto& [node, input] : group.constants) {
      std::vector<float> values = graph_.Constant(graph_.nodes[node].inputs[input])->floats;
      for (size_t c = 0; c < values.size(); ++c) {
        values[c] = static_cast<float>(values[c] / group.s[c]);
      }
      SetConstant(node, input, std::move(values));
    }
  }

  void Rewrite(const Layer& layer) {
    const Factors factors = FactorsOf(layer);
    if (factors.in == nullptr && factors.out == nullptr) return;
    const graph::Node& node = graph_.nodes[layer.node];
    std::vector<float> weights = graph_.Constant(node.inputs[1])->floats;
    for (size_t o = 0; o < layer.outputs; ++o) {
      for (size_t i = 0; i < layer.depth; ++i) {
        const double factor = factors.Of(layer, o, i);
        for (size_t t = 0; t < layer.taps; ++t) {
          float& weight = weights[(o * layer.depth + i) * layer.taps + t];
          weight = static_cast<float>(weight * factor);
        }
      }
    }
    SetConstant(layer.node, 1, std::move(weights));
    if (factors.out == nullptr || node.inputs.size() < 3 || node.inputs[2] == graph::kNoValue) {
      return;
    }
    std::vector<float> bias = graph_.Constant(node.inputs[2])->floats;
    for (size_t o = 0; o < bias.size(); ++o) {
      bias[o] = static_cast<float>(bias[o] / factors.out->s[o]);
    }
    SetConstant(layer.node, 2, std::move(bias));
  }

  graph::Graph& graph_;
  std::vector<size_t> parent_;  // by value
  std::vector<bool> pinned_;
  std::vector<int> group_of_, layer_of_;
  std::vector<Layer> layers_;
  std::vector<Group> groups_;
};

}  // namespace

int EqualizeLayers(graph::Graph& graph, const std::function<bool(size_t node)>& wants,
                   bool others) {
  const int equalized = Equalizer(graph, wants).Run(others);
  if (equalized > 0) graph.Compact();
  return equalized;
}

}  // namespace octet::passes
