// Whether the int8 plan hangs on which samples calibrated it: two plans, of the ranges that each
// half of the samples gives, beside FP32 on the same few samples.
//
// Their errors are compared, not their outputs: two plans with scales of their own round
// independently, and differ by what both are off even where both are as good. They disagree where
// one is better than the other, or each is better on the samples of its own half.
#ifndef OCTET_CONVERTER_CONVERT_HALVES_H_
#define OCTET_CONVERTER_CONVERT_HALVES_H_

#include <array>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include <nlohmann/json.hpp>

#include "converter/calibrate/halves.h"
#include "converter/quantize/scheme.h"
#include "converter/simulate/simulator.h"

namespace octet::convert {

// Plans disagree where one has twice the error of the other. A third of that in the first few
// samples is a reason to ask others.
inline constexpr double kHalvesDisagreeDb = 3.0103, kHalvesLookDb = 1;
// How often luck alone makes halves that are alike disagree (simulate/chance.h). Four questions
// share it: whether one plan is better, or the other, and whether either is better on its own half.
inline constexpr double kLuckOfHalves = 0.01;

// So many samples of each half are looked at. Where these differ, as many others as there are, up
// to the second number, are asked whether that was luck.
inline constexpr size_t kHalvesLook = 2, kHalvesAsk = 8;

// By sample, of outputs over their error, in dB.
struct HalvesFindings {
  int64_t samples = 0;
  double first_db = 0, second_db = 0;  // all samples together (simulate::MeanDecibels)
  simulate::Gain difference;           // of the second plan above the first
  // On samples of each half, what its own plan has above the other's.
  std::array<simulate::Gain, 2> own;
  // The int8 tensor whose scales differ most, and the larger scale over the smaller.
  std::string tensor;
  double scale_ratio = 1;

  bool Differ() const;        // by kHalvesLookDb, for whatever reason
  bool Disagree() const;      // by kHalvesDisagreeDb, and it is no luck
  std::string Words() const;  // one line
  nlohmann::json Json() const;
};

// halves: of the calibration that `config` is quantized with. samples: of the simulator, of the
// first half and of the second, up to kHalvesLook + kHalvesAsk. None where the halves are not
// known, one has fewer than kHalvesLook samples, or makes no int8 plan.
std::optional<HalvesFindings> CompareHalves(const simulate::Simulator& simulator,
                                            const calibrate::Halves& halves,
                                            const quantize::Config& config,
                                            const std::array<std::vector<int64_t>, 2>& samples);

}  // namespace octet::convert

#endif  // OCTET_CONVERTER_CONVERT_HALVES_H_
