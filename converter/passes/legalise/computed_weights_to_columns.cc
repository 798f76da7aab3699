// Conv of a picture with weights that are computed, as trackers correlate two pictures: what the
// weights meet at each position becomes a column of a matrix, and the Conv a product of two
// computed matrices, one a group.
#include "converter/operators/window.h"
#include "converter/passes/chain.h"

namespace octet::passes {

namespace {

// One Slice each, joined by one Concat.
constexpr int64_t kMostTaps = 1024;
// Of the matrix: it is a tensor of the plan.
constexpr int64_t kMostColumnElements = int64_t{1} << 24;

// [C, taps, positions]
Chain Columns(Editor& editor, int n, const operators::Window& window, ValueId picture,
              int64_t channels) {
  const operators::WindowAxis &y = window.y, &x = window.x;
  Chain padded(editor, n, picture);
  padded.PadWithZeros(2, y.pad_begin, y.PadReached());
  padded.PadWithZeros(3, x.pad_begin, x.PadReached());
  std::vector<Chain> taps;
  for (int64_t ky = 0; ky < y.kernel; ++ky) {
    for (int64_t kx = 0; kx < x.kernel; ++kx) {
      Chain tap = padded;
      const int64_t top = ky * y.dilation, left = kx * x.dilation;
      tap.Slice(2, top, top + (y.out - 1) * y.stride + 1, y.stride);
      tap.Slice(3, left, left + (x.out - 1) * x.stride + 1, x.stride);
      tap.Reshape({channels, 1, y.out * x.out});
      taps.push_back(std::move(tap));
    }
  }
  Chain columns = taps[0];
  columns.Concat(taps, 1);
  return columns;
}

}  // namespace

bool ComputedWeightsToColumns(Editor& editor, int n) {
  const Node& node = editor.At(n);
  const Shape& picture = editor.ShapeOf(node.inputs[0]);
  const Shape& weights = editor.ShapeOf(node.inputs[1]);
  if (editor.IsConstant(node.inputs[0]) || editor.IsConstant(node.inputs[1]) ||
      picture.size() != 4 || picture[0] != 1 || weights.size() != 4 || !node.activation.empty()) {
    return false;
  }
  const Shape kernel(weights.begin() + 2, weights.end());
  const operators::Window window = operators::MakeWindow(node, picture, kernel);
  const int64_t channels = picture[1], outputs = weights[0], groups = node.Int("group", 1);
  const int64_t taps = window.Taps(), positions = window.OutputPixels();
  if (taps > kMostTaps || channels * taps > kMostColumnElements / positions) return false;
  const int64_t depth = channels / groups * taps;
  const ValueId data = node.inputs[0], matrix = node.inputs[1], result = node.outputs[0];
  const ValueId bias = node.inputs.size() > 2 ? node.inputs[2] : graph::kNoValue;

  Chain columns = Columns(editor, n, window, data, channels);
  columns.Reshape({groups, depth, positions});
  Chain chain(editor, n, matrix);
  chain.Reshape({groups, outputs / groups, depth});
  chain.Op("MatMul", {groups, outputs / groups, positions}, {columns.value()});
  if (bias != graph::kNoValue) {
    Chain column(editor, n, bias);
    column.Reshape({groups, outputs / groups, 1});
    chain.Op("Add", {groups, outputs / groups, positions}, {column.value()});
  }
  chain.Reshape({1, outputs, window.y.out, window.x.out});
  editor.Remove(n);
  chain.EndIn(result);
  return true;
}

}  // namespace octet::passes
