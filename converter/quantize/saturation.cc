#include "converter/quantize/saturation.h"

#include <algorithm>
#include <cmath>

#include "converter/operators/clamp.h"
#include "converter/operators/operator.h"
#include "converter/operators/unary.h"

namespace octet::quantize {
namespace {

// Far enough for every function that levels off: each is constant to double precision beyond, or
// close to it.
constexpr double kFar = 1e6;
constexpr int kScanSteps = 1024;

// From `outer` towards 0: the last point up to which f stays within `tolerance` of `level`.
template <typename F>
double FirstChange(const F& f, double level, double outer, double tolerance) {
  double point = outer;
  for (int i = 0; i < kScanSteps; ++i) {
    const double next = outer * (1 - static_cast<double>(i) / kScanSteps);
    if (!(std::fabs(f(next) - level) <= tolerance)) break;
    point = next;
  }
  return point;
}

}  // namespace

std::optional<calibrate::Range> ChangingPart(const graph::Graph& graph, const graph::Node& node,
                                             const calibrate::Range& observed,
                                             const ResultCodes& result) {
  if (!node.activation.empty()) return std::nullopt;
  const operators::UnaryTraits traits = operators::UnaryTraitsOf(node);
  const bool saturates = result.ends && operators::IsUnaryFunction(node.op);
  calibrate::Range part = observed;
  if (!traits.levels_low && !traits.levels_high) {
    const auto bounds = operators::ClampOf(graph, node);
    const bool clamps = bounds && bounds->low <= bounds->high;
    if (clamps) {
      part.min = std::clamp(observed.min, bounds->low, bounds->high);
      part.max = std::clamp(observed.max, bounds->low, bounds->high);
    }
    // A function with bounds as inputs is not known by its attributes.
    if (clamps || !saturates) return clamps ? std::optional(part) : std::nullopt;
  }
  const operators::UnaryParameters p = operators::ParametersOf(node);
  const auto f = [&](double x) {
    const double y = operators::ApplyUnary(node.op, x, p.alpha, p.beta);
    return saturates ? std::clamp<double>(y, result.ends->min, result.ends->max) : y;
  };
  const double tolerance = result.scale / 4;
  if (observed.min < 0 && (traits.levels_low || saturates)) {
    const double level = f(traits.levels_low ? -kFar : observed.min);
    part.min = static_cast<float>(FirstChange(f, level, observed.min, tolerance));
  }
  if (observed.max > 0 && (traits.levels_high || saturates)) {
    const double level = f(traits.levels_high ? kFar : observed.max);
    part.max = static_cast<float>(FirstChange(f, level, observed.max, tolerance));
  }
  return part;
}

}  // namespace octet::quantize
