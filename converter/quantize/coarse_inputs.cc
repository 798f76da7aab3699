#include "converter/quantize/coarse_inputs.h"

#include <algorithm>
#include <cmath>

#include "converter/operators/copies.h"
#include "converter/operators/operator.h"
#include "converter/operators/output_view.h"
#include "converter/operators/unary.h"
#include "converter/operators/weights.h"

namespace octet::quantize {
namespace {

using graph::ValueId;

class Finder {
 public:
  Finder(const graph::Graph& graph,
         const std::vector<std::optional<calibrate::Statistics>>& statistics, const Scheme& scheme)
      : graph_(graph),
        statistics_(statistics),
        scheme_(scheme),
        links_(graph),
        needed_(operators::ViewOutputs(graph).needed),
        holds_codes_(FindHeldCodes()) {}

  std::vector<CoarseNode> Run(double most_steps) const {
    std::vector<CoarseNode> found;
    for (size_t n = 0; n < graph_.nodes.size(); ++n) {
      const graph::Node& node = graph_.nodes[n];
      const bool in_view = IsFunctionOfView(n);
      if (!in_view && !RunsInInt8(n)) continue;
      const graph::Given* given = graph_.At(node.outputs[0]).given.get();
      if (given == nullptr) continue;
      CoarseNode coarse{n, 0, {}, in_view};
      double variance = WeightNoiseOf(node) / given->scale / given->scale;
      for (size_t i = 0; i < node.inputs.size(); ++i) {
        const double noise = NoiseOf(node.inputs[i]);
        if (noise == 0) continue;
        const double gain = GainOf(node, i) / given->scale;
        variance += noise * gain * gain;
        coarse.inputs.push_back(node.inputs[i]);
      }
      coarse.steps = std::sqrt(variance);
      if (coarse.steps > most_steps) found.push_back(std::move(coarse));
    }
    return found;
  }

 private:
  bool RunsInInt8(size_t n) const {
    return needed_[n] && scheme_.precision[n] == blob::Precision::kInt8;
  }

  // Of what a layer of int8 computes.
  bool IsFunctionOfView(size_t n) const {
    const graph::Node& node = graph_.nodes[n];
    if (needed_[n] || !operators::IsUnaryFunction(node.op)) return false;
    const int producer = links_.producer[static_cast<size_t>(node.inputs[0])];
    return producer >= 0 && RunsInInt8(static_cast<size_t>(producer));
  }

  const TensorScheme* SchemeOf(ValueId id) const {
    const auto& scheme = scheme_.tensors[static_cast<size_t>(id)];
    return scheme ? &*scheme : nullptr;
  }

  // Variance of what rounding to 8 bits adds to a value that the model leaves real.
  double NoiseOf(ValueId id) const {
    if (id == graph::kNoValue) return 0;
    const graph::Value& value = graph_.At(id);
    if (value.constant || value.given || value.type != graph::DataType::kFloat) return 0;
    const TensorScheme* scheme = SchemeOf(id);
    if (scheme == nullptr || holds_codes_[static_cast<size_t>(id)]) return 0;
    const int producer = links_.producer[static_cast<size_t>(id)];
    const double weights = producer < 0 || !RunsInInt8(static_cast<size_t>(producer))
                               ? 0
                               : WeightNoiseOf(graph_.nodes[static_cast<size_t>(producer)]);
    return static_cast<double>(scheme->scale) * scheme->scale / 12 + weights;
  }

  // Variance of what the rounding of weights to 8 bits adds to a layer's result: of those that are
  // no codes, or codes of scales that differ within an output channel.
  double WeightNoiseOf(const graph::Node& node) const {
    const auto weights = operators::WeightsOf(graph_, node);
    // A stack of matrices is quantized as computed tensors are.
    if (!weights || (weights->tensor->shape.size() != 2 && !operators::IsConvolution(node)))
      return 0;
    const std::vector<float> coded = operators::CodedScalesOf(graph_, node);
    const auto is_coded = [](float scale) { return scale > 0; };
    if (!coded.empty() && std::all_of(coded.begin(), coded.end(), is_coded)) return 0;
    const std::vector<size_t> output_of = operators::OutputsOfElements(*weights);
    std::vector<double> largest(static_cast<size_t>(weights->outputs), 0);
    for (size_t i = 0; i < output_of.size(); ++i) {
      const size_t output = output_of[i];
      if (!coded.empty() && coded[output] > 0) continue;
      largest[output] = std::max(largest[output], std::fabs(double{weights->tensor->floats[i]}));
    }
    double squares = 0;
    for (const double w : largest) squares += w / 127 * (w / 127) / 12;
    const auto& seen = statistics_[static_cast<size_t>(node.inputs[weights->input == 0 ? 1 : 0])];
    if (!seen) return 0;
    return squares / static_cast<double>(weights->outputs) *
           static_cast<double>(weights->products) * (seen->variance + seen->mean * seen->mean);
  }

  // By value: every element is one of a value that the model rounds, at that value's scale.
  std::vector<bool> FindHeldCodes() const {
    std::vector<bool> holds(graph_.values.size());
    for (size_t v = 0; v < holds.size(); ++v) holds[v] = bool{graph_.values[v].given};
    for (size_t n = 0; n < graph_.nodes.size(); ++n) {
      for (const ValueId id : graph::Present(graph_.nodes[n].outputs)) {
        if (CopiesCodes(n, id, holds)) holds[static_cast<size_t>(id)] = true;
      }
    }
    return holds;
  }

  bool CopiesCodes(size_t n, ValueId id, const std::vector<bool>& holds) const {
    const graph::Node& node = graph_.nodes[n];
    if (!RunsInInt8(n) || !operators::CopiesElements(node)) return false;
    const bool joins = operators::Int8Of(node) == operators::Int8::kJoins;
    const size_t count = joins ? node.inputs.size() : 1;
    for (size_t i = 0; i < count; ++i) {
      const ValueId input = node.inputs[i];
      if (graph_.At(input).constant) continue;
      const TensorScheme *from = SchemeOf(input), *to = SchemeOf(id);
      if (from == nullptr || to == nullptr || from->scale != to->scale ||
          from->zero_point != to->zero_point || !holds[static_cast<size_t>(input)]) {
        return false;
      }
    }
    return true;
  }

  // By how much a small error of input `i` is larger in the result.
  double GainOf(const graph::Node& node, size_t i) const {
    if (operators::IsUnaryFunction(node.op)) return SteepestSlope(node);
    if (const auto weights = operators::WeightsOf(graph_, node); weights && i != weights->input) {
      double squares = 0;
      for (const float w : weights->tensor->floats) squares += static_cast<double>(w) * w;
      return std::sqrt(squares / static_cast<double>(weights->outputs));
    }
    const double from = DeviationOf(node.inputs[i]), to = DeviationOf(node.outputs[0]);
    return from > 0 ? to / from : 0;
  }

  double DeviationOf(ValueId id) const {
    const auto& seen = statistics_[static_cast<size_t>(id)];
    return seen ? std::sqrt(seen->variance) : 0;
  }

  // Between two neighbouring codes of the input.
  double SteepestSlope(const graph::Node& node) const {
    constexpr int kCodes = 256;
    const TensorScheme& in = *SchemeOf(node.inputs[0]);
    const operators::UnaryParameters p = operators::ParametersOf(node);
    double steepest = 0, before = 0;
    for (int code = 0; code < kCodes; ++code) {
      const double x = static_cast<double>(in.scale) * (code - kCodes / 2 - in.zero_point);
      const double y = operators::ScalarOf(node.op)(x, p.alpha, p.beta);
      const double slope = std::fabs(y - before) / in.scale;
      if (code > 0 && std::isfinite(slope)) steepest = std::max(steepest, slope);
      before = y;
    }
    return steepest;
  }

  const graph::Graph& graph_;
  const std::vector<std::optional<calibrate::Statistics>>& statistics_;
  const Scheme& scheme_;
  graph::Links links_;
  std::vector<bool> needed_;
  std::vector<bool> holds_codes_;
};

}  // namespace

std::vector<CoarseNode> FindCoarseNodes(
    const graph::Graph& graph, const std::vector<std::optional<calibrate::Statistics>>& statistics,
    const Scheme& scheme, double most_steps) {
  const bool has_codes = std::any_of(graph.values.begin(), graph.values.end(),
                                     [](const graph::Value& value) { return bool{value.given}; });
  if (!has_codes) return {};
  return Finder(graph, statistics, scheme).Run(most_steps);
}

}  // namespace octet::quantize
