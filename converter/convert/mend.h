// What is proposed where an int8 plan loses more than its limit: its noisiest layers in FP16, with
// those that write what they read.
#ifndef OCTET_CONVERTER_CONVERT_MEND_H_
#define OCTET_CONVERTER_CONVERT_MEND_H_

#include <cstddef>
#include <cstdint>
#include <optional>
#include <vector>

#include "converter/calibrate/calibrate.h"
#include "converter/convert/search.h"
#include "converter/quantize/scheme.h"
#include "converter/simulate/simulator.h"

namespace octet::convert {

// Layers that a proposal moves: each three times as many as the one before, so that a budget of
// time lies within a factor of two of one of them.
inline constexpr size_t kNoisiest[] = {4, 12, 36};

// How often layers are proposed, each time of those that are left.
inline constexpr size_t kMendings = 3;

// A proposal, and the configuration that its scheme is made of.
struct Mending {
  Search::Candidate candidate;
  quantize::Config config;
};

// Those of kNoisiest that there are layers for, which the configuration allows. scheme: of the plan
// that loses too much. What is found again for the one that is taken, weights and ranges, their
// schemes are without. samples: who tell the noise.
std::vector<Mending> ProposeMendings(
    const simulate::Simulator& simulator,
    const std::vector<std::optional<calibrate::Statistics>>& statistics,
    const quantize::Config& config, const quantize::Scheme& scheme,
    const std::vector<int64_t>& samples);

}  // namespace octet::convert

#endif  // OCTET_CONVERTER_CONVERT_MEND_H_
