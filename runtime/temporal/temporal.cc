// The cache of the last frames, and when it is filled and forgotten.
#include "octet/temporal.h"

#include <string.h>

#include "octet/state.h"
#include "runtime/core/checked.h"
#include "runtime/core/round_up.h"
#include "runtime/core/sized.h"
#include "runtime/engine/session.h"
#include "runtime/format/blob.h"
#include "runtime/temporal/blend.h"
#include "runtime/temporal/from_blob.h"

using octet::blob::TemporalLayerRecord;

namespace {

constexpr uint64_t kAlignment = 64;  // of the cached tensors: a cache line

// What lives from frame to frame: of one filter, and of all. The tensors themselves are in the
// caches.
struct Ring {
  uint32_t newest, held;
  float scale;  // of the frames held, for it may move
  int32_t zero_point;
  uint32_t cuts;
};
struct Rings {
  uint32_t plan;  // of the frames held; kNone: of none yet
  Ring of[octet::blob::kMostTemporalLayers];
};

struct Filter {
  TemporalLayerRecord record;
  uint8_t* cache;  // tensors, as q + 128
};

uint64_t FrameBytes(const TemporalLayerRecord& record) {
  return octet::RoundUpTo(record.bytes, kAlignment);
}

}  // namespace

struct octet_temporal {
  uint32_t count;
  // Of a cache: 0, or 1 in a session. Then a frame is written beside those that the rings from
  // before it name, and a frame that is cancelled has changed nothing.
  uint32_t spare_frames;
  Rings* rings;
  Filter filters[octet::blob::kMostTemporalLayers];
};

static_assert(OCTET_TEMPORAL_FRAMES == octet::blob::kMostTemporalFrames, "the format's number");
static_assert(OCTET_WITH_TEMPORAL == octet::kFeatureBits[octet::kTemporalNumber],
              "the bit of features.inc");

namespace {

// At most 16 * 10 * 2^31: no sum wraps.
uint64_t CacheBytes(const octet::temporal::Filters& filters, uint32_t spare_frames) {
  uint64_t bytes = 0;
  for (uint32_t i = 0; i < filters.count; ++i) {
    const TemporalLayerRecord& layer = filters.layers[i];
    bytes += (layer.frames - 1 + spare_frames) * FrameBytes(layer);
  }
  return bytes;
}

// Without a session: the filters, their rings, the caches.
constexpr uint64_t kRingsOffset = octet::RoundUp64(sizeof(octet_temporal));
constexpr uint64_t kCachesOffset = kRingsOffset + octet::RoundUp64(sizeof(Rings));

// The filters of a blob and the memory they take; OCTET_MALFORMED where that is more than there can
// be.
octet_status Read(const void* blob, size_t blob_bytes, octet::temporal::Filters* filters,
                  size_t* bytes) {
  const octet_status status = octet::temporal::ReadFilters(blob, blob_bytes, filters);
  if (status.code != OCTET_OK) return status;
  const uint64_t needed = filters->count == 0 ? 0 : kCachesOffset + CacheBytes(*filters, 0);
  if (needed > SIZE_MAX / 2) return {OCTET_MALFORMED, 0};  // 32-bit boards
  *bytes = static_cast<size_t>(needed);
  return {OCTET_OK, 0};
}

// temporal: memory of all zeros.
void Start(const octet::temporal::Filters& filters, uint32_t spare_frames, Rings* rings,
           uint8_t* caches, octet_temporal* temporal) {
  temporal->count = filters.count;
  temporal->spare_frames = spare_frames;
  temporal->rings = rings;
  for (uint32_t i = 0; i < filters.count; ++i) {
    Filter& filter = temporal->filters[i];
    filter.record = filters.layers[i];
    filter.cache = caches;
    caches += (filter.record.frames - 1 + spare_frames) * FrameBytes(filter.record);
  }
  octet_temporal_reset(temporal);
}

void Run(const Filter& filter, uint32_t spare_frames, const octet_tensor_view& view, Ring* ring) {
  const TemporalLayerRecord& record = filter.record;
  auto* tensor = static_cast<uint8_t*>(view.data);
  const auto mask = static_cast<uint8_t>(view.sign ^ 0x80u);
  const uint32_t past_frames = record.frames - 1, places = past_frames + spare_frames;
  const size_t frame_bytes = static_cast<size_t>(FrameBytes(record));
  if (ring->scale != view.scale || ring->zero_point != view.zero_point) ring->held = 0;
  ring->scale = view.scale;
  ring->zero_point = view.zero_point;
  if (ring->held != 0 &&
      octet::temporal::MeanChange(tensor, filter.cache + ring->newest * frame_bytes, record.bytes,
                                  mask) >= record.cut) {
    ring->held = 0;
    ++ring->cuts;
  }
  octet::temporal::Past past = {};
  past.count = ring->held;
  for (uint32_t k = 0; k < past.count; ++k) {
    past.frames[k] = filter.cache + (ring->newest + places - k) % places * frame_bytes;
    past.weights[k] = (int16_t)record.weights[k];
  }
  ring->newest = (ring->newest + 1) % places;
  if (ring->held < past_frames) ++ring->held;
  octet::temporal::Blend(tensor, record.bytes, mask, past, record.gate,
                         filter.cache + ring->newest * frame_bytes);
}

// What the layer before this one gave.
void Apply(octet_temporal* temporal, octet_session* session, uint32_t layer) {
  const uint32_t plan = octet_plan(session);
  if (plan != temporal->rings->plan) {
    octet_temporal_reset(temporal);
    temporal->rings->plan = plan;
  }
  if (layer == 0) return;
  const uint32_t written = layer - 1;
  for (uint32_t i = 0; i < temporal->count; ++i) {
    const Filter& filter = temporal->filters[i];
    if (filter.record.plan != plan || filter.record.layer != written) continue;
    octet_tensor_view view = {};
    view.size = sizeof(view);
    if (octet_layer_view(session, written, &view).code != OCTET_OK ||
        view.element != OCTET_ELEMENT_INT8 || view.bytes != filter.record.bytes) {
      continue;
    }
    Run(filter, temporal->spare_frames, view, &temporal->rings->of[i]);
  }
}

// As a feature of a session. A section that breaks a rule is as none: octet_temporal_bound tells.
void ReadOrNone(const octet::BlobView& blob, octet::temporal::Filters* filters) {
  octet::temporal::ReadFilters(blob.base, blob.header->file_bytes, filters);
}

octet::Status Measure(const octet::BlobView& blob, uint32_t, octet::FeatureBytes* bytes) {
  octet::temporal::Filters filters;
  ReadOrNone(blob, &filters);
  *bytes = octet::FeatureBytes{sizeof(Rings), CacheBytes(filters, 1), sizeof(octet_temporal)};
  return octet::Ok();
}

octet_temporal* In(const octet::FeatureMemory& memory) {
  return reinterpret_cast<octet_temporal*>(memory.rest);
}

void Make(const octet::BlobView& blob, const octet::FeatureMemory& memory) {
  octet::temporal::Filters filters;
  ReadOrNone(blob, &filters);
  Start(filters, 1, reinterpret_cast<Rings*>(memory.head), memory.body, In(memory));
}

void Reached(octet::Session* session, const octet::FeatureMemory& memory, uint32_t layer) {
  Apply(In(memory), reinterpret_cast<octet_session*>(session), layer);
}

void Forget(octet::Session*, const octet::FeatureMemory& memory) {
  octet_temporal_reset(In(memory));
}

bool IsSound(const octet::FeatureMemory& memory, const uint8_t* head) {
  const octet_temporal& temporal = *In(memory);
  Rings rings;
  memcpy(&rings, head, sizeof(rings));
  for (uint32_t i = 0; i < temporal.count; ++i) {
    const uint32_t frames = temporal.filters[i].record.frames;
    if (rings.of[i].newest >= frames || rings.of[i].held >= frames) return false;
  }
  return true;
}

}  // namespace

namespace octet {

const Feature kTemporalFeature = {Measure, Make, nullptr, Reached, IsSound, nullptr, Forget, false};

}  // namespace octet

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
  auto* bytes = static_cast<uint8_t*>(memory);
  memset(memory, 0, kCachesOffset);
  Start(filters, 0, reinterpret_cast<Rings*>(bytes + kRingsOffset), bytes + kCachesOffset, state);
  *temporal = state;
  return {OCTET_OK, 0};
}

octet_status octet_temporal_bound(const octet_session* session, octet_temporal** temporal) {
  const auto& s = *reinterpret_cast<const octet::Session*>(session);
  octet_temporal* state = In(MemoryOf(s.features, octet::kTemporalNumber));
  if (temporal == nullptr || state == nullptr) return {OCTET_INVALID_ARGUMENT, 0};
  octet::temporal::Filters filters;
  const octet_status status =
      octet::temporal::ReadFilters(s.blob.base, s.blob.header->file_bytes, &filters);
  if (status.code != OCTET_OK) return status;
  if (state->count == 0) return {OCTET_INVALID_ARGUMENT, 0};
  *temporal = state;
  return {OCTET_OK, 0};
}

void octet_temporal_reset(octet_temporal* temporal) {
  temporal->rings->plan = octet::blob::kNone;
  for (uint32_t i = 0; i < temporal->count; ++i) temporal->rings->of[i].held = 0;
}

void octet_temporal_apply(octet_temporal* temporal, octet_session* session, uint32_t layer) {
  if (temporal->spare_frames == 0 && octet_is_aside(session) == 0) Apply(temporal, session, layer);
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
  own.held = temporal->rings->of[index].held;
  own.cuts = temporal->rings->of[index].cuts;
  octet::WriteSized(own, layer);
  return {OCTET_OK, 0};
}
