// Add, Mul, Div for every kind of broadcast, against the definition.
#include <cmath>

#include "gtest/gtest.h"
#include "tests/runtime/operators/layer_case.h"
#include "tests/runtime/operators/repeat.h"

namespace octet::operators_test {
namespace {

struct Shapes {
  Dims a, b;
  blob::Broadcast kind;
};

Shapes RandomShapes(Random& random) {
  Shapes s = {};
  s.a = {random.UInt(1, 2), random.UInt(1, 4), random.UInt(1, 5), random.UInt(1, 40)};
  s.kind = static_cast<blob::Broadcast>(random.Int(0, 3));
  switch (s.kind) {
    case blob::Broadcast::kNone:
      s.b = s.a;
      break;
    case blob::Broadcast::kChannel:
      s.b = {1, 1, 1, s.a.c};
      break;
    case blob::Broadcast::kScalar:
      s.b = {1, 1, 1, 1};
      break;
    case blob::Broadcast::kSpatial:
      s.b = {1, s.a.h, s.a.w, 1};
      break;
  }
  return s;
}

// Calls body(index in a, index in b) for every element.
template <typename Body>
void ForEachElement(const Shapes& s, Body body) {
  for (uint32_t n = 0; n < s.a.n; ++n) {
    for (uint32_t h = 0; h < s.a.h; ++h) {
      for (uint32_t w = 0; w < s.a.w; ++w) {
        for (uint32_t c = 0; c < s.a.c; ++c) {
          body(At(s.a, n, h, w, c), At(s.b, s.b.n == 1 ? 0 : n, s.b.h == 1 ? 0 : h,
                                       s.b.w == 1 ? 0 : w, s.b.c == 1 ? 0 : c));
        }
      }
    }
  }
}

struct Int8Case {
  Shapes s;
  int za, zb, zo;
  LayerCase layer;
};

Int8Case RandomInt8(Random& random, blob::Op op) {
  Int8Case t = {RandomShapes(random), static_cast<int>(random.Int(-128, 127)),
                static_cast<int>(random.Int(-128, 127)), static_cast<int>(random.Int(-128, 127)),
                LayerCase(op, blob::ElementType::kInt8)};
  t.layer.AddInput(random, t.s.a, 0.5f, t.za);
  t.layer.AddInput(random, t.s.b, 0.5f, t.zb);
  t.layer.SetOutput(t.s.a, 0.5f, t.zo);
  blob::BinaryParams& p = t.layer.Params<blob::BinaryParams>();
  p.broadcast = t.s.kind;
  p.clamp_lo = static_cast<int8_t>(random.Int(-128, -20));
  p.clamp_hi = static_cast<int8_t>(random.Int(20, 127));
  return t;
}

// floor(n / d + 1/2) in exact integers.
int64_t RoundHalfUp(int64_t n, int64_t d) {
  if (d < 0) n = -n, d = -d;
  const int64_t twice = 2 * n + d;
  int64_t q = twice / (2 * d);
  if (q * 2 * d > twice) --q;
  return static_cast<int64_t>(q);
}

TEST(AddLayer, Int8EqualsTheDefinition) {
  Repeat(60, [](Random& random) {
    Int8Case t = RandomInt8(random, blob::Op::kAdd);
    blob::BinaryParams& p = t.layer.Params<blob::BinaryParams>();
    p.multiplier_a = static_cast<int32_t>(random.Int(-32767, 32767));
    p.multiplier_b = static_cast<int32_t>(random.Int(-32767, 32767));
    p.shift = static_cast<int32_t>(random.OneIn(4) ? random.Int(1, 30) : 15);
    std::vector<int> expected(t.s.a.Count());
    ForEachElement(t.s, [&](uint64_t i, uint64_t j) {
      const int64_t sum = int64_t{t.layer.Q(0, i) - t.za} * p.multiplier_a +
                          int64_t{t.layer.Q(1, j) - t.zb} * p.multiplier_b;
      expected[i] = Clamp(RoundHalfUp(sum, int64_t{1} << p.shift) + t.zo, p.clamp_lo, p.clamp_hi);
    });
    ExpectInt8(t.layer.RunAll(), expected);
  });
}

TEST(MulLayer, Int8EqualsTheDefinition) {
  Repeat(60, [](Random& random) {
    Int8Case t = RandomInt8(random, blob::Op::kMul);
    blob::BinaryParams& p = t.layer.Params<blob::BinaryParams>();
    p.multiplier_a = static_cast<int32_t>(random.Int(1 << 30, INT32_MAX));
    p.shift = static_cast<int32_t>(random.OneIn(4) ? random.Int(1, 31) : 8);
    p.pre_shift = static_cast<uint8_t>(random.OneIn(3) ? random.Int(1, 15) : 0);
    std::vector<int> expected(t.s.a.Count());
    ForEachElement(t.s, [&](uint64_t i, uint64_t j) {
      int64_t product = int64_t{t.layer.Q(0, i) - t.za} * (t.layer.Q(1, j) - t.zb);
      const int64_t bound = ((int64_t{1} << 30) - 1) >> p.pre_shift;
      product = std::max(-bound, std::min(bound, product)) * (int64_t{1} << p.pre_shift);
      expected[i] =
          Clamp(RequantizeExactly(product, p.multiplier_a, p.shift) + t.zo, p.clamp_lo, p.clamp_hi);
    });
    ExpectInt8(t.layer.RunAll(), expected);
  });
}

TEST(DivLayer, Int8EqualsTheDefinition) {
  Repeat(60, [](Random& random) {
    Int8Case t = RandomInt8(random, blob::Op::kDiv);
    blob::BinaryParams& p = t.layer.Params<blob::BinaryParams>();
    p.multiplier_a = static_cast<int32_t>(random.Int(1, INT32_MAX));
    p.shift = static_cast<int32_t>(random.OneIn(3) ? random.Int(0, 40) : random.Int(22, 30));
    p.swap = static_cast<uint8_t>(random.Int(0, 1));
    std::vector<int> expected(t.s.a.Count());
    ForEachElement(t.s, [&](uint64_t i, uint64_t j) {
      int64_t n = t.layer.Q(0, i) - t.za, d = t.layer.Q(1, j) - t.zb;
      if (p.swap != 0) std::swap(n, d);
      if (d == 0) {
        expected[i] =
            n > 0 ? p.clamp_hi : (n < 0 ? p.clamp_lo : Clamp(t.zo, p.clamp_lo, p.clamp_hi));
        return;
      }
      const int64_t q = RoundHalfUp(n * p.multiplier_a, d * (int64_t{1} << p.shift));
      expected[i] = Clamp(q + t.zo, p.clamp_lo, p.clamp_hi);
    });
    ExpectInt8(t.layer.RunAll(), expected);
  });
}

TEST(BinaryLayers, HalfEqualsTheDefinition) {
  Repeat(80, [](Random& random) {
    const Shapes s = RandomShapes(random);
    const blob::Op op = random.Pick({blob::Op::kAdd, blob::Op::kMul, blob::Op::kDiv});
    LayerCase layer(op, blob::ElementType::kFp16);
    layer.AddInput(random, s.a, 1, 0, 0.5f, 4);
    layer.AddInput(random, s.b, 1, 0, 0.5f, 4);
    layer.SetOutput(s.a);
    blob::BinaryParams& p = layer.Params<blob::BinaryParams>();
    p.broadcast = s.kind;
    p.swap = op == blob::Op::kDiv && random.OneIn(2);
    p.negate_b = op == blob::Op::kAdd && random.OneIn(2);
    p.function = random.Pick({blob::Function::kIdentity, blob::Function::kLeakyRelu});
    p.alpha = 0.1f;
    std::vector<double> expected(s.a.Count());
    ForEachElement(s, [&](uint64_t i, uint64_t j) {
      const double a = layer.Input(0, i), b = layer.Input(1, j);
      double x = op == blob::Op::kMul ? a * b : (p.swap != 0 ? b / a : a / b);
      if (op == blob::Op::kAdd) x = p.negate_b != 0 ? a - b : a + b;
      expected[i] = p.function == blob::Function::kLeakyRelu && x < 0 ? p.alpha * x : x;
    });
    ExpectHalf(layer.RunAll(), expected);
  });
}

// The output may lie where the first operand lies.
TEST(AddLayer, WorksInPlace) {
  Random random(kernels_test::TestSeed());
  Int8Case t = RandomInt8(random, blob::Op::kAdd);
  blob::BinaryParams& p = t.layer.Params<blob::BinaryParams>();
  p.multiplier_a = 20000;
  p.multiplier_b = -9000;
  p.shift = 15;
  const Bytes apart = t.layer.RunAll();
  t.layer.tensors[t.layer.layer.output].arena_offset = t.layer.tensors[0].arena_offset;
  EXPECT_EQ(apart, t.layer.RunAll());
}

}  // namespace
}  // namespace octet::operators_test
