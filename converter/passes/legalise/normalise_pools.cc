// Pools that the board has no kernel for, by those it has.
#include <algorithm>
#include <map>
#include <string>

#include "converter/operators/window.h"
#include "converter/passes/chain.h"
#include "converter/support/functions.h"

namespace octet::passes {

namespace {

using operators::Window;
using operators::WindowAxis;

// A factor of the pool's whole window that a kernel's side may have; 0: there is none.
int64_t SideOf(int64_t pixels) {
  constexpr int64_t kMostSide = 65535;
  for (int64_t side = std::min(pixels, kMostSide); side > 0; --side) {
    if (pixels % side == 0) return pixels / side <= kMostSide ? side : 0;
  }
  return 0;
}

// |x|^p, each element.
void Power(Editor& editor, Chain* chain, int64_t p) {
  const Shape shape = chain->shape();
  if (p == 2) {
    chain->Op("Mul", shape, {chain->value()});
    return;
  }
  chain->Op("Abs", shape);
  if (p == 1) return;
  const auto exponent = static_cast<float>(p);
  chain->Op("Pow", shape, {editor.NewConstant("power", Tensor::Floats({}, {exponent}))});
}

// (count * x)^(1/p): the root first, so that large windows do not leave the range of FP16.
void RootOfSum(Editor& editor, Chain* chain, int64_t p, int64_t count) {
  const Shape shape = chain->shape();
  const double inverse = 1.0 / static_cast<double>(p);
  if (p == 2) {
    chain->Op("Sqrt", shape);
  } else if (p != 1) {
    const auto exponent = static_cast<float>(inverse);
    chain->Op("Pow", shape, {editor.NewConstant("root", Tensor::Floats({}, {exponent}))});
  }
  const auto factor = static_cast<float>(math::Pow(static_cast<double>(count), inverse));
  chain->Op("Mul", shape, {editor.NewConstant("factor", Tensor::Floats({}, {factor}))});
}

// Taps that count along one axis, by position of the result: those inside the input, and with
// `padded` those in the declared padding.
std::vector<int64_t> CountsOf(const WindowAxis& axis, bool padded) {
  std::vector<int64_t> counts;
  const int64_t first = padded ? -axis.pad_begin : 0;
  const int64_t end = axis.in + (padded ? axis.pad_end : 0);
  for (int64_t o = 0; o < axis.out; ++o) {
    int64_t count = 0;
    for (int64_t k = 0; k < axis.kernel; ++k) {
      const int64_t at = o * axis.stride - axis.pad_begin + k * axis.dilation;
      if (at >= first && at < end) ++count;
    }
    counts.push_back(count);
  }
  return counts;
}

}  // namespace

// MaxPool's second result is dropped where nobody reads it.
bool DropUnusedIndices(Editor& editor, int n) {
  Node& node = editor.At(n);
  if (node.outputs.size() < 2) return false;
  const ValueId indices = node.outputs[1];
  if (indices != graph::kNoValue &&
      (!editor.Consumers(indices).empty() || editor.IsOutput(indices))) {
    return false;
  }
  node.outputs.resize(1);
  return true;
}

// Global pools look at [N, C, H, W], whatever dimensions the pixels had.
bool GlobalPoolToPicture(Editor& editor, int n) {
  const Node& node = editor.At(n);
  const Shape& in = editor.ShapeOf(node.inputs[0]);
  if (in.size() == 4 || in.size() < 3) return false;
  const int64_t pixels = graph::ElementCount(Shape(in.begin() + 2, in.end()));
  const int64_t side = SideOf(pixels);
  if (side == 0) return false;
  const ValueId result = node.outputs[0];
  const Shape small = {in[0], in[1], 1, 1};
  Shape out = in;
  std::fill(out.begin() + 2, out.end(), 1);
  Chain chain(editor, n, node.inputs[0]);
  chain.Reshape({small[0], small[1], pixels / side, side});
  chain.Through(n, small);
  chain.Reshape(out);
  chain.EndIn(result);
  return true;
}

// (sum of |x|^p)^(1/p) by an average: of zeros, padding included, for those add nothing.
bool LpPoolToAverage(Editor& editor, int n) {
  const bool global = editor.At(n).op == "GlobalLpPool";
  const Shape& in = editor.ShapeOf(editor.At(n).inputs[0]);
  const int64_t p = editor.At(n).Int("p", 2);
  const ValueId result = editor.At(n).outputs[0];
  int64_t count = graph::ElementCount(Shape(in.begin() + 2, in.end()));
  Shape out = in;
  std::fill(out.begin() + 2, out.end(), 1);
  std::map<std::string, graph::Attribute> attributes;
  if (!global) {
    const Window window =
        operators::MakeWindow(editor.At(n), in, editor.At(n).Ints("kernel_shape"));
    count = window.Taps();
    out = operators::WindowResult(window, in[0], in[1]);
    std::vector<int64_t> strides, dilations, begins, ends;
    for (const WindowAxis* axis : window.Axes()) {
      strides.push_back(axis->stride);
      dilations.push_back(axis->dilation);
      begins.push_back(axis->pad_begin);
      ends.push_back(axis->PadReached());
    }
    begins.insert(begins.end(), ends.begin(), ends.end());
    attributes = {{"kernel_shape", editor.At(n).Ints("kernel_shape")},
                  {"strides", strides},
                  {"dilations", dilations},
                  {"pads", begins},
                  {"count_include_pad", int64_t{1}}};
  }
  Chain chain(editor, n, editor.At(n).inputs[0]);
  Power(editor, &chain, p);
  Node& node = editor.At(n);
  node.op = global ? "GlobalAveragePool" : "AveragePool";
  node.attributes = attributes;
  chain.Through(n, out, /*keeps_scheme=*/false);
  RootOfSum(editor, &chain, p, count);
  chain.EndIn(result);
  return true;
}

// AveragePool with dilations is a depthwise convolution, and where windows are cut off by the
// border a factor for each pixel.
bool DilatedAverageToConv(Editor& editor, int n) {
  const Node& node = editor.At(n);
  const Shape& in = editor.ShapeOf(node.inputs[0]);
  if (in.size() != 4) return false;
  const Window window = operators::MakeWindow(node, in, node.Ints("kernel_shape"));
  const WindowAxis &y = window.y, &x = window.x;
  if (y.dilation == 1 && x.dilation == 1) return false;
  const bool padded = node.Int("count_include_pad", 0) != 0;
  std::vector<float> factors;
  bool all_full = true;
  for (int64_t rows : CountsOf(y, padded)) {
    for (int64_t columns : CountsOf(x, padded)) {
      const int64_t count = rows * columns;
      all_full = all_full && count == window.Taps();
      // No tap inside: the sum is 0 as well.
      factors.push_back(count == 0 ? 0.0f
                                   : static_cast<float>(window.Taps()) / static_cast<float>(count));
    }
  }
  const int64_t channels = in[1];
  const std::string name = node.name;
  const ValueId result = node.outputs[0];
  const Shape out = operators::WindowResult(window, in[0], channels);
  const std::vector<float> weights(static_cast<size_t>(channels * window.Taps()),
                                   1.0f / static_cast<float>(window.Taps()));
  Chain chain(editor, n, node.inputs[0]);
  editor.SetConstantInput(
      n, 1, graph::Constant::Real(Tensor::Floats({channels, 1, y.kernel, x.kernel}, weights)),
      name + "_weight");
  Node& conv = editor.At(n);
  conv.op = "Conv";
  conv.attributes = {
      {"group", channels},
      {"kernel_shape", std::vector<int64_t>{y.kernel, x.kernel}},
      {"strides", std::vector<int64_t>{y.stride, x.stride}},
      {"dilations", std::vector<int64_t>{y.dilation, x.dilation}},
      {"pads", std::vector<int64_t>{y.pad_begin, x.pad_begin, y.PadReached(), x.PadReached()}}};
  chain.Through(n, out, /*keeps_scheme=*/all_full);
  if (!all_full) {
    chain.Op("Mul", out,
             {editor.NewConstant(name + "_counts", Tensor::Floats({1, 1, y.out, x.out}, factors))});
  }
  chain.EndIn(result);
  return true;
}

}  // namespace octet::passes
