// Who finds, who decides, who tells: three sets of calibration samples that have none in common.
#ifndef OCTET_CONVERTER_SIMULATE_SAMPLES_H_
#define OCTET_CONVERTER_SIMULATE_SAMPLES_H_

#include <cstdint>
#include <vector>

namespace octet::simulate {

// A mean of few pictures always fits those, so that
// - what corrects is found from `fit`,
// - whether it is kept is decided by `accept`,
// - what it gained is told of `report`.
struct Samples {
  std::vector<int64_t> fit, accept, report;
  // Without three sets nothing can be corrected.
  bool CanCorrect() const { return !fit.empty() && !accept.empty() && !report.empty(); }
};

// Below it there are no three sets: all samples report.
inline constexpr int64_t kFewestToSplit = 4;

// Half of at most `most` samples, spread over the data set, fit, a quarter accepts, a quarter
// reports.
Samples SplitSamples(int64_t available, int64_t most);

}  // namespace octet::simulate

#endif  // OCTET_CONVERTER_SIMULATE_SAMPLES_H_
