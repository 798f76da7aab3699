#include "converter/quantize/narrow_outputs.h"

#include <algorithm>
#include <cmath>
#include <limits>

#include "converter/operators/operator.h"
#include "converter/operators/output_view.h"
#include "converter/operators/reading.h"
#include "converter/operators/scaling.h"
#include "converter/operators/weights.h"
#include "converter/quantize/ranges.h"

namespace octet::quantize {
namespace {

using graph::ValueId;
using operators::Int8;
using operators::Reading;
using operators::Scaling;

constexpr double kAnyStep = std::numeric_limits<double>::infinity();

// From the outputs to the inputs: how coarse the steps of each value may be.
class Walk {
 public:
  Walk(const graph::Graph& graph,
       const std::vector<std::optional<calibrate::Statistics>>& statistics)
      : graph_(graph),
        statistics_(statistics),
        links_(graph),
        view_(operators::ViewOutputs(graph)),
        coarsest_(graph.values.size(), kAnyStep),
        is_int8_(graph.values.size()),
        narrow_(graph.nodes.size()) {
    for (const graph::Node& node : graph_.nodes) FindInt8(node);
  }

  std::vector<bool> Run() {
    for (size_t id = 0; id < graph_.values.size(); ++id) {
      const auto& seen = statistics_[id];
      // One number for all is no variation that 8 bits could lose.
      if (!view_.is_piece[id] || !seen || graph_.values[id].given || !(seen->max > seen->min)) {
        continue;
      }
      coarsest_[id] = (double{seen->max} - double{seen->min}) / double{kLeastCodes};
    }
    for (size_t n = graph_.nodes.size(); n-- > 0;) {
      if (view_.needed[n] && !operators::SumsProducts(graph_.nodes[n])) Visit(n);
    }
    return narrow_;
  }

 private:
  // Layers with weights stay in int8, and what is only moved is no finer elsewhere.
  void FindInt8(const graph::Node& node) {
    const bool keeps = operators::Int8Of(node) == Int8::kKeepsScale &&
                       is_int8_[static_cast<size_t>(node.inputs[0])];
    for (ValueId id : graph::Present(node.outputs)) {
      is_int8_[static_cast<size_t>(id)] =
          keeps || operators::IsContraction(node) || graph_.At(id).given != nullptr;
    }
  }

  void Visit(size_t n) {
    const graph::Node& node = graph_.nodes[n];
    double coarsest = kAnyStep;
    for (ValueId id : graph::Present(node.outputs)) {
      coarsest = std::min(coarsest, coarsest_[static_cast<size_t>(id)]);
      if (IsTooCoarse(id)) narrow_[n] = true;
    }
    if (coarsest == kAnyStep) return;
    for (size_t i = 0; i < node.inputs.size(); ++i) {
      const ValueId id = node.inputs[i];
      if (id == graph::kNoValue) continue;
      const graph::Value& value = graph_.At(id);
      if (value.constant || value.given || value.type != graph::DataType::kFloat) continue;
      const double gain = GainOf(node, i);
      if (!(gain > 0)) continue;
      double& own = coarsest_[static_cast<size_t>(id)];
      own = std::min(own, coarsest / gain);
      if (IsTooCoarse(id)) narrow_[n] = true;
    }
  }

  bool IsTooCoarse(ValueId id) const {
    const auto at = static_cast<size_t>(id);
    return !is_int8_[at] && StepOf(id) > coarsest_[at];
  }

  // In int8.
  double StepOf(ValueId id) const {
    constexpr double kSteps = 255;
    const auto& seen = statistics_[static_cast<size_t>(id)];
    if (!seen) return 0;
    const int producer = links_.producer[static_cast<size_t>(id)];
    if (producer >= 0 &&
        operators::Int8Of(graph_.nodes[static_cast<size_t>(producer)]) == Int8::kFixedScale) {
      return double{ProbabilityRange(seen).max} / kSteps;
    }
    return (std::max(0.0, double{seen->max}) - std::min(0.0, double{seen->min})) / kSteps;
  }

  // By how much the result moves where all elements of input `i` move by a little.
  double GainOf(const graph::Node& node, size_t i) const {
    const ValueId from = node.inputs[i], to = node.outputs[0];
    switch (operators::ReadingOf(node, i)) {
      case Reading::kPasses:
      case Reading::kNegative:
      case Reading::kSum:
      case Reading::kMinuend:
      case Reading::kSubtrahend:
      case Reading::kMaximum:
      case Reading::kMinimum:
        return 1;
      default:
        break;
    }
    switch (operators::ScalingOf(node)) {
      case Scaling::kHomogeneous:
        // A mean of numbers around 0 is small, and is off by as much as they are.
        return std::max(1.0, Ratio(SizeOf(to), SizeOf(from)));
      case Scaling::kBilinear:
      case Scaling::kQuotient:
        return Ratio(SizeOf(to), SizeOf(from));
      default:
        return Ratio(DeviationOf(to), DeviationOf(from));
    }
  }

  static double Ratio(double of, double to) { return to > 0 ? of / to : 0; }
  // Root mean square.
  double SizeOf(ValueId id) const {
    const auto& seen = statistics_[static_cast<size_t>(id)];
    return seen ? std::sqrt(seen->variance + seen->mean * seen->mean) : 0;
  }
  double DeviationOf(ValueId id) const {
    const auto& seen = statistics_[static_cast<size_t>(id)];
    return seen ? std::sqrt(seen->variance) : 0;
  }

  const graph::Graph& graph_;
  const std::vector<std::optional<calibrate::Statistics>>& statistics_;
  graph::Links links_;
  operators::OutputView view_;
  std::vector<double> coarsest_;  // by value: the coarsest step that leaves kLeastCodes
  std::vector<bool> is_int8_;     // by value: FP16 would hold the same codes
  std::vector<bool> narrow_;      // by node
};

}  // namespace

std::vector<bool> NarrowOutputs(
    const graph::Graph& graph,
    const std::vector<std::optional<calibrate::Statistics>>& statistics) {
  return Walk(graph, statistics).Run();
}

}  // namespace octet::quantize
