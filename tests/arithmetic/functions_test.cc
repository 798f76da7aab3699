// Functions of converter/support/functions.h: near the C library's, and the same bits everywhere.
#include "converter/support/functions.h"

#include <gtest/gtest.h>

#include <cmath>
#include <cstring>
#include <limits>

#include "converter/support/random.h"

namespace octet {
namespace {

struct Function {
  const char* name;
  double (*here)(double);
  double (*library)(double);
  double low, high;
};

const Function kFunctions[] = {
    {"Exp", math::Exp, std::exp, -700, 700},   {"Expm1", math::Expm1, std::expm1, -3, 3},
    {"Log", math::Log, std::log, 0.01, 30},    {"Log1p", math::Log1p, std::log1p, -0.9, 3},
    {"Log2", math::Log2, std::log2, 0.01, 30}, {"Log10", math::Log10, std::log10, 0.01, 1000},
    {"Sin", math::Sin, std::sin, -1e5, 1e5},   {"Cos", math::Cos, std::cos, -1e5, 1e5},
    {"Tan", math::Tan, std::tan, -10, 10},     {"Asin", math::Asin, std::asin, -1, 1},
    {"Acos", math::Acos, std::acos, -1, 1},    {"Atan", math::Atan, std::atan, -20, 20},
    {"Sinh", math::Sinh, std::sinh, -50, 50},  {"Cosh", math::Cosh, std::cosh, -50, 50},
    {"Tanh", math::Tanh, std::tanh, -23, 23},  {"Asinh", math::Asinh, std::asinh, -10, 10},
    {"Acosh", math::Acosh, std::acosh, 1, 10}, {"Atanh", math::Atanh, std::atanh, -1, 1},
    {"Erf", math::Erf, std::erf, -6.5, 6.5}};

double Within(const Function& function, Random* random) {
  return function.low + (function.high - function.low) * random->Unit();
}

TEST(Functions, AreNearTheLibrarys) {
  Random random(3);
  for (const Function& function : kFunctions) {
    for (int i = 0; i < 4000; ++i) {
      const double x = Within(function, &random), expected = function.library(x);
      ASSERT_NEAR(function.here(x), expected, std::abs(expected) * 0x1p-48)
          << function.name << " of " << x;
    }
  }
  for (int i = 0; i < 4000; ++i) {
    const double x = 20 * random.Unit(), y = 100 * random.Unit() - 50;
    ASSERT_NEAR(math::Pow(x, y), std::pow(x, y), std::pow(x, y) * 0x1p-42) << x << " " << y;
    const auto z = static_cast<float>(185 * random.Unit() - 100);
    const auto near = static_cast<double>(std::exp(z));
    ASSERT_NEAR(static_cast<double>(math::Exp(z)), near, near * 0x1p-23 + 0x1p-149) << z;
  }
}

TEST(Functions, AgreeWithTheLibraryOnSpecialValues) {
  constexpr double kInfinity = std::numeric_limits<double>::infinity();
  const double values[] = {0.0, -0.0, kInfinity, -kInfinity, std::nan(""), 1,      -1,     2,
                           -2,  0.5,  -0.5,      3,          1e300,        -1e300, 1e-310, -1e-310};
  const auto same = [](double a, double b) {
    if (std::isnan(a) || std::isnan(b)) return std::isnan(a) && std::isnan(b);
    return std::signbit(a) == std::signbit(b) &&
           (a == b || std::abs(a - b) <= std::abs(b) * 0x1p-42 + 0x1p-1073);
  };
  for (const Function& function : kFunctions) {
    const std::string name = function.name;
    const bool has_period = name == "Sin" || name == "Cos" || name == "Tan";
    for (const double x : values) {
      if (has_period && std::abs(x) > 1e6 && std::isfinite(x)) continue;  // the header says why
      EXPECT_TRUE(same(function.here(x), function.library(x)))
          << name << " of " << x << ": " << function.here(x) << ", " << function.library(x);
    }
  }
  for (const double x : values) {
    for (const double y : values) {
      EXPECT_TRUE(same(math::Pow(x, y), std::pow(x, y)))
          << x << " to " << y << ": " << math::Pow(x, y) << ", " << std::pow(x, y);
    }
    const auto z = static_cast<float>(x);
    EXPECT_TRUE(same(static_cast<double>(math::Exp(z)), static_cast<double>(std::exp(z)))) << z;
  }
}

// Beyond a million the period is that of a double: its error times the turns is lost.
TEST(Functions, LargeAnglesLoseWhatThePeriodLacks) {
  for (const double x : {1.5e6, -3e6, 1.5e7}) {
    EXPECT_NEAR(math::Sin(x), std::sin(x), 1e-8) << x;
    EXPECT_NEAR(math::Cos(x), std::cos(x), 1e-8) << x;
  }
}

TEST(Functions, WholeResultsAreExact) {
  for (int n = -40; n <= 40; ++n) EXPECT_EQ(math::Log2(std::ldexp(1.0, n)), n);
  for (int n = 0; n <= 22; ++n) EXPECT_EQ(math::Log10(std::stod("1e" + std::to_string(n))), n);
  EXPECT_EQ(math::Pow(3.0, 4), 81);
  EXPECT_EQ(math::Pow(2.0, -3), 0.125);
  EXPECT_EQ(math::Pow(9.0, 0.5), 3);
}

// One number over the bits of results: the same on every processor, in every build. A change of it
// is a change of every blob: kArithmetic (converter/support/arithmetic.h) takes the next number.
TEST(Functions, HaveTheseBitsOnEveryMachine) {
  uint64_t sum = 1469598103934665603u;  // FNV-1a
  const auto add = [&sum](double result) {
    uint64_t bits;
    std::memcpy(&bits, &result, sizeof(bits));
    for (int i = 0; i < 8; ++i) sum = (sum ^ (bits >> 8 * i & 0xFF)) * 1099511628211u;
  };
  Random random(11);
  for (const Function& function : kFunctions) {
    for (int i = 0; i < 1000; ++i) add(function.here(Within(function, &random)));
  }
  for (int i = 0; i < 1000; ++i) {
    const double x = 20 * random.Unit(), y = 100 * random.Unit() - 50;  // one after the other
    add(math::Pow(x, y));
    add(static_cast<double>(math::Exp(static_cast<float>(190 * random.Unit() - 100))));
  }
  EXPECT_EQ(sum, 16765116049349473396u);
}

}  // namespace
}  // namespace octet
