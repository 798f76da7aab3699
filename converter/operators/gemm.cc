// Gemm and MatMul.
#include <algorithm>
#include <array>

#include "converter/operators/broadcast.h"
#include "converter/operators/matmul.h"
#include "converter/operators/matrix.h"
#include "converter/operators/registry.h"

namespace octet::operators {
namespace {

void MultiplyIntegers(const MatMulShape& s, const int64_t* a, const int64_t* b, int64_t* c) {
  for (int64_t i = 0; i < s.rows; ++i) {
    for (int64_t j = 0; j < s.columns; ++j) {
      int64_t sum = 0;
      for (int64_t k = 0; k < s.depth; ++k) {
        sum = WrappingAdd(sum, WrappingMul(a[i * s.depth + k], b[k * s.columns + j]));
      }
      c[i * s.columns + j] = sum;
    }
  }
}

}  // namespace

MatMulShape ShapeOfMatMul(const Node& node, const Shape& a, const Shape& b) {
  if (a.empty() || b.empty()) NodeFail(node, "a scalar cannot be multiplied as a matrix");
  MatMulShape shape;
  shape.a = a;
  shape.b = b;
  if (a.size() == 1) shape.a.insert(shape.a.begin(), 1);
  if (b.size() == 1) shape.b.push_back(1);
  shape.rows = shape.a[shape.a.size() - 2];
  shape.depth = shape.a.back();
  shape.columns = shape.b.back();
  if (shape.depth != shape.b[shape.b.size() - 2]) {
    NodeFail(node, "matrices {} and {} do not fit: {} columns of the first, {} rows of the second",
             graph::ToString(a), graph::ToString(b), shape.depth, shape.b[shape.b.size() - 2]);
  }
  shape.batch = Broadcast(node, Shape(shape.a.begin(), shape.a.end() - 2),
                          Shape(shape.b.begin(), shape.b.end() - 2));
  shape.result = shape.batch;
  if (a.size() > 1) shape.result.push_back(shape.rows);
  if (b.size() > 1) shape.result.push_back(shape.columns);
  return shape;
}

std::vector<OutputType> InferGemm(const ShapeContext& context) {
  CheckInputCount(context, 2, 3);
  const Node& node = *context.node;
  for (size_t i = 0; i < context.inputs.size(); ++i) {
    if (HasInput(context, i)) RequireFloat(context, i);
  }
  RequireRank(context, 0, 2, 2);
  RequireRank(context, 1, 2, 2);
  RequireElements(context, 0);
  RequireElements(context, 1);
  Shape a = InputShape(context, 0);
  Shape b = InputShape(context, 1);
  if (node.Int("transA", 0) != 0) std::swap(a[0], a[1]);
  if (node.Int("transB", 0) != 0) std::swap(b[0], b[1]);
  if (a[1] != b[0]) ShapeFail(context, "the matrices do not fit");
  const Shape result = {a[0], b[1]};
  if (HasInput(context, 2) && Broadcast(node, result, InputShape(context, 2)) != result) {
    ShapeFail(context, "the bias cannot be broadcast to {}", graph::ToString(result));
  }
  return {{DataType::kFloat, result}};
}

void ExecuteGemm(const Node& node, Inputs inputs, Outputs outputs, Workspace&) {
  const Tensor& a = *inputs[0];
  const Tensor& b = *inputs[1];
  const Tensor* bias = At(inputs, 2);
  Tensor& out = outputs[0];
  const bool transposed_a = node.Int("transA", 0) != 0;
  const bool transposed_b = node.Int("transB", 0) != 0;
  const float alpha = node.Float("alpha", 1.0f);
  const float beta = node.Float("beta", 1.0f);
  const int64_t rows = out.shape[0];
  const int64_t columns = out.shape[1];
  const int64_t depth = transposed_a ? a.shape[0] : a.shape[1];
  if (bias == nullptr) {
    std::fill(out.floats.begin(), out.floats.end(), 0.0f);
  } else {
    BroadcastBinary(out.shape, out.floats.data(), bias->shape, bias->floats.data(), out.shape,
                    out.floats.data(), [beta](float, float y) { return beta * y; });
  }
  MultiplyMatrices(rows, columns, depth, alpha, {a.floats.data(), a.shape[1], transposed_a},
                   {b.floats.data(), b.shape[1], transposed_b}, 1.0f, out.floats.data(), columns);
}

std::vector<OutputType> InferMatMul(const ShapeContext& context) {
  CheckInputCount(context, 2, 2);
  if (InputType(context, 0) != InputType(context, 1)) {
    ShapeFail(context, "inputs have different types: {} and {}", graph::Name(InputType(context, 0)),
              graph::Name(InputType(context, 1)));
  }
  RequireElements(context, 0);
  RequireElements(context, 1);
  return {{InputType(context, 0),
           ShapeOfMatMul(*context.node, InputShape(context, 0), InputShape(context, 1)).result}};
}

void ExecuteMatMul(const Node& node, Inputs inputs, Outputs outputs, Workspace&) {
  const Tensor& a = *inputs[0];
  const Tensor& b = *inputs[1];
  Tensor& out = outputs[0];
  const MatMulShape s = ShapeOfMatMul(node, a.shape, b.shape);
  const Shape batch_a(s.a.begin(), s.a.end() - 2);
  const Shape batch_b(s.b.begin(), s.b.end() - 2);
  const int64_t size_a = s.rows * s.depth;
  const int64_t size_b = s.depth * s.columns;
  const int64_t size_c = s.rows * s.columns;
  const auto plan = PlanBroadcast<2>({&batch_a, &batch_b}, s.batch);
  ForEachRow<2>(plan, [&](const std::array<int64_t, 2>& offsets, int64_t at, int64_t count,
                          const std::array<int64_t, 2>& strides) {
    for (int64_t i = 0; i < count; ++i) {
      const int64_t from_a = (offsets[0] + i * strides[0]) * size_a;
      const int64_t from_b = (offsets[1] + i * strides[1]) * size_b;
      const int64_t to = (at + i) * size_c;
      if (out.IsFloat()) {
        MultiplyMatrices(s.rows, s.columns, s.depth, 1.0f, {a.floats.data() + from_a, s.depth},
                         {b.floats.data() + from_b, s.columns}, 0.0f, out.floats.data() + to,
                         s.columns);
      } else {
        MultiplyIntegers(s, a.integers.data() + from_a, b.integers.data() + from_b,
                         out.integers.data() + to);
      }
    }
  });
}

}  // namespace octet::operators
