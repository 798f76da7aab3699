// Normalizations over any axes against their equations, written once more with plain indices.
#include <cmath>

#include "gtest/gtest.h"
#include "tests/runtime/operators/axes_case.h"
#include "tests/runtime/operators/repeat.h"

namespace octet::operators_test {
namespace {

using blob::ElementType;
using blob::Op;

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

}  // namespace
}  // namespace octet::operators_test
