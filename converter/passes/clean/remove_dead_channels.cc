// Channels that say nothing are removed from the layer that computes them, from what passes them on
// channel by channel, and from the layers that read them: those that nobody gives a weight to, and
// those that are the same number wherever the picture is (all weights of the channel are zero, as
// pruning leaves them: network slimming, Liu et al., ICCV 2017). Such a number times its weights is
// part of the reader's bias; where zero padding meets it the border has other sums, so that there
// only zeros go. A set of channels that the graph reads or writes stays, and so do as many of every
// set as make a multiple of four. Counts channels.
#include <algorithm>
#include <cmath>
#include <limits>
#include <map>
#include <utility>
#include <vector>

#include "converter/operators/operator.h"
#include "converter/operators/unary.h"
#include "converter/passes/channel_sets.h"
#include "converter/passes/read.h"

namespace octet::passes {
namespace {

using graph::Node;
using graph::Tensor;
using graph::ValueId;

constexpr float kUnknownValue = std::numeric_limits<float>::quiet_NaN();

bool IsBinary(const Node& node) {
  return node.op == "Add" || node.op == "Sub" || node.op == "Mul" || node.op == "Max" ||
         node.op == "Min" || node.op == "PRelu";
}

bool IsPool(const Node& node) {
  return node.op == "MaxPool" || node.op == "AveragePool" || node.op == "GlobalAveragePool" ||
         node.op == "GlobalMaxPool";
}

bool IsPadded(const Node& node) {
  const std::vector<int64_t> pads = node.Ints("pads");
  const std::string automatic = node.String("auto_pad", "NOTSET");
  return (automatic != "NOTSET" && automatic != "VALID") ||
         std::any_of(pads.begin(), pads.end(), [](int64_t pad) { return pad != 0; });
}

// The channels that stay.
std::vector<int64_t> Kept(const std::vector<bool>& alive) {
  std::vector<int64_t> kept;
  for (size_t c = 0; c < alive.size(); ++c) {
    if (alive[c]) kept.push_back(static_cast<int64_t>(c));
  }
  return kept;
}

class DeadChannels {
 public:
  explicit DeadChannels(graph::Graph& graph)
      : graph_(graph), sets_(graph), layers_(graph.nodes.size()), known_(graph.values.size()) {
    for (size_t v = 0; v < graph.values.size(); ++v) {
      const graph::Value& value = graph.values[v];
      if (value.given || value.constant.codes() != nullptr) sets_.Pin(static_cast<ValueId>(v));
    }
  }

  int Run() {
    for (size_t n = 0; n < graph_.nodes.size(); ++n) Visit(n);
    for (size_t n = 0; n < graph_.nodes.size(); ++n) FindReads(n);
    int removed = 0;
    for (auto& [root, alive] : alive_) {
      FillWords(&alive);
      removed += static_cast<int>(std::count(alive.begin(), alive.end(), false));
    }
    if (removed == 0) return 0;
    for (size_t n = 0; n < graph_.nodes.size(); ++n) Rewrite(n);
    return removed;
  }

 private:
  void Visit(size_t n) {
    const Node& node = graph_.nodes[n];
    const ValueId output = node.outputs.empty() ? graph::kNoValue : node.outputs[0];
    layers_[n] = AsChannelLayer(graph_, n);
    if (const auto& layer = layers_[n]) {
      if (layer->IsDepthwise()) {
        sets_.Tie(node.inputs[0], output);
      } else if (layer->IsGrouped()) {
        layers_[n].reset();
        return sets_.PinAll(node);
      }
      Know(output, LayerResults(*layer));
      return;
    }
    if (node.outputs.size() != 1 || !PassesChannels(node)) return sets_.PinAll(node);
    for (size_t i = 0; i < node.inputs.size(); ++i) {
      if (!IsComputed(graph_, node.inputs[i])) {
        if (!IsOneNumber(node, i) && !IsByChannel(graph_, node, i)) sets_.Pin(output);
      } else if (IsChannelFlatten(graph_, node)) {
        sets_.Unite(node.inputs[i], output);
      } else {
        sets_.Tie(node.inputs[i], output);
      }
    }
    Know(output, Results(node));
  }

  // Channel c of the result follows from channel c of what is read.
  bool PassesChannels(const Node& node) const {
    if (!node.domain.empty() || ChannelsOf(graph_.At(node.outputs[0])) == 0) return false;
    if (node.op == "Clip") return ReadClipBounds(graph_, node).has_value();
    return operators::IsUnaryFunction(node.op) || IsBinary(node) || IsPool(node) ||
           IsChannelFlatten(graph_, node);
  }

  // Omitted, or the same for all channels; what says the new shape of a Reshape as well.
  bool IsOneNumber(const Node& node, size_t input) const {
    if (input > 0 && node.op == "Reshape") return true;
    const Tensor* constant = graph_.Constant(node.inputs[input]);
    return constant == nullptr || (constant->IsFloat() && constant->Count() == 1);
  }

  // What channel c is everywhere; NaN where that depends on the picture.
  float Known(ValueId id, size_t c) const {
    const std::vector<float>& known = known_[static_cast<size_t>(id)];
    return known.empty() ? kUnknownValue : known[c];
  }
  void Know(ValueId id, std::vector<float> values) {
    for (float& value : values) {
      if (!std::isfinite(value)) value = kUnknownValue;
    }
    known_[static_cast<size_t>(id)] = std::move(values);
  }

  const std::vector<float>& WeightsOf(const ChannelLayer& layer) const {
    return graph_.Constant(graph_.nodes[layer.node].inputs[1])->floats;
  }
  std::vector<float> BiasOf(const ChannelLayer& layer) const {
    const Node& node = graph_.nodes[layer.node];
    const bool there = node.inputs.size() > 2 && node.inputs[2] != graph::kNoValue;
    return there ? graph_.Constant(node.inputs[2])->floats : std::vector<float>(layer.outputs, 0);
  }

  // What input i of its group adds to output o wherever the picture is: NaN where it depends on it.
  double Share(const ChannelLayer& layer, size_t o, size_t i) const {
    const float* weights = WeightsOf(layer).data() + (o * layer.depth + i) * layer.taps;
    double sum = 0;
    bool zero = true;
    for (size_t t = 0; t < layer.taps; ++t) {
      sum += static_cast<double>(weights[t]);
      zero = zero && weights[t] == 0;
    }
    if (zero) return 0;
    const Node& node = graph_.nodes[layer.node];
    const float value = Known(node.inputs[0], layer.In(o, i));
    if (value == 0 && std::isfinite(sum)) return 0;
    return IsPadded(node) ? static_cast<double>(kUnknownValue) : sum * static_cast<double>(value);
  }

  std::vector<float> LayerResults(const ChannelLayer& layer) const {
    const Node& node = graph_.nodes[layer.node];
    std::vector<float> results = BiasOf(layer);
    for (size_t o = 0; o < layer.outputs; ++o) {
      double sum = static_cast<double>(results[o]);
      for (size_t i = 0; i < layer.depth && std::isfinite(sum); ++i) sum += Share(layer, o, i);
      results[o] = Activated(node, static_cast<float>(sum));
    }
    return results;
  }

  static float Activated(const Node& node, float x) {
    if (node.activation.empty() || !std::isfinite(x)) return x;
    return static_cast<float>(
        operators::ScalarOf(node.activation)(static_cast<double>(x), node.alpha, node.beta));
  }

  std::vector<float> Results(const Node& node) const {
    const auto channels = static_cast<size_t>(ChannelsOf(graph_.At(node.outputs[0])));
    std::vector<float> results(channels, kUnknownValue);
    for (size_t c = 0; c < channels; ++c) results[c] = Activated(node, Result(node, c));
    return results;
  }

  float Operand(const Node& node, size_t input, size_t c) const {
    const ValueId id = node.inputs[input];
    if (IsComputed(graph_, id)) {
      return ChannelsOf(graph_.At(id)) == ChannelsOf(graph_.At(node.outputs[0])) ? Known(id, c)
                                                                                 : kUnknownValue;
    }
    const Tensor& constant = *graph_.Constant(id);
    if (constant.Count() == 1) return constant.floats[0];
    return IsByChannel(graph_, node, input) ? constant.floats[c] : kUnknownValue;
  }

  float Result(const Node& node, size_t c) const {
    const float x = Operand(node, 0, c);
    if (IsBinary(node)) {
      const float y = Operand(node, 1, c);
      if (node.op == "Mul" && (x == 0 || y == 0)) return 0;
      if (!std::isfinite(x) || !std::isfinite(y)) return kUnknownValue;
      if (node.op == "Add") return x + y;
      if (node.op == "Sub") return x - y;
      if (node.op == "Mul") return x * y;
      if (node.op == "PRelu") return x < 0 ? x * y : x;
      return node.op == "Max" ? std::max(x, y) : std::min(x, y);
    }
    if (!std::isfinite(x)) return kUnknownValue;
    if (node.op == "AveragePool") {
      const bool padded = IsPadded(node) || node.Int("ceil_mode", 0) != 0;
      return x == 0 || !padded || node.Int("count_include_pad", 0) == 0 ? x : kUnknownValue;
    }
    if (node.op == "Clip") {
      const ClipBounds bounds = *ReadClipBounds(graph_, node);
      return std::min(std::max(x, bounds.min), bounds.max);
    }
    if (!operators::IsUnaryFunction(node.op)) return x;  // pools, and a new shape
    const operators::UnaryParameters by = operators::ParametersOf(node);
    return static_cast<float>(
        operators::ScalarOf(node.op)(static_cast<double>(x), by.alpha, by.beta));
  }

  // Null: all channels stay.
  std::vector<bool>* AliveOf(ValueId id) {
    if (sets_.IsPinned(id)) return nullptr;
    const auto channels = static_cast<size_t>(ChannelsOf(graph_.At(id)));
    return &alive_.try_emplace(sets_.Root(id), channels, false).first->second;
  }

  void FindReads(size_t n) {
    if (!layers_[n] || layers_[n]->IsDepthwise()) return;
    std::vector<bool>* alive = AliveOf(graph_.nodes[n].inputs[0]);
    if (alive == nullptr) return;
    for (size_t i = 0; i < layers_[n]->depth; ++i) {
      for (size_t o = 0; o < layers_[n]->outputs && !(*alive)[i]; ++o) {
        (*alive)[i] = !std::isfinite(Share(*layers_[n], o, i));
      }
    }
  }

  // int8 kernels read channels as words of four: 3x3 layers of 63 channels take 1.05 to 1.09 times
  // as long as those of 64, those of 60 take 0.97.
  static void FillWords(std::vector<bool>* alive) {
    auto left = static_cast<size_t>(std::count(alive->begin(), alive->end(), true));
    for (size_t c = 0; c < alive->size() && (left == 0 || left % 4 != 0); ++c) {
      if ((*alive)[c]) continue;
      (*alive)[c] = true;
      ++left;
    }
  }

  // Null where nothing is removed.
  const std::vector<bool>* RemovedFrom(ValueId id) {
    if (sets_.IsPinned(id)) return nullptr;
    const auto found = alive_.find(sets_.Root(id));
    if (found == alive_.end()) return nullptr;
    const std::vector<bool>& alive = found->second;
    return std::find(alive.begin(), alive.end(), false) == alive.end() ? nullptr : &alive;
  }

  void Rewrite(size_t n) {
    if (layers_[n]) return RewriteLayer(*layers_[n]);
    const Node& node = graph_.nodes[n];
    if (node.outputs.size() != 1 || ChannelsOf(graph_.At(node.outputs[0])) == 0) return;
    const std::vector<bool>* alive = RemovedFrom(node.outputs[0]);
    if (alive == nullptr) return;
    const int64_t left = std::count(alive->begin(), alive->end(), true);
    for (size_t i = 0; i < node.inputs.size(); ++i) {
      const Tensor* constant = graph_.Constant(node.inputs[i]);
      if (constant == nullptr || !IsByChannel(graph_, node, i)) continue;
      graph::Shape shape = constant->shape;
      shape[shape.size() == graph_.At(node.outputs[0]).shape->size() ? 1 : 0] = left;
      SetConstant(graph_, n, i, graph_.At(node.inputs[i]).constant.Gathered(shape, Kept(*alive)));
    }
    if (node.op == "Reshape") {
      const int64_t batch = (*graph_.At(node.outputs[0]).shape)[0];
      SetConstant(graph_, n, 1, graph::Constant::Real(Tensor::Integers({2}, {batch, left})));
    }
  }

  void RewriteLayer(const ChannelLayer& layer) {
    Node& node = graph_.nodes[layer.node];
    const std::vector<bool>* in = layer.IsDepthwise() ? nullptr : RemovedFrom(node.inputs[0]);
    const std::vector<bool>* out = RemovedFrom(node.outputs[0]);
    if (in == nullptr && out == nullptr) return;
    const std::vector<float> before = WeightsOf(layer);
    std::vector<float> weights, bias = BiasOf(layer);
    bool moved = node.inputs.size() > 2 && node.inputs[2] != graph::kNoValue;
    for (size_t o = 0; o < layer.outputs; ++o) {
      double sum = static_cast<double>(bias[o]);
      for (size_t i = 0; i < layer.depth; ++i) {
        if (in != nullptr && !(*in)[i]) {
          sum += Share(layer, o, i);
        } else if (out == nullptr || (*out)[o]) {
          const auto first =
              before.begin() + static_cast<ptrdiff_t>((o * layer.depth + i) * layer.taps);
          weights.insert(weights.end(), first, first + static_cast<ptrdiff_t>(layer.taps));
        }
      }
      moved = moved || sum != 0;
      bias[o] = static_cast<float>(sum);
    }
    if (out != nullptr) {
      std::vector<float> kept;
      for (const int64_t c : Kept(*out)) kept.push_back(bias[static_cast<size_t>(c)]);
      bias = std::move(kept);
    }
    graph::Shape shape = graph_.Constant(node.inputs[1])->shape;
    shape[0] = static_cast<int64_t>(bias.size());
    if (in != nullptr) shape[1] = std::count(in->begin(), in->end(), true);
    SetConstant(graph_, layer.node, 1,
                graph::Constant::Real(Tensor::Floats(shape, std::move(weights))));
    if (layer.IsDepthwise()) node.attributes["group"] = shape[0];
    if (!moved) return;
    if (node.inputs.size() < 3) node.inputs.resize(3, graph::kNoValue);
    if (node.inputs[2] == graph::kNoValue) node.inputs[2] = node.inputs[1];  // lends its name
    SetConstant(graph_, layer.node, 2,
                graph::Constant::Real(Tensor::Floats({shape[0]}, std::move(bias))));
  }

  graph::Graph& graph_;
  ChannelSets sets_;
  std::vector<std::optional<ChannelLayer>> layers_;  // by node: those that may be rewritten
  std::vector<std::vector<float>> known_;            // by value and channel; empty: nothing is
  std::map<size_t, std::vector<bool>> alive_;        // by root of a set and channel
};

}  // namespace

int RemoveDeadChannels(graph::Graph& graph) {
  return DeadChannels(graph).Run();
}

}  // namespace octet::passes
