// Batched products of two computed tensors against their equations, written once more with plain
// indices.
#include <cmath>

#include "gtest/gtest.h"
#include "tests/runtime/operators/axes_case.h"
#include "tests/runtime/operators/repeat.h"

namespace octet::operators_test {
namespace {

using blob::ElementType;
using blob::Op;

TEST(MatMulLayer, SumsProductsThroughStrides) {
  Repeat(60, [](Random& random) {
    LayerCase layer(Op::kMatMul, RandomType(random));
    blob::MatMulParams& p = layer.Params<blob::MatMulParams>();
    p.rows = random.UInt(1, random.OneIn(3) ? 140 : 9);
    p.columns = random.UInt(1, 70);
    p.depth = random.UInt(1, 40);
    const uint32_t heads = random.UInt(1, 3), images = random.UInt(1, 2);
    p.batch[0] = 1;
    p.batch[1] = images;
    p.batch[2] = heads;
    const bool stretched = random.OneIn(3), turned_a = random.OneIn(2), turned_b = random.OneIn(2);
    const auto set = [&](uint32_t(&strides)[5], uint32_t rows, uint32_t columns, bool turned,
                         bool stretch) {
      strides[0] = 7;  // of one: never taken
      strides[1] = stretch ? 0 : rows * columns * heads;
      strides[2] = rows * columns;
      strides[3] = turned ? 1 : columns;
      strides[4] = turned ? rows : 1;
      return Dims{stretch ? 1 : images, heads, rows, columns};
    };
    const float sa = 0.02f, sb = 0.03f;
    const auto zero = [&] { return layer.IsInt8() ? static_cast<int>(random.Int(-128, 127)) : 0; };
    layer.AddInput(random, set(p.a_strides, p.rows, p.depth, turned_a, stretched), sa, zero(), -1,
                   1);
    layer.AddInput(random, set(p.b_strides, p.depth, p.columns, turned_b, false), sb, zero(), -1,
                   1);
    const int zero_point = static_cast<int>(random.Int(-20, 20));
    layer.SetOutput({images, heads, p.rows, p.columns}, 0.1f, zero_point);
    const Factor m = RandomFactor(random, 8, 12);
    p.multiplier = m.multiplier;
    p.shift = m.shift;
    p.pre_shift = random.OneIn(3) ? 1 : 0;
    p.clamp_lo = random.OneIn(3) ? -100 : -128;
    p.clamp_hi = 127;
    const uint64_t count = uint64_t{images} * heads * p.rows * p.columns;
    std::vector<int> int8(count);
    std::vector<double> half(count);
    for (uint64_t i = 0; i < count; ++i) {
      const uint64_t column = i % p.columns, row = i / p.columns % p.rows;
      const uint64_t head = i / p.columns / p.rows % heads, image = i / p.columns / p.rows / heads;
      double sum = 0;
      for (uint64_t k = 0; k < p.depth; ++k) {
        const uint64_t a = image * p.a_strides[1] + head * p.a_strides[2] + row * p.a_strides[3] +
                           k * p.a_strides[4];
        const uint64_t b = image * p.b_strides[1] + head * p.b_strides[2] + k * p.b_strides[3] +
                           column * p.b_strides[4];
        sum += (layer.Input(0, a) - layer.tensors[0].zero_point) *
               (layer.Input(1, b) - layer.tensors[1].zero_point);
      }
      half[i] = sum;
      if (!layer.IsInt8()) continue;
      const auto acc = static_cast<int64_t>(sum) * (int64_t{1} << p.pre_shift);
      int8[i] = Clamp(RequantizeExactly(acc, m.multiplier, m.shift) + zero_point, p.clamp_lo, 127);
    }
    if (layer.IsInt8()) {
      ExpectInt8(layer.RunAll(), int8);
    } else {
      ExpectHalf(layer.RunAll(), half);
    }
  });
}

}  // namespace
}  // namespace octet::operators_test
