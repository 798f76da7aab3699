// Dense tensors, their shapes and their types.
#ifndef OCTET_CONVERTER_GRAPH_TENSOR_H_
#define OCTET_CONVERTER_GRAPH_TENSOR_H_

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace octet::graph {

using Shape = std::vector<int64_t>;
inline constexpr int64_t kUnknownDim = -1;

// Number of elements; 1 for a scalar.
int64_t ElementCount(const Shape& shape);
std::string ToString(const Shape& shape);

enum class DataType : uint8_t { kFloat, kInt32, kInt64, kInt8, kUInt8, kBool, kInt16, kUInt16 };
std::string_view Name(DataType type);

// A dense tensor, row-major. Floats are stored as float (FP16, BF16 and double are converted at
// import), every integer type as int64 with its DataType kept. INT64 data has passed the INT32
// range check of the import (except slice bounds, which saturate).
struct Tensor {
  DataType type = DataType::kFloat;
  Shape shape;
  std::vector<float> floats;      // kFloat
  std::vector<int64_t> integers;  // every other type

  static Tensor Floats(Shape shape, std::vector<float> values);
  static Tensor Integers(Shape shape, std::vector<int64_t> values,
                         DataType type = DataType::kInt64);
  bool IsFloat() const { return type == DataType::kFloat; }
  int64_t Count() const { return ElementCount(shape); }
};

}  // namespace octet::graph

#endif  // OCTET_CONVERTER_GRAPH_TENSOR_H_
