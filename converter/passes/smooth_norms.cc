// Factors moved from the results of a normalization into the matrices that read them, so that no
// single channel sets the scale of all. The graph computes what it did.
//
// LayerNormalization and RMSNormalization end with x_c = n_c g_c + b_c. Where all that reads them
// are layers with weights, g_c / s_c, b_c / s_c and W[:, c] s_c compute the same function:
//
//   s_c = r_c^a / w_c^(1 - a),  r_c^2 = g_c^2 + b_c^2,  w_c the largest |W[o, c]|
//
// (G. Xiao et al., "SmoothQuant: Accurate and Efficient Post-Training Quantization for Large
// Language Models", 2023, equation 4, with the parameters of the normalization in place of
// calibrated maxima: n_c has unit variance). `a` is that of 0, 1/4, 1/2, 3/4 and 1 with the least
// predicted noise, and s_c has the geometric mean 1.
//
// Noise over signal of the results of one reader, uniform rounding, kPeak deviations for the range:
//
//   activations  (2 kPeak max_c (r_c / s_c) / 255)^2 / 12 * sum_oc W[o, c]^2 s_c^2
//   weights      sum_o (max_c |W[o, c] s_c| / 127)^2 / 12 * sum_c r_c^2 / s_c^2
//   signal       sum_oc W[o, c]^2 r_c^2
#include <algorithm>
#include <cmath>
#include <optional>
#include <utility>
#include <vector>

#include "converter/operators/axis_through.h"
#include "converter/operators/scaling.h"
#include "converter/passes/channel_sets.h"
#include "converter/passes/equalize.h"
#include "converter/passes/late_passes.h"
#include "converter/support/functions.h"

namespace octet::passes {
namespace {

using graph::Tensor;
using graph::ValueId;

// A normal value is farther out once in 16,000 times.
constexpr double kPeak = 4;

// A normalization and the layers that read it.
class Norm {
 public:
  Norm(graph::Graph& graph, const graph::Links& links, size_t node)
      : graph_(graph), links_(links), node_(node) {}

  // False where something else reads the results, or where quantization of the model fixes them.
  bool Find() {
    const graph::Node& node = graph_.nodes[node_];
    const auto& shape = graph_.At(node.outputs[0]).shape;
    if (!operators::ScalesLastAxis(node) || node.outputs.size() != 1 || !node.activation.empty() ||
        shape->empty()) {
      return false;
    }
    const auto rank = static_cast<int64_t>(shape->size());
    const int64_t axis = node.Int("axis", -1);
    if ((axis < 0 ? axis + rank : axis) != rank - 1) return false;
    channels_ = static_cast<size_t>(shape->back());
    const size_t parameters = std::min<size_t>(node.inputs.size(), 3);
    for (size_t i = 1; i < parameters; ++i) {
      const ValueId id = node.inputs[i];
      if (id == graph::kNoValue) continue;
      const Tensor* constant = graph_.Constant(id);
      if (constant == nullptr || !constant->IsFloat() || constant->floats.size() != channels_ ||
          graph_.At(id).constant.codes() != nullptr) {
        return false;
      }
    }
    if (parameters < 2 || node.inputs[1] == graph::kNoValue) return false;
    return Follow(node.outputs[0], shape->size() - 1) && !readers_.empty();
  }

  bool IsWanted(const std::function<bool(size_t)>& wants) const {
    return std::any_of(readers_.begin(), readers_.end(),
                       [&](const ChannelLayer& layer) { return wants(layer.node); });
  }

  // Returns whether the noise became `worth` times smaller or less; if not, nothing changes.
  bool Smooth(double worth) {
    const std::vector<double> range = Ranges(), weights = LargestWeights();
    const std::vector<double> ones(channels_, 1);
    const double before = Noise(range, ones);
    double least = before;
    std::vector<double> best;
    for (const double a : {0.0, 0.25, 0.5, 0.75, 1.0}) {
      std::vector<double> s = Factors(range, weights, a);
      const double noise = Noise(range, s);
      if (!(noise < least)) continue;
      least = noise;
      best = std::move(s);
    }
    if (best.empty() || !(before > worth * least)) return false;
    Rewrite(best);
    return true;
  }

 private:
  struct Use {
    int node;
    ValueId id;
    size_t axis;  // of the channels
  };

  // Finds all that reads the value, behind what moves its elements.
  bool Follow(ValueId id, size_t axis) {
    std::vector<Use> open;
    if (!AddUses(id, axis, &open)) return false;
    while (!open.empty()) {
      const Use use = open.back();
      open.pop_back();
      if (!Reads(static_cast<size_t>(use.node), use.id, use.axis, &open)) return false;
    }
    return true;
  }

  // The first on top.
  bool AddUses(ValueId id, size_t axis, std::vector<Use>* open) const {
    const auto v = static_cast<size_t>(id);
    if (links_.is_output[v] || graph_.values[v].given || links_.consumers[v].empty()) return false;
    const auto& readers = links_.consumers[v];
    for (size_t i = readers.size(); i-- > 0;) open->push_back({readers[i], id, axis});
    return true;
  }

  bool Reads(size_t n, ValueId id, size_t axis, std::vector<Use>* open) {
    const graph::Node& node = graph_.nodes[n];
    if (node.inputs[0] != id || std::count(node.inputs.begin(), node.inputs.end(), id) != 1) {
      return false;
    }
    if (const std::optional<size_t> next = operators::AxisThrough(graph_, node, axis)) {
      return node.activation.empty() && AddUses(node.outputs[0], *next, open);
    }
    const std::optional<ChannelLayer> layer = axis == 1 ? AsChannelLayer(graph_, n) : std::nullopt;
    if (!layer || layer->IsGrouped() || layer->depth != channels_) return false;
    readers_.push_back(*layer);
    return true;
  }

  std::vector<double> Ranges() const {
    std::vector<double> range(channels_, 0);
    const graph::Node& node = graph_.nodes[node_];
    for (size_t i = 1; i < std::min<size_t>(node.inputs.size(), 3); ++i) {
      if (node.inputs[i] == graph::kNoValue) continue;
      const std::vector<float>& values = graph_.Constant(node.inputs[i])->floats;
      for (size_t c = 0; c < channels_; ++c) {
        range[c] = math::Hypot(range[c], static_cast<double>(values[c]));
      }
    }
    return range;
  }

  const std::vector<float>& WeightsOf(const ChannelLayer& layer) const {
    return graph_.Constant(graph_.nodes[layer.node].inputs[1])->floats;
  }

  // Of each channel over all readers, as a share of the reader's largest.
  std::vector<double> LargestWeights() const {
    std::vector<double> largest(channels_, 0);
    for (const ChannelLayer& layer : readers_) {
      const std::vector<float>& weights = WeightsOf(layer);
      std::vector<double> own(channels_, 0);
      for (size_t at = 0; at < weights.size(); ++at) {
        double& of = own[at / layer.taps % layer.depth];
        of = std::max(of, std::fabs(static_cast<double>(weights[at])));
      }
      const double all = *std::max_element(own.begin(), own.end());
      if (!(all > 0)) continue;
      for (size_t c = 0; c < channels_; ++c) largest[c] = std::max(largest[c], own[c] / all);
    }
    return largest;
  }

  std::vector<double> Factors(const std::vector<double>& range, const std::vector<double>& weights,
                              double a) const {
    std::vector<double> logs(channels_, 0);
    double sum = 0, alive = 0;
    for (size_t c = 0; c < channels_; ++c) {
      if (!(range[c] > 0) || !(weights[c] > 0)) continue;
      logs[c] = a * math::Log(range[c]) - (1 - a) * math::Log(weights[c]);
      sum += logs[c];
      ++alive;
    }
    std::vector<double> s(channels_, 1);
    for (size_t c = 0; c < channels_; ++c) {
      if (!(range[c] > 0) || !(weights[c] > 0)) continue;
      s[c] =
          math::Exp(std::clamp(logs[c] - sum / alive, -math::Log(kFarthest), math::Log(kFarthest)));
    }
    return s;
  }

  // Over signal, summed over the readers.
  double Noise(const std::vector<double>& range, const std::vector<double>& s) const {
    double widest = 0, power = 0;
    for (size_t c = 0; c < channels_; ++c) {
      widest = std::max(widest, range[c] / s[c]);
      power += range[c] * range[c] / (s[c] * s[c]);
    }
    const double step = 2 * kPeak * widest / 255;
    double noise = 0;
    for (const ChannelLayer& layer : readers_) {
      const std::vector<float>& weights = WeightsOf(layer);
      const size_t row = layer.depth * layer.taps;
      double own = 0, signal = 0;
      for (size_t o = 0; o < layer.outputs; ++o) {
        double largest = 0, squares = 0;
        for (size_t at = 0; at < row; ++at) {
          const size_t c = at / layer.taps;
          const double weight = static_cast<double>(weights[o * row + at]);
          largest = std::max(largest, std::fabs(weight) * s[c]);
          squares += weight * weight * s[c] * s[c];
          signal += weight * weight * range[c] * range[c];
        }
        const double weight_step = largest / 127;
        own += step * step / 12 * squares +
               weight_step * weight_step / 12 * power * static_cast<double>(layer.taps);
      }
      if (signal > 0) noise += own / signal;
    }
    return noise;
  }

  void Scale(size_t node, size_t input, const std::vector<double>& s, size_t taps, bool divide) {
    const Tensor& old = *graph_.Constant(graph_.nodes[node].inputs[input]);
    std::vector<float> values = old.floats;
    const graph::Shape shape = old.shape;
    for (size_t at = 0; at < values.size(); ++at) {
      const double factor = s[at / taps % channels_];
      const auto value = static_cast<double>(values[at]);
      values[at] = static_cast<float>(divide ? value / factor : value * factor);
    }
    SetConstant(graph_, node, input,
                graph::Constant::Real(Tensor::Floats(shape, std::move(values))));
  }

  void Rewrite(const std::vector<double>& s) {
    const std::vector<ValueId> inputs = graph_.nodes[node_].inputs;
    for (size_t i = 1; i < std::min<size_t>(inputs.size(), 3); ++i) {
      if (inputs[i] != graph::kNoValue) Scale(node_, i, s, 1, true);
    }
    for (const ChannelLayer& layer : readers_) Scale(layer.node, 1, s, layer.taps, false);
  }

  graph::Graph& graph_;
  const graph::Links& links_;
  size_t node_;
  size_t channels_ = 0;
  std::vector<ChannelLayer> readers_;
};

}  // namespace

// Smooths the normalizations that gain: with a wanted reader those with less noise, and, where
// others may gain, those whose noise becomes kWorthEqualizing times smaller. Weights and ranges
// that the model brings quantized stay.
int SmoothNorms(graph::Graph& graph, const Guidance& guidance) {
  const graph::Links links(graph);
  int smoothed = 0;
  for (size_t n = 0; n < graph.nodes.size(); ++n) {
    Norm norm(graph, links, n);
    if (!norm.Find()) continue;
    const bool wanted = norm.IsWanted(guidance.wants);
    if ((wanted || guidance.others) && norm.Smooth(wanted ? 1 : kWorthEqualizing)) ++smoothed;
  }
  return smoothed;
}

}  // namespace octet::passes
