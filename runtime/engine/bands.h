// Layers that run together, a band of lines at a time, in place of one after the other. What a
// layer writes is read while it is in a cache, and a tensor that only layers of the group read
// needs room for a band alone. The bits are the same: a band is the layer's own kernel on fewer
// lines.
//
// Only where nobody looks between layers: one thread, no clock, no before_layer, no features.
#ifndef OCTET_ENGINE_BANDS_H_
#define OCTET_ENGINE_BANDS_H_

#include "runtime/engine/session.h"

namespace octet {

// What makes a group worth its bands. YOLO26n at 640 on a neoverse-n1 (bench/arm/cycles.py): bands
// of 200 KiB and of 320 take 0.2 % more cycles; groups of any weights, whose lines push bands out
// of the second cache, 1.2 %.
struct BandLimits {
  uint64_t band_bytes;      // of all bands of a group together
  uint64_t resident_bytes;  // of its tensors: fewer stay in the second cache anyway
  uint64_t weight_bytes;    // most, which every band reads again
  uint32_t width;           // of a line in pixels
};
constexpr BandLimits kBandLimits = {256 * 1024, 1024 * 1024, 64 * 1024, 16};

// Levels of other families have no cache, or one that is large.
static inline bool RunsInBands(const Session& session) {
  return IsaIsOneOf(session.isa, IsaLevelsOf(IsaFamily::kNeon)) && session.thread_count == 1 &&
         session.ticks == nullptr && session.before_layer == nullptr && session.features == nullptr;
}

// Of the current plan: which layers run together, and where their tensors then lie.
// BoundLayer::band of all layers is 0 before.
void MakeBands(Session* session, const BandLimits& limits);

// Runs the group that begins with this layer, and returns its number of layers; 0: none begins
// here.
uint32_t RunBands(Session* session, uint32_t layer);

}  // namespace octet

#endif  // OCTET_ENGINE_BANDS_H_
