// MaxPool and AveragePool in one and two dimensions.
#include <algorithm>
#include <limits>

#include "converter/operators/registry.h"
#include "converter/operators/window.h"

namespace octet::operators {
namespace {

// Taps of one window along one axis that lie inside the image: [first, last).
struct TapRange {
  int64_t start;  // input position of tap 0
  int64_t first;
  int64_t last;
};

TapRange RangeOf(const WindowAxis& axis, int64_t out) {
  TapRange range{};
  range.start = out * axis.stride - axis.pad_begin;
  range.first = range.start >= 0
                    ? 0
                    : std::min(axis.kernel, (-range.start + axis.dilation - 1) / axis.dilation);
  const int64_t room = axis.in - range.start;
  range.last =
      room <= 0 ? range.first
                : std::clamp((room + axis.dilation - 1) / axis.dilation, range.first, axis.kernel);
  return range;
}

// Taps that count when padding is included: those inside the image and its declared padding,
// without what ceil_mode adds behind it.
int64_t PaddedTaps(const WindowAxis& axis, int64_t out) {
  const int64_t start = out * axis.stride - axis.pad_begin;
  const int64_t room = axis.in + axis.pad_end - start;
  return std::clamp<int64_t>((room + axis.dilation - 1) / axis.dilation, 1, axis.kernel);
}

Window PoolWindow(const Node& node, const Shape& input) {
  return MakeWindow(node, input, node.Ints("kernel_shape"));
}

// Calls pixel(plane, y range, x range, oy, ox, result) for each output.
template <typename F>
void ForEachWindow(const Window& window, const Tensor& in, Tensor& out, F&& pixel) {
  const int64_t planes = in.shape[0] * in.shape[1];
  float* result = out.floats.data();
  for (int64_t p = 0; p < planes; ++p) {
    const float* plane = in.floats.data() + p * window.InputPixels();
    for (int64_t oy = 0; oy < window.y.out; ++oy) {
      const TapRange y = RangeOf(window.y, oy);
      for (int64_t ox = 0; ox < window.x.out; ++ox) {
        *result++ = pixel(plane, y, RangeOf(window.x, ox), oy, ox);
      }
    }
  }
}

}  // namespace

std::vector<OutputType> InferPool(const ShapeContext& context) {
  CheckInputCount(context, 1, 1);
  CheckOutputCount(context, 1);  // MaxPool's Indices are not computed
  RequireFloat(context, 0);
  RequireRank(context, 0, 3, 4);
  RequireElements(context, 0);
  const Shape& input = InputShape(context, 0);
  const Window window = PoolWindow(*context.node, input);
  for (const WindowAxis* axis : {&window.y, &window.x}) {
    if (axis->pad_begin >= axis->Extent() || axis->pad_end >= axis->Extent()) {
      ShapeFail(context, "padding {} and {} must be smaller than the window {}", axis->pad_begin,
                axis->pad_end, axis->Extent());
    }
  }
  return {{DataType::kFloat, WindowResult(window, input[0], input[1])}};
}

void ExecuteMaxPool(const Node& node, Inputs inputs, Outputs outputs, Workspace&) {
  const Window window = PoolWindow(node, inputs[0]->shape);
  ForEachWindow(window, *inputs[0], outputs[0],
                [&](const float* plane, const TapRange& y, const TapRange& x, int64_t, int64_t) {
                  float max = std::numeric_limits<float>::lowest();
                  for (int64_t ky = y.first; ky < y.last; ++ky) {
                    const float* row =
                        plane + (y.start + ky * window.y.dilation) * window.x.in + x.start;
                    for (int64_t kx = x.first; kx < x.last; ++kx)
                      max = std::max(max, row[kx * window.x.dilation]);
                  }
                  return max;
                });
}

void ExecuteAveragePool(const Node& node, Inputs inputs, Outputs outputs, Workspace&) {
  const Window window = PoolWindow(node, inputs[0]->shape);
  const bool include_padding = node.Int("count_include_pad", 0) != 0;
  ForEachWindow(
      window, *inputs[0], outputs[0],
      [&](const float* plane, const TapRange& y, const TapRange& x, int64_t oy, int64_t ox) {
        double sum = 0;
        for (int64_t ky = y.first; ky < y.last; ++ky) {
          const float* row = plane + (y.start + ky * window.y.dilation) * window.x.in + x.start;
          for (int64_t kx = x.first; kx < x.last; ++kx) sum += row[kx * window.x.dilation];
        }
        const int64_t count = include_padding ? PaddedTaps(window.y, oy) * PaddedTaps(window.x, ox)
                                              : (y.last - y.first) * (x.last - x.first);
        return count == 0 ? 0.0f : static_cast<float>(sum / static_cast<double>(count));
      });
}

std::vector<OutputType> InferGlobalPool(const ShapeContext& context) {
  CheckInputCount(context, 1, 1);
  RequireFloat(context, 0);
  Shape shape = InputShape(context, 0);
  if (shape.size() < 3) ShapeFail(context, "input 0 must have spatial dimensions");
  RequireElements(context, 0);
  std::fill(shape.begin() + 2, shape.end(), 1);
  return {{DataType::kFloat, shape}};
}

void ExecuteGlobalPool(const Node& node, Inputs inputs, Outputs outputs, Workspace&) {
  const Tensor& in = *inputs[0];
  const int64_t pixels = Product(in.shape, 2, in.shape.size());
  const bool max = node.op == "GlobalMaxPool";
  for (size_t p = 0; p < outputs[0].floats.size(); ++p) {
    const float* plane = in.floats.data() + static_cast<int64_t>(p) * pixels;
    if (max) {
      outputs[0].floats[p] = *std::max_element(plane, plane + pixels);
      continue;
    }
    double sum = 0;
    for (int64_t i = 0; i < pixels; ++i) sum += plane[i];
    outputs[0].floats[p] = static_cast<float>(sum / static_cast<double>(pixels));
  }
}

}  // namespace octet::operators
