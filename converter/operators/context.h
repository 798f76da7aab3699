// What every operator file needs: inputs by position, errors that name the node, axes and
// broadcasting of shapes.
#ifndef OCTET_CONVERTER_OPERATORS_CONTEXT_H_
#define OCTET_CONVERTER_OPERATORS_CONTEXT_H_

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include <fmt/format.h>

#include "converter/operators/node_error.h"
#include "converter/operators/operator.h"
#include "converter/support/error.h"

namespace octet::operators {

using graph::DataType;
using graph::Node;
using graph::Shape;
using graph::Tensor;

using Inputs = std::span<const Tensor* const>;
using Outputs = std::span<Tensor>;

// As NodeError; where `why` says nothing of what to do, with what helps with any node.
[[noreturn]] void FailAt(const Node& node, const std::string& why, bool advises);

template <typename... Args>
[[noreturn]] void NodeFail(const Node& node, fmt::format_string<Args...> format, Args&&... args) {
  FailAt(node, fmt::format(format, std::forward<Args>(args)...), Advises(format));
}

// The message and the shapes of all inputs, " (inputs: [1,3,8,8], none, [2])".
std::string WithInputs(const ShapeContext& context, const std::string& message);

// As NodeFail, with these.
template <typename... Args>
[[noreturn]] void ShapeFail(const ShapeContext& context, fmt::format_string<Args...> format,
                            Args&&... args) {
  FailAt(*context.node, WithInputs(context, fmt::format(format, std::forward<Args>(args)...)),
         Advises(format));
}

// Fails unless the node has between `least` and `most` inputs, the first `least` of them present.
void CheckInputCount(const ShapeContext& context, size_t least, size_t most);
// Fails when the node asks for more than `most` outputs.
void CheckOutputCount(const ShapeContext& context, size_t most);
bool HasInput(const ShapeContext& context, size_t index);
// Fails when the input is omitted.
const Shape& InputShape(const ShapeContext& context, size_t index);
DataType InputType(const ShapeContext& context, size_t index);
void RequireFloat(const ShapeContext& context, size_t index);
void RequireInteger(const ShapeContext& context, size_t index);
void RequireRank(const ShapeContext& context, size_t index, size_t least, size_t most);
// Fails when a dimension of the input is 0: an operator that reads at least one element of each
// row.
void RequireElements(const ShapeContext& context, size_t index);
// Null when omitted; fails when present but not known at conversion time.
const Tensor* KnownInput(const ShapeContext& context, size_t index, const char* what);
// Integers of a known input; empty when omitted.
std::vector<int64_t> KnownIntegers(const ShapeContext& context, size_t index, const char* what);

// Present input tensor or null, at execution.
inline const Tensor* At(Inputs inputs, size_t index) {
  return index < inputs.size() ? inputs[index] : nullptr;
}
inline std::vector<int64_t> IntegersAt(Inputs inputs, size_t index) {
  const Tensor* tensor = At(inputs, index);
  return tensor == nullptr ? std::vector<int64_t>() : tensor->integers;
}

// The type behind a code of onnx.TensorProto.DataType; FP16, BF16 and double are float here.
// Nullopt for those that no tensor of the converter has. In cast.cc.
std::optional<DataType> TypeOfCode(int64_t code);

// axis in [-rank, rank) to [0, rank).
int64_t NormalizeAxis(const Node& node, int64_t axis, size_t rank);
// Sorted, unique, in [0, rank).
std::vector<int64_t> NormalizeAxes(const Node& node, const std::vector<int64_t>& axes, size_t rank);
// numpy broadcasting of both shapes.
Shape Broadcast(const Node& node, const Shape& a, const Shape& b);
// Elements of dims [first, last).
int64_t Product(const Shape& shape, size_t first, size_t last);
// Row-major strides in elements.
std::vector<int64_t> Strides(const Shape& shape);

// Calls f(source, destination) with the storage type of both tensors, which must agree.
template <typename F>
void ByStorage(const Tensor& in, Tensor& out, F&& f) {
  if (in.IsFloat()) {
    f(in.floats.data(), out.floats.data());
  } else {
    f(in.integers.data(), out.integers.data());
  }
}

// Wraps integers into their type, as arithmetic in it does.
void NarrowToType(Tensor& tensor);

// Sizes the storage of a tensor for its type and shape. Keeps capacity.
void Allocate(Tensor& tensor, const OutputType& type);

// Towards zero. NaN becomes 0, and numbers beyond int64 its nearest end: C++ leaves both open, and
// processors differ.
int64_t ToInt64(double value);

// Integers of a model may be anything, so they wrap.
inline int64_t WrappingAdd(int64_t a, int64_t b) {
  return static_cast<int64_t>(static_cast<uint64_t>(a) + static_cast<uint64_t>(b));
}
inline int64_t WrappingSub(int64_t a, int64_t b) {
  return static_cast<int64_t>(static_cast<uint64_t>(a) - static_cast<uint64_t>(b));
}
inline int64_t WrappingMul(int64_t a, int64_t b) {
  return static_cast<int64_t>(static_cast<uint64_t>(a) * static_cast<uint64_t>(b));
}

// Loops marked so are compiled for several vector widths and chosen at load. Off where the resolver
// that chooses runs before a sanitizer is ready.
#if defined(__x86_64__) && !defined(OCTET_SANITIZED) && defined(__OPTIMIZE__)
#define OCTET_VECTOR_CLONES __attribute__((target_clones("avx512f", "avx2", "default")))
#else
#define OCTET_VECTOR_CLONES
#endif

}  // namespace octet::operators

#endif  // OCTET_CONVERTER_OPERATORS_CONTEXT_H_
