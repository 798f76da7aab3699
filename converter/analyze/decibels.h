// Signal over error, as every figure here tells it.
#ifndef OCTET_CONVERTER_ANALYZE_DECIBELS_H_
#define OCTET_CONVERTER_ANALYZE_DECIBELS_H_

#include <algorithm>
#include <cmath>

namespace octet::analyze {

// 10 log10(signal / error) of two energies, within +-100 (FP32's own rounding lies some 140 dB
// down, so that above nothing is told apart).
inline double Decibels(double signal, double error) {
  constexpr double kMostDb = 100;
  if (!(error > 0)) return kMostDb;
  if (!(signal > 0)) return -kMostDb;
  return std::clamp(10 * std::log10(signal / error), -kMostDb, kMostDb);
}

}  // namespace octet::analyze

#endif  // OCTET_CONVERTER_ANALYZE_DECIBELS_H_
