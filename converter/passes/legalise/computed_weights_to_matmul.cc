// Conv and ConvTranspose of a constant picture with computed weights: linear in the weights, so a
// product of them with a constant matrix that holds, for each weight, the pixel it meets at each
// position of the result.
#include "converter/operators/window.h"
#include "converter/passes/chain.h"

namespace octet::passes {

namespace {

using operators::Window;
using operators::WindowAxis;

// The matrix is at most this large: it becomes weights of the blob.
constexpr int64_t kMostElements = int64_t{1} << 24;

// Pixel along one axis that tap k meets at position o, or -1.
int64_t SourceOf(const WindowAxis& axis, bool transposed, int64_t o, int64_t k) {
  int64_t at = 0;
  if (transposed) {
    const int64_t scaled = o + axis.pad_begin - k * axis.dilation;
    if (scaled < 0 || scaled % axis.stride != 0) return -1;
    at = scaled / axis.stride;
  } else {
    at = o * axis.stride + k * axis.dilation - axis.pad_begin;
  }
  return at < 0 || at >= axis.in ? -1 : at;
}

// Pixel of the whole picture, taps and positions counted through all axes.
int64_t SourceOf(const Window& window, bool transposed, int64_t position, int64_t tap) {
  const WindowAxis &z = window.z, &y = window.y, &x = window.x;
  const int64_t iz =
      SourceOf(z, transposed, position / (y.out * x.out), tap / (y.kernel * x.kernel));
  const int64_t iy = SourceOf(y, transposed, position / x.out % y.out, tap / x.kernel % y.kernel);
  const int64_t ix = SourceOf(x, transposed, position % x.out, tap % x.kernel);
  return iz < 0 || iy < 0 || ix < 0 ? -1 : (iz * y.in + iy) * x.in + ix;
}

// [channels * taps, batch * positions]
Tensor Columns(const Window& window, bool transposed, const Tensor& picture) {
  const int64_t batch = picture.shape[0], channels = picture.shape[1];
  const int64_t taps = window.Taps(), positions = window.OutputPixels();
  std::vector<float> values(static_cast<size_t>(channels * taps * batch * positions), 0.0f);
  for (int64_t t = 0; t < taps; ++t) {
    for (int64_t p = 0; p < positions; ++p) {
      const int64_t source = SourceOf(window, transposed, p, t);
      if (source < 0) continue;
      for (int64_t c = 0; c < channels; ++c) {
        for (int64_t n = 0; n < batch; ++n) {
          values[static_cast<size_t>(((c * taps + t) * batch + n) * positions + p)] =
              picture
                  .floats[static_cast<size_t>((n * channels + c) * window.InputPixels() + source)];
        }
      }
    }
  }
  return Tensor::Floats({channels * taps, batch * positions}, std::move(values));
}

}  // namespace

bool ComputedWeightsToMatMul(Editor& editor, int n) {
  const Node& node = editor.At(n);
  const Tensor* picture = editor.Constant(node.inputs[0]);
  const Shape& weights = editor.ShapeOf(node.inputs[1]);
  if (picture == nullptr || editor.IsConstant(node.inputs[1])) return false;
  if (node.Int("group", 1) != 1 || !node.activation.empty()) return false;
  const bool transposed = node.op == "ConvTranspose";
  const Shape kernel(weights.begin() + 2, weights.end());
  const Window window = transposed ? operators::MakeTransposedWindow(node, picture->shape, kernel)
                                   : operators::MakeWindow(node, picture->shape, kernel);
  const int64_t batch = picture->shape[0], positions = window.OutputPixels();
  const int64_t depth = picture->shape[1] * window.Taps();
  if (depth > kMostElements / (batch * positions)) return false;
  const int64_t outputs = weights[transposed ? 1 : 0];
  const ValueId result = node.outputs[0];
  const ValueId bias = node.inputs.size() > 2 ? node.inputs[2] : graph::kNoValue;
  const std::string name = node.name;

  Chain chain(editor, n, node.inputs[1]);
  chain.Reshape({weights[0], weights[1], window.Taps()});
  if (transposed) chain.Transpose({1, 0, 2});
  chain.Reshape({outputs, depth});
  chain.Op("MatMul", {outputs, batch * positions},
           {editor.NewConstant(name + "_columns", Columns(window, transposed, *picture))});
  if (bias != graph::kNoValue) {
    Chain column(editor, n, bias);
    column.Reshape({outputs, 1});
    chain.Op("Add", {outputs, batch * positions}, {column.value()});
  }
  chain.Reshape({outputs, batch, positions});
  chain.Transpose({1, 0, 2});
  chain.Reshape(operators::WindowResult(window, batch, outputs));
  editor.Remove(n);
  chain.EndIn(result);
  return true;
}

}  // namespace octet::passes
