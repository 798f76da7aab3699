// Comparison of FP16 results: 1e-3 of the range of the reference.
#ifndef OCTET_TESTS_RUNTIME_KERNELS_COMPARE_H_
#define OCTET_TESTS_RUNTIME_KERNELS_COMPARE_H_

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <string>
#include <vector>

#include "runtime/core/half.h"

namespace octet::kernels_test {

// Empty when every element agrees, else what differs first. NaNs have to meet NaNs, infinities the
// same infinity.
inline std::string DifferenceF16(const std::vector<uint16_t>& expected,
                                 const std::vector<uint16_t>& actual) {
  float lo = 0.0f, hi = 0.0f;
  for (uint16_t bits : expected) {
    const float x = HalfToFloat(bits);
    if (!std::isfinite(x)) continue;
    lo = std::min(lo, x);
    hi = std::max(hi, x);
  }
  // Half a unit in the last place of a half is 2^-11 of its value: less than the tolerance.
  const float tolerance = 1e-3f * (hi - lo) + 1e-7f;
  if (expected.size() != actual.size()) return "sizes differ";
  for (size_t i = 0; i < expected.size(); ++i) {
    const float e = HalfToFloat(expected[i]);
    const float a = HalfToFloat(actual[i]);
    const bool same = expected[i] == actual[i] || (std::isnan(e) && std::isnan(a));
    if (same || (std::isfinite(e) && std::fabs(e - a) <= tolerance)) continue;
    return "element " + std::to_string(i) + ": expected " + std::to_string(e) + ", got " +
           std::to_string(a) + ", tolerance " + std::to_string(tolerance);
  }
  return "";
}

inline std::string DifferenceS8(const std::vector<uint8_t>& expected,
                                const std::vector<uint8_t>& actual) {
  if (expected.size() != actual.size()) return "sizes differ";
  for (size_t i = 0; i < expected.size(); ++i) {
    if (expected[i] == actual[i]) continue;
    return "element " + std::to_string(i) + ": expected " +
           std::to_string(static_cast<int8_t>(expected[i])) + ", got " +
           std::to_string(static_cast<int8_t>(actual[i]));
  }
  return "";
}

}  // namespace octet::kernels_test

#endif  // OCTET_TESTS_RUNTIME_KERNELS_COMPARE_H_
