// Blobs with temporal filters.
#ifndef OCTET_TESTS_RUNTIME_TEMPORAL_TEMPORAL_FIXTURE_H_
#define OCTET_TESTS_RUNTIME_TEMPORAL_TEMPORAL_FIXTURE_H_

#include <cstring>
#include <vector>

#include "octet/temporal.h"
#include "runtime/format/temporal_record.h"
#include "tests/support/blob_builder.h"

namespace octet::test {

constexpr uint32_t kElements = 23 * 13;  // a block and a tail

// Of layer 0 in plan 0: the mean of two frames, never cut.
inline blob::TemporalLayerRecord SomeFilter() {
  blob::TemporalLayerRecord record{};
  record.bytes = kElements;
  record.frames = 2;
  record.cut = blob::kNone;
  record.noise = 0.25f;
  record.weights[0] = 16384;
  record.gate = 255;
  return record;
}

inline std::vector<uint8_t> SectionOf(const std::vector<blob::TemporalLayerRecord>& layers) {
  blob::TemporalRecord head{};
  head.record_bytes = head.layers_offset = sizeof(head);
  head.layer_count = static_cast<uint32_t>(layers.size());
  std::vector<uint8_t> section(sizeof(head) + layers.size() * sizeof(layers[0]));
  std::memcpy(section.data(), &head, sizeof(head));
  if (!layers.empty()) {
    std::memcpy(section.data() + sizeof(head), layers.data(), layers.size() * sizeof(layers[0]));
  }
  return section;
}

// x -> m -> y, in plans 0 and 1 in int8 (real = scale * q), in plan 2 in FP16.
inline Blob MakeFiltered(const std::vector<std::vector<uint8_t>>& sections, float scale = 1) {
  BlobBuilder b;
  const BlobBuilder::Dims dims = {1, 1, 23, 13};
  std::vector<int8_t> same(256);
  for (int q = -128; q < 128; ++q) same[static_cast<size_t>(q + 128)] = static_cast<int8_t>(q);
  for (int plan = 0; plan < 3; ++plan) {
    if (plan == 1) b.AddPlan("same", blob::Precision::kInt8);
    if (plan == 2) b.AddPlan("fp16", blob::Precision::kFp16);
    const auto type = plan == 2 ? blob::ElementType::kFp16 : blob::ElementType::kInt8;
    const uint32_t x = b.AddInput("x", dims, type, scale, 0);
    const uint32_t m = b.AddTensor(dims, type, scale, 0, "m"),
                   y = b.AddTensor(dims, type, scale, 0, "y");
    for (const auto& [from, to] : {std::pair{x, m}, std::pair{m, y}}) {
      blob::LayerRecord& layer = b.AddLayer(blob::Op::kUnary, {from}, to);
      if (plan == 2) {
        BlobBuilder::Params<blob::UnaryParams>(layer).function = blob::Function::kNeg;
      } else {
        layer.table = b.AddTable(same);
      }
    }
    b.AddOutput("y", y);
  }
  for (const auto& section : sections) b.AddSection(blob::SectionKind::kTemporal, section);
  return b.Build();
}

}  // namespace octet::test

#endif  // OCTET_TESTS_RUNTIME_TEMPORAL_TEMPORAL_FIXTURE_H_
