// The cache of the last frames, and when it is filled and forgotten.
#include "octet/temporal.h"

#include <string.h>

#include "runtime/core/checked.h"
#include "runtime/core/sized.h"
#include "runtime/format/blob.h"
#include "runtime/temporal/blend.h"
#include "runtime/temporal/from_blob.h"

using octet::blob::TemporalLayerRecord;

namespace {

constexpr uint64_t kAlignment = 64;  // of the cached tensors: a cache line

struct Filter {
  TemporalLayerRecord record;
  uint8_t* cache;  // frames - 1 tensors, as q + 128
  uint32_t newest, held;
  float scale;  // of the frames held, for drift moves it (octet/drift.h)
  int32_t zero_point;
  uint32_t cuts;
};

uint64_t SlotBytes(const TemporalLayerRecord& record) {
  return octet::RoundUpTo(record.bytes, kAlignment);
}

}  // namespace

struct octet_temporal {
  uint32_t count;
  uint32_t plan;  // of the frames held; kNone: of none yet
  Filter filters[octet::blob::kMostTemporalLayers];
};

static_assert(OCTET_TEMPORAL_FRAMES == octet::blob::kMostTemporalFrames, "the format's number");

namespace {

// The state, then the caches one after the other. At most 16 * 9 * 2^31: no sum wraps.
uint64_t BytesOf(const octet::temporal::Filters& filters) {
  uint64_t bytes = octet::RoundUpTo(sizeof(octet_temporal), kAlignment);
  for (uint32_t i = 0; i < filters.count; ++i) {
    bytes += (filters.layers[i].frames - 1) * SlotBytes(filters.layers[i]);
  }
  return bytes;
}

// The filters of a blob and the memory they take; OCTET_MALFORMED where that is more than there can
// be.
octet_status Read(const void* blob, size_t blob_bytes, octet::temporal::Filters* filters,
                  size_t* bytes) {
  const octet_status status = octet::temporal::ReadFilters(blob, blob_bytes, filters);
  if (status.code != OCTET_OK) return status;
  const uint64_t needed = filters->count == 0 ? 0 : BytesOf(*filters);
  if (needed > SIZE_MAX / 2) return {OCTET_MALFORMED, 0};  // 32-bit boards
  *bytes = static_cast<size_t>(needed);
  return {OCTET_OK, 0};
}

void Run(Filter* filter, const octet_tensor_view& view) {
  const TemporalLayerRecord& record = filter->record;
  auto* tensor = static_cast<uint8_t*>(view.data);
  const auto mask = static_cast<uint8_t>(view.sign ^ 0x80u);
  const uint32_t slots = record.frames - 1;
  const size_t slot_bytes = static_cast<size_t>(SlotBytes(record));
  if (filter->scale != view.scale || filter->zero_point != view.zero_point) filter->held = 0;
  filter->scale = view.scale;
  filter->zero_point = view.zero_point;
  if (filter->held != 0 &&
      octet::temporal::MeanChange(tensor, filter->cache + filter->newest * slot_bytes, record.bytes,
                                  mask) >= record.cut) {
    filter->held = 0;
    ++filter->cuts;
  }
  octet::temporal::Past past = {};
  past.count = filter->held;
  for (uint32_t k = 0; k < past.count; ++k) {
    past.frames[k] = filter->cache + (filter->newest + slots - k) % slots * slot_bytes;
    past.weights[k] = (int16_t)record.weights[k];
  }
  filter->newest = (filter->newest + 1) % slots;
  if (filter->held < slots) ++filter->held;
  octet::temporal::Blend(tensor, record.bytes, mask, past, record.gate,
                         filter->cache + filter->newest * slot_bytes);
}

}  // namespace

octet_status octet_temporal_bytes(const void* blob, size_t blob_bytes, size_t* bytes) {
  if (bytes == nullptr) return {OCTET_INVALID_ARGUMENT, 0};
  *bytes = 0;
  octet::temporal::Filters filters;
  return Read(blob, blob_bytes, &filters, bytes);
}

octet_status octet_temporal_init(void* memory, size_t memory_bytes, const void* blob,
                                 size_t blob_bytes, octet_temporal** temporal) {
  if (memory == nullptr || temporal == nullptr) return {OCTET_INVALID_ARGUMENT, 0};
  if ((uintptr_t)memory % kAlignment != 0) return {OCTET_MISALIGNED, 0};
  octet::temporal::Filters filters;
  size_t needed = 0;
  const octet_status status = Read(blob, blob_bytes, &filters, &needed);
  if (status.code != OCTET_OK) return status;
  if (filters.count == 0) return {OCTET_INVALID_ARGUMENT, 0};
  if (memory_bytes < needed) return {OCTET_ARENA_TOO_SMALL, 0};
  auto* state = static_cast<octet_temporal*>(memory);
  memset(state, 0, sizeof(*state));
  state->count = filters.count;
  auto* at = static_cast<uint8_t*>(memory) + octet::RoundUpTo(sizeof(*state), kAlignment);
  for (uint32_t i = 0; i < filters.count; ++i) {
    Filter& filter = state->filters[i];
    filter.record = filters.layers[i];
    filter.cache = at;
    at += (filter.record.frames - 1) * SlotBytes(filter.record);
  }
  octet_temporal_reset(state);
  *temporal = state;
  return {OCTET_OK, 0};
}

void octet_temporal_reset(octet_temporal* temporal) {
  temporal->plan = octet::blob::kNone;
  for (uint32_t i = 0; i < temporal->count; ++i) temporal->filters[i].held = 0;
}

void octet_temporal_apply(octet_temporal* temporal, octet_session* session, uint32_t layer) {
  const uint32_t plan = octet_plan(session);
  if (plan != temporal->plan) {
    octet_temporal_reset(temporal);
    temporal->plan = plan;
  }
  if (layer == 0) return;
  const uint32_t written = layer - 1;
  for (uint32_t i = 0; i < temporal->count; ++i) {
    Filter& filter = temporal->filters[i];
    if (filter.record.plan != plan || filter.record.layer != written) continue;
    octet_tensor_view view = {};
    view.size = sizeof(view);
    if (octet_layer_view(session, written, &view).code != OCTET_OK ||
        view.element != OCTET_ELEMENT_INT8 || view.bytes != filter.record.bytes) {
      continue;
    }
    Run(&filter, view);
  }
}

uint32_t octet_temporal_count(const octet_temporal* temporal) {
  return temporal->count;
}

octet_status octet_temporal_info(const octet_temporal* temporal, uint32_t index,
                                 octet_temporal_layer* layer) {
  if (index >= temporal->count || !octet::IsSized(layer)) return {OCTET_INVALID_ARGUMENT, 0};
  const Filter& filter = temporal->filters[index];
  octet_temporal_layer own = {};
  own.plan = filter.record.plan;
  own.layer = filter.record.layer;
  own.frames = filter.record.frames;
  for (uint32_t k = 0; k + 1 < OCTET_TEMPORAL_FRAMES; ++k) {
    own.weights[k] = filter.record.weights[k];
  }
  own.gate = filter.record.gate;
  own.cut = filter.record.cut;
  own.noise = filter.record.noise;
  own.tensor_bytes = filter.record.bytes;
  own.held = filter.held;
  own.cuts = filter.cuts;
  octet::WriteSized(own, layer);
  return {OCTET_OK, 0};
}
