// Functions of real numbers with the same bits on every machine. The C library's are not: it has
// several of each, chosen by the processor, and others on another architecture or in another
// version. Here every result is a fixed sequence of sums, products, quotients and roots in double,
// each rounded once; float is the double's result, rounded.
//
// Accuracy in double: relative error below 2^-49, and below 2^-42 for Pow; in float: the nearest
// float or, rarely, its neighbour. Special values (NaN, infinity, signs of zero,
// ends of domains) as the C library's. Sin, Cos and Tan: above 2^20 the period is the double
// nearest to 2 pi.
#ifndef OCTET_CONVERTER_SUPPORT_FUNCTIONS_H_
#define OCTET_CONVERTER_SUPPORT_FUNCTIONS_H_

#include <bit>
#include <cmath>
#include <cstdint>

namespace octet::math {

double Exp(double x);
double Expm1(double x);
double Log(double x);
double Log1p(double x);
double Log2(double x);
double Log10(double x);
double Pow(double x, double y);
double Sin(double x);
double Cos(double x);
double Tan(double x);
double Asin(double x);
double Acos(double x);
double Atan(double x);
double Sinh(double x);
double Cosh(double x);
double Tanh(double x);
double Asinh(double x);
double Acosh(double x);
double Atanh(double x);
double Erf(double x);
// Where squares neither overflow nor vanish.
inline double Hypot(double x, double y) {
  return std::sqrt(x * x + y * y);
}

namespace parts {

// ln 2 in two parts: products of the first with whole numbers up to 2^20 are exact.
inline constexpr double kLog2e = 0x1.71547652b82fep0, kLn2High = 0x1.62e42feep-1,
                        kLn2Low = 0x1.a39ef35793c76p-33;
// Added and taken off, it rounds to a whole number, which then is in the sum's last bits.
inline constexpr double kRounder = 0x1.8p52;

constexpr double Factorial(int n) {
  return n < 2 ? 1.0 : n * Factorial(n - 1);
}

// 1 / first! + r / (first + 1)! + ... + r^(last - first) / last!, by Horner's rule.
template <int first, int last>
inline double ExpSeries(double r) {
  if constexpr (first == last) {
    return 1.0 / Factorial(last);
  } else {
    return 1.0 / Factorial(first) + r * ExpSeries<first + 1, last>(r);
  }
}

}  // namespace parts

// Without branches, for loops that the compiler turns into vectors.
inline float Exp(float x) {
  constexpr double kZeroBelow = -104, kInfinityAbove = 89;
  auto y = static_cast<double>(x);
  y = y < kZeroBelow ? kZeroBelow : y;
  y = y > kInfinityAbove ? kInfinityAbove : y;
  const double rounded = y * parts::kLog2e + parts::kRounder;
  const double k = rounded - parts::kRounder;
  const double r = (y - k * parts::kLn2High) - k * parts::kLn2Low;
  const double power = std::bit_cast<double>((std::bit_cast<uint64_t>(rounded) << 52) +
                                             std::bit_cast<uint64_t>(1.0));
  return static_cast<float>(parts::ExpSeries<0, 10>(r) * power);
}

inline float Pow(float x, float y) {
  return static_cast<float>(Pow(static_cast<double>(x), static_cast<double>(y)));
}
#define OCTET_ROUNDED_TO_FLOAT(f)                         \
  inline float f(float x) {                               \
    return static_cast<float>(f(static_cast<double>(x))); \
  }
OCTET_ROUNDED_TO_FLOAT(Expm1)
OCTET_ROUNDED_TO_FLOAT(Log)
OCTET_ROUNDED_TO_FLOAT(Log1p)
OCTET_ROUNDED_TO_FLOAT(Sin)
OCTET_ROUNDED_TO_FLOAT(Cos)
OCTET_ROUNDED_TO_FLOAT(Tan)
OCTET_ROUNDED_TO_FLOAT(Asin)
OCTET_ROUNDED_TO_FLOAT(Acos)
OCTET_ROUNDED_TO_FLOAT(Atan)
OCTET_ROUNDED_TO_FLOAT(Sinh)
OCTET_ROUNDED_TO_FLOAT(Cosh)
OCTET_ROUNDED_TO_FLOAT(Tanh)
OCTET_ROUNDED_TO_FLOAT(Asinh)
OCTET_ROUNDED_TO_FLOAT(Acosh)
OCTET_ROUNDED_TO_FLOAT(Atanh)
OCTET_ROUNDED_TO_FLOAT(Erf)
#undef OCTET_ROUNDED_TO_FLOAT

}  // namespace octet::math

#endif  // OCTET_CONVERTER_SUPPORT_FUNCTIONS_H_
