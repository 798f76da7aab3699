// Softmax, running sums and LRN along one axis against their equations, written once more with
// plain indices.
#include <cmath>

#include "gtest/gtest.h"
#include "tests/runtime/operators/axes_case.h"
#include "tests/runtime/operators/repeat.h"

namespace octet::operators_test {
namespace {

using blob::ElementType;
using blob::Op;

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
    layer.SetOutput(Flat(uint64_t{count} * inner), 1.0f / 255, -100);
    layer.layer.table = layer.AddTable(table);
    LayerCase turned(Op::kSoftmax, ElementType::kInt8);
    turned.AddInput(random, {1, 1, inner, count}, 0.05f, 3);
    turned.SetOutput({1, 1, inner, count}, 1.0f / 255, -100);
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
