// Cast. Values outside the target type saturate; FP16, BF16 and double are float throughout the
// converter.
#include <algorithm>
#include <cmath>
#include <limits>
#include <optional>

#include "converter/operators/registry.h"

namespace octet::operators {

std::optional<DataType> TypeOfCode(int64_t code) {
  switch (code) {
    case 1:   // FLOAT
    case 10:  // FLOAT16
    case 11:  // DOUBLE
    case 16:  // BFLOAT16
      return DataType::kFloat;
    case 2:
      return DataType::kUInt8;
    case 3:
      return DataType::kInt8;
    case 4:
      return DataType::kUInt16;
    case 5:
      return DataType::kInt16;
    case 6:
      return DataType::kInt32;
    case 7:
      return DataType::kInt64;
    case 9:
      return DataType::kBool;
    default:
      return std::nullopt;
  }
}

namespace {

struct IntegerRange {
  int64_t low, high;
};

IntegerRange RangeOf(DataType type) {
  switch (type) {
    case DataType::kInt8:
      return {-128, 127};
    case DataType::kUInt8:
      return {0, 255};
    case DataType::kInt16:
      return {-32768, 32767};
    case DataType::kUInt16:
      return {0, 65535};
    case DataType::kInt32:
      return {std::numeric_limits<int32_t>::min(), std::numeric_limits<int32_t>::max()};
    default:
      return {std::numeric_limits<int64_t>::min(), std::numeric_limits<int64_t>::max()};
  }
}

int64_t ToInteger(float value, DataType type) {
  if (type == DataType::kBool) return value != 0.0f ? 1 : 0;
  const IntegerRange range = RangeOf(type);
  return std::clamp(ToInt64(static_cast<double>(value)), range.low, range.high);
}

}  // namespace

std::vector<OutputType> InferCast(const ShapeContext& context) {
  CheckInputCount(context, 1, 1);
  const auto type = TypeOfCode(context.node->Int("to", 0));
  if (!type)
    ShapeFail(context, "target type {} is not supported, only numbers and bool",
              context.node->Int("to", 0));
  return {{*type, InputShape(context, 0)}};
}

void ExecuteCast(const Node&, Inputs inputs, Outputs outputs, Workspace&) {
  const Tensor& in = *inputs[0];
  Tensor& out = outputs[0];
  const auto count = static_cast<size_t>(in.Count());
  for (size_t i = 0; i < count; ++i) {
    if (out.IsFloat()) {
      out.floats[i] = in.IsFloat() ? in.floats[i] : static_cast<float>(in.integers[i]);
    } else if (in.IsFloat()) {
      out.integers[i] = ToInteger(in.floats[i], out.type);
    } else if (out.type == DataType::kBool) {
      out.integers[i] = in.integers[i] != 0 ? 1 : 0;
    } else {
      const IntegerRange range = RangeOf(out.type);
      out.integers[i] = std::clamp(in.integers[i], range.low, range.high);
    }
  }
}

}  // namespace octet::operators
