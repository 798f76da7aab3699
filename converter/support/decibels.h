// Signal over error, as every figure of the converter says it.
#ifndef OCTET_CONVERTER_SUPPORT_DECIBELS_H_
#define OCTET_CONVERTER_SUPPORT_DECIBELS_H_

#include <algorithm>
#include <cmath>

#include "converter/support/functions.h"

namespace octet {

// FP32's own rounding lies some 140 dB down, so that above nothing is told apart.
inline constexpr double kMostDecibels = 100;

// 10 log10(signal / error) of two energies, within +-most. An error that is infinite or no number
// is the worst there is: nothing is left of the signal.
inline double Decibels(double signal, double error, double most = kMostDecibels) {
  if (!std::isfinite(error) || std::isnan(signal)) return -most;
  if (error <= 0) return most;
  if (!(signal > 0)) return -most;
  return std::clamp(10 * math::Log10(signal / error), -most, most);
}

// Error as a share of the signal: 1 where all is lost, which cannot get worse.
inline double LostShare(double signal, double error) {
  if (!std::isfinite(error) || std::isnan(signal)) return 1;
  if (error <= 0) return 0;
  return signal > 0 ? std::min(1.0, error / signal) : 1;
}

}  // namespace octet

#endif  // OCTET_CONVERTER_SUPPORT_DECIBELS_H_
