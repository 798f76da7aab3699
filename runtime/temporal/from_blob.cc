#include "runtime/temporal/from_blob.h"

#include <string.h>

#include "runtime/core/checked.h"
#include "runtime/engine/c_api.h"
#include "runtime/format/view.h"

namespace octet {
namespace temporal {
namespace {

using blob::TemporalLayerRecord;
using blob::TemporalRecord;

// Of the record alone.
bool IsSound(const TemporalLayerRecord& record) {
  if (record.frames < 2 || record.frames > blob::kMostTemporalFrames) return false;
  uint32_t sum = 0;
  for (uint32_t k = 0; k + 1 < blob::kMostTemporalFrames; ++k) {
    if (k + 1 >= record.frames && record.weights[k] != 0) return false;
    if (record.weights[k] > blob::kMostTemporalWeight) return false;
    sum += record.weights[k];
  }
  return sum <= blob::kTemporalOne && record.gate >= 1 && record.gate <= blob::kMostTemporalGate &&
         record.cut >= 1 && IsFiniteFloat(record.noise);
}

// Does that layer write an int8 tensor of so many bytes?
bool FitsPlan(const BlobView& view, const TemporalLayerRecord& record) {
  if (record.plan >= view.model->plan_count) return false;
  PlanView plan;
  if (!IsOk(ViewPlan(view, record.plan, &plan))) return false;
  if (record.layer >= plan.header->layer_count) return false;
  const uint32_t output = plan.layers[record.layer].output;
  if (output >= plan.header->tensor_count) return false;
  const blob::TensorRecord& tensor = plan.tensors[output];
  return tensor.type == blob::ElementType::kInt8 && tensor.bytes == record.bytes &&
         record.bytes >= 1 && record.bytes <= kMaxTensorBytes;
}

}  // namespace

octet_status ReadFilters(const void* blob, size_t blob_bytes, Filters* filters) {
  memset(filters, 0, sizeof(*filters));
  BlobView view;
  const Status status = ViewBlob(blob, blob_bytes, &view);
  if (!IsOk(status)) return ToC(status);
  Bytes section;
  const Status found = FindSection(view, blob::SectionKind::kTemporal, &section);
  if (!IsOk(found) || section.data == nullptr) return ToC(found);
  const octet_status malformed = {OCTET_MALFORMED, section.offset};
  TemporalRecord record;
  if (section.bytes < sizeof(record)) return malformed;
  const uint8_t* bytes = section.data;
  memcpy(&record, bytes, sizeof(record));
  if (record.record_bytes < sizeof(record) || record.layer_count < 1 ||
      record.layer_count > blob::kMostTemporalLayers || record.layers_offset < sizeof(record) ||
      record.layers_offset % 4 != 0 ||
      !InRange(record.layers_offset, record.layer_count, sizeof(TemporalLayerRecord),
               section.bytes)) {
    return malformed;
  }
  for (uint32_t i = 0; i < record.layer_count; ++i) {
    const uint32_t offset = record.layers_offset + i * (uint32_t)sizeof(TemporalLayerRecord);
    TemporalLayerRecord& layer = filters->layers[i];
    memcpy(&layer, bytes + offset, sizeof(layer));
    bool sound = IsSound(layer) && FitsPlan(view, layer);
    for (uint32_t j = 0; j < i && sound; ++j) {  // a tensor is filtered once
      sound = layer.plan != filters->layers[j].plan || layer.layer != filters->layers[j].layer;
    }
    if (!sound) {
      memset(filters, 0, sizeof(*filters));
      return {OCTET_MALFORMED, section.offset + offset};
    }
  }
  filters->count = record.layer_count;
  return {OCTET_OK, 0};
}

}  // namespace temporal
}  // namespace octet
