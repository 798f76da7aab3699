#include <cmath>

#include "converter/lower/builder.h"
#include "converter/support/error.h"

namespace octet::lower {

void LowerSoftmax(Builder& builder, const graph::Node& node) {
  const graph::Shape& shape = builder.ShapeOf(node.inputs[0]);
  const auto rank = static_cast<int64_t>(shape.size());
  int64_t axis = node.Int("axis", -1);
  if (axis < 0) axis += rank;
  if (rank > 4) Fail("node '{}' (Softmax): {} dimensions are more than 4", node.name, rank);
  if (node.Int("octet_coerced", 0) != 0 && axis != rank - 1) {
    int64_t behind = 1;
    for (int64_t i = axis + 1; i < rank; ++i) behind *= shape[static_cast<size_t>(i)];
    if (behind != 1) {
      Fail(
          "node '{}' (Softmax): before opset 13 it spans several dimensions here; export with "
          "opset 13 or later",
          node.name);
    }
  }
  const blob::Precision precision = builder.PrecisionOf(node);
  const blob::ElementType type = Builder::TypeOf(precision);
  // The axis has to be the last one in the arena.
  Layout layout = builder.Existing(node.inputs[0]);
  if (rank == 4 && axis == 1) layout = Layout::kImage;
  if (rank == 4 && axis == 3) layout = Layout::kRowMajor;
  int input = builder.Use(node.inputs[0], layout, type);
  const int at = Builder::ArenaAxis(shape, axis, layout);
  int perm[4] = {0, 1, 2, 3};
  perm[3] = at;
  perm[at] = 3;
  const bool moved = at != 3;
  if (moved) input = builder.Transpose(input, perm, node.name);
  const Tensor source = builder.At(input);
  const int result = moved ? builder.Temporary(node.name, type, source.dims, nullptr)
                           : builder.Define(node.outputs[0], layout, type);
  Layer& layer = builder.Emit(node, blob::Op::kSoftmax, precision, {input}, result);
  layer.Set(blob::SoftmaxParams{0});
  if (precision == blob::Precision::kInt8) {
    std::vector<uint32_t> table(256);
    for (int d = 0; d < 256; ++d) {
      table[static_cast<size_t>(d)] = static_cast<uint32_t>(
          std::floor(std::ldexp(std::exp(-static_cast<double>(source.scale) * d), 23) + 0.5));
    }
    layer.table = ToBytes(table);
    builder.At(result).scale = 1.0f / 256;
    builder.At(result).zero_point = -128;
  }
  if (moved) builder.Alias(node.outputs[0], layout, builder.Transpose(result, perm, node.name));
}

}  // namespace octet::lower
