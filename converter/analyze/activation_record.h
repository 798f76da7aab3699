// What 8 bits make of one tensor, over pictures: sums and two histograms, so bounded memory
// whatever the number of pictures.
//
// The histograms count codes, not reals: code(x) = floor(x / scale + 1/2) + zero_point, and what
// lies below the 256 codes or above them apart. Rounding alone then changes no count: what the two
// histograms differ by is what the layers before have added and what the ends of the range cut off.
// Channels with scales of their own are counted in their own codes.
#ifndef OCTET_CONVERTER_ANALYZE_ACTIVATION_RECORD_H_
#define OCTET_CONVERTER_ANALYZE_ACTIVATION_RECORD_H_

#include <array>
#include <cstdint>
#include <span>

#include "converter/quantize/scheme.h"

namespace octet::analyze {

inline constexpr int kCodes = 256, kCodesPerBin = 4;
// By code; the outermost two hold what no code holds.
using CodeCounts = std::array<uint64_t, kCodes + 2>;
// The same for people, a few codes a bin.
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
  Histogram Exact() const;
  Histogram Int8() const;
  const quantize::TensorScheme& scheme() const { return scheme_; }

  double Mse() const;         // mean of (exact - after)^2
  double SnrDb() const;       // 10 log10(signal / error), within +-100
  double Cosine() const;      // of exact and after; 1 where there is no error
  double ErrorMean() const;   // a shift that all numbers share
  double NoiseSigma() const;  // standard deviation of exact - after
  double NoiseShare() const;  // error energy by that of the signal, at most 1
  bool WasRounded() const { return rounding_ > 0; }  // whether rounding moved any number
  double Mean() const;
  double Sigma() const;           // standard deviation of exact
  double ClippedShare() const;    // of exact numbers, those beyond the codes
  double SaturatedShare() const;  // of simulated ones, before they were rounded
  // Sum over bins of the lesser share: 1 alike, 0 apart. A bin is four codes wide, and each code
  // counts in the two bins that it lies between, in the more the nearer (linear binning: M. C.
  // Jones and H. W. Lotwick, "A remark on algorithm AS 176", 1984): numbers that crowd at one code,
  // as those of a ReLU at 0, would else all change their bin at the least noise, or never.
  double Overlap() const;

 private:
  void AddRun(float scale, int zero_point, std::span<const float> exact,
              std::span<const float> before, std::span<const float> after);

  quantize::TensorScheme scheme_;
  int64_t count_ = 0, clipped_ = 0, saturated_ = 0;
  double sum_ = 0, squares_ = 0, error_sum_ = 0, error_squares_ = 0, product_ = 0, power_ = 0,
         rounding_ = 0;
  CodeCounts exact_{}, int8_{};
};

}  // namespace octet::analyze

#endif  // OCTET_CONVERTER_ANALYZE_ACTIVATION_RECORD_H_
