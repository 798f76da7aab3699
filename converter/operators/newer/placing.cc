// Col2Im-18, CenterCropPad-18, TensorScatter-24, Swish-24.
#include <algorithm>
#include <numeric>

#include "converter/operators/newer/parts.h"

namespace octet::operators {
namespace {

int64_t FromStart(const Parts& parts, int64_t axis, size_t rank) {
  const auto count = static_cast<int64_t>(rank);
  if (axis < -count || axis >= count) {
    parts.Refuse("the axis is outside of the data's dimensions; export the model again");
  }
  return axis < 0 ? axis + count : axis;
}

}  // namespace

void LiftCol2Im(Parts& parts) {
  const Node& node = parts.node();
  const auto image = parts.KnownIntegers(parts.Required(1), "image_shape");
  const auto block = parts.KnownIntegers(parts.Required(2), "block_shape");
  const Shape x = parts.ShapeOf(parts.Required(0));
  const size_t rank = image.size();
  const auto strides = node.Ints("strides", std::vector<int64_t>(rank, 1));
  const auto dilations = node.Ints("dilations", std::vector<int64_t>(rank, 1));
  const auto pads = node.Ints("pads", std::vector<int64_t>(2 * rank, 0));
  const int64_t taps = graph::ElementCount(block);
  if (rank < 1 || rank > 3 || block.size() != rank || x.size() != 3 || taps < 1 ||
      x[1] % taps != 0) {
    parts.Refuse(
        "input 0 must be [N, C * block, L], for images of 1 to 3 dimensions; export the "
        "model again");
  }
  Shape windows{x[0], x[1]}, weights{x[1], 1};
  std::vector<int64_t> rest;  // rows of the image behind the last window
  for (size_t i = 0; i < rank; ++i) {
    const int64_t room = image[i] + pads[i] + pads[i + rank] - dilations[i] * (block[i] - 1) - 1;
    if (strides[i] < 1 || room < 0) parts.Refuse("a block does not fit the image; export it again");
    windows.push_back(room / strides[i] + 1);
    weights.push_back(block[i]);
    rest.push_back(room % strides[i]);
  }
  if (graph::ElementCount(windows) != x[0] * x[1] * x[2]) {
    parts.Refuse("the number of blocks does not fit the image; export the model again");
  }
  // Channel c * taps + t puts its number at tap t.
  Tensor ones = Tensor::Floats(weights, std::vector<float>(static_cast<size_t>(x[1] * taps), 0));
  for (int64_t c = 0; c < x[1]; ++c) {
    ones.floats[static_cast<size_t>(c * taps + c % taps)] = 1;
  }
  parts.Give(
      0, parts.Add("ConvTranspose", {parts.Reshape(parts.Input(0), windows), parts.Floats(ones)},
                   {{"group", x[1] / taps},
                    {"strides", strides},
                    {"dilations", dilations},
                    {"pads", pads},
                    {"output_padding", rest}}));
}

void LiftCenterCropPad(Parts& parts) {
  const Node& node = parts.node();
  ValueId x = parts.Required(0);
  const auto target = parts.KnownIntegers(parts.Required(1), "shape");
  const Shape shape = parts.ShapeOf(x);
  std::vector<int64_t> all(shape.size());
  std::iota(all.begin(), all.end(), 0);
  const std::vector<int64_t> axes = node.Ints("axes", all);
  if (axes.size() != target.size()) {
    parts.Refuse("shape must have a number for each axis; export the model again");
  }
  std::vector<int64_t> pads(2 * shape.size(), 0);
  bool pads_any = false;
  for (size_t i = 0; i < axes.size(); ++i) {
    const int64_t axis = FromStart(parts, axes[i], shape.size());
    const auto d = static_cast<size_t>(axis);
    const int64_t more = target[i] - shape[d];
    if (more < 0) x = parts.Slice(x, axis, -more / 2, -more / 2 + target[i]);
    if (more <= 0) continue;
    pads[d] = more / 2;
    pads[d + shape.size()] = more - more / 2;
    pads_any = true;
  }
  parts.Give(0, pads_any ? parts.Add("Pad", {x, parts.Integers(pads)}) : x);
}

void LiftTensorScatter(Parts& parts) {
  const Node& node = parts.node();
  const ValueId past = parts.Required(0), update = parts.Required(1);
  const Shape shape = parts.ShapeOf(past);
  const int64_t axis = FromStart(parts, node.Int("axis", -2), shape.size());
  const auto d = static_cast<size_t>(axis);
  const int64_t size = shape[d], count = parts.ShapeOf(update).at(d);
  int64_t start = 0;
  if (parts.HasInput(2)) {
    const auto indices = parts.KnownIntegers(parts.Input(2), "write_indices");
    start = indices.empty() ? 0 : indices[0];
    if (std::any_of(indices.begin(), indices.end(), [&](int64_t i) { return i != start; })) {
      parts.Refuse("write_indices must be one number for all samples; export the model again");
    }
  }
  const bool circular = node.String("mode", "linear") == "circular";
  if (start < 0 || start >= size || count > size || (!circular && start + count > size)) {
    parts.Refuse("the update does not fit the cache; export the model again");
  }
  // What is written beyond the end comes to the front.
  const int64_t wrapped = std::max<int64_t>(0, start + count - size), fits = count - wrapped;
  std::vector<ValueId> pieces;
  if (wrapped > 0) pieces.push_back(parts.Slice(update, axis, fits, count));
  if (start > wrapped) pieces.push_back(parts.Slice(past, axis, wrapped, start));
  pieces.push_back(wrapped > 0 ? parts.Slice(update, axis, 0, fits) : update);
  if (start + fits < size) pieces.push_back(parts.Slice(past, axis, start + fits, size));
  parts.Give(0, parts.Add("Concat", pieces, {{"axis", axis}}));
}

void LiftSwish(Parts& parts) {
  const ValueId x = parts.Required(0);
  const float alpha = parts.node().Float("alpha", 1);
  const ValueId scaled = alpha == 1 ? x : parts.Add("Mul", {x, parts.Float(alpha)});
  parts.Give(0, parts.Add("Mul", {x, parts.Add("Sigmoid", {scaled})}));
}

}  // namespace octet::operators
