#include "converter/passes/bounds.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <map>
#include <string_view>
#include <utility>

#include "converter/operators/clamp.h"
#include "converter/operators/operator.h"
#include "converter/operators/unary.h"
#include "converter/passes/read.h"
#include "converter/support/functions.h"

namespace octet::passes {

namespace {

constexpr float kInfinity = std::numeric_limits<float>::infinity();
constexpr Bounds kUnknown{-kInfinity, kInfinity};
// How many nodes are looked through. Chains of that length say nothing that is worth the time.
constexpr int kMaxDepth = 6;

Bounds Unite(const Bounds& a, const Bounds& b) {
  return {std::min(a.low, b.low), std::max(a.high, b.high)};
}

// infinity * 0 is 0: no value is infinite.
float Times(float a, float b) {
  return a == 0 || b == 0 ? 0 : a * b;
}

Bounds Product(const Bounds& a, const Bounds& b) {
  const auto [low, high] = std::minmax(
      {Times(a.low, b.low), Times(a.low, b.high), Times(a.high, b.low), Times(a.high, b.high)});
  return {low, high};
}

// Samples lie 5 % apart, 0.05 near 0, and reach 1e4. A function that still grows there is
// taken to have no bound.
Bounds OfFunction(const Node& node, const Bounds& x) {
  constexpr double kReach = 10, kSteps = 400;
  const operators::UnaryParameters p = operators::ParametersOf(node);
  const operators::ScalarFunction scalar = operators::ScalarOf(node.op);
  const auto f = [&](double at) { return scalar(at, p.alpha, p.beta); };
  const auto at_end = [](double end) {
    return std::clamp(end, -math::Sinh(kReach), math::Sinh(kReach));
  };
  const double first = at_end(x.low), last = at_end(x.high);
  double low = std::min(f(first), f(last)), high = std::max(f(first), f(last));
  double inner_low = f((first + last) / 2), inner_high = inner_low;
  for (double i = 0; i <= kSteps; ++i) {
    const double at = math::Sinh((i / kSteps * 2 - 1) * kReach);
    if (at <= first || at >= last) continue;
    inner_low = std::min(inner_low, f(at));
    inner_high = std::max(inner_high, f(at));
  }
  if (std::isnan(low) || std::isnan(high)) return kUnknown;
  const operators::UnaryTraits traits = operators::UnaryTraitsOf(node);
  const auto runs_away = [&](double end, bool level, bool upwards) {
    if (level || std::fabs(end) < math::Sinh(kReach)) return false;
    return upwards ? f(end) > inner_high : f(end) < inner_low;
  };
  const bool down =
      runs_away(first, traits.levels_low, false) || runs_away(last, traits.levels_high, false);
  const bool up =
      runs_away(first, traits.levels_low, true) || runs_away(last, traits.levels_high, true);
  low = down ? -kInfinity : std::min(low, inner_low);
  high = up ? kInfinity : std::max(high, inner_high);
  return {static_cast<float>(low), static_cast<float>(high)};
}

class Finder {
 public:
  explicit Finder(const Editor& editor) : editor_(editor) {}

  // A value may be reached on many ways: each is looked at once for each depth.
  Bounds Of(ValueId id, int depth) const {
    const auto known = known_.find({id, depth});
    if (known != known_.end()) return known->second;
    const Bounds bounds = Find(id, depth);
    known_.emplace(std::pair{id, depth}, bounds);
    return bounds;
  }

 private:
  Bounds Find(ValueId id, int depth) const {
    if (const Tensor* constant = editor_.Constant(id)) {
      if (constant->floats.empty()) return kUnknown;
      const auto [low, high] =
          std::minmax_element(constant->floats.begin(), constant->floats.end());
      return {*low, *high};
    }
    if (id == graph::kNoValue || !editor_.IsFloat(id)) return kUnknown;
    const graph::Given* given = editor_.graph().At(id).given.get();
    if (given != nullptr) return {given->Low(), given->High()};
    const int producer = editor_.Producer(id);
    if (producer < 0 || depth == 0) return kUnknown;
    const Node& node = editor_.At(producer);
    Bounds bounds = OfNode(node, depth - 1);
    if (const auto clamp = operators::ClampOf(editor_.graph(), node)) {
      if (node.activation.empty()) bounds = Of(node.inputs[0], depth - 1);
      // Bounds that cross give the upper one.
      bounds.low = std::min(std::max(bounds.low, clamp->low), clamp->high);
      bounds.high = std::min(std::max(bounds.high, clamp->low), clamp->high);
    } else if (!node.activation.empty()) {
      return kUnknown;
    }
    return bounds;
  }

  Bounds OfInputs(const Node& node, size_t first, int depth) const {
    Bounds all = Of(node.inputs[first], depth);
    for (size_t i = first + 1; i < node.inputs.size(); ++i) {
      all = Unite(all, Of(node.inputs[i], depth));
    }
    return all;
  }

  // The result without its fused activation.
  Bounds OfNode(const Node& node, int depth) const {
    using operators::Bounding;
    if (node.inputs.empty()) return kUnknown;
    const Bounding bounding = operators::BoundingOf(node.op);
    switch (bounding) {
      case Bounding::kUnknown:
        return kUnknown;
      case Bounding::kShares:
        return {0, 1};
      case Bounding::kNotNegative:
        return {0, kInfinity};
      case Bounding::kAll:
        return OfInputs(node, 0, depth);
      case Bounding::kBranches:
        return OfInputs(node, 1, depth);
      case Bounding::kSum:
      case Bounding::kDifference:
      case Bounding::kProduct:
        return OfTwo(node, bounding, depth);
      default:
        return OfFirst(node, bounding, Of(node.inputs[0], depth));
    }
  }

  Bounds OfTwo(const Node& node, operators::Bounding bounding, int depth) const {
    if (node.inputs.size() != 2) return kUnknown;
    const Bounds a = Of(node.inputs[0], depth), b = Of(node.inputs[1], depth);
    if (bounding == operators::Bounding::kProduct) return Product(a, b);
    return bounding == operators::Bounding::kSum ? Bounds{a.low + b.low, a.high + b.high}
                                                 : Bounds{a.low - b.high, a.high - b.low};
  }

  // x: the bounds of input 0.
  Bounds OfFirst(const Node& node, operators::Bounding bounding, const Bounds& x) const {
    using operators::Bounding;
    if (bounding == Bounding::kFunction) return OfFunction(node, x);
    if (bounding == Bounding::kFirstOrZero) return Unite(x, {0, 0});
    if (bounding == Bounding::kSignOfFirst) {
      return {x.low >= 0 ? 0 : -kInfinity, x.high <= 0 ? 0 : kInfinity};
    }
    if (bounding == Bounding::kInterpolated) {
      return node.String("mode", "nearest") == "cubic" || node.Has("extrapolation_value") ? kUnknown
                                                                                          : x;
    }
    if (bounding == Bounding::kFilled) {
      const auto spec = ReadPad(editor_.graph(), node, editor_.Rank(node.inputs[0]));
      if (!spec) return kUnknown;
      return spec->constant_mode ? Unite(x, {spec->value, spec->value}) : x;
    }
    return x;
  }

  const Editor& editor_;
  mutable std::map<std::pair<ValueId, int>, Bounds> known_;  // by value and depth
};

}  // namespace

Bounds BoundsOf(const Editor& editor, ValueId id) {
  return Finder(editor).Of(id, kMaxDepth);
}

}  // namespace octet::passes
