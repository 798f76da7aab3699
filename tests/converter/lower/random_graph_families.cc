// The steps of graphs from kFamilySeeds on: choices, truth values, integers, two computed operands,
// slopes by channel, fractional scales.
#include <algorithm>
#include <cmath>

#include "tests/converter/lower/random_graph.h"

namespace octet::test {

void RandomGraph::FamilyStep() {
  switch (Pick(0, 5)) {
    case 0:
      return Choice();
    case 1:
      return Logic();
    case 2:
      return Remainder();
    case 3:
      return TwoComputed();
    case 4:
      return SlopeByChannel();
    default:
      return FractionalResize();
  }
}

// A truth value a number: which ones flip at a threshold is up to rounding.
OnnxValue RandomGraph::Comparison(const Entry& in) {
  discontinuous_ = true;
  const std::string level = model_.Unique("threshold");
  model_.Initializer(level, {}, std::vector<float>{0.125f * static_cast<float>(Pick(-4, 4))});
  static const char* const kOps[] = {"Greater", "Less", "GreaterOrEqual", "LessOrEqual"};
  return in.value.Op(kOps[Pick(0, 3)], {}, {level});
}

void RandomGraph::Choice() {
  const Entry a = Any();
  const OnnxValue condition = Comparison(a);
  std::string other = a.value.Op("Neg").name();
  if (Chance(50)) {
    other = model_.Unique("otherwise");
    model_.Initializer(other, {}, std::vector<float>{-0.25f});
  }
  const bool swapped = Chance(50);
  Push("Where",
       model_.Node("Where", {condition.name(), swapped ? other : a.value.name(),
                             swapped ? a.value.name() : other}),
       a.shape);
}

void RandomGraph::Logic() {
  const Entry a = Any();
  static const char* const kOps[] = {"And", "Or", "Xor"};
  const std::string left = Comparison(a).name(), right = Comparison(a).name();
  OnnxValue truth = model_.Node(kOps[Pick(0, 2)], {left, right});
  if (Chance(30)) truth = truth.Op("Not");
  Push("Logic", truth.Op("Cast", {{"to", Int(1)}}), a.shape);
}

void RandomGraph::Remainder() {
  const Entry a = Bounded(Any(), -20, 20);
  discontinuous_ = true;
  const std::string divisor = model_.Unique("divisor");
  model_.Initializer(divisor, {1}, Dims{Pick(2, 7)});
  const OnnxValue whole = a.value.Op("Cast", {{"to", Int(7)}});
  Push("Mod", whole.Op("Mod", {}, {divisor}).Op("Cast", {{"to", Int(1)}}), a.shape);
}

void RandomGraph::TwoComputed() {
  const Entry a = Any();
  const Entry squashed = Bounded(a, -1, 1);
  switch (Pick(0, 2)) {
    case 0:
      return Push("Max2", a.value.Op("Max", {}, {squashed.value.name()}), a.shape);
    case 1:
      return Push("Min2", a.value.Op("Min", {}, {squashed.value.name()}), a.shape);
    default:
      Push("Pow2", Bounded(a, 0.3f, 2).value.Op("Pow", {}, {Bounded(a, 0.5f, 1.5f).value.name()}),
           a.shape);
  }
}

void RandomGraph::SlopeByChannel() {
  const Entry in = Image();
  const std::string slope = model_.Unique("slope");
  const Dims shape = Chance(70) ? Dims{in.shape[1], 1, 1} : Dims{1};
  model_.Random(slope, shape, 0.5f);
  Push("PRelu", in.value.Op("PRelu", {}, {slope}), in.shape);
}

void RandomGraph::FractionalResize() {
  const Entry in = Image();
  static constexpr float kScales[] = {0.7f, 1.0f / 3.0f, 1.5f, 2.3f, 0.5f, 1.25f};
  const float y = kScales[Pick(0, 5)], x = kScales[Pick(0, 5)];
  const auto extent = [](int64_t size, float scale) {
    return static_cast<int64_t>(std::floor(static_cast<float>(size) * scale));
  };
  const Dims shape{1, in.shape[1], extent(in.shape[2], y), extent(in.shape[3], x)};
  if (shape[2] < 1 || shape[3] < 1 || ElementsOf(shape) > kMostElements) return;
  static const char* const kTransforms[] = {"half_pixel", "asymmetric", "align_corners",
                                            "pytorch_half_pixel"};
  static const char* const kNearest[] = {"floor", "ceil", "round_prefer_floor",
                                         "round_prefer_ceil"};
  const char *const nearest = kNearest[Pick(0, 3)], *const transform = kTransforms[Pick(0, 3)];
  const char* const mode = Chance(50) ? "linear" : "nearest";
  Push("ResizeFraction", in.value.Resize({1, 1, y, x}, mode, transform, nearest), shape);
}

}  // namespace octet::test
