// How certain a figure of samples is.
#ifndef OCTET_CONVERTER_JUDGE_MEASURE_INTERVAL_H_
#define OCTET_CONVERTER_JUDGE_MEASURE_INTERVAL_H_

#include <cstddef>
#include <cstdint>
#include <functional>
#include <vector>

namespace octet::judge {

struct Interval {
  double low = 0, high = 0;
};

// How often each sample counts.
using Weights = std::vector<double>;

// The quantile of the standard normal distribution for 95 % on both sides.
inline constexpr double kNormal95 = 1.959963984540054;

// `count` samples drawn with replacement from as many, as weights. Replicate `index` is the same
// for every measure (fixed seed), so that two measures of one count are resampled alike.
Weights Resample(size_t count, size_t index);
inline constexpr size_t kReplicates = 200;

// The percentile bootstrap (Efron and Tibshirani, An Introduction to the Bootstrap, 13.3): 2.5 % of
// the replicates of `figure` lie below it, 2.5 % above.
Interval Bootstrap(size_t count, const std::function<double(const Weights&)>& figure);

// Of a share in percent (Wilson 1927, Probable inference, the law of succession): `part` of
// `whole`. An empty whole says nothing: 0 to 100.
Interval Wilson(int64_t part, int64_t whole);

}  // namespace octet::judge

#endif  // OCTET_CONVERTER_JUDGE_MEASURE_INTERVAL_H_
