#include "converter/passes/equalize.h"

#include <algorithm>
#include <cmath>
#include <optional>
#include <string>
#include <vector>

#include "converter/operators/scaling.h"
#include "converter/passes/channel_sets.h"
#include "converter/passes/late_passes.h"
#include "converter/support/functions.h"

namespace octet::passes {
namespace {

using graph::Tensor;
using graph::ValueId;

// Each sweep goes through all tensors; a factor passes a depthwise layer in one.
constexpr int kMostSweeps = 20;
constexpr double kSettled = 1e-3;  // of ln s

using Layer = ChannelLayer;

class Equalizer {
 public:
  Equalizer(graph::Graph& graph, const std::function<bool(size_t)>& wants)
      : graph_(graph), sets_(graph) {
    layer_of_.assign(graph.nodes.size(), -1);
    for (size_t v = 0; v < graph.values.size(); ++v) {
      const graph::Value& value = graph.values[v];
      if (value.given) sets_.Pin(static_cast<ValueId>(v));
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

  void Visit(size_t n) {
    const graph::Node& node = graph_.nodes[n];
    if (operators::FusedScalingOf(node) != operators::FusedScaling::kPasses) {
      sets_.Pin(node.outputs[0]);
    }
    if (AsLayer(n)) return;
    if (IsChannelFlatten(graph_, node)) return sets_.Unite(node.inputs[0], node.outputs[0]);
    if (operators::ScalingOf(node) != operators::Scaling::kHomogeneous ||
        !operators::KeepsChannelsApart(node)) {
      return sets_.PinAll(node);
    }
    for (size_t i = 0; i < node.inputs.size(); ++i) {
      const ValueId id = node.inputs[i];
      if (id == graph::kNoValue || !operators::IsScaled(node, i)) continue;
      if (IsComputed(graph_, id)) {
        sets_.Tie(id, node.outputs[0]);
      } else if (!IsByChannel(graph_, node, i) || graph_.At(id).constant.codes() != nullptr) {
        sets_.Pin(node.outputs[0]);
      }
    }
    for (ValueId id : graph::Present(node.outputs)) {
      if (graph_.At(id).type == graph::DataType::kFloat) {
        sets_.Tie(id, node.outputs[0]);
      }
    }
  }

  // Remembers a layer and returns true, where factors can move into its weights.
  bool AsLayer(size_t n) {
    const std::optional<Layer> layer = AsChannelLayer(graph_, n);
    if (!layer) return false;
    layer_of_[n] = static_cast<int>(layers_.size());
    layers_.push_back(*layer);
    return true;
  }

  void Collect(const std::function<bool(size_t)>& wants) {
    group_of_.assign(graph_.values.size(), -1);
    std::vector<bool> wanted(graph_.values.size());
    for (const Layer& layer : layers_) {
      const graph::Node& node = graph_.nodes[layer.node];
      if (!wants(layer.node)) continue;
      wanted[sets_.Root(node.inputs[0])] = true;
      wanted[sets_.Root(node.outputs[0])] = true;
    }
    const auto group_at = [&](ValueId id) -> Group* {
      if (sets_.IsPinned(id)) return nullptr;
      const size_t root = sets_.Root(id);
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
        if (node.inputs[i] == graph::kNoValue || IsComputed(graph_, node.inputs[i])) continue;
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
    const int group = group_of_[sets_.Root(id)];
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
      step[c] = math::Log(written[c] / read[c]) / 2;
      sum += math::Log(group->s[c]) + step[c];
      ++alive;
    }
    if (alive == 0) return 0;
    const double mean = sum / static_cast<double>(alive);
    double moved = 0;
    for (size_t c = 0; c < channels; ++c) {
      if (!(written[c] > 0) || !(read[c] > 0)) continue;
      const double before = math::Log(group->s[c]);
      const double after =
          std::clamp(before + step[c] - mean, -math::Log(kFarthest), math::Log(kFarthest));
      moved = std::max(moved, std::fabs(after - before));
      group->s[c] = math::Exp(after);
    }
    return moved;
  }

  void SetConstant(size_t node, size_t input, std::vector<float> values) {
    const graph::Shape shape = graph_.Constant(graph_.nodes[node].inputs[input])->shape;
    passes::SetConstant(graph_, node, input,
                        graph::Constant::Real(Tensor::Floats(shape, std::move(values))));
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
  ChannelSets sets_;
  std::vector<int> group_of_, layer_of_;
  std::vector<Layer> layers_;
  std::vector<Group> groups_;
};

}  // namespace

int Equalize(graph::Graph& graph, const Guidance& guidance) {
  return Equalizer(graph, guidance.wants).Run(guidance.others);
}

int EqualizeLayers(graph::Graph& graph, const std::function<bool(size_t node)>& wants,
                   bool others) {
  const Guidance guidance{wants, others};
  const int equalized = RunLate("equalize", graph, guidance);
  const int smoothed = RunLate("smooth_norms", graph, guidance);
  if (equalized + smoothed > 0) graph.Compact();
  return equalized + smoothed;
}

}  // namespace octet::passes
