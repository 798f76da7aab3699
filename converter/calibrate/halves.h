// Statistics of two halves of the calibration samples, from the same pass as those of all: records
// of samples add up to the same in any split (observation.h).
#ifndef OCTET_CONVERTER_CALIBRATE_HALVES_H_
#define OCTET_CONVERTER_CALIBRATE_HALVES_H_

#include <array>
#include <cstddef>
#include <optional>
#include <vector>

#include "converter/calibrate/calibrate.h"

namespace octet::calibrate {

// So many samples that calibrate go into one half, the next as many into the other: those that
// decide, accept and report of recovery (simulate/samples.h) are then in both.
inline constexpr size_t kSamplesTogether = 4;

// By value id, as Collect has
// them; both empty where nobody took them apart: the calibration came out of a cache, or went on
// after an interruption, whose record has all samples in one.
using Halves = std::array<std::vector<std::optional<Statistics>>, 2>;

// Collect with its halves. The statistics of all are the same bits as without.
std::vector<std::optional<Statistics>> Collect(const graph::Graph& graph,
                                               const std::vector<const images::Dataset*>& inputs,
                                               const Options& options, Halves* halves);

}  // namespace octet::calibrate

#endif  // OCTET_CONVERTER_CALIBRATE_HALVES_H_
