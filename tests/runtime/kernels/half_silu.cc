#include "tests/runtime/kernels/half_silu.h"

#include <algorithm>
#include <cmath>
#include <cstring>

#include "runtime/core/half.h"

namespace octet::kernels_test {
namespace {

// FRECPE of a half of at least 1: the nearest of 256 reciprocals, by the manual's RecipEstimate().
double Estimate(double d) {
  if (std::isinf(d)) return 0;
  const int exponent = std::ilogb(d);
  const int scaled = static_cast<int>(std::ldexp(d, 8 - exponent));
  const int estimate = ((1 << 19) / (2 * scaled + 1) + 1) / 2;
  return std::ldexp(estimate, -9 - exponent);
}

}  // namespace

// A double beside 1.5 * 2^52 units of the half rounds to whole units, ties to even. Divisions and
// calls of libm, once for each product, would take most of the time under emulation.
double RoundToHalf(double x) {
  if (x == 0 || !std::isfinite(x)) return x;
  uint64_t bits;
  std::memcpy(&bits, &x, sizeof(bits));
  const uint64_t exponent = std::clamp<uint64_t>(bits >> 52 & 0x7FF, 1023 - 14, 1023 + 16);
  bits = (exponent - 10 + 52) << 52 | uint64_t{1} << 51;
  double beside;
  std::memcpy(&beside, &bits, sizeof(beside));
  const double rounded = std::copysign(x + beside - beside, x);
  return std::fabs(rounded) > 65504 ? std::copysign(INFINITY, x) : rounded;
}

uint16_t HalfSilu(double x) {
  if (std::isnan(x)) return 0x7E00;
  const double low = std::max(x, -33.0), high = std::min(low, RoundToHalf(9.7));
  const double n = RoundToHalf(1536 - high * RoundToHalf(1.44269504)) - 1536;
  double r = RoundToHalf(high + n * 0.693359375);
  r = RoundToHalf(r - n * RoundToHalf(2.12194440e-4));
  const double p = RoundToHalf(0.5 - r * RoundToHalf(1.0 / 6));
  const double e = RoundToHalf(RoundToHalf(1 - r) + RoundToHalf(r * r) * p);
  const double scaled = std::ldexp(e, static_cast<int>(n));
  const double d = RoundToHalf(1 + (scaled < 65536 ? scaled : INFINITY));
  const double y = Estimate(d);
  const double step = y == 0 ? 2 : RoundToHalf(2 - d * y);
  return FloatToHalf(static_cast<float>(low * RoundToHalf(y * step)));
}

}  // namespace octet::kernels_test
