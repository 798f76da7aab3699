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

// From `outer` towards 0: the last point up to which f stays within `tolerance` of its level.
template <typename F>
double FirstChange(const F& f, double outer, double tolerance) {
  const double level = f(outer < 0 ? -kFar : kFar);
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
                                             double output_scale) {
  if (!node.activation.empty()) return std::nullopt;
  const operators::UnaryTraits traits = operators::UnaryTraitsOf(node);
  if (!traits.levels_low && !traits.levels_high) {
    const auto bounds = operators::ClampOf(graph, node);
    if (!bounds || bounds->low > bounds->high) return std::nullopt;
    return calibrate::Range{std::clamp(observed.min, bounds->low, bounds->high),
                            std::clamp(observed.max, bounds->low, bounds->high)};
  }
  const operators::UnaryParameters p = operators::ParametersOf(node);
  const auto f = [&](double x) { return operators::ApplyUnary(node.op, x, p.alpha, p.beta); };
  const double tolerance = output_scale / 4;
  calibrate::Range part = observed;
  if (traits.levels_low && observed.min < 0) {
    part.min = static_cast<float>(FirstChange(f, observed.min, tolerance));
  }
  if (traits.levels_high && observed.max > 0) {
    part.max = static_cast<float>(FirstChange(f, observed.max, tolerance));
  }
  return part;
}

}  // namespace octet::quantize
