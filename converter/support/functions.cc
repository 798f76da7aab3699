#include "converter/support/functions.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <limits>
#include <numbers>

namespace octet::math {
namespace {

using parts::ExpSeries;
using parts::kLn2High;
using parts::kLn2Low;
using parts::kLog2e;
using parts::kRounder;

constexpr double kInfinity = std::numeric_limits<double>::infinity();
constexpr double kNan = std::numeric_limits<double>::quiet_NaN();
constexpr double kLn2 = std::numbers::ln2, kHalfPi = std::numbers::pi / 2;
// Of a series that is not cut at a fixed length by its argument: terms beyond are below 2^-54.
constexpr int kTerms = 12;

double Nearest(double x) {  // |x| < 2^51
  return (x + kRounder) - kRounder;
}

// f + sign f^3 / 3 + f^5 / 5 + sign ...: artanh for sign = 1, arctan for -1. |f| <= 0.2.
double OddSeries(double f, double sign) {
  const double square = sign * (f * f);
  double sum = 0;
  for (int n = kTerms; n > 0; --n) sum = square * (1.0 / (2 * n + 1) + sum);
  return f + f * sum;
}

struct Split {
  double fraction;  // in [sqrt(1/2), sqrt(2))
  double exponent;
};

Split SplitOf(double x) {
  int exponent = 0;
  double fraction = std::frexp(x, &exponent);
  if (fraction < std::numbers::sqrt2 / 2) {
    fraction *= 2;
    --exponent;
  }
  return {fraction, static_cast<double>(exponent)};
}

double LogOfFraction(double m) {
  return 2 * OddSeries((m - 1) / (m + 1), 1);
}

// What logarithms say outside of the positive numbers.
bool IsOutside(double x) {
  return !(x > 0) || x == kInfinity;
}
double LogOutside(double x) {
  return x == 0 ? -kInfinity : x > 0 ? x : std::isnan(x) ? x : kNan;
}

struct Angle {
  double rest;   // in [-pi/4, pi/4]
  int quadrant;  // of 4
};

Angle AngleOf(double x) {
  constexpr double kLarge = 0x1p20;
  // pi/2 in three parts of 33, 33 and 53 bits.
  constexpr double kFirst = 0x1.921fb544p0, kSecond = 0x1.0b4611a6p-34,
                   kThird = 0x1.3198a2e037073p-69;
  if (std::abs(x) > kLarge) x = std::fmod(x, 2 * std::numbers::pi);
  const double turns = Nearest(x * (2 / std::numbers::pi));
  const double rest = ((x - turns * kFirst) - turns * kSecond) - turns * kThird;
  return {rest, static_cast<int>(turns) & 3};
}

double SinOfRest(double r) {
  const double square = -(r * r);
  double sum = 0;
  for (int n = 9; n > 0; --n) sum = square * (1.0 / ((2 * n) * (2 * n + 1)) * (1 + sum));
  return r + r * sum;
}

double CosOfRest(double r) {
  const double square = -(r * r);
  double sum = 0;
  for (int n = 9; n > 0; --n) sum = square * (1.0 / ((2 * n - 1) * (2 * n)) * (1 + sum));
  return 1 + sum;
}

double SinAt(const Angle& angle, int quadrants) {
  const int quadrant = (angle.quadrant + quadrants) & 3;
  const double size = (quadrant & 1) != 0 ? CosOfRest(angle.rest) : SinOfRest(angle.rest);
  return quadrant >= 2 ? -size : size;
}

// 2 atan(x / (1 + sqrt(1 + x^2))) = atan(x), twice: from [0, 1] into [0, 0.2).
double AtanOf(double x) {
  for (int i = 0; i < 2; ++i) x /= 1 + std::sqrt(1 + x * x);
  return 4 * OddSeries(x, -1);
}

// erf around multiples of 1/16, by its powers there: y = erf' has y' = -2 x y, which gives each
// coefficient from the two before.
class ErfTable {
 public:
  static constexpr double kEnd = 6;  // from here on 1 is the nearest double
  static constexpr double kSteps = 16;
  static constexpr int kPowers = 10;
  ErfTable() {
    for (size_t i = 0; i < rows_.size(); ++i) {
      const double at = static_cast<double>(i) / kSteps;
      std::array<double, kPowers>& row = rows_[i];
      row[0] = Series(at);
      double before = 0, slope = 2 * std::numbers::inv_sqrtpi * Exp(-at * at);
      for (int n = 1; n < kPowers; ++n) {
        row[static_cast<size_t>(n)] = slope / n;
        const double next = (-2 * at * slope - 2 * before) / n;
        before = slope;
        slope = next;
      }
    }
  }
  double Of(double x) const {  // 0 <= x < kEnd
    const double nearest = Nearest(x * kSteps);
    const std::array<double, kPowers>& row = rows_[static_cast<size_t>(nearest)];
    const double off = x - nearest / kSteps;
    double sum = 0;
    for (size_t n = kPowers - 1; n > 0; --n) sum = off * (row[n] + sum);
    return std::min(row[0] + sum, 1.0);
  }

 private:
  // 2 / sqrt(pi) e^(-x^2) (x + 2 x^3 / 3 + 4 x^5 / 15 + ...): no term is negative.
  static double Series(double x) {
    double term = x, sum = x;
    for (int n = 1; term > 0x1p-56 * sum; ++n) {
      term *= 2 * x * x / (2 * n + 1);
      sum += term;
    }
    return 2 * std::numbers::inv_sqrtpi * Exp(-x * x) * sum;
  }
  std::array<std::array<double, kPowers>, static_cast<size_t>(kEnd* kSteps) + 1> rows_;
};

// x^n by squares; n >= 0.
double WholePower(double x, double n) {
  double result = 1;
  for (auto left = static_cast<int64_t>(n); left > 0; left >>= 1, x *= x) {
    if ((left & 1) != 0) result *= x;
  }
  return result;
}

}  // namespace

double Exp(double x) {
  constexpr double kInfinityAbove = 710, kZeroBelow = -746;
  if (std::isnan(x)) return x;
  if (x > kInfinityAbove) return kInfinity;
  if (x < kZeroBelow) return 0;
  const double k = Nearest(x * kLog2e);
  const double r = (x - k * kLn2High) - k * kLn2Low;
  return std::ldexp(1 + r * ExpSeries<1, 14>(r), static_cast<int>(k));
}

double Expm1(double x) {
  if (std::abs(x) > kLn2 / 2) return Exp(x) - 1;
  return x * ExpSeries<1, 14>(x);
}

double Log(double x) {
  if (IsOutside(x)) return LogOutside(x);
  const Split split = SplitOf(x);
  return split.exponent * kLn2High + (split.exponent * kLn2Low + LogOfFraction(split.fraction));
}

double Log1p(double x) {
  if (std::abs(x) < 0.25) return 2 * OddSeries(x / (2 + x), 1);
  const double sum = 1 + x;
  if (IsOutside(sum)) return LogOutside(sum);
  return Log(sum) + (x - (sum - 1)) / sum;
}

double Log2(double x) {
  if (IsOutside(x)) return LogOutside(x);
  const Split split = SplitOf(x);
  return split.exponent + LogOfFraction(split.fraction) * kLog2e;
}

double Log10(double x) {
  constexpr double kLargestExact = 22;  // power of ten
  const double result = Log(x) / std::numbers::ln10;
  if (!(std::abs(result) < kLargestExact + 0.5)) return result;
  // Powers of ten have whole logarithms.
  const double whole = Nearest(result), power = WholePower(10, std::abs(whole));
  return x == (whole < 0 ? 1 / power : power) ? whole : result;
}

double Pow(double x, double y) {
  constexpr double kFewFactors = 64;
  if (y == 0 || x == 1) return 1;
  if (std::isnan(x) || std::isnan(y)) return x + y;
  const double size = std::abs(x);
  if (std::isinf(y)) {
    if (size == 1) return 1;
    return (size > 1) == (y > 0) ? kInfinity : 0;
  }
  const bool is_whole = y == std::floor(y);
  if (is_whole && std::abs(y) <= kFewFactors) {
    return y > 0 ? WholePower(x, y) : 1 / WholePower(x, -y);
  }
  if (y == 0.5 && x > 0) return std::sqrt(x);
  if (x < 0 && !is_whole && x != -kInfinity) return kNan;
  const double result = size == 0 || size == kInfinity ? ((size == 0) == (y > 0) ? 0 : kInfinity)
                                                       : Exp(y * Log(size));
  const bool is_odd = is_whole && std::abs(std::fmod(y, 2)) == 1;
  return std::signbit(x) && is_odd ? -result : result;
}

double Sin(double x) {
  return x == 0 ? x : std::isfinite(x) ? SinAt(AngleOf(x), 0) : kNan;
}

double Cos(double x) {
  return std::isfinite(x) ? SinAt(AngleOf(x), 1) : kNan;
}

double Tan(double x) {
  if (x == 0) return x;
  if (!std::isfinite(x)) return kNan;
  const Angle angle = AngleOf(x);
  const double sine = SinOfRest(angle.rest), cosine = CosOfRest(angle.rest);
  return (angle.quadrant & 1) != 0 ? -cosine / sine : sine / cosine;
}

double Atan(double x) {
  if (std::isnan(x)) return x;
  const double size = std::abs(x);
  return std::copysign(size > 1 ? kHalfPi - AtanOf(1 / size) : AtanOf(size), x);
}

double Asin(double x) {
  if (!(std::abs(x) <= 1)) return kNan;
  return Atan(x / std::sqrt((1 - x) * (1 + x)));
}

double Acos(double x) {
  if (!(std::abs(x) <= 1)) return kNan;
  return 2 * Atan(std::sqrt((1 - x) / (1 + x)));
}

double Sinh(double x) {
  const double size = std::abs(x);
  if (size > 40) {
    const double root = Exp(size / 2);
    return std::copysign(root / 2 * root, x);
  }
  const double above = Expm1(size);
  return std::copysign((above + above / (above + 1)) / 2, x);
}

double Cosh(double x) {
  const double root = Exp(std::abs(x) / 2), inverse = 1 / root;
  return root / 2 * root + inverse / 2 * inverse;
}

double Tanh(double x) {
  constexpr double kOneAbove = 22;
  if (std::isnan(x)) return x;
  const double size = std::abs(x);
  if (size > kOneAbove) return std::copysign(1.0, x);
  const double above = Expm1(2 * size);
  return std::copysign(above / (above + 2), x);
}

double Asinh(double x) {
  constexpr double kLarge = 0x1p28;
  const double size = std::abs(x);
  if (size > kLarge) return std::copysign(Log(size) + kLn2, x);
  const double square = size * size;
  return std::copysign(Log1p(size + square / (1 + std::sqrt(square + 1))), x);
}

double Acosh(double x) {
  constexpr double kLarge = 0x1p28;
  if (!(x >= 1)) return kNan;
  if (x > kLarge) return Log(x) + kLn2;
  const double above = x - 1;
  return Log1p(above + std::sqrt(above * 2 + above * above));
}

double Atanh(double x) {
  const double size = std::abs(x);
  if (!(size <= 1)) return kNan;
  return std::copysign(Log1p(2 * size / (1 - size)) / 2, x);
}

double Erf(double x) {
  static const ErfTable table;
  if (std::isnan(x)) return x;
  const double size = std::abs(x);
  return std::copysign(size < ErfTable::kEnd ? table.Of(size) : 1, x);
}

}  // namespace octet::math
