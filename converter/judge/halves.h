// Whether the int8 plan hangs on which samples calibrated it: two plans, of the ranges that each
// half of the samples gives, beside FP32 on the same few samples.
//
// Their errors are compared, not their outputs: two plans with scales of their own round
// independently, and differ by what both are off even where both are as good. They disagree where
// one is better than the other, or each is better on the samples of its own half.
#ifndef OCTET_CONVERTER_JUDGE_HALVES_H_
#define OCTET_CONVERTER_JUDGE_HALVES_H_

#include <array>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include <nlohmann/json.hpp>

#include "converter/calibrate/halves.h"
#include "converter/quantize/scheme.h"
#include "converter/simulate/simulator.h"

namespace octet::judge {

// A difference below it is no reason to change anything, nor is one of less than three standard
// errors, which luck gives with four samples in one case of seventeen (Student). Twice the error
// (3 dB) always is.
inline constexpr double kHalvesDifferDb = 1;
inline constexpr double kErrorsOfHalves = 3;

// Of outputs over their error, all samples together (simulate::MeanDecibels).
struct HalvesFindings {
  int64_t samples = 0;
  double first_db = 0, second_db = 0;
  double error_db = 0;  // standard error of the difference over the samples
  double own_db = 0;    // what the plan of a sample's own half has above the other's
  double own_error_db = 0;
  // The int8 tensor whose scales differ most, and the larger scale over the smaller.
  std::string tensor;
  double scale_ratio = 1;

  double DifferenceDb() const { return second_db - first_db; }
  bool Disagree() const;
  std::string Words() const;  // one line
  nlohmann::json Json() const;
};

// halves: of the calibration that `config` is quantized with. samples: of the simulator, as many of
// the first half as of the second. None where the halves are not known, have no sample, or one of
// them makes no int8 plan.
std::optional<HalvesFindings> CompareHalves(const simulate::Simulator& simulator,
                                            const calibrate::Halves& halves,
                                            const quantize::Config& config,
                                            const std::array<std::vector<int64_t>, 2>& samples);

}  // namespace octet::judge

#endif  // OCTET_CONVERTER_JUDGE_HALVES_H_
