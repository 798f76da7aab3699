// GridSample-16 to 22 over pictures: the pixel of the input at each place the grid names. Where the
// specification leaves a choice, ONNX Runtime's.
#include <algorithm>
#include <cmath>
#include <string>

#include "converter/operators/registry.h"

namespace octet::operators {
namespace {

enum class Mode { kLinear, kNearest, kCubic };
enum class Padding { kZeros, kBorder, kReflection };

struct Sampling {
  Mode mode;
  Padding padding;
  bool align_corners;
};

Sampling SamplingOf(const Node& node) {
  const std::string mode = node.String("mode", "bilinear");
  const std::string padding = node.String("padding_mode", "zeros");
  Sampling sampling{Mode::kLinear, Padding::kZeros, node.Int("align_corners", 0) != 0};
  if (mode == "nearest") {
    sampling.mode = Mode::kNearest;
  } else if (mode == "bicubic" || mode == "cubic") {
    sampling.mode = Mode::kCubic;
  } else if (mode != "bilinear" && mode != "linear") {
    NodeFail(node, "mode '{}' is unknown", mode);
  }
  if (padding == "border") {
    sampling.padding = Padding::kBorder;
  } else if (padding == "reflection") {
    sampling.padding = Padding::kReflection;
  } else if (padding != "zeros") {
    NodeFail(node, "padding_mode '{}' is unknown", padding);
  }
  return sampling;
}

// One axis of the picture: from the grid's -1 to 1 to pixels, and what lies beyond.
struct Axis {
  int64_t size;
  float low, high;  // the outer edges
  Padding padding;
  bool align_corners;

  Axis(int64_t pixels, const Sampling& sampling)
      : size(pixels),
        low(sampling.align_corners ? 0.0f : -0.5f),
        high(static_cast<float>(pixels) - (sampling.align_corners ? 1.0f : 0.5f)),
        padding(sampling.padding),
        align_corners(sampling.align_corners) {}

  float Reflected(float x) const {
    const float range = high - low;
    if (!(range > 0)) return 0;
    const bool below = x < low;
    if (!below && !(x > high)) return x;
    const float beyond = below ? low - x : x - high;
    const float times = std::floor(beyond / range);
    const float rest = beyond - times * range;
    const bool even = std::fmod(times, 2.0f) == 0;
    return below == even ? low + rest : high - rest;
  }

  float Position(float g, Mode mode) const {
    const auto length = static_cast<float>(size);
    float x = align_corners ? (g + 1) / 2 * (length - 1) : ((g + 1) * length - 1) / 2;
    if (mode == Mode::kNearest) x = std::nearbyint(x);
    return x;
  }
  bool Beyond(float x) const { return x < low || x > high; }
  float Inside(float x) const {
    if (padding == Padding::kBorder) return std::clamp(x, 0.0f, static_cast<float>(size - 1));
    return padding == Padding::kReflection ? Reflected(x) : x;
  }
  // Pixel for a whole position, -1 for zero. Positions far away, and NaN, are outside.
  int64_t Pixel(float x) const {
    if (padding == Padding::kBorder) x = std::clamp(x, 0.0f, static_cast<float>(size - 1));
    if (padding == Padding::kReflection) x = std::trunc(Reflected(x));
    return x >= 0 && x < static_cast<float>(size) ? static_cast<int64_t>(x) : -1;
  }
};

// Weights of the taps around a position, the first at `first`.
struct Taps {
  float first;
  int count;
  float weights[4];
};

Taps TapsAt(Mode mode, float x) {
  if (mode == Mode::kNearest) return {x, 1, {1, 0, 0, 0}};
  const float low = std::floor(x), t = x - low;
  if (mode == Mode::kLinear) return {low, 2, {1 - t, t, 0, 0}};
  constexpr float kA = -0.75f;
  const auto far = [](float d) { return ((kA * d - 5 * kA) * d + 8 * kA) * d - 4 * kA; };
  const auto near = [](float d) { return ((kA + 2) * d - (kA + 3)) * d * d + 1; };
  return {low - 1, 4, {far(t + 1), near(t), near(1 - t), far(2 - t)}};
}

}  // namespace

std::vector<OutputType> InferGridSample(const ShapeContext& context) {
  CheckInputCount(context, 2, 2);
  RequireFloat(context, 0);
  RequireFloat(context, 1);
  RequireRank(context, 0, 4, 4);
  RequireRank(context, 1, 4, 4);
  RequireElements(context, 0);
  RequireElements(context, 1);
  SamplingOf(*context.node);
  const Shape &x = InputShape(context, 0), &grid = InputShape(context, 1);
  if (grid[0] != x[0] || grid[3] != 2) {
    ShapeFail(context, "the grid must have shape [{},height,width,2]", x[0]);
  }
  return {{DataType::kFloat, {x[0], x[1], grid[1], grid[2]}}};
}

void ExecuteGridSample(const Node& node, Inputs inputs, Outputs outputs, Workspace&) {
  const Tensor &in = *inputs[0], &grid = *inputs[1];
  Tensor& out = outputs[0];
  const Sampling sampling = SamplingOf(node);
  const Axis rows(in.shape[2], sampling), columns(in.shape[3], sampling);
  const int64_t pixels = out.shape[2] * out.shape[3], plane = rows.size * columns.size;
  for (int64_t n = 0; n < in.shape[0]; ++n) {
    for (int64_t p = 0; p < pixels; ++p) {
      const float* g = grid.floats.data() + (n * pixels + p) * 2;
      float x = columns.Position(g[0], sampling.mode), y = rows.Position(g[1], sampling.mode);
      if (columns.Beyond(x) || rows.Beyond(y)) {
        x = columns.Inside(x);
        y = rows.Inside(y);
      }
      const Taps across = TapsAt(sampling.mode, x), down = TapsAt(sampling.mode, y);
      for (int64_t c = 0; c < in.shape[1]; ++c) {
        const float* image = in.floats.data() + (n * in.shape[1] + c) * plane;
        float sum = 0;
        for (int i = 0; i < down.count; ++i) {
          const int64_t row = rows.Pixel(down.first + static_cast<float>(i));
          for (int j = 0; j < across.count; ++j) {
            const int64_t column = columns.Pixel(across.first + static_cast<float>(j));
            if (row < 0 || column < 0) continue;
            sum += image[row * columns.size + column] * (down.weights[i] * across.weights[j]);
          }
        }
        out.floats[static_cast<size_t>((n * in.shape[1] + c) * pixels + p)] = sum;
      }
    }
  }
}

}  // namespace octet::operators
