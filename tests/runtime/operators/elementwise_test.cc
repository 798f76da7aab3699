// The elementwise family: every function on every type it has, over random views.
#include <algorithm>
#include <cmath>
#include <functional>

#include "gtest/gtest.h"
#include "runtime/kernels/elementwise/elementwise.h"
#include "tests/runtime/operators/mutations.h"
#include "tests/runtime/operators/repeat.h"

namespace octet::operators_test {
namespace {

using blob::ElementType;
using blob::Elementwise;

blob::ElementwiseParams& Params(LayerCase& layer) {
  return layer.Params<blob::ElementwiseParams>();
}

// A view of random dims, some of them stretched for some operands, with tensors to match.
struct View {
  uint32_t rank;
  std::vector<uint32_t> dims;
  std::vector<uint32_t> stretched;  // by operand

  View(Random& random, uint32_t operands) : rank(random.UInt(1, 6)), stretched(operands) {
    for (uint32_t d = 0; d < rank; ++d) {
      dims.push_back(random.UInt(1, rank == 1 ? 300 : rank == 2 ? 70 : 5));
    }
    for (uint32_t& mask : stretched) {
      if (!random.OneIn(3)) mask = random.UInt(0, (1u << rank) - 1);
    }
  }
  uint32_t Count(int operand = -1) const {
    uint32_t count = 1;
    for (uint32_t d = 0; d < rank; ++d) {
      if (operand < 0 || (stretched[static_cast<size_t>(operand)] >> d & 1) == 0) count *= dims[d];
    }
    return count;
  }
  // Of the operand, for element i of the output.
  uint64_t At(uint32_t operand, uint64_t i) const {
    uint64_t step = 1, at = 0;
    for (uint32_t d = rank; d-- > 0; i /= dims[d]) {
      if ((stretched[operand] >> d & 1) != 0) continue;
      at += i % dims[d] * step;
      step *= dims[d];
    }
    return at;
  }
  void Set(LayerCase& layer, Elementwise function) const {
    blob::ElementwiseParams& p = Params(layer);
    p.function = function;
    p.rank = static_cast<uint8_t>(rank);
    std::copy(dims.begin(), dims.end(), p.dims);
    for (size_t k = 0; k < stretched.size(); ++k) {
      p.stretched[k] = static_cast<uint8_t>(stretched[k]);
    }
    p.clamp_lo = -128;
    p.clamp_hi = 127;
  }
};

Dims Flat(uint32_t count) {
  return {1, 1, 1, count};
}

int64_t Wrap(int64_t x) {
  return static_cast<int32_t>(static_cast<uint32_t>(x));
}
int64_t FloorMod(int64_t x, int64_t y) {
  return y == 0 ? 0 : ((x % y) + y) % y;
}

struct IntegerCase {
  Elementwise function;
  std::function<int64_t(int64_t, int64_t)> value;
};
const IntegerCase kIntegers[] = {
    {Elementwise::kAdd, [](int64_t x, int64_t y) { return Wrap(x + y); }},
    {Elementwise::kSub, [](int64_t x, int64_t y) { return Wrap(x - y); }},
    {Elementwise::kMul, [](int64_t x, int64_t y) { return Wrap(x * y); }},
    {Elementwise::kDiv, [](int64_t x, int64_t y) { return y == 0 ? 0 : Wrap(x / y); }},
    {Elementwise::kMin, [](int64_t x, int64_t y) { return std::min(x, y); }},
    {Elementwise::kMax, [](int64_t x, int64_t y) { return std::max(x, y); }},
    {Elementwise::kPRelu, [](int64_t x, int64_t y) { return x < 0 ? Wrap(x * y) : x; }},
    {Elementwise::kMod, FloorMod},
    {Elementwise::kFmod, [](int64_t x, int64_t y) { return y == 0 ? 0 : x % y; }},
    {Elementwise::kEqual, [](int64_t x, int64_t y) { return x == y; }},
    {Elementwise::kLess, [](int64_t x, int64_t y) { return x < y; }},
    {Elementwise::kLessOrEqual, [](int64_t x, int64_t y) { return x <= y; }},
    {Elementwise::kGreater, [](int64_t x, int64_t y) { return x > y; }},
    {Elementwise::kGreaterOrEqual, [](int64_t x, int64_t y) { return x >= y; }},
    {Elementwise::kAnd, [](int64_t x, int64_t y) { return x != 0 && y != 0; }},
    {Elementwise::kOr, [](int64_t x, int64_t y) { return x != 0 || y != 0; }},
    {Elementwise::kXor, [](int64_t x, int64_t y) { return (x != 0) != (y != 0); }},
    {Elementwise::kBitwiseAnd, [](int64_t x, int64_t y) { return x & y; }},
    {Elementwise::kBitwiseOr, [](int64_t x, int64_t y) { return x | y; }},
    {Elementwise::kBitwiseXor, [](int64_t x, int64_t y) { return x ^ y; }},
    {Elementwise::kShiftLeft,
     [](int64_t x, int64_t y) { return y < 0 || y > 31 ? 0 : Wrap(x << y); }},
    {Elementwise::kShiftRight,
     [](int64_t x, int64_t y) { return y < 0 || y > 31 ? 0 : Wrap((x & 0xFFFFFFFF) >> y); }},
    {Elementwise::kBitwiseNot, [](int64_t x, int64_t) { return ~x; }},
    {Elementwise::kNot, [](int64_t x, int64_t) { return x == 0; }},
    {Elementwise::kAbs, [](int64_t x, int64_t) { return std::abs(x); }},
    {Elementwise::kNeg, [](int64_t x, int64_t) { return -x; }},
    {Elementwise::kSign, [](int64_t x, int64_t) { return (x > 0) - (x < 0); }},
};

TEST(ElementwiseLayer, Integers) {
  for (const IntegerCase& c : kIntegers) {
    SCOPED_TRACE(static_cast<int>(c.function));
    Repeat(8, [&](Random& random) {
      const uint32_t operands = TraitsOf(c.function).operands;
      const View view(random, operands);
      LayerCase layer(blob::Op::kElementwise, ElementType::kInt32);
      const float reach = random.Pick({3.0f, 40.0f, 1e6f});
      for (uint32_t k = 0; k < operands; ++k) {
        layer.AddInput(random, Flat(view.Count(static_cast<int>(k))), 1, 0, -reach, reach);
      }
      layer.SetOutput(Flat(view.Count()));
      view.Set(layer, c.function);
      std::vector<int64_t> expected;
      for (uint64_t i = 0; i < view.Count(); ++i) {
        const int64_t x = layer.Q(0, view.At(0, i));
        expected.push_back(c.value(x, operands > 1 ? layer.Q(1, view.At(1, i)) : 0));
      }
      ExpectInt32(layer.RunAll(), expected);
    });
  }
}

// A row that repeats is copied once, for as many rows as may follow: the second of two shares
// begins with 4 of 8 rows, and has 8 at a time from then on.
TEST(ElementwiseLayer, ARepeatedRowServesMoreRowsThanItsFirst) {
  Random random(1);
  for (const ElementType type : {ElementType::kInt32, ElementType::kFp16}) {
    LayerCase layer(blob::Op::kElementwise, type);
    layer.AddInput(random, Flat(3 * 8 * 5), 1, 0, -100, 100);
    layer.AddInput(random, Flat(5), 1, 0, -100, 100);
    layer.SetOutput(Flat(3 * 8 * 5));
    blob::ElementwiseParams& p = Params(layer);
    p.function = Elementwise::kMax;  // exact in halves as well
    p.rank = 3;
    p.dims[0] = 3, p.dims[1] = 8, p.dims[2] = 5;
    p.stretched[1] = 0b011;
    std::vector<double> expected;
    for (uint64_t i = 0; i < 3 * 8 * 5; ++i) {
      expected.push_back(std::max(layer.Input(0, i), layer.Input(1, i % 5)));
    }
    if (type == ElementType::kInt32) {
      ExpectInt32(layer.RunAll(), {expected.begin(), expected.end()});
    } else {
      ExpectHalf(layer.RunAll(), expected);
    }
  }
}

TEST(ElementwiseLayer, IntegersAtTheirEnds) {
  const int32_t values[] = {INT32_MIN, INT32_MIN + 1, -2, -1, 0, 1, 2, 31, 32, INT32_MAX};
  const uint32_t count = std::size(values);
  for (uint8_t f = 0; f < blob::kElementwiseCount; ++f) {
    const auto function = static_cast<Elementwise>(f);
    if (!TraitsOf(function).on_integers) continue;
    LayerCase layer(blob::Op::kElementwise, ElementType::kInt32);
    Random random(1);
    for (uint32_t k = 0; k < TraitsOf(function).operands; ++k) {
      const uint32_t number = layer.AddInput(random, Flat(count));
      std::memcpy(layer.arena.data() + layer.tensors[number].arena_offset, values, sizeof(values));
    }
    layer.SetOutput(Flat(count * count));
    blob::ElementwiseParams& p = Params(layer);
    p.function = function;
    p.rank = 2;
    p.dims[0] = p.dims[1] = count;
    p.stretched[0] = 1;
    p.stretched[1] = 2;
    EXPECT_EQ(layer.RunAll().size(), size_t{4} * count * count) << int{f};  // and no trap
    if (function != Elementwise::kDiv) continue;
    const Bytes quotients = layer.RunAll();
    int32_t by_minus_one;  // INT32_MIN / -1: row of the divisor -1, column 0
    std::memcpy(&by_minus_one, quotients.data() + 4 * (3 * count), 4);
    EXPECT_EQ(by_minus_one, INT32_MIN);
  }
}

struct FloatCase {
  Elementwise function;
  std::function<double(double, double)> value;
};
double FloatFloorMod(double x, double y) {
  const double r = std::fmod(x, y);
  return r != 0 && (r < 0) != (y < 0) ? r + y : r;
}
const FloatCase kFloats[] = {
    {Elementwise::kAdd, [](double x, double y) { return x + y; }},
    {Elementwise::kSub, [](double x, double y) { return x - y; }},
    {Elementwise::kMul, [](double x, double y) { return x * y; }},
    {Elementwise::kDiv, [](double x, double y) { return x / y; }},
    {Elementwise::kMin, [](double x, double y) { return std::min(x, y); }},
    {Elementwise::kMax, [](double x, double y) { return std::max(x, y); }},
    {Elementwise::kPRelu, [](double x, double y) { return x < 0 ? x * y : x; }},
    {Elementwise::kMod, FloatFloorMod},
    {Elementwise::kFmod, [](double x, double y) { return std::fmod(x, y); }},
};

TEST(ElementwiseLayer, Halves) {
  for (const FloatCase& c : kFloats) {
    SCOPED_TRACE(static_cast<int>(c.function));
    Repeat(8, [&](Random& random) {
      const View view(random, 2);
      LayerCase layer(blob::Op::kElementwise, ElementType::kFp16);
      layer.AddInput(random, Flat(view.Count(0)));
      layer.AddInput(random, Flat(view.Count(1)));
      layer.SetOutput(Flat(view.Count()));
      view.Set(layer, c.function);
      std::vector<uint16_t> expected;
      for (uint64_t i = 0; i < view.Count(); ++i) {
        const double value = c.value(layer.Input(0, view.At(0, i)), layer.Input(1, view.At(1, i)));
        expected.push_back(FloatToHalf(static_cast<float>(value)));
      }
      EXPECT_EQ(expected, Halves(layer.RunAll()));
    });
  }
}

TEST(ElementwiseLayer, TestsOfHalves) {
  Repeat(20, [](Random& random) {
    const View view(random, 2);
    LayerCase layer(blob::Op::kElementwise, ElementType::kFp16);
    for (int k : {0, 1}) {
      const uint32_t number = layer.AddInput(random, Flat(view.Count(k)));
      uint8_t* data = layer.arena.data() + layer.tensors[number].arena_offset;
      for (uint32_t i = 0; i < view.Count(k); ++i) {
        const uint16_t half =
            FloatToHalf(random.Pick({-1.0f, 0.0f, 1.0f, 2.5f, INFINITY, -INFINITY, NAN}));
        std::memcpy(data + 2 * i, &half, 2);
      }
    }
    layer.SetOutputOf(ElementType::kInt32, Flat(view.Count()));
    const std::pair<Elementwise, std::function<bool(double, double)>> kTests[] = {
        {Elementwise::kEqual, [](double x, double y) { return x == y; }},
        {Elementwise::kLess, [](double x, double y) { return x < y; }},
        {Elementwise::kGreaterOrEqual, [](double x, double y) { return x >= y; }},
        {Elementwise::kIsNan, [](double x, double) { return std::isnan(x); }},
        {Elementwise::kIsInf, [](double x, double) { return std::isinf(x); }},
        {Elementwise::kIsNegativeInf, [](double x, double) { return x == -INFINITY; }},
        {Elementwise::kIsPositiveInf, [](double x, double) { return x == INFINITY; }},
    };
    for (const auto& [function, value] : kTests) {
      LayerCase test = layer;
      test.layer.input_count = TraitsOf(function).operands;
      view.Set(test, function);
      std::vector<int64_t> expected;
      for (uint64_t i = 0; i < view.Count(); ++i) {
        expected.push_back(value(layer.Input(0, view.At(0, i)), layer.Input(1, view.At(1, i))));
      }
      ExpectInt32(test.RunAll(), expected);
    }
  });
}

TEST(ElementwiseLayer, OneNaNForAll) {
  LayerCase layer(blob::Op::kElementwise, ElementType::kFp16);
  Random random(1);
  for (uint16_t bits : {uint16_t{0xFE01}, uint16_t{0x7D55}}) {
    const uint32_t number = layer.AddInput(random, Flat(1));
    std::memcpy(layer.arena.data() + layer.tensors[number].arena_offset, &bits, 2);
  }
  layer.SetOutput(Flat(1));
  Params(layer).function = Elementwise::kAdd;
  Params(layer).rank = 1;
  Params(layer).dims[0] = 1;
  EXPECT_EQ(Halves(layer.RunAll()), std::vector<uint16_t>{0x7E00});
}

TEST(ElementwiseLayer, WhereOfEveryType) {
  Repeat(40, [](Random& random) {
    const auto type = static_cast<ElementType>(random.Int(1, 3));
    const View view(random, 3);
    LayerCase layer(blob::Op::kElementwise, type);
    layer.AddInputOf(ElementType::kInt32, random, Flat(view.Count(0)), 1, 0, 0, 1);
    for (int k : {1, 2}) layer.AddInput(random, Flat(view.Count(k)));
    layer.SetOutput(Flat(view.Count()));
    view.Set(layer, Elementwise::kWhere);
    std::vector<int8_t> tables;
    for (int i = 0; i < 512; ++i) tables.push_back(static_cast<int8_t>(random.Next()));
    if (layer.IsInt8()) layer.layer.table = layer.AddTable(tables);
    std::vector<double> expected;
    for (uint64_t i = 0; i < view.Count(); ++i) {
      const uint32_t k = layer.Q(0, view.At(0, i)) != 0 ? 1 : 2;
      const double value = layer.Input(k, view.At(k, i));
      const auto entry = static_cast<size_t>(256 * (k - 1) + static_cast<int>(value) + 128);
      expected.push_back(layer.IsInt8() ? tables[entry] : value);
    }
    const std::vector<int64_t> integers(expected.begin(), expected.end());
    if (type == ElementType::kInt8) {
      ExpectInt8(layer.RunAll(), std::vector<int>(integers.begin(), integers.end()));
    } else if (type == ElementType::kInt32) {
      ExpectInt32(layer.RunAll(), integers);
    } else {
      ExpectHalf(layer.RunAll(), expected);
    }
  });
}

TEST(ElementwiseLayer, Int8Rules) {
  Repeat(60, [](Random& random) {
    const View view(random, 2);
    const auto function = random.Pick({Elementwise::kAdd, Elementwise::kMul, Elementwise::kDiv,
                                       Elementwise::kMin, Elementwise::kMax, Elementwise::kPRelu});
    LayerCase layer(blob::Op::kElementwise, ElementType::kInt8);
    const int zero[2] = {static_cast<int>(random.Int(-128, 127)),
                         static_cast<int>(random.Int(-128, 127))};
    for (int k : {0, 1}) layer.AddInput(random, Flat(view.Count(k)), 0.5f, zero[k]);
    const int out_zero = static_cast<int>(random.Int(-128, 127));
    layer.SetOutput(Flat(view.Count()), 0.25f, out_zero);
    view.Set(layer, function);
    blob::ElementwiseParams& p = Params(layer);
    p.multiplier_a = static_cast<int32_t>(random.Int(1 << 30, INT32_MAX));
    p.shift = random.Int(1, 12);
    p.pre_shift = static_cast<uint8_t>(random.Int(0, 3));
    p.clamp_lo = -100;
    std::vector<int8_t> tables;
    for (int i = 0; i < 512; ++i) tables.push_back(static_cast<int8_t>(random.Next()));
    if (function == Elementwise::kMin || function == Elementwise::kMax) {
      layer.layer.table = layer.AddTable(tables);
    } else if (function == Elementwise::kPRelu) {
      tables.resize(256);
      layer.layer.table = layer.AddTable(tables);
    } else if (function == Elementwise::kAdd) {
      // Factors of 15 bits as in operator Add, or of 30.
      const int bits = random.Pick({15, 30}), most = (1 << bits) - 1;
      p.multiplier_a = static_cast<int32_t>(random.Int(-most, most));
      p.multiplier_b = static_cast<int32_t>(random.Int(-most, most));
      p.shift = random.Int(1, bits + 15);
    }
    std::vector<int> expected;
    for (uint64_t i = 0; i < view.Count(); ++i) {
      const int x = layer.Q(0, view.At(0, i)), y = layer.Q(1, view.At(1, i));
      const int64_t a = x - zero[0], b = y - zero[1];
      const auto product = [&] {
        const int64_t bound = ((int64_t{1} << 30) - 1) >> p.pre_shift;
        const int64_t shifted =
            p.pre_shift == 0 ? a * b
                             : std::clamp(a * b, -bound, bound) * (int64_t{1} << p.pre_shift);
        return RequantizeExactly(shifted, p.multiplier_a, p.shift) + out_zero;
      };
      int64_t value = 0;
      if (function == Elementwise::kAdd) {
        value =
            ((a * p.multiplier_a + b * p.multiplier_b + (int64_t{1} << (p.shift - 1))) >> p.shift) +
            out_zero;
      } else if (function == Elementwise::kMul) {
        value = product();
      } else if (function == Elementwise::kDiv) {
        const double quotient =
            static_cast<double>(a) * p.multiplier_a / (static_cast<double>(b) * (1 << p.shift));
        value = b == 0 ? (a > 0   ? 1000
                          : a < 0 ? -1000
                                  : out_zero)
                       : static_cast<int64_t>(std::clamp(std::floor(quotient + 0.5), -1e6, 1e6)) +
                             out_zero;
      } else if (function == Elementwise::kPRelu) {
        value = a >= 0 ? tables[static_cast<size_t>(x + 128)] : product();
      } else {
        const int u = tables[static_cast<size_t>(x + 128)];
        const int v = tables[static_cast<size_t>(y + 128 + 256)];
        value = function == Elementwise::kMin ? std::min(u, v) : std::max(u, v);
      }
      expected.push_back(Clamp(value, p.clamp_lo, p.clamp_hi));
    }
    ExpectInt8(layer.RunAll(), expected);
  });
}

LayerCase Sound(Elementwise function, ElementType type) {
  Random random(1);
  LayerCase layer(blob::Op::kElementwise, type);
  layer.AddInput(random, {1, 2, 1, 4});
  layer.AddInput(random, {1, 1, 3, 4});
  layer.SetOutput({1, 2, 3, 4});
  blob::ElementwiseParams& p = Params(layer);
  p = {};
  p.function = function;
  p.rank = 3;
  const uint32_t dims[3] = {2, 3, 4};
  std::copy(dims, dims + 3, p.dims);
  p.stretched[0] = 2;
  p.stretched[1] = 1;
  p.multiplier_a = function == Elementwise::kAdd ? 5 : 1 << 30;
  p.shift = 3;
  layer.layer.table = layer.AddTable(std::vector<int8_t>(512));
  return layer;
}

TEST(ElementwiseLayer, RefusesEveryBrokenRule) {
  const Mutations rules = {
      {"unknown function", [](LayerCase& l) { Params(l).function = static_cast<Elementwise>(33); }},
      {"rank 0", [](LayerCase& l) { Params(l).rank = 0; }},
      {"rank 7", [](LayerCase& l) { Params(l).rank = 7; }},
      {"dim 0", [](LayerCase& l) { Params(l).dims[1] = 0; }},
      {"dims too large", [](LayerCase& l) { ++Params(l).dims[0]; }},
      {"dims that wrap", [](LayerCase& l) { Params(l).dims[0] = Params(l).dims[1] = 0x80000000u; }},
      {"first operand larger", [](LayerCase& l) { Params(l).stretched[0] = 0; }},
      {"second operand smaller", [](LayerCase& l) { Params(l).stretched[1] = 3; }},
      {"stretched beyond the rank", [](LayerCase& l) { Params(l).stretched[0] = 2 | 8; }},
      {"an operand too few", [](LayerCase& l) { l.layer.input_count = 1; }},
      {"unknown activation",
       [](LayerCase& l) { Params(l).activation = static_cast<blob::Function>(99); }},
      {"alpha NaN", [](LayerCase& l) { Params(l).alpha = NAN; }},
      {"a function of another count", [](LayerCase& l) { Params(l).function = Elementwise::kNot; }},
  };
  const Mutations int8_rules = {
      {"clamp", [](LayerCase& l) { Params(l).clamp_lo = 1; }},
      {"pre-shift", [](LayerCase& l) { Params(l).pre_shift = 16; }},
      {"no int8 rule", [](LayerCase& l) { Params(l).function = Elementwise::kMod; }},
  };
  ExpectRefused(Sound(Elementwise::kMax, ElementType::kFp16), Join({Common(), rules}));
  ExpectRefused(Sound(Elementwise::kMax, ElementType::kInt8), Join({Common(), rules, int8_rules}));
  ExpectRefused(Sound(Elementwise::kAdd, ElementType::kInt8),
                {{"factor", [](LayerCase& l) { Params(l).multiplier_b = 1 << 30; }},
                 {"shift 0", [](LayerCase& l) { Params(l).shift = 0; }},
                 {"shift 46", [](LayerCase& l) { Params(l).shift = 46; }}});
  ExpectRefused(Sound(Elementwise::kMul, ElementType::kInt8),
                {{"multiplier", [](LayerCase& l) { Params(l).multiplier_a = 1; }},
                 {"shift 32", [](LayerCase& l) { Params(l).shift = 32; }}});
  ExpectRefused(Sound(Elementwise::kDiv, ElementType::kInt8),
                {{"multiplier", [](LayerCase& l) { Params(l).multiplier_a = 0; }},
                 {"shift 41", [](LayerCase& l) { Params(l).shift = 41; }},
                 {"shift -1", [](LayerCase& l) { Params(l).shift = -1; }}});
  ExpectRefused(Sound(Elementwise::kMin, ElementType::kInt8),
                {{"table size", [](LayerCase& l) { l.layer.table.bytes = 256; }}});
  LayerCase integers = Sound(Elementwise::kAnd, ElementType::kInt32);
  ExpectRefused(integers, {{"a float function", [](LayerCase& l) {
                              Params(l).function = Elementwise::kIsNan;
                              l.layer.input_count = 1;
                            }}});
  LayerCase halves = Sound(Elementwise::kAdd, ElementType::kFp16);
  ExpectRefused(halves, {{"an integer function",
                          [](LayerCase& l) { Params(l).function = Elementwise::kBitwiseAnd; }}});
}

}  // namespace
}  // namespace octet::operators_test
