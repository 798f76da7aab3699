// What a feature of a session is to the engine: memory in the arena, state that lives from frame to
// frame, and layers that run with other numbers than the blob's. The engine knows features by this
// interface alone; features.inc lists them.
#ifndef OCTET_ENGINE_FEATURE_H_
#define OCTET_ENGINE_FEATURE_H_

#include <stdint.h>

#include "runtime/core/status.h"
#include "runtime/format/view.h"

namespace octet {

struct Session;

enum FeatureNumber : uint32_t {
#define OCTET_FEATURE(word, Name, bit) k##Name##Number,
#include "runtime/engine/features.inc"
#undef OCTET_FEATURE
  kFeatureCount
};

// In the arena, each rounded up to 64. Head and body are state (engine/state.h).
struct FeatureBytes {
  uint64_t head;  // changed in place, during and between runs
  uint64_t body;  // a run writes only what the head from before it does not refer to
  uint64_t rest;  // no state: it follows from the blob and the head, or is of one run
};
// Null where the session was not bound with the feature. Zero before make.
struct FeatureMemory {
  uint8_t *head, *body, *rest;
};

struct Feature {
  // plans: those to be bound, which are validated.
  Status (*measure)(const BlobView& blob, uint32_t plans, FeatureBytes* bytes);
  // Of a blob that measure has accepted.
  void (*make)(const BlobView& blob, const FeatureMemory& memory);
  // The current plan was bound: replaces what session->layers and session->records say of it.
  // These five may be null.
  void (*bound)(Session* session, const FeatureMemory& memory);
  // In a frame: this layer is next, and what the one before it gave stands; layer_count: all did.
  void (*reached)(Session* session, const FeatureMemory& memory, uint32_t layer);
  // May this be its head? Of bytes from a caller.
  bool (*is_sound)(const FeatureMemory& memory, const uint8_t* head);
  // The head is another one. True: then the current plan has to be bound again.
  bool (*restored)(const BlobView& blob, const FeatureMemory& memory);
  // The next frame has nothing to do with those before it.
  void (*reset)(Session* session, const FeatureMemory& memory);
  // Is a run aside a frame to it too?
  bool in_runs_aside;
};

#define OCTET_FEATURE(word, Name, bit) extern const Feature k##Name##Feature;
#include "runtime/engine/features.inc"
#undef OCTET_FEATURE

constexpr uint32_t kFeatureBits[kFeatureCount] = {
#define OCTET_FEATURE(word, Name, bit) (uint32_t)1 << (bit),
#include "runtime/engine/features.inc"
#undef OCTET_FEATURE
};

// nullptr: this program leaves it out (selection.h).
const Feature* FeatureAt(uint32_t number);

}  // namespace octet

#endif  // OCTET_ENGINE_FEATURE_H_
