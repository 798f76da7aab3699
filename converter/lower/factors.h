// Scales of int8 operands and result to the factors of QUANTIZATION.md, for any record that names
// them multiplier_a, multiplier_b and shift.
#ifndef OCTET_CONVERTER_LOWER_FACTORS_H_
#define OCTET_CONVERTER_LOWER_FACTORS_H_

#include <algorithm>
#include <cmath>

#include "converter/lower/weights.h"

namespace octet::lower {

// Section 5: out = a * Ma + b * Mb with 16-bit factors.
template <typename Params>
void SetAddFactors(double a, double b, Params* params) {
  const double largest = std::max(std::fabs(a), std::fabs(b));
  int shift = 30;
  while (shift > 1 && std::ldexp(largest, shift) >= 32767.0) --shift;
  const auto factor = [shift](double x) {
    return static_cast<int32_t>(
        std::clamp(std::floor(std::ldexp(x, shift) + 0.5), -32767.0, 32767.0));
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
