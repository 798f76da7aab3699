// Pooling, reductions, normalisation, softmax.
#include <cmath>

#include "tests/converter/operators/operator_support.h"

namespace octet::operators {
namespace {

TEST(MaxPool, Values) {
  const Tensor x = Ramp({1, 1, 4, 4});
  ExpectFloats(Apply("MaxPool", {x}, {{"kernel_shape", Ints({2, 2})}, {"strides", Ints({2, 2})}}),
               {1, 1, 2, 2}, {5, 7, 13, 15});
  ExpectFloats(
      Apply("MaxPool", {x},
            {{"kernel_shape", Ints({3, 3})}, {"strides", Ints({2, 2})}, {"ceil_mode", Int(1)}}),
      {1, 1, 2, 2}, {10, 11, 14, 15});
  ExpectFloats(Apply("MaxPool", {x}, {{"kernel_shape", Ints({2, 2})}, {"dilations", Ints({2, 2})}}),
               {1, 1, 2, 2}, {10, 11, 14, 15});
  // Padding never wins, even over negative values.
  ExpectFloats(Apply("MaxPool", {F({1, 1, 2}, {-5, -3})},
                     {{"kernel_shape", Ints({2})}, {"pads", Ints({1, 1})}}),
               {1, 1, 3}, {-5, -3, -3});
  // 5 pixels, stride 3, ceil: a third window would start at 6, behind the input, and does not
  // exist.
  ExpectFloats(Apply("MaxPool", {F({1, 1, 5}, {1, 2, 3, 4, 5})},
                     {{"kernel_shape", Ints({1})}, {"strides", Ints({3})}, {"ceil_mode", Int(1)}}),
               {1, 1, 2}, {1, 4});
}

TEST(AveragePool, Values) {
  const Tensor x = F({1, 1, 1, 3}, {3, 6, 9});
  const Attributes padded = {{"kernel_shape", Ints({1, 3})}, {"pads", Ints({0, 1, 0, 1})}};
  ExpectFloats(Apply("AveragePool", {x}, padded), {1, 1, 1, 3}, {4.5f, 6, 7.5f});
  Attributes counted = padded;
  counted["count_include_pad"] = Int(1);
  ExpectFloats(Apply("AveragePool", {x}, counted), {1, 1, 1, 3}, {3, 6, 5});
  // What ceil_mode adds behind the padding is never counted.
  ExpectFloats(Apply("AveragePool", {x},
                     {{"kernel_shape", Ints({1, 2})},
                      {"strides", Ints({1, 2})},
                      {"ceil_mode", Int(1)},
                      {"count_include_pad", Int(1)}}),
               {1, 1, 1, 2}, {4.5f, 9});
  ExpectFloats(Apply("AveragePool", {x},
                     {{"kernel_shape", Ints({1, 2})},
                      {"strides", Ints({1, 2})},
                      {"auto_pad", Text("SAME_UPPER")}}),
               {1, 1, 1, 2}, {4.5f, 9});
}

TEST(MaxPool, Indices) {
  const Tensor x = F({1, 2, 2, 3}, {1, 9, 2, 3, 4, 5, 7, 7, 7, 0, 7, 8});
  const Attributes window = {{"kernel_shape", Ints({2, 2})}};
  const auto both = ApplyAll("MaxPool", {x}, window, 2);
  ExpectFloats(both[0], {1, 2, 1, 2}, {9, 9, 7, 8});
  ExpectIntegers(both[1], {1, 2, 1, 2}, {1, 1, 6, 11});  // of equal elements the first
  Attributes columns = window;
  columns["storage_order"] = Int(1);
  ExpectIntegers(ApplyAll("MaxPool", {x}, columns, 2)[1], {1, 2, 1, 2}, {2, 2, 6, 11});
}

// [z][y][x] of [2][2][3]: element z * 6 + y * 3 + x is number (x * 2 + y) * 2 + z, columns first.
TEST(MaxPool, IndicesOfThreeDimensionsColumnsFirst) {
  const Attributes columns = {{"kernel_shape", Ints({1, 1, 1})}, {"storage_order", Int(1)}};
  ExpectIntegers(ApplyAll("MaxPool", {Ramp({1, 1, 2, 2, 3})}, columns, 2)[1], {1, 1, 2, 2, 3},
                 {0, 4, 8, 2, 6, 10, 1, 5, 9, 3, 7, 11});
}

TEST(Pool, ThreeDimensions) {
  const Tensor x = Ramp({1, 1, 2, 3, 3});
  const Attributes window = {{"kernel_shape", Ints({2, 2, 2})}};
  ExpectFloats(Apply("MaxPool", {x}, window), {1, 1, 1, 2, 2}, {13, 14, 16, 17});
  ExpectFloats(Apply("AveragePool", {x}, window), {1, 1, 1, 2, 2}, {6.5f, 7.5f, 9.5f, 10.5f});
  ExpectFloats(Apply("LpPool", {F({1, 1, 3}, {3, -4, 12})}, {{"kernel_shape", Ints({2})}}),
               {1, 1, 2}, {5, std::sqrt(160.0f)});
  ExpectFloats(Apply("GlobalLpPool", {F({1, 1, 2}, {3, -4})}, {{"p", Int(1)}}), {1, 1, 1}, {7});
  ExpectFloats(Apply("GlobalLpPool", {F({1, 1, 3}, {3, -4, 5})}, {{"p", Int(3)}}), {1, 1, 1}, {6});
}

TEST(Pool, Refusals) {
  ExpectRefused("kernel of 0 dimensions", "MaxPool", {Ramp({1, 1, 4, 4})});
  ExpectRefused("must be smaller than the window", "MaxPool", {Ramp({1, 1, 4, 4})},
                {{"kernel_shape", Ints({2, 2})}, {"pads", Ints({2, 2, 2, 2})}});
  ExpectRefused("p 0 is out of range", "LpPool", {Ramp({1, 1, 4, 4})},
                {{"kernel_shape", Ints({2, 2})}, {"p", Int(0)}});
  ExpectRefused("does not fit an input of 4", "AveragePool", {Ramp({1, 1, 4, 4})},
                {{"kernel_shape", Ints({5, 5})}});
}

TEST(GlobalPool, Values) {
  ExpectFloats(Apply("GlobalAveragePool", {Ramp({1, 2, 2, 2})}), {1, 2, 1, 1}, {1.5f, 5.5f});
  ExpectFloats(Apply("GlobalMaxPool", {Ramp({1, 2, 2, 2})}), {1, 2, 1, 1}, {3, 7});
  ExpectRefused("spatial", "GlobalAveragePool", {Ramp({1, 2})});
}

TEST(Reduce, Values) {
  const Tensor x = Ramp({2, 3});
  ExpectFloats(Apply("ReduceMean", {x, I({1})}), {2, 1}, {1, 4});
  ExpectFloats(Apply("ReduceSum", {x, I({0})}, {{"keepdims", Int(0)}}), {3}, {3, 5, 7});
  ExpectFloats(Apply("ReduceMax", {x, I({-1})}, {{"keepdims", Int(0)}}), {2}, {2, 5});
  ExpectFloats(Apply("ReduceSum", {x}), {1, 1}, {15});
  ExpectFloats(Apply("ReduceSum", {x}, {{"keepdims", Int(0)}}), {}, {15});
  ExpectFloats(Apply("ReduceSum", {x}, {{"noop_with_empty_axes", Int(1)}}), {2, 3},
               {0, 1, 2, 3, 4, 5});
  ExpectFloats(Apply("ReduceMean", {Ramp({1, 2, 2, 2}), I({2, 3})}), {1, 2, 1, 1}, {1.5f, 5.5f});
  ExpectFloats(Apply("ReduceMean", {Ramp({2, 2, 2}), I({0, 2})}), {1, 2, 1}, {2.5f, 4.5f});
  ExpectIntegers(Apply("ReduceMax", {I({3, -1, 7})}, {{"keepdims", Int(0)}}), {}, {7});
  ExpectRefused("axis 2 is outside", "ReduceSum", {x, I({2})});
  ExpectRefused("twice", "ReduceSum", {x, I({1, -1})});
}

TEST(ArgMax, Values) {
  const Tensor x = F({2, 3}, {1, 5, 5, 9, 2, 9});
  ExpectIntegers(Apply("ArgMax", {x}, {{"axis", Int(1)}}), {2, 1}, {1, 0});
  ExpectIntegers(Apply("ArgMax", {x},
                       {{"axis", Int(-1)}, {"keepdims", Int(0)}, {"select_last_index", Int(1)}}),
                 {2}, {2, 2});
  ExpectIntegers(Apply("ArgMax", {x}, {{"keepdims", Int(0)}}), {3}, {1, 0, 1});
}

TEST(Softmax, AxisAndCoercion) {
  ExpectFloats(Apply("Softmax", {F({1, 2}, {0, 0.69314718f})}), {1, 2}, {1.0f / 3, 2.0f / 3});
  ExpectFloats(Apply("Softmax", {F({2, 1}, {1000, 1000})}, {{"axis", Int(0)}}), {2, 1},
               {0.5f, 0.5f});
  ExpectFloats(Apply("Softmax", {Ones({1, 2, 2})}, {{"octet_coerced", Int(1)}}), {1, 2, 2},
               {0.25f, 0.25f, 0.25f, 0.25f});
  ExpectFloats(Apply("LogSoftmax", {F({1, 2}, {0, 0.69314718f})}), {1, 2},
               {-1.09861229f, -0.40546511f});
}

TEST(Normalization, Values) {
  ExpectFloats(Apply("BatchNormalization",
                     {F({1, 2, 1, 2}, {1, 2, 3, 4}), F({2}, {2, 1}), F({2}, {0, 10}),
                      F({2}, {1, 3}), F({2}, {4, 1})},
                     {{"epsilon", Real(0)}}),
               {1, 2, 1, 2}, {0, 1, 10, 11});
  ExpectFloats(
      Apply("InstanceNormalization", {F({1, 2, 2}, {1, 3, 10, 30}), F({2}, {1, 2}), F({2}, {0, 5})},
            {{"epsilon", Real(0)}}),
      {1, 2, 2}, {-1, 1, 3, 7});
  ExpectFloats(
      Apply("LayerNormalization", {F({2, 2}, {1, 3, 10, 30}), F({2}, {1, 2}), F({2}, {0, 5})},
            {{"epsilon", Real(0)}}),
      {2, 2}, {-1, 7, -1, 7});
  ExpectRefused("variance", "BatchNormalization",
                {Ramp({1, 2, 2}), Ones({2}), Ones({2}), Ones({2}), Ones({3})});
  ExpectRefused("does not broadcast", "LayerNormalization", {Ramp({2, 3}), Ones({2})});
}

TEST(MatMul, Broadcasting) {
  const Tensor a = F({2, 2}, {1, 2, 3, 4});
  ExpectFloats(Apply("MatMul", {a, F({2, 2}, {1, 0, 0, 10})}), {2, 2}, {1, 20, 3, 40});
  ExpectFloats(Apply("MatMul", {a, F({2}, {1, 10})}), {2}, {21, 43});
  ExpectFloats(Apply("MatMul", {F({2}, {1, 10}), a}), {2}, {31, 42});
  ExpectFloats(Apply("MatMul", {F({2}, {1, 10}), F({2}, {3, 4})}), {}, {43});
  ExpectFloats(Apply("MatMul", {Ramp({2, 1, 1, 2}), Ramp({3, 2, 1})}), {2, 3, 1, 1},
               {1, 3, 5, 3, 13, 23});
  ExpectIntegers(Apply("MatMul", {I({1, 2}), I({3, 4})}), {}, {11});
  ExpectRefused("do not fit", "MatMul", {a, Ramp({3, 2})});
  ExpectRefused("scalar", "MatMul", {a, F({}, {1})});
}

TEST(Gemm, Values) {
  const Tensor a = F({1, 2}, {1, 2});
  const Tensor b = F({2, 2}, {1, 2, 3, 4});
  ExpectFloats(Apply("Gemm", {a, b}), {1, 2}, {7, 10});
  ExpectFloats(Apply("Gemm", {a, b, F({2}, {10, 20})},
                     {{"transB", Int(1)}, {"alpha", Real(2)}, {"beta", Real(0.5f)}}),
               {1, 2}, {15, 32});
  ExpectFloats(Apply("Gemm", {F({2, 1}, {1, 2}), b, F({}, {1})}, {{"transA", Int(1)}}), {1, 2},
               {8, 11});
  ExpectRefused("do not fit", "Gemm", {a, Ramp({3, 2})});
  ExpectRefused("bias cannot be broadcast", "Gemm", {a, b, Ramp({3, 2})});
  ExpectRefused("must have 2 dimensions", "Gemm", {Ramp({1, 1, 2}), b});
}

// Two samples a cell of 2 x 2 where the model says no number.
TEST(RoiAlign, AsManySamplesAsACellIsLarge) {
  for (const int64_t samples : {0, 2}) {
    ExpectFloats(
        Apply("RoiAlign", {Ramp({1, 1, 4, 4}), F({1, 4}, {0, 0, 4, 4}), Tensor::Integers({1}, {0})},
              {{"output_height", Int(2)},
               {"output_width", Int(2)},
               {"sampling_ratio", Int(samples)}}),
        {1, 1, 2, 2}, {5, 6.75f, 12, 13.75f});
  }
}

}  // namespace
}  // namespace octet::operators
