// Convolutions and pools over [N, C, D, H, W] by those over pictures, with the channels last:
// successive ones then meet without moving anything.
//
// Conv: for each depth of the result the slices its window meets stand side by side as channels,
// and the planes are a batch: sum over (k, c) of a 2-D convolution. Pools are separable: a window
// over the depth, then one over the plane (the elements of a window that count form a box, so that
// this holds for averages that leave padding out too).
#include "converter/operators/window.h"
#include "converter/passes/chain.h"

namespace octet::passes {

namespace {

using operators::Window;
using operators::WindowAxis;

struct Volume {
  int64_t batch, channels, depth, height, width;
};

// [N, C, D, H, W] to [N, D, H * W, C].
void ChannelsLast(Chain* chain, const Volume& v) {
  chain->Reshape({v.batch, v.channels, v.depth * v.height * v.width});
  chain->Transpose({0, 2, 1});
  chain->Reshape({v.batch, v.depth, v.height * v.width, v.channels});
}

// The same elements in any dimensions, back to [N, C, D, H, W].
void ChannelsFirst(Chain* chain, const Volume& v) {
  chain->Reshape({v.batch, v.depth * v.height * v.width, v.channels});
  chain->Transpose({0, 2, 1});
  chain->Reshape({v.batch, v.channels, v.depth, v.height, v.width});
}

Volume ResultOf(const Window& window, int64_t batch, int64_t channels) {
  return {batch, channels, window.z.out, window.y.out, window.x.out};
}

// [O, I, d, h, w] to [O, d * I, h, w].
graph::Constant DepthAsChannels(const graph::Constant& weights) {
  const Shape& s = weights->shape;
  const int64_t taps = s[3] * s[4];
  std::vector<int64_t> sources;
  sources.reserve(weights->floats.size());
  for (int64_t o = 0; o < s[0]; ++o) {
    for (int64_t k = 0; k < s[2]; ++k) {
      for (int64_t i = 0; i < s[1]; ++i) {
        for (int64_t t = 0; t < taps; ++t) {
          sources.push_back(((o * s[1] + i) * s[2] + k) * taps + t);
        }
      }
    }
  }
  return weights.Gathered({s[0], s[2] * s[1], s[3], s[4]}, sources);
}

// The attributes of the last two dimensions.
void SetPlane(Node& node, const Window& window) {
  const WindowAxis &y = window.y, &x = window.x;
  node.attributes.erase("auto_pad");
  node.attributes["kernel_shape"] = std::vector<int64_t>{y.kernel, x.kernel};
  node.attributes["strides"] = std::vector<int64_t>{y.stride, x.stride};
  node.attributes["dilations"] = std::vector<int64_t>{y.dilation, x.dilation};
  node.attributes["pads"] = std::vector<int64_t>{y.pad_begin, x.pad_begin, y.pad_end, x.pad_end};
}

bool RewriteConv(Editor& editor, int n, const Volume& in) {
  const Tensor* weights = editor.Constant(editor.At(n).inputs[1]);
  if (weights == nullptr || !editor.At(n).activation.empty()) return false;
  const Shape in_shape = {in.batch, in.channels, in.depth, in.height, in.width};
  const Window window = operators::MakeWindow(
      editor.At(n), in_shape, Shape(weights->shape.begin() + 2, weights->shape.end()));
  const WindowAxis& z = window.z;
  const std::string name = editor.At(n).name;
  const ValueId result = editor.At(n).outputs[0];
  const int64_t groups = editor.At(n).Int("group", 1);
  const Volume out = ResultOf(window, in.batch, weights->shape[0]);

  Chain chain(editor, n, editor.At(n).inputs[0]);
  ChannelsLast(&chain, in);
  chain.PadWithZeros(1, z.pad_begin, z.pad_end);
  std::vector<Chain> slices;
  for (int64_t k = 0; k < z.kernel; ++k) {
    Chain slice = chain;
    const int64_t begin = k * z.dilation;
    slice.Slice(1, begin, begin + (z.out - 1) * z.stride + 1, z.stride);
    slice.Reshape({in.batch * z.out * in.height * in.width, groups, in.channels / groups});
    slices.push_back(slice);
  }
  chain.Concat(slices, 2);
  chain.Reshape({in.batch * z.out, in.height, in.width, in.channels * z.kernel});
  chain.Transpose({0, 3, 1, 2});
  editor.SetConstantInput(n, 1, DepthAsChannels(editor.Value(editor.At(n).inputs[1]).constant),
                          name + "_weight");
  SetPlane(editor.At(n), window);
  chain.Through(n, {in.batch * z.out, out.channels, out.height, out.width});
  chain.Transpose({0, 2, 3, 1});
  ChannelsFirst(&chain, out);
  chain.EndIn(result);
  return true;
}

bool RewritePool(Editor& editor, int n, const Volume& in) {
  const Shape in_shape = {in.batch, in.channels, in.depth, in.height, in.width};
  const Window window =
      operators::MakeWindow(editor.At(n), in_shape, editor.At(n).Ints("kernel_shape"));
  const WindowAxis& z = window.z;
  const ValueId result = editor.At(n).outputs[0];
  const std::string op = editor.At(n).op;
  const auto attributes = editor.At(n).attributes;  // ceil_mode, count_include_pad
  const Volume out = ResultOf(window, in.batch, in.channels);

  Chain chain(editor, n, editor.At(n).inputs[0]);
  ChannelsLast(&chain, in);
  if (z.kernel > 1 || z.stride > 1) {
    chain.Transpose({0, 3, 1, 2});
    const int depth = chain.Op(op, {in.batch, in.channels, z.out, in.height * in.width});
    Node& node = editor.At(depth);
    node.attributes = attributes;
    node.attributes.erase("auto_pad");
    node.attributes["kernel_shape"] = std::vector<int64_t>{z.kernel, 1};
    node.attributes["strides"] = std::vector<int64_t>{z.stride, 1};
    node.attributes["dilations"] = std::vector<int64_t>{z.dilation, 1};
    node.attributes["pads"] = std::vector<int64_t>{z.pad_begin, 0, z.pad_end, 0};
    chain.Transpose({0, 2, 3, 1});
  }
  chain.Reshape({in.batch * z.out, in.height, in.width, in.channels});
  chain.Transpose({0, 3, 1, 2});
  SetPlane(editor.At(n), window);
  chain.Through(n, {in.batch * z.out, out.channels, out.height, out.width});
  chain.Transpose({0, 2, 3, 1});
  ChannelsFirst(&chain, out);
  chain.EndIn(result);
  return true;
}

}  // namespace

bool ThreeToTwoDimensions(Editor& editor, int n) {
  const Node& node = editor.At(n);
  const Shape& in = editor.ShapeOf(node.inputs[0]);
  if (in.size() != 5 || node.outputs.size() != 1) return false;
  const Volume volume = {in[0], in[1], in[2], in[3], in[4]};
  return node.op == "Conv" ? RewriteConv(editor, n, volume) : RewritePool(editor, n, volume);
}

}  // namespace octet::passes
