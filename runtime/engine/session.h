// A bound model: everything lives in the caller's arena, in this order, each part 64-byte aligned:
//   session | what kernels keep of each plan (kept.h) | bound layers of the current plan | input
//   tables | features, state.h first | scratch of each thread | tensors
// and room in each other part for the largest of the plans bound.
#ifndef OCTET_ENGINE_SESSION_H_
#define OCTET_ENGINE_SESSION_H_

#include "octet/octet.h"
#include "runtime/engine/operators.h"
#include "runtime/engine/state.h"

namespace octet {

constexpr uint32_t kMaxThreads = 256;
constexpr uint32_t kInputTableEntries =
    3 * 256;  // uint16 each, for every input that takes pictures

// What run needs of a layer.
struct BoundLayer {
  LayerView view;
  RunLayerFn run;
  union {
    uint64_t ticks;  // of the last run
    // Of a session without a clock (engine/bands.h).
    struct {
      uint32_t place;          // of its band, if the layer is of a group
      uint16_t layers, steps;  // of the group that begins here; 0: none
    } band;
  };
};
static_assert(sizeof(BoundLayer) <= 128, "at most 128 bytes of records a layer");

struct Session {
  BlobView blob;
  KernelTable kernels;
  octet_pool pool;  // run == nullptr: one thread
  uint64_t (*ticks)(void);
  int (*before_layer)(void* context, uint32_t layer);
  void* before_layer_context;
  uint32_t thread_count;
  uint32_t plan;
  Isa isa;
  uint8_t plan_mask;  // of those bound
  uint8_t sign;
  bool half_sums;                     // RunContext
  uint8_t resident_plans;             // of plan_mask
  uint8_t aside_from;                 // a run aside goes on: the plan before it, + 1
  BoundLayer* layers;                 // of the current plan
  const blob::TensorRecord* records;  // of the current plan's tensors
  uint16_t* input_tables;             // [picture inputs][3][256], of the current plan
  FeatureBlock* features;             // nullptr: bound without
  uint8_t* scratch;
  size_t scratch_bytes;  // of one thread, multiple of 64
  uint8_t* tensors;
};

// Sizes of the parts of an arena.
struct ArenaLayout {
  uint64_t layers_offset, tables_offset, features_offset, scratch_offset, tensors_offset, bytes;
  uint64_t scratch_bytes;  // of one thread
};
// blob: the plans of the mask, one or more, are validated.
ArenaLayout LayOutArena(const BlobView& blob, uint32_t plan_mask, const FeatureSizes& features,
                        Isa isa, uint32_t threads);

// arena: LayOutArena().bytes, 64-byte aligned. plan_mask, features: those of the layout.
Session* Bind(const BlobView& blob, uint32_t plan_mask, const FeatureSizes& features,
              const ArenaLayout& layout, Isa isa, uint32_t threads, const octet_config& config,
              uint8_t* arena);
void SelectPlan(Session* session, uint32_t plan);
Code Run(Session* session);  // kOk or kCancelled
void RunLayer(Session* session, uint32_t layer);

// Index of a picture input's table among all of them.
uint32_t InputTableIndex(const BlobView& blob, uint32_t input);

// Of OCTET_VERIFY_NONE, _PORTABLE and _SHA_INSTRUCTIONS.
static inline Sha256BlocksFn HashOf(uint32_t verify_hashes) {
  if (verify_hashes == OCTET_VERIFY_NONE) return nullptr;
  return verify_hashes == OCTET_VERIFY_SHA_INSTRUCTIONS ? Sha256BlocksAccelerated()
                                                        : Sha256BlocksPortable;
}

static inline size_t InputElements(const blob::InputRecord& input) {
  size_t count = 1;
  for (uint32_t i = 0; i < input.rank; ++i) count *= input.dims[i];
  return count;
}

static inline const blob::PlanRecord& CurrentPlan(const Session& session) {
  return session.blob.plans[session.plan];
}

}  // namespace octet

#endif  // OCTET_ENGINE_SESSION_H_
