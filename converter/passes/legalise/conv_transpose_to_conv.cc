// A transposed convolution of stride s is a convolution of stride 1 with s times as many outputs an
// axis, whose results are interleaved (a sub-pixel convolution; Shi et al., 2016): then the fast
// kernels serve it.
//
// Along one axis, y[o] = sum over k of x[i] w[k] where o = s i + d k - p. With an offset a, o + a =
// s q + r: phase r of position q. Tap k belongs to phase r of d k - p + a = s j + r and reads
// x[q - j]. The taps of all phases together span j from `least` to `most`; a is chosen so that they
// are fewest, and of those the smallest, for a results are cut off in front.
#include <algorithm>

#include "converter/operators/window.h"
#include "converter/passes/chain.h"

namespace octet::passes {

namespace {

using operators::WindowAxis;

struct SubPixelAxis {
  int64_t stride, offset, least, most;
  int64_t positions;  // of q that the convolution computes
  int64_t out;
  int64_t pad_begin, pad_end;  // of the convolution

  int64_t Taps() const { return most - least + 1; }
};

int64_t FloorDiv(int64_t a, int64_t b) {
  return a >= 0 ? a / b : -((-a + b - 1) / b);
}

SubPixelAxis SplitAt(const WindowAxis& axis, int64_t offset) {
  SubPixelAxis split{};
  split.stride = axis.stride;
  split.offset = offset;
  split.out = axis.out;
  split.least = FloorDiv(offset - axis.pad_begin, axis.stride);
  split.most = FloorDiv((axis.kernel - 1) * axis.dilation - axis.pad_begin + offset, axis.stride);
  // A convolution's padding is not negative: taps of weight 0 in front, positions cut off behind.
  split.most = std::max<int64_t>(split.most, 0);
  const int64_t needed = (offset + axis.out - 1) / axis.stride + 1;
  split.pad_begin = split.most;
  split.pad_end = std::max<int64_t>(0, needed - split.least - axis.in);
  split.positions = axis.in + split.pad_begin + split.pad_end - split.Taps() + 1;
  return split;
}

SubPixelAxis BestSplit(const WindowAxis& axis) {
  SubPixelAxis best = SplitAt(axis, 0);
  for (int64_t offset = 1; offset < axis.stride; ++offset) {
    const SubPixelAxis split = SplitAt(axis, offset);
    if (split.Taps() < best.Taps()) best = split;
  }
  return best;
}

struct Layout {
  std::vector<const WindowAxis*> window;
  std::vector<SubPixelAxis> axes;
  int64_t groups, in_c, out_c;  // channels of all groups
  int64_t phases = 1, taps = 1;

  // Phases outermost leave runs of channels to copy; with groups each group's outputs stand
  // together, so that they go innermost.
  int64_t OutputOf(int64_t channel, int64_t phase) const {
    return groups == 1 ? phase * out_c + channel : channel * phases + phase;
  }
};

// [in, out / groups, kernel...] to [phases * out, in / groups, taps...].
graph::Constant PhaseWeights(const Layout& layout, const graph::Constant& weights) {
  const int64_t in_g = layout.in_c / layout.groups, out_g = layout.out_c / layout.groups;
  Shape shape = {layout.phases * layout.out_c, in_g};
  for (const SubPixelAxis& axis : layout.axes) shape.push_back(axis.Taps());
  std::vector<int64_t> sources(static_cast<size_t>(graph::ElementCount(shape)), -1);
  const int64_t kernel = weights->Count() / (layout.in_c * out_g);
  for (int64_t k = 0; k < kernel; ++k) {
    // Phase and tap of kernel element k, both row-major over the axes.
    int64_t phase = 0, tap = 0, rest = k, inner = kernel;
    for (size_t a = 0; a < layout.axes.size(); ++a) {
      const WindowAxis& window = *layout.window[a];
      const SubPixelAxis& axis = layout.axes[a];
      inner /= window.kernel;
      const int64_t at = rest / inner * window.dilation - window.pad_begin + axis.offset;
      rest %= inner;
      const int64_t j = FloorDiv(at, axis.stride);
      phase = phase * axis.stride + (at - j * axis.stride);
      tap = tap * axis.Taps() + (axis.most - j);
    }
    for (int64_t i = 0; i < layout.in_c; ++i) {
      for (int64_t o = 0; o < out_g; ++o) {
        const int64_t output = layout.OutputOf(i / in_g * out_g + o, phase);
        sources[static_cast<size_t>((output * in_g + i % in_g) * layout.taps + tap)] =
            (i * out_g + o) * kernel + k;
      }
    }
  }
  return weights.Gathered(std::move(shape), sources);
}

// One value an output to one an output of each phase.
graph::Constant PhaseBias(const Layout& layout, const graph::Constant& bias) {
  std::vector<int64_t> sources(static_cast<size_t>(layout.phases * layout.out_c));
  for (int64_t o = 0; o < layout.out_c; ++o) {
    for (int64_t p = 0; p < layout.phases; ++p) {
      sources[static_cast<size_t>(layout.OutputOf(o, p))] = o;
    }
  }
  return bias.Gathered({layout.phases * layout.out_c}, sources);
}

// [planes, height, width, phases x channels] in any dimensions; height and width are interleaved.
void InterleavePlanes(const Layout& layout, int64_t planes, Chain* chain) {
  const SubPixelAxis& y = layout.axes[layout.axes.size() - 2];
  const SubPixelAxis& x = layout.axes.back();
  if (layout.groups == 1) {
    chain->Reshape({planes, y.positions, x.positions, y.stride, x.stride * layout.out_c});
    if (y.stride > 1) chain->Transpose({0, 1, 3, 2, 4});
  } else {
    chain->Reshape({planes, y.positions, x.positions, layout.out_c, y.stride, x.stride});
    if (layout.phases > 1) chain->Transpose({0, 1, 4, 2, 5, 3});
  }
  chain->Reshape({planes, y.positions * y.stride, x.positions * x.stride, layout.out_c});
  chain->Slice(1, y.offset, y.offset + y.out);
  chain->Slice(2, x.offset, x.offset + x.out);
}

// The convolution's [N, phases x channels, positions...] to [N, channels, out...].
void Interleave(const Layout& layout, int64_t batch, Chain* chain) {
  const SubPixelAxis& y = layout.axes[layout.axes.size() - 2];
  const SubPixelAxis& x = layout.axes.back();
  if (layout.axes.size() == 2) {
    chain->Transpose({0, 2, 3, 1});
    InterleavePlanes(layout, batch, chain);
    chain->Transpose({0, 3, 1, 2});
    return;
  }
  const SubPixelAxis& z = layout.axes[0];
  const int64_t plane = y.positions * x.positions, inner = y.stride * x.stride;
  chain->Reshape({batch, layout.phases * layout.out_c, z.positions * plane});
  chain->Transpose({0, 2, 1});
  if (layout.groups == 1) {
    chain->Reshape({batch * z.positions, plane, z.stride, inner * layout.out_c});
    if (z.stride > 1) chain->Transpose({0, 2, 1, 3});
  } else {
    chain->Reshape({batch * z.positions, plane, layout.out_c, z.stride, inner});
    if (z.stride > 1) chain->Transpose({0, 3, 1, 2, 4});
  }
  chain->Reshape({batch, z.positions * z.stride, plane, inner * layout.out_c});
  chain->Slice(1, z.offset, z.offset + z.out);
  InterleavePlanes(layout, batch * z.out, chain);
  chain->Reshape({batch, z.out * y.out * x.out, layout.out_c});
  chain->Transpose({0, 2, 1});
  chain->Reshape({batch, layout.out_c, z.out, y.out, x.out});
}

}  // namespace

bool ConvTransposeToConv(Editor& editor, int n) {
  const Node& node = editor.At(n);
  const Shape& in = editor.ShapeOf(node.inputs[0]);
  const Tensor* weights = editor.Constant(node.inputs[1]);
  // One dimension has been made two.
  if (weights == nullptr || in.size() < 4 || in.size() > 5) return false;
  const bool has_bias = node.inputs.size() > 2 && node.inputs[2] != graph::kNoValue;
  if (has_bias && editor.Constant(node.inputs[2]) == nullptr) return false;
  if (!node.activation.empty()) return false;

  const operators::Window window = operators::MakeTransposedWindow(
      node, in, Shape(weights->shape.begin() + 2, weights->shape.end()));
  Layout layout{};
  layout.window = window.Axes();
  layout.groups = node.Int("group", 1);
  layout.in_c = in[1];
  layout.out_c = weights->shape[1] * layout.groups;
  layout.phases = layout.taps = 1;
  Shape phases_shape = {in[0], 0};
  std::vector<int64_t> kernel, pads_begin, pads_end;
  for (const WindowAxis* axis : layout.window) {
    const SubPixelAxis split = BestSplit(*axis);
    layout.axes.push_back(split);
    layout.phases *= split.stride;
    layout.taps *= split.Taps();
    phases_shape.push_back(split.positions);
    kernel.push_back(split.Taps());
    pads_begin.push_back(split.pad_begin);
    pads_end.push_back(split.pad_end);
  }
  phases_shape[1] = layout.phases * layout.out_c;

  const std::string name = node.name;
  const ValueId result = node.outputs[0];
  const int64_t batch = in[0];
  Chain chain(editor, n, node.inputs[0]);
  editor.SetConstantInput(n, 1, PhaseWeights(layout, editor.Value(node.inputs[1]).constant),
                          name + "_weight");
  if (has_bias) {
    const graph::Constant& bias = editor.Value(editor.At(n).inputs[2]).constant;
    editor.SetConstantInput(n, 2, PhaseBias(layout, bias), name + "_bias");
  }
  Node& conv = editor.At(n);
  conv.op = "Conv";
  conv.attributes.clear();
  conv.attributes["group"] = layout.groups;
  conv.attributes["kernel_shape"] = kernel;
  conv.attributes["strides"] = std::vector<int64_t>(kernel.size(), 1);
  conv.attributes["dilations"] = std::vector<int64_t>(kernel.size(), 1);
  pads_begin.insert(pads_begin.end(), pads_end.begin(), pads_end.end());
  conv.attributes["pads"] = pads_begin;
  chain.Through(n, phases_shape);
  Interleave(layout, batch, &chain);
  chain.EndIn(result);
  return true;
}

}  // namespace octet::passes
