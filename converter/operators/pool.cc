// MaxPool, AveragePool and LpPool in one to three dimensions, and the global ones.
#include <algorithm>
#include <cmath>
#include <limits>

#include "converter/operators/registry.h"
#include "converter/operators/window.h"
#include "converter/support/functions.h"

namespace octet::operators {
namespace {

// Taps of one window along one axis that lie inside the image: [first, last).
struct TapRange {
  int64_t start;  // input position of tap 0
  int64_t first;
  int64_t last;

  int64_t Count() const { return last - first; }
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

// One output pixel: the taps inside the image, and how many count with padding.
struct Pixel {
  TapRange z, y, x;
  int64_t padded;
};

// Calls tap(position in the plane) for each tap inside the image.
template <typename F>
void ForEachTap(const Window& window, const Pixel& pixel, F&& tap) {
  for (int64_t kz = pixel.z.first; kz < pixel.z.last; ++kz) {
    const int64_t plane = (pixel.z.start + kz * window.z.dilation) * window.y.in;
    for (int64_t ky = pixel.y.first; ky < pixel.y.last; ++ky) {
      const int64_t row =
          (plane + pixel.y.start + ky * window.y.dilation) * window.x.in + pixel.x.start;
      for (int64_t kx = pixel.x.first; kx < pixel.x.last; ++kx) tap(row + kx * window.x.dilation);
    }
  }
}

// Calls result(plane number, plane, pixel) for each output, in order.
template <typename F>
void ForEachWindow(const Window& window, const Tensor& in, F&& result) {
  const int64_t planes = in.shape[0] * in.shape[1];
  for (int64_t p = 0; p < planes; ++p) {
    const float* plane = in.floats.data() + p * window.InputPixels();
    for (int64_t oz = 0; oz < window.z.out; ++oz) {
      for (int64_t oy = 0; oy < window.y.out; ++oy) {
        for (int64_t ox = 0; ox < window.x.out; ++ox) {
          const int64_t padded =
              PaddedTaps(window.z, oz) * PaddedTaps(window.y, oy) * PaddedTaps(window.x, ox);
          result(
              p, plane,
              Pixel{RangeOf(window.z, oz), RangeOf(window.y, oy), RangeOf(window.x, ox), padded});
        }
      }
    }
  }
}

// |x|^p summed over a run, and the root of a sum; p as ONNX gives it, an integer >= 1.
double PowerOf(float x, int64_t p) {
  const double magnitude = std::fabs(static_cast<double>(x));
  return p == 1   ? magnitude
         : p == 2 ? magnitude * magnitude
                  : math::Pow(magnitude, static_cast<double>(p));
}
float RootOf(double sum, int64_t p) {
  return static_cast<float>(p == 1 ? sum : math::Pow(sum, 1 / static_cast<double>(p)));
}

void CheckPower(const ShapeContext& context) {
  const int64_t p = context.node->Int("p", 2);
  if (p < 1 || p > 64) ShapeFail(context, "p {} is out of range", p);
}

OutputType PoolResult(const ShapeContext& context) {
  CheckInputCount(context, 1, 1);
  RequireFloat(context, 0);
  RequireRank(context, 0, 3, 5);
  RequireElements(context, 0);
  const Shape& input = InputShape(context, 0);
  const Window window = PoolWindow(*context.node, input);
  for (const WindowAxis* axis : window.Axes()) {
    if (axis->pad_begin >= axis->Extent() || axis->pad_end >= axis->Extent()) {
      ShapeFail(context, "padding {} and {} must be smaller than the window {}", axis->pad_begin,
                axis->pad_end, axis->Extent());
    }
  }
  return {DataType::kFloat, WindowResult(window, input[0], input[1])};
}

// MaxPool's second output counts elements of the input, with storage_order 1 columns first.
int64_t FlatIndex(const Window& window, int64_t plane, int64_t position, bool columns_first) {
  if (columns_first) {
    const int64_t x = position % window.x.in, y = position / window.x.in % window.y.in;
    const int64_t z = position / (window.x.in * window.y.in);
    position = (x * window.y.in + y) * window.z.in + z;
  }
  return plane * window.InputPixels() + position;
}

}  // namespace

std::vector<OutputType> InferPool(const ShapeContext& context) {
  if (context.node->op == "LpPool") CheckPower(context);
  return {PoolResult(context)};
}

std::vector<OutputType> InferMaxPool(const ShapeContext& context) {
  const OutputType values = PoolResult(context);
  if (context.node->outputs.size() < 2) return {values};
  return {values, {DataType::kInt64, values.shape}};
}

void ExecuteMaxPool(const Node& node, Inputs inputs, Outputs outputs, Workspace&) {
  const Window window = PoolWindow(node, inputs[0]->shape);
  const bool columns_first = node.Int("storage_order", 0) != 0;
  size_t at = 0;
  ForEachWindow(window, *inputs[0], [&](int64_t p, const float* plane, const Pixel& pixel) {
    float max = std::numeric_limits<float>::lowest();
    int64_t best = -1;
    ForEachTap(window, pixel, [&](int64_t position) {
      if (best >= 0 && !(plane[position] > max)) return;
      max = plane[position];
      best = position;
    });
    outputs[0].floats[at] = max;
    if (outputs.size() > 1) {
      outputs[1].integers[at] = FlatIndex(window, p, std::max<int64_t>(best, 0), columns_first);
    }
    ++at;
  });
}

void ExecuteAveragePool(const Node& node, Inputs inputs, Outputs outputs, Workspace&) {
  const Window window = PoolWindow(node, inputs[0]->shape);
  const bool include_padding = node.Int("count_include_pad", 0) != 0;
  size_t at = 0;
  ForEachWindow(window, *inputs[0], [&](int64_t, const float* plane, const Pixel& pixel) {
    double sum = 0;
    ForEachTap(window, pixel, [&](int64_t position) { sum += plane[position]; });
    const int64_t count =
        include_padding ? pixel.padded : pixel.z.Count() * pixel.y.Count() * pixel.x.Count();
    outputs[0].floats[at++] =
        count == 0 ? 0.0f : static_cast<float>(sum / static_cast<double>(count));
  });
}

void ExecuteLpPool(const Node& node, Inputs inputs, Outputs outputs, Workspace&) {
  const Window window = PoolWindow(node, inputs[0]->shape);
  const int64_t p = node.Int("p", 2);
  size_t at = 0;
  ForEachWindow(window, *inputs[0], [&](int64_t, const float* plane, const Pixel& pixel) {
    double sum = 0;
    ForEachTap(window, pixel, [&](int64_t position) { sum += PowerOf(plane[position], p); });
    outputs[0].floats[at++] = RootOf(sum, p);
  });
}

std::vector<OutputType> InferGlobalPool(const ShapeContext& context) {
  CheckInputCount(context, 1, 1);
  RequireFloat(context, 0);
  if (context.node->op == "GlobalLpPool") CheckPower(context);
  Shape shape = InputShape(context, 0);
  if (shape.size() < 3) ShapeFail(context, "input 0 must have spatial dimensions");
  RequireElements(context, 0);
  std::fill(shape.begin() + 2, shape.end(), 1);
  return {{DataType::kFloat, shape}};
}

void ExecuteGlobalPool(const Node& node, Inputs inputs, Outputs outputs, Workspace&) {
  const Tensor& in = *inputs[0];
  const int64_t pixels = Product(in.shape, 2, in.shape.size());
  const int64_t power = node.op == "GlobalLpPool" ? node.Int("p", 2) : 0;
  const bool max = node.op == "GlobalMaxPool";
  for (size_t p = 0; p < outputs[0].floats.size(); ++p) {
    const float* plane = in.floats.data() + static_cast<int64_t>(p) * pixels;
    if (max) {
      outputs[0].floats[p] = *std::max_element(plane, plane + pixels);
      continue;
    }
    double sum = 0;
    for (int64_t i = 0; i < pixels; ++i) sum += power > 0 ? PowerOf(plane[i], power) : plane[i];
    outputs[0].floats[p] =
        power > 0 ? RootOf(sum, power) : static_cast<float>(sum / static_cast<double>(pixels));
  }
}

}  // namespace octet::operators
