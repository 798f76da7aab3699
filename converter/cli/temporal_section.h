// The temporal section (runtime/format/FORMAT.md; docs/temporal.md): which tensors are filtered
// from frame to frame, and how.
#ifndef OCTET_CONVERTER_CLI_TEMPORAL_SECTION_H_
#define OCTET_CONVERTER_CLI_TEMPORAL_SECTION_H_

#include <cstdint>
#include <string>
#include <vector>

#include <nlohmann/json_fwd.hpp>

#include "converter/cli/options.h"
#include "converter/graph/graph.h"
#include "converter/recover/noise.h"
#include "converter/write/write.h"

namespace octet::cli {

// A layer is noisy where its sigma is above so many times the mean of all layers'.
inline constexpr double kNoisyRatio = 1.5;

struct TemporalChoice {
  std::vector<uint8_t>
      section;            // empty: no layer is noisy enough, or the filter can change nothing
  double mean_sigma = 0;  // of the int8 layers with weights
  size_t noisy = 0;       // layers above kNoisyRatio times that
  size_t filtered = 0;    // of these, that the section has
};

// Of the layers with weights that write int8 in any plan, the noisiest first, as many as fit
// kMostTemporalLayers and memory of as many bytes as the tensors of the largest plan take.
TemporalChoice ChooseTemporal(const graph::Graph& graph,
                              const std::vector<recover::NoiseFigure>& noise,
                              const std::vector<write::Plan>& plans,
                              const TemporalOptions& options);

// Of a blob: every filter with its layer's name; null where it has no temporal section.
nlohmann::json TemporalJson(const uint8_t* blob, size_t blob_bytes);

}  // namespace octet::cli

#endif  // OCTET_CONVERTER_CLI_TEMPORAL_SECTION_H_
