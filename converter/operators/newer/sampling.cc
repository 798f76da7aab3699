// AffineGrid-20 and DeformConv-19, both by grids: -1 to 1 from the outer edge of the first pixel to
// that of the last (align_corners 0).
#include "converter/operators/newer/parts.h"

namespace octet::operators {
namespace {

float PlaceOf(int64_t i, int64_t count, bool align_corners) {
  const auto at = static_cast<double>(i), size = static_cast<double>(count);
  if (!align_corners) return static_cast<float>((2 * at + 1) / size - 1);
  return static_cast<float>(count == 1 ? -1 : 2 * at / (size - 1) - 1);
}

struct DeformConv {
  int64_t batch, channels, height, width, rows, columns, kernel_h, kernel_w, groups;

  int64_t Taps() const { return kernel_h * kernel_w; }
  int64_t Places() const { return rows * columns; }
};

// Where each tap of each place would be read without offsets, [1, taps, places, (x, y)].
Tensor BaseGrid(const Parts& parts, const DeformConv& d) {
  const Node& node = parts.node();
  const auto strides = node.Ints("strides", {1, 1}), dilations = node.Ints("dilations", {1, 1}),
             pads = node.Ints("pads", {0, 0, 0, 0});
  Tensor base = Tensor::Floats({1, d.Taps(), d.Places(), 2}, {});
  for (int64_t tap = 0; tap < d.Taps(); ++tap) {
    for (int64_t place = 0; place < d.Places(); ++place) {
      const int64_t x = place % d.columns * strides[1] - pads[1] + tap % d.kernel_w * dilations[1];
      const int64_t y = place / d.columns * strides[0] - pads[0] + tap / d.kernel_w * dilations[0];
      base.floats.push_back(PlaceOf(x, d.width, false));
      base.floats.push_back(PlaceOf(y, d.height, false));
    }
  }
  return base;
}

}  // namespace

void LiftAffineGrid(Parts& parts) {
  const std::vector<int64_t> size = parts.KnownIntegers(parts.Required(1), "size");
  const bool align_corners = parts.node().Int("align_corners", 0) != 0;
  if (size.size() != 4 && size.size() != 5) {
    parts.Refuse("size must have 4 or 5 numbers; export the model again");
  }
  const Shape places(size.begin() + 2, size.end());
  const auto axes = static_cast<int64_t>(places.size());
  const int64_t count = graph::ElementCount(places);
  Tensor base = Tensor::Floats({count, axes + 1}, {});  // x, y, (z), 1
  for (int64_t i = 0; i < count; ++i) {
    int64_t rest = i;
    for (size_t d = places.size(); d-- > 0; rest /= places[d]) {
      base.floats.push_back(PlaceOf(rest % places[d], places[d], align_corners));
    }
    base.floats.push_back(1);
  }
  const ValueId theta = parts.Transpose(parts.Required(0), {0, 2, 1});
  const ValueId grid = parts.Add("MatMul", {parts.Floats(base), theta});
  Shape shape = places;
  shape.insert(shape.begin(), size[0]);
  shape.push_back(axes);
  parts.Give(0, parts.Reshape(grid, shape));
}

void LiftDeformConv(Parts& parts) {
  const Node& node = parts.node();
  const Shape x = parts.ShapeOf(parts.Required(0)), w = parts.ShapeOf(parts.Required(1)),
              offset = parts.ShapeOf(parts.Required(2));
  if (x.size() != 4 || w.size() != 4 || offset.size() != 4) {
    parts.Refuse("only pictures are supported, [N, C, H, W]; use Conv");
  }
  const DeformConv d{
      x[0], x[1], x[2], x[3], offset[2], offset[3], w[2], w[3], node.Int("offset_group", 1)};
  if (d.groups < 1 || d.channels % d.groups != 0 || offset[1] != 2 * d.groups * d.Taps()) {
    parts.Refuse("offsets " + graph::ToString(offset) +
                 " do not fit kernel and offset_group; export the model again");
  }
  // Offsets come as y, x in pixels.
  ValueId grid = parts.Reshape(parts.Input(2), {d.batch * d.groups, d.Taps(), 2, d.Places()});
  grid = parts.Add("Gather", {grid, parts.Integers({1, 0})}, {{"axis", int64_t{2}}});
  grid = parts.Transpose(grid, {0, 1, 3, 2});
  const Tensor step =
      Tensor::Floats({2}, {2 / static_cast<float>(d.width), 2 / static_cast<float>(d.height)});
  grid = parts.Add("Mul", {grid, parts.Floats(step)});
  grid = parts.Add("Add", {grid, parts.Floats(BaseGrid(parts, d))});
  const ValueId pictures =
      parts.Reshape(parts.Input(0), {d.batch * d.groups, d.channels / d.groups, d.height, d.width});
  ValueId taps = parts.Add("GridSample", {pictures, grid},
                           {{"mode", std::string("linear")}, {"align_corners", int64_t{0}}});
  if (parts.HasInput(4)) {
    const ValueId mask =
        parts.Reshape(parts.Input(4), {d.batch * d.groups, 1, d.Taps(), d.Places()});
    taps = parts.Add("Mul", {taps, mask});
  }
  taps = parts.Reshape(taps, {d.batch, d.channels * d.Taps(), d.rows, d.columns});
  std::vector<ValueId> inputs{taps, parts.Reshape(parts.Input(1), {w[0], w[1] * d.Taps(), 1, 1})};
  if (parts.HasInput(3)) inputs.push_back(parts.Input(3));
  parts.Give(0, parts.Add("Conv", inputs, {{"group", node.Int("group", 1)}}));
}

}  // namespace octet::operators
