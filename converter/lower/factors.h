// Scales of int8 operands and result to the factors of QUANTIZATION.md, for any record that names
// them multiplier_a, multiplier_b and shift.
#ifndef OCTET_CONVERTER_LOWER_FACTORS_H_
#define OCTET_CONVERTER_LOWER_FACTORS_H_

#include <algorithm>
#include <cmath>

#include "converter/lower/weights.h"
#include "runtime/quant/parameters.h"

namespace octet::lower {

// Section 5: out = a * Ma + b * Mb with factors of 16 bits or, in section 13, of 31.
enum class FactorBits : int { k16 = kSumFactorBits, k31 = 30 };
template <typename Params>
void SetAddFactors(double a, double b, FactorBits bits, Params* params) {
  const double largest = std::max(std::fabs(a), std::fabs(b));
  const double most = std::ldexp(1.0, static_cast<int>(bits)) - 1;
  const int shift =
      std::max(1, LargestShift(bits == FactorBits::k16 ? kMostSumShift : kMaxSumShift,
                               [=](int at) { return std::ldexp(largest, at) < most; }));
  const auto factor = [shift, most](double x) {
    return static_cast<int32_t>(std::clamp(std::floor(std::ldexp(x, shift) + 0.5), -most, most));
  };
  params->shift = shift;
  params->multiplier_a = factor(a);
  params->multiplier_b = factor(b);
}

// Section 6: out = a * b * factor.
template <typename Params>
void SetMulFactor(double factor, Params* params) {
  params->pre_shift = static_cast<uint8_t>(PreShiftFor(factor));
  const Multiplier m = MakeMultiplier(factor, params->pre_shift);
  params->multiplier_a = m.multiplier;
  params->shift = m.shift;
}

// Section 7: n * multiplier / (d << shift) approximates n * factor / d.
template <typename Params>
void SetDivFactor(double factor, Params* params) {
  int shift = 40;
  while (shift > 0 && std::ldexp(factor, shift) >= 2147483647.0) --shift;
  params->shift = shift;
  params->multiplier_a = static_cast<int32_t>(
      std::clamp(std::floor(std::ldexp(factor, shift) + 0.5), 1.0, 2147483647.0));
}

}  // namespace octet::lower

#endif  // OCTET_CONVERTER_LOWER_FACTORS_H_
