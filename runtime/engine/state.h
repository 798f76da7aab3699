// What a session keeps from frame to frame, in one block of the arena that features.inc declares:
//   heads of all features | bodies of all features        (the state) | copy of the heads
//
// A run changes heads in place, and of the bodies only what the heads from before it do not refer
// to. So the heads are the transaction:
//   snapshot   before the first layer: heads are copied
//   commit     behind the last layer: nothing is left to do
//   restore    a run was cancelled, or a run aside is over: the copy is copied back
// Each costs one memcpy of head_bytes. States of the model (states.cc) are a head and a body that
// are written behind the last layer alone.
#ifndef OCTET_ENGINE_STATE_H_
#define OCTET_ENGINE_STATE_H_

#include <stddef.h>

#include "octet/octet.h"
#include "runtime/engine/feature.h"

namespace octet {

struct FeatureSizes {
  FeatureBytes of[kFeatureCount];
  uint64_t heads, state, bytes;  // of all: heads, heads and bodies, everything; multiples of 64
};

// kOperatorUnavailable: a feature that this program leaves out. kInvalidArgument: a bit that is
// none. view: its plans of the mask are validated.
Status MeasureFeatures(const BlobView& view, uint32_t plan_mask, FeatureSizes* sizes);

// Bits of plan_mask: the features asked for, and those that the blob cannot run without.
uint32_t FeaturesOf(const BlobView& view, uint32_t plan_mask);

// In the arena, of a session with features.
struct FeatureBlock {
  FeatureMemory memory[kFeatureCount];
  uint8_t *state, *saved;
  size_t head_bytes, state_bytes, arena_bytes;
  uint32_t features;  // bits of plan_mask
  uint32_t ran;       // layers of a frame that is not over
};

// memory: sizes.bytes, 64-byte aligned. nullptr: the mask asks for none.
FeatureBlock* MakeFeatures(const BlobView& view, uint32_t plan_mask, const FeatureSizes& sizes,
                           uint8_t* memory);

// The plan that is current now: layers and tensors that features replace, or without features
// layers that run together.
void BindFeatures(Session* session);

// Runs the layers that run together from this one on (engine/bands.h), and returns their number; 0:
// none do. Here, because a program's selection decides whether it links them (engine/selection.h).
uint32_t RunTogether(Session* session, uint32_t layer);

// Around a layer's run. Layers that do not follow each other from the first on are no frame.
void BeforeLayer(Session* session, uint32_t layer);
void AfterLayer(Session* session, uint32_t layer);
// Ends a frame that is not over, as if it had not begun. Before whatever is done between frames.
// Aside too: what frames aside have left before it stays.
void CancelFrame(Session* session);
// The copy of the heads takes their place. True: the current plan has to be bound again.
bool RestoreState(Session* session);
// The next frame is the first of a sequence.
void ResetState(Session* session);

// Of a feature; null without it.
static inline FeatureMemory MemoryOf(const FeatureBlock* block, FeatureNumber number) {
  return block == nullptr ? FeatureMemory{nullptr, nullptr, nullptr} : block->memory[number];
}

}  // namespace octet

#endif  // OCTET_ENGINE_STATE_H_
