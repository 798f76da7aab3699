// Which of the samples given judge the blob.
#ifndef OCTET_CONVERTER_CONVERT_JUDGE_SAMPLES_H_
#define OCTET_CONVERTER_CONVERT_JUDGE_SAMPLES_H_

#include <cstdint>
#include <vector>

#include "converter/simulate/samples.h"

namespace octet::convert {

// A sixteenth as many samples as calibrate judge, 16 at least and 32 at most: the judge then takes
// a small part of the time that calibration takes, whatever the model.
inline constexpr int64_t kShareOfJudges = 16, kFewestJudges = 16, kMostJudges = 32;

struct JudgeSamples {
  std::vector<int64_t> indices;  // of the data given, rising
  bool seen = true;              // ranges have seen them: there are no others
};

// given: samples of the data; kept: those that --sample-labels leaves, calibrating: those of which
// --samples picks (both by index into what was given); samples: --samples; decided: what recovery
// looks at, by index into `calibrating`. Samples that neither ranges nor recovery have seen where
// there are any, else those that calibrate; at equal distances.
JudgeSamples ChooseJudgeSamples(const std::vector<int64_t>& kept,
                                const std::vector<int64_t>& calibrating, int64_t samples,
                                uint64_t seed, const simulate::Samples& decided);

}  // namespace octet::convert

#endif  // OCTET_CONVERTER_CONVERT_JUDGE_SAMPLES_H_
