// Reductions over any axes, the places of extrema among them, against their equations, written once
// more with plain indices.
#include <cmath>

#include "gtest/gtest.h"
#include "tests/runtime/operators/axes_case.h"
#include "tests/runtime/operators/repeat.h"

namespace octet::operators_test {
namespace {

using blob::ElementType;
using blob::Op;

double Reduced(blob::ReduceKind kind, const std::vector<double>& x) {
  double sum = 0, squares = 0, absolute = 0, product = 1, max = x[0], min = x[0], powers = 0;
  for (double value : x) {
    sum += value;
    squares += value * value;
    absolute += std::fabs(value);
    product *= value;
    max = std::max(max, value);
    min = std::min(min, value);
    powers += std::exp(value);
  }
  switch (kind) {
    case blob::ReduceKind::kMean:
      return sum / static_cast<double>(x.size());
    case blob::ReduceKind::kMax:
      return max;
    case blob::ReduceKind::kMin:
      return min;
    case blob::ReduceKind::kProd:
      return product;
    case blob::ReduceKind::kL1:
      return absolute;
    case blob::ReduceKind::kL2:
      return std::sqrt(squares);
    case blob::ReduceKind::kSumSquare:
      return squares;
    case blob::ReduceKind::kLogSum:
      return std::log(sum);
    case blob::ReduceKind::kLogSumExp:
      return std::log(powers);
    default:
      return sum;
  }
}

TEST(ReduceLayer, HalfOfEveryKind) {
  Repeat(150, [](Random& random) {
    const View v = RandomView(random, 0);
    LayerCase layer(Op::kReduce, ElementType::kFp16);
    blob::ReduceParams& p = layer.Params<blob::ReduceParams>();
    p.view = v.view;
    p.kind = static_cast<blob::ReduceKind>(random.UInt(0, 9));
    const bool positive = p.kind == blob::ReduceKind::kLogSum;
    const bool product = p.kind == blob::ReduceKind::kProd;
    layer.AddInput(random, Flat(v.count), 1, 0,
                   product    ? 0.9f
                   : positive ? 0.1f
                              : -2,
                   product ? 1.1f : 2);
    layer.SetOutput(Flat(v.groups));
    std::vector<std::vector<double>> values(v.groups);
    for (uint64_t i = 0; i < v.count; ++i) values[v.group[i]].push_back(layer.Input(0, i));
    std::vector<double> expected;
    for (const auto& group : values) expected.push_back(Reduced(p.kind, group));
    ExpectHalf(layer.RunAll(), expected);
  });
}

TEST(ReduceLayer, NanWins) {
  LayerCase layer(Op::kReduce, ElementType::kFp16);
  Random random(1);
  layer.AddInput(random, Flat(20));
  const uint16_t nan = 0x7E00;
  std::memcpy(layer.arena.data() + layer.tensors[0].arena_offset + 2 * 11, &nan, 2);
  layer.SetOutput(Flat(1));
  for (const auto kind : {blob::ReduceKind::kMax, blob::ReduceKind::kMin, blob::ReduceKind::kSum}) {
    layer.Params<blob::ReduceParams>() = {{1, {20}, 1}, kind, 0, 0, 0, 0, 0};
    ExpectHalf(layer.RunAll(), {std::nan("")});
  }
}

// 300,000 ones: added one behind the other in float they would still be exact; 0.1 would not.
TEST(ReduceLayer, LongSumsKeepTheirDigits) {
  for (const bool columns : {false, true}) {
    LayerCase layer(Op::kReduce, ElementType::kFp16);
    Random random(1);
    layer.AddInput(random, Flat(300000), 1, 0, 0.1f, 0.1f);
    layer.SetOutput(Flat(1));
    layer.Params<blob::ReduceParams>() = {
        {2, {columns ? 300000u : 1u, columns ? 1u : 300000u}, columns ? 1u : 2u},
        blob::ReduceKind::kMean,
        0,
        0,
        0,
        0,
        0};
    const Bytes result = layer.RunAll();
    EXPECT_EQ(Halves(result)[0], FloatToHalf(static_cast<float>(layer.Input(0, 0))));
  }
}

TEST(ReduceLayer, Int8SumsAndExtrema) {
  Repeat(100, [](Random& random) {
    const View v = RandomView(random, 0);
    LayerCase layer(Op::kReduce, ElementType::kInt8);
    blob::ReduceParams& p = layer.Params<blob::ReduceParams>();
    p.view = v.view;
    p.kind = static_cast<blob::ReduceKind>(random.UInt(0, 3));
    const bool copies = p.kind == blob::ReduceKind::kMax || p.kind == blob::ReduceKind::kMin;
    const int zi = static_cast<int>(random.Int(-128, 127));
    const int zo = copies ? zi : static_cast<int>(random.Int(-20, 20));
    layer.AddInput(random, Flat(v.count), 0.5f, zi);
    layer.SetOutput(Flat(v.groups), copies ? 0.5f : 2.0f, zo);
    const Factor m = RandomFactor(random, 1, 6);
    p.multiplier = m.multiplier;
    p.shift = m.shift;
    std::vector<std::vector<double>> values(v.groups);
    for (uint64_t i = 0; i < v.count; ++i) values[v.group[i]].push_back(layer.Q(0, i));
    std::vector<int> expected;
    for (const auto& group : values) {
      if (copies) {
        expected.push_back(static_cast<int>(Reduced(p.kind, group)));
        continue;
      }
      int64_t acc = 0;
      for (double q : group) acc += static_cast<int64_t>(q) - zi;
      expected.push_back(Clamp(RequantizeExactly(acc, m.multiplier, m.shift) + zo, -128, 127));
    }
    ExpectInt8(layer.RunAll(), expected);
  });
}

void FillInt32(LayerCase* layer, uint32_t tensor, const std::vector<int32_t>& values) {
  std::memcpy(layer->arena.data() + layer->tensors[tensor].arena_offset, values.data(),
              values.size() * 4);
}
std::vector<int32_t> Int32Of(const Bytes& bytes) {
  std::vector<int32_t> values(bytes.size() / 4);
  std::memcpy(values.data(), bytes.data(), values.size() * 4);
  return values;
}

TEST(ReduceLayer, PlaceOfTheExtremum) {
  Repeat(60, [](Random& random) {
    const uint32_t outer = random.UInt(1, 4), count = random.UInt(1, 60),
                   inner = random.UInt(1, 70);
    const bool integers = random.OneIn(2), smallest = random.OneIn(2), last = random.OneIn(2);
    LayerCase layer(Op::kReduce, ElementType::kFp16);
    const uint64_t total = uint64_t{outer} * count * inner;
    std::vector<int32_t> values;
    for (uint64_t i = 0; i < total; ++i) values.push_back(static_cast<int32_t>(random.Int(-3, 3)));
    if (integers) {
      layer.inputs.push_back(layer.AddTensor(ElementType::kInt32, Flat(total)));
      layer.layer.input_count = 1;
      FillInt32(&layer, 0, values);
    } else {
      layer.AddInput(random, Flat(total));
      for (uint64_t i = 0; i < total; ++i) {
        const uint16_t half = FloatToHalf(static_cast<float>(values[i]));
        std::memcpy(layer.arena.data() + layer.tensors[0].arena_offset + 2 * i, &half, 2);
      }
    }
    layer.layer.output = layer.AddTensor(ElementType::kInt32, Flat(uint64_t{outer} * inner));
    layer.Params<blob::ReduceParams>() = {
        {3, {outer, count, inner}, 2},
        smallest ? blob::ReduceKind::kArgMin : blob::ReduceKind::kArgMax,
        last,
        0,
        0,
        0,
        0};
    std::vector<int32_t> expected;
    for (uint64_t line = 0; line < uint64_t{outer} * inner; ++line) {
      const uint64_t first = line / inner * count * inner + line % inner;
      uint64_t best = 0;
      for (uint64_t k = 1; k < count; ++k) {
        const int32_t x = values[first + k * inner], y = values[first + best * inner];
        if ((smallest ? x < y : x > y) || (last && x == y)) best = k;
      }
      expected.push_back(static_cast<int32_t>(best));
    }
    EXPECT_EQ(expected, Int32Of(layer.RunAll()));
  });
}

TEST(ReduceLayer, Int32Wraps) {
  LayerCase layer(Op::kReduce, ElementType::kFp16);
  layer.inputs.push_back(layer.AddTensor(ElementType::kInt32, Flat(4)));
  layer.layer.input_count = 1;
  FillInt32(&layer, 0, {INT32_MAX, 3, -5, 1 << 30});
  layer.layer.output = layer.AddTensor(ElementType::kInt32, Flat(1));
  blob::ReduceParams& p = layer.Params<blob::ReduceParams>();
  p.view = {1, {4}, 1};
  const std::pair<blob::ReduceKind, int32_t> results[] = {
      {blob::ReduceKind::kSum, static_cast<int32_t>((1u << 31) - 1 + 3 - 5 + (1u << 30))},
      {blob::ReduceKind::kMax, INT32_MAX},
      {blob::ReduceKind::kMin, -5},
      {blob::ReduceKind::kProd, static_cast<int32_t>(uint32_t{INT32_MAX} * 3u * -5u * (1u << 30))},
  };
  for (const auto& [kind, result] : results) {
    p.kind = kind;
    EXPECT_EQ(std::vector<int32_t>{result}, Int32Of(layer.RunAll()));
  }
  p.kind = blob::ReduceKind::kMean;
  EXPECT_FALSE(layer.Check());
  p.kind = blob::ReduceKind::kArgMax;
  p.view = {2, {2, 2}, 3};
  EXPECT_FALSE(layer.Check()) << "along two axes there is no one place";
}

}  // namespace
}  // namespace octet::operators_test
