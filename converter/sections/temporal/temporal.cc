#include "converter/sections/temporal/temporal.h"

#include <algorithm>
#include <cmath>
#include <cstring>
#include <functional>
#include <map>
#include <new>

#include <nlohmann/json.hpp>

#include "octet/temporal.h"
#include "runtime/format/temporal_record.h"
#include "runtime/format/view.h"

namespace octet::sections {
namespace {

using blob::kTemporalOne;
using blob::TemporalLayerRecord;

struct NoisyLayer {
  double sigma = 0;
  TemporalLayerRecord record{};
};

// What a filter keeps of this tensor.
uint64_t CacheBytes(const TemporalLayerRecord& record) {
  return uint64_t{record.frames - 1} * record.bytes;
}

// H(z) = 1 + lambda z^-1 over its gain for what does not change, 1 + lambda.
void SetFilter(double sigma, const TemporalOptions& options, TemporalLayerRecord* record) {
  record->gate = blob::kMostTemporalGate;
  if (options.kind == TemporalKind::kFilter) {
    const double lambda = std::min(1.0, options.lambda * sigma);
    record->frames = 2;
    record->weights[0] = static_cast<uint16_t>(std::lround(kTemporalOne * lambda / (1 + lambda)));
    return;
  }
  record->frames = blob::kMostTemporalFrames;
  for (uint32_t k = 0; k + 1 < record->frames; ++k) {
    record->weights[k] = static_cast<uint16_t>(kTemporalOne / record->frames);
  }
  // Rounding moves a value by a step; what moved by more than two is no flicker of rounding.
  if (options.kind == TemporalKind::kGated) record->gate = 2;
}

// Can any frames change a byte under this filter? The largest change, 255 steps, has to reach half
// a step.
bool CanChange(const TemporalLayerRecord& record) {
  uint32_t sum = 0;
  for (const uint16_t weight : record.weights) sum += weight;
  return uint64_t{sum} * record.gate >= kTemporalOne / 2;
}

// Half of what lies between two pictures that have nothing to do with each other, in 1/256 step;
// never where conversion saw one picture alone.
uint32_t CutOf(const NoiseFigure& figure) {
  const double cut = figure.MeanChange() / 2 * 256;
  return figure.changes == 0 ? blob::kNone : static_cast<uint32_t>(std::max(1L, std::lround(cut)));
}

std::vector<uint8_t> SectionOf(const std::vector<TemporalLayerRecord>& layers) {
  blob::TemporalRecord head{};
  head.record_bytes = head.layers_offset = sizeof(head);
  head.layer_count = static_cast<uint32_t>(layers.size());
  std::vector<uint8_t> section(sizeof(head) + layers.size() * sizeof(TemporalLayerRecord));
  std::memcpy(section.data(), &head, sizeof(head));
  std::memcpy(section.data() + sizeof(head), layers.data(),
              layers.size() * sizeof(TemporalLayerRecord));
  return section;
}

}  // namespace

TemporalChoice ChooseTemporal(const graph::Graph& graph, const std::vector<NoiseFigure>& noise,
                              const std::vector<write::Plan>& plans,
                              const TemporalOptions& options) {
  TemporalChoice choice;
  std::map<std::string, const NoiseFigure*> measured;
  for (size_t id = 0; id < graph.values.size(); ++id) {
    if (noise[id].signal > 0) measured[graph.values[id].name] = &noise[id];
  }
  std::vector<NoisyLayer> candidates;
  double sum = 0;
  for (uint32_t p = 0; p < plans.size(); ++p) {
    const lower::Program& program = plans[p].program;
    for (uint32_t k = 0; k < program.layers.size(); ++k) {
      const lower::Layer& layer = program.layers[k];
      const lower::Tensor& tensor = program.tensors[static_cast<size_t>(layer.output)];
      const auto found = measured.find(tensor.name);
      // What only moves numbers has the noise of what it moves.
      if (layer.macs == 0 || tensor.type != blob::ElementType::kInt8 || found == measured.end()) {
        continue;
      }
      NoisyLayer candidate;
      candidate.sigma = found->second->Sigma();
      candidate.record.plan = p;
      candidate.record.layer = k;
      candidate.record.bytes = static_cast<uint32_t>(tensor.Size());
      candidate.record.cut = CutOf(*found->second);
      candidate.record.noise = static_cast<float>(candidate.sigma);
      SetFilter(candidate.sigma, options, &candidate.record);
      candidates.push_back(candidate);
      sum += candidate.sigma;
    }
  }
  if (candidates.empty()) return choice;
  choice.mean_sigma = sum / static_cast<double>(candidates.size());
  std::erase_if(candidates, [&](const NoisyLayer& candidate) {
    return !(candidate.sigma > kNoisyRatio * choice.mean_sigma);
  });
  choice.noisy = candidates.size();
  std::ranges::stable_sort(candidates, std::greater{}, &NoisyLayer::sigma);
  uint64_t most_bytes = 0, bytes = 0;
  for (const write::Plan& plan : plans) {
    most_bytes = std::max<uint64_t>(most_bytes, plan.memory.arena_bytes);
  }
  std::vector<TemporalLayerRecord> layers;
  for (const NoisyLayer& candidate : candidates) {
    if (layers.size() == blob::kMostTemporalLayers) break;
    if (!CanChange(candidate.record)) continue;
    if (bytes + CacheBytes(candidate.record) > most_bytes) continue;
    bytes += CacheBytes(candidate.record);
    layers.push_back(candidate.record);
  }
  choice.filtered = layers.size();
  if (!layers.empty()) choice.section = SectionOf(layers);
  return choice;
}

nlohmann::json TemporalJson(const uint8_t* blob, size_t blob_bytes) {
  size_t bytes = 0;
  const octet_status status = octet_temporal_bytes(blob, blob_bytes, &bytes);
  if (status.code != OCTET_OK) return {{"error", octet_code_name(status.code)}};
  if (bytes == 0) return nullptr;
  struct alignas(64) Line {
    uint8_t bytes[64];
  };
  std::vector<Line> memory((bytes + sizeof(Line) - 1) / sizeof(Line));
  octet_temporal* temporal = nullptr;
  octet_temporal_init(memory.data(), bytes, blob, blob_bytes, &temporal);
  BlobView view{};
  ViewBlob(blob, blob_bytes, &view);
  nlohmann::json layers = nlohmann::json::array();
  for (uint32_t i = 0; i < octet_temporal_count(temporal); ++i) {
    octet_temporal_layer layer;
    octet_temporal_info(temporal, i, &layer);
    PlanView plan{};
    ViewPlan(view, layer.plan, &plan);
    uint32_t past = 0;
    for (const uint32_t weight : layer.weights) past += weight;
    layers.push_back({{"name", StringAt(view, plan.layers[layer.layer].name)},
                      {"plan", StringAt(view, plan.record->name)},
                      {"frames", layer.frames},
                      {"past_share", past / static_cast<double>(kTemporalOne)},
                      {"gate", layer.gate},
                      {"sigma", layer.noise},
                      {"tensor_bytes", layer.tensor_bytes}});
  }
  return {{"memory_bytes", bytes}, {"layers", layers}};
}

}  // namespace octet::sections
