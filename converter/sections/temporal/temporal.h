// The temporal section (docs/temporal.md): which tensors are filtered
// from frame to frame, and how.
#ifndef OCTET_CONVERTER_SECTIONS_TEMPORAL_TEMPORAL_H_
#define OCTET_CONVERTER_SECTIONS_TEMPORAL_TEMPORAL_H_

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include <nlohmann/json.hpp>

#include "converter/graph/graph.h"
#include "converter/sections/section.h"
#include "converter/sections/temporal/noise.h"
#include "converter/write/write.h"

namespace octet::sections {

// Filters from frame to frame (docs/temporal.md).
enum class TemporalKind : uint8_t {
  kNone,
  kFilter,  // 1 + lambda z^-1, over 1 + lambda
  kMean,    // of 10 frames
  kGated,   // the same of values that moved by at most two steps
};
struct TemporalOptions {
  TemporalKind kind = TemporalKind::kNone;
  double lambda = 0.1;  // of kFilter, as a multiple of a layer's sigma; at most 1 comes of it
};

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
TemporalChoice ChooseTemporal(const graph::Graph& graph, const std::vector<NoiseFigure>& noise,
                              const std::vector<write::Plan>& plans,
                              const TemporalOptions& options);

// Of a blob: every filter with its layer's name; null where it has no temporal section.
nlohmann::json TemporalJson(const uint8_t* blob, size_t blob_bytes);

// --temporal.
class Temporal : public Section {
 public:
  void AddOptions(port::Options command) override;
  void ReadOptions() override;
  void Make(const Conversion& given, write::ModelInfo* info, Told* told) const override;
  const char* NameOf(blob::SectionKind kind) const override {
    return kind == blob::SectionKind::kTemporal ? "temporal" : nullptr;
  }
  void Inspect(const uint8_t* blob, size_t blob_bytes, nlohmann::json* description) const override;

 private:
  std::string word_ = "none";
  TemporalOptions wanted_;
  std::optional<port::Option> lambda_;
};

}  // namespace octet::sections

#endif  // OCTET_CONVERTER_SECTIONS_TEMPORAL_TEMPORAL_H_
