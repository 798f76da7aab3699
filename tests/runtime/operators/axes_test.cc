// Operators over chosen axes against their equations, written once more with plain indices: batched
// products, reductions, normalizations, softmax along any axis, running sums, LRN.
#include <cmath>

#include "gtest/gtest.h"
#include "runtime/format/axes_params.h"
#include "tests/runtime/operators/layer_case.h"
#include "tests/runtime/operators/repeat.h"

namespace octet::operators_test {
namespace {

using blob::ElementType;
using blob::Op;

ElementType RandomType(Random& random) {
  return random.OneIn(2) ? ElementType::kInt8 : ElementType::kFp16;
}

struct Factor {
  int32_t multiplier;
  int shift;
};
// About what the real factor is; a layer is right for any.
Factor RandomFactor(Random& random, int least_shift, int most_shift) {
  return {static_cast<int32_t>(random.Int(1 << 30, INT32_MAX)),
          static_cast<int>(random.Int(least_shift, most_shift))};
}

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

// A view with random dimensions and axes, and the group of every element.
struct View {
  blob::AxesView view = {};
  uint64_t count = 1, groups = 1, size = 1;
  std::vector<uint64_t> group;      // of every element
  std::vector<uint64_t> parameter;  // index along the axes in `affine`
};
View RandomView(Random& random, uint32_t affine) {
  View v;
  v.view.rank = random.UInt(1, blob::kMaxAxes);
  for (uint32_t d = 0; d < v.view.rank; ++d) {
    v.view.dims[d] = random.OneIn(5) && v.view.rank < 3 ? random.UInt(30, 300) : random.UInt(1, 5);
  }
  v.view.reduced = random.UInt(0, (1u << v.view.rank) - 1);
  for (uint32_t d = 0; d < v.view.rank; ++d) {
    v.count *= v.view.dims[d];
    (((v.view.reduced >> d) & 1u) != 0 ? v.size : v.groups) *= v.view.dims[d];
  }
  for (uint64_t i = 0; i < v.count; ++i) {
    uint64_t rest = i, group = 0, step = 1, parameter = 0, parameter_step = 1;
    for (uint32_t d = v.view.rank; d-- > 0;) {
      const uint64_t at = rest % v.view.dims[d];
      rest /= v.view.dims[d];
      if (((v.view.reduced >> d) & 1u) == 0) {
        group += at * step;
        step *= v.view.dims[d];
      }
      if (((affine >> d) & 1u) != 0) {
        parameter += at * parameter_step;
        parameter_step *= v.view.dims[d];
      }
    }
    v.group.push_back(group);
    v.parameter.push_back(parameter);
  }
  return v;
}

Dims Flat(uint64_t count) {
  return {1, 1, 1, static_cast<uint32_t>(count)};
}

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

TEST(NormalizeLayer, HalfOfEveryKind) {
  Repeat(150, [](Random& random) {
    const uint32_t affine_wanted = random.UInt(0, 63);
    Random copy = random;
    const uint32_t rank = RandomView(copy, 0).view.rank;
    const uint32_t affine = affine_wanted & ((1u << rank) - 1);
    const View v = RandomView(random, affine);
    LayerCase layer(Op::kNormalize, ElementType::kFp16);
    blob::NormalizeParams& p = layer.Params<blob::NormalizeParams>();
    p.view = v.view;
    p.affine = affine;
    p.kind = static_cast<blob::NormalizeKind>(random.UInt(0, blob::kNormalizeKindCount - 1));
    p.epsilon = 0.01f;
    layer.AddInput(random, Flat(v.count), 1, 0, -2, 3);
    layer.SetOutput(Flat(v.count));
    const uint64_t parameters = *std::max_element(v.parameter.begin(), v.parameter.end()) + 1;
    std::vector<float> table(2 * parameters, 1.0f);
    for (float& x : table) x = random.Float(-1, 1);
    const bool has_table = !random.OneIn(4);
    if (has_table) layer.layer.table = layer.AddTable(table);
    std::vector<double> mean(v.groups), second(v.groups), absolute(v.groups);
    const auto size = static_cast<double>(v.size);
    const bool centred =
        p.kind == blob::NormalizeKind::kVariance || p.kind == blob::NormalizeKind::kVarianceThenAdd;
    if (centred) {
      for (uint64_t i = 0; i < v.count; ++i) mean[v.group[i]] += layer.Input(0, i) / size;
    }
    for (uint64_t i = 0; i < v.count; ++i) {
      const double d = layer.Input(0, i) - mean[v.group[i]];
      second[v.group[i]] += d * d;
      absolute[v.group[i]] += std::fabs(d);
    }
    std::vector<double> expected;
    for (uint64_t i = 0; i < v.count; ++i) {
      const uint64_t g = v.group[i];
      double deviation = std::sqrt(second[g] / size + p.epsilon);
      if (p.kind == blob::NormalizeKind::kVarianceThenAdd) {
        deviation = std::sqrt(second[g] / size) + p.epsilon;
      }
      if (p.kind == blob::NormalizeKind::kL1) deviation = absolute[g];
      if (p.kind == blob::NormalizeKind::kL2) deviation = std::sqrt(second[g]);
      double y = (layer.Input(0, i) - mean[g]) / deviation;
      if (has_table) y = y * table[v.parameter[i]] + table[parameters + v.parameter[i]];
      expected.push_back(y);
    }
    ExpectHalf(layer.RunAll(), expected);
  });
}

// The rule once more with another square root and another division, and close to the real value.
TEST(NormalizeLayer, Int8) {
  Repeat(150, [](Random& random) {
    View v = RandomView(random, 1);
    LayerCase layer(Op::kNormalize, ElementType::kInt8);
    blob::NormalizeParams& p = layer.Params<blob::NormalizeParams>();
    p.view = v.view;
    p.affine = 1;
    p.kind = random.OneIn(3) ? blob::NormalizeKind::kMeanSquare : blob::NormalizeKind::kVariance;
    const bool centred = p.kind == blob::NormalizeKind::kVariance;
    const int zi = static_cast<int>(random.Int(-128, 127)), zo = 5;
    constexpr double kOutScale = 0.03, kInScale = 0.02;
    layer.AddInput(random, Flat(v.count), static_cast<float>(kInScale), zi);
    layer.SetOutput(Flat(v.count), static_cast<float>(kOutScale), zo);
    const auto n = static_cast<int64_t>(v.size);
    const double epsilon = random.OneIn(2) ? 1e-5 : 0.1;
    const auto epsilon_q = static_cast<uint64_t>(std::max(
        1.0, std::floor(epsilon / kInScale / kInScale * static_cast<double>(n * n) + 0.5)));
    p.epsilon_q[0] = static_cast<uint32_t>(epsilon_q);
    p.epsilon_q[1] = static_cast<uint32_t>(epsilon_q >> 32);
    std::vector<blob::NormalizeChannelS8> channels;
    std::vector<double> scale, bias;
    constexpr int kShift = 40;
    for (uint32_t i = 0; i < v.view.dims[0]; ++i) {
      scale.push_back(random.Float(-2, 2));
      bias.push_back(random.Float(-1, 1));
      const auto offset =
          static_cast<uint64_t>(std::llround(std::ldexp(bias[i] / kOutScale, kShift)));
      channels.push_back(
          {{static_cast<uint32_t>(offset), static_cast<uint32_t>(offset >> 32)},
           static_cast<int32_t>(std::lround(std::ldexp(scale[i] / kOutScale, kShift - 16))),
           kShift});
    }
    layer.layer.table = layer.AddTable(channels);
    std::vector<int64_t> sum(v.groups), squares(v.groups);
    for (uint64_t i = 0; i < v.count; ++i) {
      const int64_t q = layer.Q(0, i) - (centred ? 0 : zi);
      sum[v.group[i]] += q;
      squares[v.group[i]] += q * q;
    }
    std::vector<int> expected;
    for (uint64_t i = 0; i < v.count; ++i) {
      const uint64_t g = v.group[i];
      const int64_t around = centred ? sum[g] : n * zi;
      uint64_t spread =
          static_cast<uint64_t>(n * squares[g] - (centred ? sum[g] * sum[g] : 0)) + epsilon_q;
      int doublings = 0;
      while (spread < uint64_t{1} << 60) {
        spread *= 4;
        ++doublings;
      }
      auto root = static_cast<uint64_t>(std::sqrt(static_cast<long double>(spread)));
      while (root * root > spread) --root;
      while ((root + 1) * (root + 1) <= spread) ++root;
      const auto inverse = static_cast<int64_t>((uint64_t{1} << 61) / root);
      const int64_t distance = n * layer.Q(0, i) - around;
      const int64_t ratio = (distance * inverse) >> (45 - doublings);
      const blob::NormalizeChannelS8& channel = channels[v.parameter[i]];
      const auto offset =
          static_cast<int64_t>(channel.offset[0] | uint64_t{channel.offset[1]} << 32);
      const int64_t y = (ratio * channel.factor + offset + (int64_t{1} << (kShift - 1))) >> kShift;
      expected.push_back(Clamp(y + zo, -128, 127));
      const double deviation =
          std::sqrt(static_cast<double>(n * squares[g] - (centred ? sum[g] * sum[g] : 0)) /
                        static_cast<double>(n * n) +
                    static_cast<double>(epsilon_q) / static_cast<double>(n * n));
      const double real = (layer.Q(0, i) - static_cast<double>(around) / static_cast<double>(n)) /
                              deviation * scale[v.parameter[i]] / kOutScale +
                          bias[v.parameter[i]] / kOutScale + zo;
      ASSERT_NEAR(std::clamp(real, -128.0, 127.0), expected.back(), 0.51 + 1e-3 * std::fabs(real));
    }
    ExpectInt8(layer.RunAll(), expected);
  });
}

struct Line {
  uint64_t first, step;
};
Line LineOf(uint64_t line, uint32_t count, uint32_t inner) {
  return {line / inner * count * inner + line % inner, inner};
}

TEST(AxisSoftmaxLayer, HalfOfEveryKind) {
  Repeat(60, [](Random& random) {
    const blob::AxisSoftmaxParams p = {random.UInt(1, 4),
                                       random.UInt(1, 40),
                                       random.UInt(1, 80),
                                       static_cast<blob::SoftmaxKind>(random.UInt(0, 2)),
                                       {}};
    LayerCase layer(Op::kAxisSoftmax, ElementType::kFp16);
    layer.Params<blob::AxisSoftmaxParams>() = p;
    const uint64_t count = uint64_t{p.outer} * p.count * p.inner;
    layer.AddInput(random, Flat(count), 1, 0, -9, 9);
    layer.SetOutput(Flat(count));
    std::vector<double> expected(count);
    for (uint64_t i = 0; i < uint64_t{p.outer} * p.inner; ++i) {
      const Line line = LineOf(i, p.count, p.inner);
      double sum = 0;
      uint64_t largest = 0;
      const auto x = [&](uint64_t k) { return layer.Input(0, line.first + k * line.step); };
      for (uint64_t k = 0; k < p.count; ++k) {
        sum += std::exp(x(k));
        if (x(k) > x(largest)) largest = k;
      }
      for (uint64_t k = 0; k < p.count; ++k) {
        double& y = expected[line.first + k * line.step];
        y = std::exp(x(k)) / sum;
        if (p.kind == blob::SoftmaxKind::kLogSoftmax) y = std::log(y);
        if (p.kind == blob::SoftmaxKind::kHardmax) y = k == largest ? 1 : 0;
      }
    }
    ExpectHalf(layer.RunAll(), expected);
  });
}

TEST(AxisSoftmaxLayer, Int8IsSoftmaxOfTheTransposed) {
  Repeat(30, [](Random& random) {
    const uint32_t count = random.UInt(1, 40), inner = random.UInt(1, 80);
    std::vector<uint32_t> table(256);
    for (int d = 0; d < 256; ++d) {
      table[static_cast<size_t>(d)] =
          static_cast<uint32_t>(std::lround(8388608 * std::exp(-0.05 * d)));
    }
    LayerCase layer(Op::kAxisSoftmax, ElementType::kInt8);
    layer.Params<blob::AxisSoftmaxParams>() = {1, count, inner, blob::SoftmaxKind::kSoftmax, {}};
    layer.AddInput(random, Flat(uint64_t{count} * inner), 0.05f, 3);
    layer.SetOutput(Flat(uint64_t{count} * inner), 1.0f / 256, -128);
    layer.layer.table = layer.AddTable(table);
    LayerCase turned(Op::kSoftmax, ElementType::kInt8);
    turned.AddInput(random, {1, 1, inner, count}, 0.05f, 3);
    turned.SetOutput({1, 1, inner, count}, 1.0f / 256, -128);
    turned.layer.table = turned.AddTable(table);
    for (uint64_t i = 0; i < uint64_t{count} * inner; ++i) {
      turned.arena[turned.tensors[0].arena_offset + i % inner * count + i / inner] =
          layer.arena[layer.tensors[0].arena_offset + i];
    }
    const Bytes expected = turned.RunAll(), actual = layer.RunAll();
    for (uint64_t i = 0; i < uint64_t{count} * inner; ++i) {
      ASSERT_EQ(expected[i % inner * count + i / inner], actual[i]);
    }
  });
}

TEST(CumSumLayer, FromEitherEnd) {
  Repeat(40, [](Random& random) {
    const blob::CumSumParams p = {random.UInt(1, 4),
                                  random.UInt(1, 40),
                                  random.UInt(1, 9),
                                  static_cast<uint8_t>(random.UInt(0, 1)),
                                  static_cast<uint8_t>(random.UInt(0, 1)),
                                  {}};
    LayerCase layer(Op::kCumSum, ElementType::kFp16);
    layer.Params<blob::CumSumParams>() = p;
    const uint64_t count = uint64_t{p.outer} * p.count * p.inner;
    layer.AddInput(random, Flat(count));
    layer.SetOutput(Flat(count));
    std::vector<double> expected(count);
    for (uint64_t i = 0; i < uint64_t{p.outer} * p.inner; ++i) {
      const Line line = LineOf(i, p.count, p.inner);
      for (uint64_t k = 0; k < p.count; ++k) {
        double& y = expected[line.first + k * line.step];
        for (uint64_t j = 0; j < p.count; ++j) {
          const bool taken = p.reverse != 0 ? j > k : j < k;
          if (taken || (j == k && p.exclusive == 0)) {
            y += layer.Input(0, line.first + j * line.step);
          }
        }
      }
    }
    ExpectHalf(layer.RunAll(), expected);
  });
}

TEST(LrnLayer, DividesByItsNeighbours) {
  Repeat(40, [](Random& random) {
    const blob::LrnParams p = {random.UInt(1, 3),
                               random.UInt(1, 20),
                               random.UInt(1, 9),
                               random.UInt(0, 3),
                               random.UInt(0, 25),
                               0.2f,
                               0.75f,
                               1.5f};
    LayerCase layer(Op::kLrn, ElementType::kFp16);
    layer.Params<blob::LrnParams>() = p;
    const uint64_t count = uint64_t{p.outer} * p.channels * p.inner;
    layer.AddInput(random, Flat(count));
    layer.SetOutput(Flat(count));
    std::vector<double> expected(count);
    for (uint64_t i = 0; i < uint64_t{p.outer} * p.inner; ++i) {
      const Line line = LineOf(i, p.channels, p.inner);
      for (int64_t c = 0; c < p.channels; ++c) {
        double sum = 0;
        for (int64_t k = c - p.before; k <= c + p.after; ++k) {
          if (k < 0 || k >= p.channels) continue;
          const double x = layer.Input(0, line.first + static_cast<uint64_t>(k) * line.step);
          sum += x * x;
        }
        const uint64_t at = line.first + static_cast<uint64_t>(c) * line.step;
        expected[at] =
            layer.Input(0, at) / std::pow(1.5 + static_cast<double>(p.alpha) * sum, 0.75);
      }
    }
    ExpectHalf(layer.RunAll(), expected);
  });
}

}  // namespace
}  // namespace octet::operators_test
