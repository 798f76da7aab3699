// ConvTranspose-1 to 22 in one to three dimensions: a matrix product, and its columns added to the
// windows they belong to.
#include <algorithm>

#include "converter/operators/matrix.h"
#include "converter/operators/registry.h"
#include "converter/operators/window.h"

namespace octet::operators {
namespace {

Shape TransposedKernelOf(const Shape& weights) {
  return Shape(weights.begin() + 2, weights.end());
}

// The output row of input row (iz, iy) under tap (kz, ky), or null where it is cut off.
float* RowUnder(const Window& window, int64_t iz, int64_t iy, int64_t kz, int64_t ky, float* out) {
  const WindowAxis& z = window.z;
  const WindowAxis& y = window.y;
  const int64_t oz = iz * z.stride + kz * z.dilation - z.pad_begin;
  const int64_t oy = iy * y.stride + ky * y.dilation - y.pad_begin;
  if (oz < 0 || oz >= z.out || oy < 0 || oy >= y.out) return nullptr;
  return out + (oz * y.out + oy) * window.x.out;
}

// Adds columns[taps, input pixels] to where each input pixel's window lies in the output.
void ScatterColumns(const Window& window, const float* columns, float* out) {
  const WindowAxis& z = window.z;
  const WindowAxis& y = window.y;
  const WindowAxis& x = window.x;
  for (int64_t tap = 0; tap < window.Taps(); ++tap) {
    const int64_t kz = tap / (y.kernel * x.kernel), ky = tap / x.kernel % y.kernel;
    const int64_t shift = tap % x.kernel * x.dilation - x.pad_begin;
    for (int64_t row = 0; row < z.in * y.in; ++row, columns += x.in) {
      float* target = RowUnder(window, row / y.in, row % y.in, kz, ky, out);
      if (target == nullptr) continue;
      for (int64_t ix = 0; ix < x.in; ++ix) {
        const int64_t ox = ix * x.stride + shift;
        if (ox >= 0 && ox < x.out) target[ox] += columns[ix];
      }
    }
  }
}

}  // namespace

std::vector<OutputType> InferConvTranspose(const ShapeContext& context) {
  CheckInputCount(context, 2, 3);
  for (size_t i = 0; i < context.inputs.size(); ++i) {
    if (HasInput(context, i)) RequireFloat(context, i);
  }
  RequireRank(context, 0, 3, 5);
  const Node& node = *context.node;
  const Shape& input = InputShape(context, 0);
  const Shape& weights = InputShape(context, 1);  // [in channels, out channels / group, kernel...]
  RequireRank(context, 1, input.size(), input.size());
  RequireElements(context, 0);
  RequireElements(context, 1);
  const int64_t group = node.Int("group", 1);
  if (group < 1 || input[1] % group != 0 || weights[0] != input[1] || weights[1] < 1) {
    ShapeFail(context, "{} input channels in {} groups do not fit weights {}", input[1], group,
              graph::ToString(weights));
  }
  const int64_t channels = weights[1] * group;
  const Shape kernel = TransposedKernelOf(weights);
  if (node.Has("kernel_shape") && node.Ints("kernel_shape") != kernel) {
    ShapeFail(context, "kernel_shape [{}] differs from the weights",
              fmt::join(node.Ints("kernel_shape"), ","));
  }
  if (HasInput(context, 2) && InputShape(context, 2) != Shape{channels}) {
    ShapeFail(context, "the bias must have shape [{}]", channels);
  }
  const Window window = MakeTransposedWindow(node, input, kernel);
  return {{DataType::kFloat, WindowResult(window, input[0], channels)}};
}

void ExecuteConvTranspose(const Node& node, Inputs inputs, Outputs outputs, Workspace& workspace) {
  const Tensor& in = *inputs[0];
  const Tensor& weights = *inputs[1];
  const Tensor* bias = At(inputs, 2);
  const Window window = MakeTransposedWindow(node, in.shape, TransposedKernelOf(weights.shape));
  const int64_t group = node.Int("group", 1);
  const int64_t depth = in.shape[1] / group;
  const int64_t channels = weights.shape[1];
  const int64_t in_pixels = window.InputPixels();
  const int64_t out_pixels = window.OutputPixels();
  const int64_t rows = channels * window.Taps();
  const auto needed = static_cast<size_t>(rows * in_pixels);
  if (workspace.buffer.size() < needed) workspace.buffer.resize(needed);
  float* columns = workspace.buffer.data();
  for (int64_t n = 0; n < in.shape[0]; ++n) {
    for (int64_t g = 0; g < group; ++g) {
      const float* image = in.floats.data() + (n * group + g) * depth * in_pixels;
      float* result = outputs[0].floats.data() + (n * group + g) * channels * out_pixels;
      for (int64_t c = 0; c < channels; ++c) {
        const float start =
            bias == nullptr ? 0.0f : bias->floats[static_cast<size_t>(g * channels + c)];
        std::fill(result + c * out_pixels, result + (c + 1) * out_pixels, start);
      }
      const float* kernel = weights.floats.data() + g * depth * rows;
      MultiplyMatrices(rows, in_pixels, depth, 1.0f, {kernel, rows, true}, {image, in_pixels}, 0.0f,
                       columns, in_pixels);
      for (int64_t c = 0; c < channels; ++c) {
        ScatterColumns(window, columns + c * window.Taps() * in_pixels, result + c * out_pixels);
      }
    }
  }
}

}  // namespace octet::operators
