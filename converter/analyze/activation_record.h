// What 8 bits make of one tensor, over pictures: sums and two histograms, so bounded memory
// whatever the number of pictures.
//
// The histograms count codes, not reals: code(x) = floor(x / scale + 1/2) + zero_point, four codes
// a bin, and one bin for all that lies below the 256 codes and one for all above. Rounding alone
// then moves no number to another bin: what the two histograms differ by is what the layers before
// have added and what the ends of the range cut off. Channels with scales of their own are counted
// in their own codes.
#ifndef OCTET_CONVERTER_ANALYZE_ACTIVATION_RECORD_H_
#define OCTET_CONVERTER_ANALYZE_ACTIVATION_RECORD_H_

#include <array>
#include <cstdint>
#include <span>

#include "converter/quantize/scheme.h"

namespace octet::analyze {

inline constexpr int kCodes = 256, kCodesPerBin = 4;
// The outermost two hold what no code holds.
inline constexpr size_t kBins = kCodes / kCodesPerBin + 2;
using Histogram = std::array<uint64_t, kBins>;

class ActivationRecord {
 public:
  explicit ActivationRecord(const quantize::TensorScheme& scheme = {}) : scheme_(scheme) {}

  // One picture, as FP32 has it and simulated before and after rounding. All of one length; where
  // channels have scales, [channels][length / channels].
  void Add(std::span<const float> exact, std::span<const float> before,
           std::span<const float> after);

  int64_t count() const { return count_; }
  const Histogram& exact() const { return exact_; }
  const Histogram& int8() const { return int8_; }
  const quantize::TensorScheme& scheme() const { return scheme_; }

  double Signal() const { return squares_; }  // sum of x^2, exact
  double Mse() const;                         // mean of (exact - after)^2
  double SnrDb() const;                       // 10 log10(signal / error), within +-100
  double Cosine() const;                      // of exact and after; 1 where there is no error
  double ErrorMean() const;                   // a shift that all numbers share
  double NoiseSigma() const;                  // standard deviation of exact - after
  double NoiseShare() const;                  // error energy by that of the signal, at most 1
  bool WasRounded() const { return rounding_ > 0; }  // whether rounding moved any number
  double Mean() const;
  double Sigma() const;           // standard deviation of exact
  double ClippedShare() const;    // of exact numbers, those beyond the codes
  double SaturatedShare() const;  // of simulated ones, before they were rounded
  // Sum over bins of the lesser share: 1 alike, 0 apart.
  double Overlap() const;

 private:
  void AddRun(float scale, int zero_point, std::span<const float> exact,
              std::span<const float> before, std::span<const float> after);

  quantize::TensorScheme scheme_;
  int64_t count_ = 0, clipped_ = 0, saturated_ = 0;
  double sum_ = 0, squares_ = 0, error_sum_ = 0, error_squares_ = 0, product_ = 0, power_ = 0,
         rounding_ = 0;
  Histogram exact_{}, int8_{};
};

}  // namespace octet::analyze

#endif  // OCTET_CONVERTER_ANALYZE_ACTIVATION_RECORD_H_
