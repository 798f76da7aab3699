// Conv-1 to 22 in one to three dimensions. Dense and grouped: im2col by tiles of output rows and a
// matrix product; one input channel a group: depthwise.h.
#include <algorithm>
#include <cstring>

#include "converter/operators/depthwise.h"
#include "converter/operators/matrix.h"
#include "converter/operators/registry.h"
#include "converter/operators/window.h"

namespace octet::operators {
namespace {

// im2col tile: about the second-level cache, so that memory stays bounded for large images.
constexpr int64_t kTileFloats = 1 << 18;

Shape KernelOf(const Shape& weights) {
  return Shape(weights.begin() + 2, weights.end());
}

// One row of the im2col matrix for output rows [first, last), counted through all planes: input
// channel `volume` seen through tap (kz, ky, kx).
void FillColumnRow(const Window& window, const float* volume, int64_t kz, int64_t ky, int64_t kx,
                   int64_t first, int64_t last, float* row) {
  const WindowAxis& z = window.z;
  const WindowAxis& y = window.y;
  const WindowAxis& x = window.x;
  const int64_t shift = kx * x.dilation - x.pad_begin;
  // Output columns whose source lies inside the image: 0 <= ox * stride + shift < in.
  const int64_t begin =
      std::clamp<int64_t>(shift >= 0 ? 0 : (-shift + x.stride - 1) / x.stride, 0, x.out);
  const int64_t end = std::clamp<int64_t>(
      x.in - shift <= 0 ? 0 : (x.in - shift + x.stride - 1) / x.stride, begin, x.out);
  for (int64_t r = first; r < last; ++r, row += x.out) {
    const int64_t iz = r / y.out * z.stride + kz * z.dilation - z.pad_begin;
    const int64_t iy = r % y.out * y.stride + ky * y.dilation - y.pad_begin;
    if (iz < 0 || iz >= z.in || iy < 0 || iy >= y.in) {
      std::fill(row, row + x.out, 0.0f);
      continue;
    }
    const float* source = volume + (iz * y.in + iy) * x.in + shift;
    std::fill(row, row + begin, 0.0f);
    if (x.stride == 1) {
      if (end > begin) {
        std::memcpy(row + begin, source + begin, static_cast<size_t>(end - begin) * sizeof(float));
      }
    } else {
      for (int64_t ox = begin; ox < end; ++ox) row[ox] = source[ox * x.stride];
    }
    std::fill(row + end, row + x.out, 0.0f);
  }
}

bool IsPointwise(const Window& window) {
  const auto plain = [](const WindowAxis& axis) {
    return axis.kernel == 1 && axis.stride == 1 && axis.pad_begin == 0 && axis.pad_end == 0;
  };
  return plain(window.x) && plain(window.y) && plain(window.z);
}

// out[channels, pixels] += weights[channels, depth * taps] * im2col(in[depth, pixels])
void DenseGroup(const Window& window, int64_t channels, int64_t depth, const float* in,
                const float* weights, float* out, Workspace& workspace) {
  const int64_t pixels = window.OutputPixels();
  const int64_t k = depth * window.Taps();
  if (IsPointwise(window)) {
    MultiplyMatrices(channels, pixels, k, 1.0f, {weights, k}, {in, pixels}, 1.0f, out, pixels);
    return;
  }
  const int64_t rows = window.z.out * window.y.out;
  const int64_t tile_rows = std::clamp<int64_t>(kTileFloats / (k * window.x.out), 1, rows);
  const auto needed = static_cast<size_t>(k * tile_rows * window.x.out);
  if (workspace.buffer.size() < needed) workspace.buffer.resize(needed);
  float* columns = workspace.buffer.data();
  for (int64_t first = 0; first < rows; first += tile_rows) {
    const int64_t last = std::min(first + tile_rows, rows);
    const int64_t count = (last - first) * window.x.out;
    float* row = columns;
    for (int64_t c = 0; c < depth; ++c) {
      const float* volume = in + c * window.InputPixels();
      for (int64_t kz = 0; kz < window.z.kernel; ++kz) {
        for (int64_t ky = 0; ky < window.y.kernel; ++ky) {
          for (int64_t kx = 0; kx < window.x.kernel; ++kx, row += count) {
            FillColumnRow(window, volume, kz, ky, kx, first, last, row);
          }
        }
      }
    }
    MultiplyMatrices(channels, count, k, 1.0f, {weights, k}, {columns, count}, 1.0f,
                     out + first * window.x.out, pixels);
  }
}

}  // namespace

std::vector<OutputType> InferConv(const ShapeContext& context) {
  CheckInputCount(context, 2, 3);
  for (size_t i = 0; i < context.inputs.size(); ++i) {
    if (HasInput(context, i)) RequireFloat(context, i);
  }
  RequireRank(context, 0, 3, 5);
  const Node& node = *context.node;
  const Shape& input = InputShape(context, 0);
  const Shape& weights = InputShape(context, 1);
  RequireRank(context, 1, input.size(), input.size());
  RequireElements(context, 0);
  RequireElements(context, 1);
  const int64_t group = node.Int("group", 1);
  if (group < 1) ShapeFail(context, "group {} must be positive", group);
  if (weights[0] < 1 || weights[0] % group != 0) {
    ShapeFail(context, "{} output channels cannot be divided into {} groups", weights[0], group);
  }
  if (input[1] % group != 0 || input[1] / group != weights[1]) {
    ShapeFail(context, "{} input channels in {} groups do not fit weights {}", input[1], group,
              graph::ToString(weights));
  }
  const Shape kernel = KernelOf(weights);
  if (node.Has("kernel_shape") && node.Ints("kernel_shape") != kernel) {
    ShapeFail(context, "kernel_shape [{}] differs from the weights",
              fmt::join(node.Ints("kernel_shape"), ","));
  }
  if (HasInput(context, 2) && InputShape(context, 2) != Shape{weights[0]}) {
    ShapeFail(context, "the bias must have shape [{}]", weights[0]);
  }
  const Window window = MakeWindow(node, input, kernel);
  return {{DataType::kFloat, WindowResult(window, input[0], weights[0])}};
}

void ExecuteConv(const Node& node, Inputs inputs, Outputs outputs, Workspace& workspace) {
  const Tensor& in = *inputs[0];
  const Tensor& weights = *inputs[1];
  const Tensor* bias = At(inputs, 2);
  Tensor& out = outputs[0];
  const Window window = MakeWindow(node, in.shape, KernelOf(weights.shape));
  const int64_t group = node.Int("group", 1);
  const int64_t out_channels = weights.shape[0];
  const int64_t channels = out_channels / group;
  const int64_t depth = weights.shape[1];
  const int64_t pixels = window.OutputPixels();
  for (int64_t n = 0; n < in.shape[0]; ++n) {
    const float* image = in.floats.data() + n * in.shape[1] * window.InputPixels();
    float* result = out.floats.data() + n * out_channels * pixels;
    for (int64_t c = 0; c < out_channels; ++c) {
      const float start = bias == nullptr ? 0.0f : bias->floats[static_cast<size_t>(c)];
      std::fill(result + c * pixels, result + (c + 1) * pixels, start);
    }
    if (depth == 1 && group > 1 && window.rank < 3) {
      AddDepthwise(window, group, channels, image, weights.floats.data(), result, workspace);
      continue;
    }
    for (int64_t g = 0; g < group; ++g) {
      DenseGroup(window, channels, depth, image + g * depth * window.InputPixels(),
                 weights.floats.data() + g * channels * depth * window.Taps(),
                 result + g * channels * pixels, workspace);
    }
  }
}

}  // namespace octet::operators
