// What kernels keep of layers from bind on (kernels/keeping.inc), in the arena. First where each
// plan begins, uint64 [kMaxPlans], written for plans that are bound. A plan has the offsets of its
// layers, uint64 [layers], 0 for a layer that keeps nothing, and then what they lead to. Each part
// is 64-byte aligned, offsets count from the first byte. Where no layer keeps anything there is
// nothing.
#ifndef OCTET_ENGINE_KEPT_H_
#define OCTET_ENGINE_KEPT_H_

#include "runtime/core/round_up.h"
#include "runtime/engine/session.h"

namespace octet {

// Bytes for the plans of the mask, a multiple of 64.
uint64_t KeptBytes(const BlobView& blob, uint32_t plan_mask, Isa isa);
// Writes them, where there are any, from the plans' weights. scratch: a thread's.
void KeepLayers(const BlobView& blob, uint32_t plan_mask, Isa isa, uint8_t* scratch, uint8_t* kept);

// Where they lie, if anywhere: in front of the bound layers.
constexpr uint64_t kKeptOffset = RoundUp64(sizeof(Session));

// Of a layer of the current plan.
static inline const uint8_t* KeptOf(const Session& session, const BoundLayer& layer) {
  if (!kKernelsKeep) return nullptr;
  const uint8_t* const kept = reinterpret_cast<const uint8_t*>(&session) + kKeptOffset;
  if (kept == reinterpret_cast<const uint8_t*>(session.layers)) return nullptr;
  const uint64_t* plans = reinterpret_cast<const uint64_t*>(kept);
  const uint64_t* offsets = reinterpret_cast<const uint64_t*>(kept + plans[session.plan]);
  const uint64_t offset = offsets[&layer - session.layers];
  return offset == 0 ? nullptr : kept + offset;
}

}  // namespace octet

#endif  // OCTET_ENGINE_KEPT_H_
