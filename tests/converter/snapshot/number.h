// Numbers of the facts that depend on FP32 sums.
#ifndef OCTET_TESTS_CONVERTER_SNAPSHOT_NUMBER_H_
#define OCTET_TESTS_CONVERTER_SNAPSHOT_NUMBER_H_

#include <fmt/format.h>

#include <algorithm>
#include <string>
#include <vector>

namespace octet::test {

inline std::string Real(double value) {
  return fmt::format("~{:.4g}", value == 0 ? 0.0 : value);
}

// Above 60 dB the error is the rounding of FP32, which is the processor's.
inline std::string Decibels(double value) {
  return fmt::format("~{:.1f}dB", std::min(value, 60.0));
}

// Few numbers as they are; of many three sums, which another order, sign or size changes.
std::string Sums(const std::vector<double>& values);

}  // namespace octet::test

#endif  // OCTET_TESTS_CONVERTER_SNAPSHOT_NUMBER_H_
