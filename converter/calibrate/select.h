// Which samples are worth calibrating with, where there are more than one wants: those whose
// activations reach all that the others' reach.
//
// A first pass runs FP32 and keeps of each sample the extremes of each activation. The spread of
// the samples' maxima, and that of their minima, is cut into sixteen bins each: a range that is off
// by one of them costs a tenth of a bit (log2 16/15). What there is to cover are the bins that hold
// any sample; a sample covers those its own extremes lie in. Chosen is greedily the sample that
// covers most of what is not covered yet (the first of equal ones), which reaches at least 1 - 1/e
// of what any choice of as many could (Nemhauser, Wolsey, Fisher, "An analysis of approximations
// for maximizing submodular set functions", 1978). When all is covered it starts again with the
// samples that are left, so that more of them stay as mixed.
//
// All that grows with the samples are ten bytes for each sample and value of the graph twice (its
// two extremes, and the bins of those).
#ifndef OCTET_CONVERTER_CALIBRATE_SELECT_H_
#define OCTET_CONVERTER_CALIBRATE_SELECT_H_

#include <cstdint>
#include <vector>

#include "converter/calibrate/calibrate.h"
#include "converter/graph/graph.h"
#include "converter/images/dataset.h"

namespace octet::calibrate {

struct Selection {
  std::vector<int64_t> samples;  // of the data sets, ascending
  int64_t candidates = 0;        // looked at
  double coverage = 1;           // share of the bins of all candidates that the chosen cover
};

// At most `wanted` of the samples that `options` names. The same for any number of threads.
Selection SelectSamples(const graph::Graph& graph,
                        const std::vector<const images::Dataset*>& inputs, const Options& options,
                        int64_t wanted);

// The greedy cover alone: bins[i] holds sample i's bin of each feature, kNoBin where it has none.
// All have as many features. Returns what to take, in the order of taking.
inline constexpr uint8_t kNoBin = 255;
std::vector<int64_t> CoverGreedily(const std::vector<std::vector<uint8_t>>& bins, int64_t wanted);
double CoverageOf(const std::vector<std::vector<uint8_t>>& bins, const std::vector<int64_t>& taken);

}  // namespace octet::calibrate

#endif  // OCTET_CONVERTER_CALIBRATE_SELECT_H_
