// TensorProto to graph::Tensor: every storage ONNX has, checked against shape and type before
// memory is taken.
#ifndef OCTET_CONVERTER_IMPORT_TENSOR_H_
#define OCTET_CONVERTER_IMPORT_TENSOR_H_

#include <cstdint>
#include <filesystem>
#include <optional>
#include <string>
#include <string_view>

#include <onnx/onnx_pb.h>

#include "converter/graph/graph.h"

namespace octet::import {

// What becomes of 64-bit and unsigned integers that do not fit INT32.
enum class Narrowing { kRefuse, kSaturate };

// Element name as ONNX writes it ("float16"); "type 99" for one we do not know.
std::string ElementName(int element_type);
// The graph's type for an ONNX element type; nothing for those refused (string, complex, float8,
// int4).
std::optional<graph::DataType> ToDataType(int element_type);

// The number of elements; throws, starting with `what`, for a negative dimension or a product
// beyond 2^40.
uint64_t CheckedCount(const graph::Shape& shape, const std::string& what);

// `value` as an integer of the graph: the range check of INT32, or its bounds.
int64_t Narrow(int64_t value, Narrowing narrowing, const std::string& what);

// Converts and frees the raw bytes of the message, so that a model is not held twice. `what` starts
// every error: "initialiser 'w'".
graph::Tensor ReadTensor(onnx::TensorProto& tensor, const std::string& what,
                         const std::filesystem::path& folder, Narrowing narrowing);

}  // namespace octet::import

#endif  // OCTET_CONVERTER_IMPORT_TENSOR_H_
