// Activation ranges from unlabelled samples, streamed through the FP32 executor: memory does not
// grow with their number.
#ifndef OCTET_CONVERTER_CALIBRATE_CALIBRATE_H_
#define OCTET_CONVERTER_CALIBRATE_CALIBRATE_H_

#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "converter/graph/graph.h"
#include "converter/images/dataset.h"

namespace octet::calibrate {

enum class Method : uint8_t { kAuto, kMinMax, kPercentile, kMse, kKl };
std::string_view Name(Method method);

struct Range {
  float min = 0, max = 0;
};

// What is kept of one value over all samples.
struct Statistics {
  float min = 0, max = 0;         // true extremes; both NaN when a NaN or an infinity was seen
  double mean = 0, variance = 0;  // from the histogram
  int64_t count = 0;
  int64_t zeros = 0;  // of count: exactly 0, which every scheme represents exactly
  // Bins of equal width over [histogram_min, histogram_max], the width a power of two and 0 an
  // edge; at most 4096, so bounded memory. Empty when nothing finite was seen.
  float histogram_min = 0, histogram_max = 0;
  std::vector<uint64_t> histogram;
  // Extremes of the finite values by channel (axis 1), for [1, C, H, W] with C > 1; else empty.
  std::vector<Range> channels;
  // Of each sample's largest |value|, where that is normal: log2 in steps of 1/256, rounded down
  // (runtime/core/log2.h). Integers, so that any order of adding gives the same.
  int64_t peaks = 0, peak_sum = 0, peak_squares = 0;
};

// The statistics of min(max(value, low), high), low <= high.
Statistics Clamp(const Statistics& statistics, float low, float high);

// What a calibration knows so far (checkpoint.h).
struct Interim;

// `wanted` of 0 .. size - 1, ascending: all of them, or spread by `seed`, the same everywhere.
std::vector<int64_t> PickSamples(int64_t size, int64_t wanted, uint64_t seed);

// Given the graph's outputs on each sample that is run, by several threads at once.
using OutputListener =
    std::function<void(int64_t sample, const std::vector<graph::Tensor>& outputs)>;

struct Options {
  int64_t samples = 512;  // at most; the dataset's first when it has fewer, else spread by `seed`
  uint64_t seed = 1;
  int threads = 1;
  std::string choice;  // how the data were chosen beforehand: a part of the cache's key, no more
  std::function<void(int64_t done, int64_t total)> progress;  // may be empty
  OutputListener outputs;                                     // may be empty
  // Where an interrupted calibration goes on, of the same graph, data, samples and seed; may be
  // null. The result is that of an uninterrupted one.
  const Interim* resume = nullptr;
  // Called every `save_seconds`, by one thread at a time; may be empty.
  std::function<void(const Interim& so_far)> save;
  double save_seconds = 60;
};

// By value id; empty for constants, integers and values not reached. Identical for any thread
// count.
std::vector<std::optional<Statistics>> Collect(const graph::Graph& graph,
                                               const std::vector<const images::Dataset*>& inputs,
                                               const Options& options);

struct Choice {
  Range range;
  Method method = Method::kMinMax;  // the one used (kAuto resolves to one of the others)
  double expected_mse = 0;          // of quantizing the histogram with it
};
// symmetric: range is [-a, a]; else it contains 0. percentile: share of the mass kept, in percent
// (99.99). Statistics must be finite.
Choice ChooseRange(const Statistics& statistics, Method method, double percentile, bool symmetric);
// The ranges that the methods choose, each once, under the first of mse, min-max, percentile and kl
// that chooses it: mse is what kAuto takes where nothing else judges.
std::vector<Choice> Candidates(const Statistics& statistics, bool symmetric,
                               double percentile = 99.99);

}  // namespace octet::calibrate

#endif  // OCTET_CONVERTER_CALIBRATE_CALIBRATE_H_
