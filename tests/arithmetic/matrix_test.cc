// Matrix products have the bits of the order that matrix.h writes down, on every level.
#include "converter/operators/matrix.h"

#include <gtest/gtest.h>

#include <cmath>
#include <cstring>
#include <limits>
#include <vector>

#include "converter/operators/matrix_kernels/kernels.h"
#include "converter/support/random.h"

namespace octet::operators {
namespace {

struct Case {
  int64_t rows, columns, depth;
  bool transposed_a, transposed_b;
  float alpha, beta;
};

std::vector<float> RandomNumbers(Random* random, int64_t count) {
  std::vector<float> numbers(static_cast<size_t>(count));
  for (float& number : numbers) {
    // Of many sizes, so that most sums round.
    const auto exponent = static_cast<int>(random->Bits() % 17) - 8;
    number = static_cast<float>(std::ldexp(random->Unit() - 0.5, exponent));
  }
  return numbers;
}

// The comment of MultiplyMatrices, word by word.
float Element(const Case& c, const float* a, const float* b, float before, int64_t i, int64_t j) {
  float element = c.beta == 0 ? 0 : c.beta * before;
  for (int64_t first = 0; first < c.depth; first += 256) {
    float sum = 0;
    for (int64_t k = first; k < std::min<int64_t>(first + 256, c.depth); ++k) {
      sum = std::fma(a[c.transposed_a ? k * c.rows + i : i * c.depth + k],
                     b[c.transposed_b ? j * c.depth + k : k * c.columns + j], sum);
    }
    const float product = c.alpha * sum;
    element = element + product;
  }
  return element;
}

TEST(MultiplyMatrices, EveryLevelHasTheBitsOfTheWrittenOrder) {
  const Case cases[] = {{1, 1, 1, false, false, 1, 1},           {3, 5, 257, false, false, 1, 0},
                        {9, 33, 300, false, true, 1, 1},         {17, 64, 40, true, false, -1, 1},
                        {70, 31, 600, false, false, 0.3f, 0.7f}, {5, 40, 256, true, true, 2, 0},
                        {8, 100, 30, false, false, 1, 1},        {65, 17, 3, false, false, 1, 0}};
  Random random(7);
  for (const Case& c : cases) {
    const std::vector<float> a = RandomNumbers(&random, c.rows * c.depth),
                             b = RandomNumbers(&random, c.depth * c.columns),
                             before = RandomNumbers(&random, c.rows * c.columns);
    for (const MatrixLevel* level : MatrixLevelsHere()) {
      std::vector<float> result = before;
      MultiplyMatricesAt(*level, c.rows, c.columns, c.depth, c.alpha,
                         {a.data(), c.transposed_a ? c.rows : c.depth, c.transposed_a},
                         {b.data(), c.transposed_b ? c.depth : c.columns, c.transposed_b}, c.beta,
                         result.data(), c.columns);
      for (int64_t i = 0; i < c.rows; ++i) {
        for (int64_t j = 0; j < c.columns; ++j) {
          const auto at = static_cast<size_t>(i * c.columns + j);
          const float expected = Element(c, a.data(), b.data(), before[at], i, j);
          ASSERT_EQ(std::memcmp(&result[at], &expected, sizeof(float)), 0)
              << level->name << " [" << i << "," << j << "] of " << c.rows << "x" << c.columns
              << "x" << c.depth << ": " << result[at] << ", expected " << expected;
        }
      }
    }
  }
}

// Sums that a multiplication in double and a rounding would get wrong, and ends of float.
TEST(MultiplyMatrices, EveryLevelRoundsEachStepOnce) {
  constexpr float kMost = std::numeric_limits<float>::max();
  constexpr float kLeast = std::numeric_limits<float>::denorm_min();
  const float triples[][3] = {{0x1.000002p0f, 0x1.000002p0f, 0x1p-60f},
                              {0x1.000002p0f, 0x1.fffffep-1f, -0x1p-70f},
                              {0x1.8p-100f, 0x1.000002p-49f, 0x1p-149f},
                              {0x1.000002p12f, 0x1.000002p12f, 0x1p48f},
                              {-0x1.000002p12f, 0x1.000002p12f, 0x1p48f},
                              {kLeast, 0.5f, kLeast},
                              {kMost, 2, -kMost},
                              {kMost, 1.0000001f, 1},
                              {0, -1, 0}};
  for (const auto& [x, y, z] : triples) {
    const float a[2] = {1, x}, b[2] = {z, y};
    const float expected = 0 + std::fma(x, y, std::fma(1.0f, z, 0.0f));
    for (const MatrixLevel* level : MatrixLevelsHere()) {
      float c = 5;
      MultiplyMatricesAt(*level, 1, 1, 2, 1, {a, 2}, {b, 1}, 0, &c, 1);
      EXPECT_EQ(c, expected) << level->name << " " << x << " * " << y << " + " << z;
    }
  }
}

TEST(FactorCholesky, EveryLevelHasTheSameBits) {
  constexpr int64_t kSize = 150;
  std::vector<double> matrix(kSize * kSize);
  for (int64_t i = 0; i < kSize; ++i) {
    for (int64_t j = 0; j < kSize; ++j) {
      matrix[static_cast<size_t>(i * kSize + j)] =
          (i == j ? 3.0 : 0) + 1 / (1 + 0.37 * std::abs(static_cast<double>(i - j)));
    }
  }
  std::vector<double> first;
  for (const MatrixLevel* level : MatrixLevelsHere()) {
    std::vector<double> factor = matrix;
    ASSERT_TRUE(FactorCholeskyAt(*level, kSize, factor.data()));
    for (int64_t i = 0; i < kSize; ++i) {
      for (int64_t j = i; j < kSize; ++j) {
        double sum = 0;
        for (int64_t k = 0; k <= i; ++k) {
          sum += factor[static_cast<size_t>(k * kSize + i)] *
                 factor[static_cast<size_t>(k * kSize + j)];
        }
        ASSERT_NEAR(sum, matrix[static_cast<size_t>(i * kSize + j)], 1e-12);
        factor[static_cast<size_t>(j * kSize + i)] = factor[static_cast<size_t>(i * kSize + j)];
      }
    }
    if (first.empty()) first = factor;
    EXPECT_EQ(factor, first) << level->name;
  }
}

}  // namespace
}  // namespace octet::operators
