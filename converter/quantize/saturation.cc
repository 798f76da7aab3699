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
constexpr double kInt8Steps = 255;  // of a range in int8

// From `outer` towards 0: the last point up to which `holds`.
template <typename Holds>
float LastPoint(const Holds& holds, double outer) {
  double point = outer;
  for (int i = 0; i < kScanSteps; ++i) {
    const double next = outer * (1 - static_cast<double>(i) / kScanSteps);
    if (!holds(next)) break;
    point = next;
  }
  return static_cast<float>(point);
}

// Up to where f stays within a quarter of the result's step of `level`.
template <typename F>
float FirstChange(const F& f, double level, double outer, const ResultCodes& result) {
  const auto holds = [&](double x) { return std::fabs(f(x) - level) <= result.scale / 4; };
  return LastPoint(holds, outer);
}

// Up to where f has the code that it has at `outer`, which no level need be near: a point moves by
// `half` a step of its own codes, and a level by a quarter of one of the result's.
template <typename F>
float FirstCodeChange(const F& f, double outer, double half, const ResultCodes& result) {
  const auto low = static_cast<double>(result.ends->min);
  const auto code = [&](double x) { return std::nearbyint((f(x) - low) / result.scale); };
  const double first = code(outer), level = low + first * result.scale;
  const auto holds = [&](double x) {
    const double inner = std::fabs(x) > half ? x - std::copysign(half, x) : 0;
    return code(inner) == first || std::fabs(f(x) - level) <= result.scale / 4;
  };
  return LastPoint(holds, outer);
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
  const operators::ScalarFunction scalar = operators::ScalarOf(node.op);
  const auto f = [&](double x) {
    const double y = scalar(x, p.alpha, p.beta);
    return saturates ? std::clamp<double>(y, result.ends->min, result.ends->max) : y;
  };
  const double half = (static_cast<double>(observed.max) - observed.min) / (2 * kInt8Steps);
  if (observed.min < 0 && (traits.levels_low || saturates)) {
    part.min = traits.levels_low ? FirstChange(f, f(-kFar), observed.min, result)
                                 : FirstCodeChange(f, observed.min, half, result);
  }
  if (observed.max > 0 && (traits.levels_high || saturates)) {
    part.max = traits.levels_high ? FirstChange(f, f(kFar), observed.max, result)
                                  : FirstCodeChange(f, observed.max, half, result);
  }
  return part;
}

}  // namespace octet::quantize
