// Each function of float_math.h against libm in double, over its range and at its edges.
#include "runtime/core/float_math.h"

#include <cmath>

#include "gtest/gtest.h"

namespace octet {
namespace {

// Largest error over `count` points from lo to hi, in units of 2^-23 of the exact value.
template <typename F, typename G>
double WorstUnits(float lo, float hi, F function, G exact, int count = 200000) {
  double worst = 0;
  for (int i = 0; i <= count; ++i) {
    const float x = lo + (hi - lo) * (static_cast<float>(i) / static_cast<float>(count));
    const double e = exact(static_cast<double>(x));
    if (e == 0) continue;
    worst = std::fmax(worst, std::fabs((function(x) - e) / e) * 8388608);
  }
  return worst;
}

TEST(FloatMath, Exp) {
  const auto exact = [](double x) { return std::exp(x); };
  EXPECT_LE(WorstUnits(-87, 88.7f, FloatExp, exact), 2);
  EXPECT_LE(WorstUnits(-1, 1, FloatExp, exact), 2);
  EXPECT_EQ(1.0f, FloatExp(0));
  EXPECT_EQ(0.0f, FloatExp(-200));
  EXPECT_EQ(0.0f, FloatExp(-INFINITY));
  EXPECT_TRUE(std::isinf(FloatExp(89)));
  EXPECT_TRUE(std::isinf(FloatExp(INFINITY)));
  EXPECT_TRUE(std::isnan(FloatExp(NAN)));
  EXPECT_NEAR(std::exp(-100.0), FloatExp(-100), 1.5e-45);  // subnormal
}

TEST(FloatMath, Log) {
  const auto exact = [](double x) { return std::log(x); };
  EXPECT_LE(WorstUnits(1e-3f, 0.99f, FloatLog, exact), 2);
  EXPECT_LE(WorstUnits(0.99f, 1.01f, FloatLog, exact), 2);
  EXPECT_LE(WorstUnits(1.01f, 1e4f, FloatLog, exact), 2);
  EXPECT_LE(WorstUnits(1e-40f, 1e-37f, FloatLog, exact), 2);
  EXPECT_EQ(0.0f, FloatLog(1));
  EXPECT_EQ(-INFINITY, FloatLog(0));
  EXPECT_EQ(INFINITY, FloatLog(INFINITY));
  EXPECT_TRUE(std::isnan(FloatLog(-1)));
  EXPECT_TRUE(std::isnan(FloatLog(NAN)));
}

TEST(FloatMath, Log1pUnit) {
  const auto exact = [](double x) { return std::log1p(x); };
  EXPECT_LE(WorstUnits(0, 1, FloatLog1pUnit, exact), 2);
  EXPECT_LE(WorstUnits(0, 1e-6f, FloatLog1pUnit, exact), 2);
}

TEST(FloatMath, Sqrt) {
  const auto exact = [](double x) { return std::sqrt(x); };
  EXPECT_LE(WorstUnits(0, 4, FloatSqrt, exact), 1.5);
  EXPECT_LE(WorstUnits(0, 7e4f, FloatSqrt, exact), 1.5);
  EXPECT_LE(WorstUnits(0, 1e-37f, FloatSqrt, exact), 1.5);
  EXPECT_EQ(0.0f, FloatSqrt(0));
  EXPECT_EQ(INFINITY, FloatSqrt(INFINITY));
  EXPECT_TRUE(std::isnan(FloatSqrt(-1)));
  EXPECT_TRUE(std::isnan(FloatSqrt(NAN)));
}

TEST(FloatMath, Tanh) {
  const auto exact = [](double x) { return std::tanh(x); };
  EXPECT_LE(WorstUnits(-10, 10, FloatTanh, exact), 3);
  EXPECT_LE(WorstUnits(-0.6f, 0.6f, FloatTanh, exact), 3);
  EXPECT_EQ(1.0f, FloatTanh(INFINITY));
  EXPECT_EQ(-1.0f, FloatTanh(-INFINITY));
  EXPECT_TRUE(std::isnan(FloatTanh(NAN)));
}

TEST(FloatMath, Erf) {
  const auto exact = [](double x) { return std::erf(x); };
  EXPECT_LE(WorstUnits(-5, 5, FloatErf, exact), 5);
  EXPECT_LE(WorstUnits(-1e-3f, 1e-3f, FloatErf, exact), 5);
  EXPECT_EQ(1.0f, FloatErf(INFINITY));
  EXPECT_EQ(-1.0f, FloatErf(-INFINITY));
  EXPECT_TRUE(std::isnan(FloatErf(NAN)));
}

TEST(FloatMath, Pow) {
  for (float alpha : {-3.0f, -2.0f, -1.0f, 0.0f, 0.5f, 1.0f, 2.0f, 3.0f}) {
    const auto power = [alpha](float x) { return FloatPow(x, alpha); };
    const auto exact = [alpha](double x) { return std::pow(x, alpha); };
    EXPECT_LE(WorstUnits(0.01f, 30, power, exact), 3) << alpha;
  }
  for (float alpha : {-0.7f, 0.3f, 1.7f, 2.5f}) {
    const auto power = [alpha](float x) { return FloatPow(x, alpha); };
    const auto exact = [alpha](double x) { return std::pow(x, alpha); };
    EXPECT_LE(WorstUnits(0.01f, 60, power, exact), 84) << alpha;  // 1e-5
  }
  EXPECT_EQ(-8.0f, FloatPow(-2, 3));
  EXPECT_EQ(0.0f, FloatPow(0, 0.3f));
  EXPECT_TRUE(std::isnan(FloatPow(-2, 0.3f)));
}

TEST(FloatMath, FloorAndCeil) {
  for (float x : {-8388609.0f, -3.0f, -2.5f, -0.5f, 0.0f, 0.5f, 2.5f, 3.0f, 8388607.5f, 1e30f}) {
    EXPECT_EQ(std::floor(x), FloatFloor(x));
    EXPECT_EQ(std::ceil(x), FloatCeil(x));
  }
  EXPECT_TRUE(std::isnan(FloatFloor(NAN)));
  EXPECT_TRUE(std::isinf(FloatCeil(INFINITY)));
}

}  // namespace
}  // namespace octet
