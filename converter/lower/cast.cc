// Casts between float and integers, and to integer types that hold less. All integers are int32 on
// the board, so that a cast between wide ones is none.
#include <limits>

#include "converter/lower/builder.h"

namespace octet::lower {
namespace {

using graph::DataType;

struct Ends {
  int32_t low, high;
};

Ends EndsOf(DataType type) {
  switch (type) {
    case DataType::kBool:
      return {0, 1};
    case DataType::kInt8:
      return {-128, 127};
    case DataType::kUInt8:
      return {0, 255};
    default:
      return {std::numeric_limits<int32_t>::min(), std::numeric_limits<int32_t>::max()};
  }
}

}  // namespace

void LowerCast(Builder& builder, const graph::Node& node) {
  const graph::ValueId from = node.inputs[0], to = node.outputs[0];
  const DataType from_type = builder.graph().At(from).type, to_type = builder.graph().At(to).type;
  const Layout layout = builder.Existing(from);
  const int input = builder.Use(from, layout, blob::ElementType::kFp16);
  const Ends have = EndsOf(from_type), want = EndsOf(to_type);
  const bool to_float = to_type == DataType::kFloat;
  const bool is_same = from_type == DataType::kFloat
                           ? to_float
                           : !to_float && want.low <= have.low && want.high >= have.high;
  if (is_same) return builder.Alias(to, layout, input);
  const int output = builder.Define(to, layout, blob::ElementType::kFp16);
  builder.Emit(node, blob::Op::kCast, blob::Precision::kFp16, {input}, output)
      .Set(blob::CastParams{want.low, want.high, to_type == DataType::kBool ? 1u : 0u});
}

}  // namespace octet::lower
