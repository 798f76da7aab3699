#include "runtime/engine/kept.h"

#include "runtime/engine/selection.h"

namespace octet {
namespace {

// Whether a level that the program links keeps something.
constexpr bool kAnythingIsKept = false
#define OCTET_SCRATCH(precision, word, isa, Bytes)
#define OCTET_KEEPING_SCRATCH(precision, word, isa, Bytes, Kept) || IsSelectedLevel(#word)
#include "runtime/kernels/conv/scratch.inc"
#undef OCTET_SCRATCH
    ;  // NOLINT

constexpr uint64_t kHeadBytes = RoundUp64(blob::kMaxPlans * sizeof(uint64_t));

// The end of what is kept. kept: where it is written, or nullptr to measure it.
uint64_t KeepPlans(const BlobView& blob, uint32_t plan_mask, Isa isa, uint8_t* scratch,
                   uint8_t* kept) {
  uint64_t end = kHeadBytes;
  bool any = false;
  for (uint32_t left = plan_mask; left != 0; left &= left - 1) {
    const uint32_t p = (uint32_t)__builtin_ctz(left);
    PlanView plan;
    ViewPlan(blob, p, &plan);  // validated
    const uint32_t layers = plan.header->layer_count;
    uint64_t* offsets = nullptr;
    if (kept != nullptr) {
      reinterpret_cast<uint64_t*>(kept)[p] = end;
      offsets = reinterpret_cast<uint64_t*>(kept + end);
    }
    end += RoundUp64(layers * sizeof(uint64_t));
    for (uint32_t k = 0; k < layers; ++k) {
      const LayerView view = MakeLayerView(blob, plan, k);
      const uint64_t bytes = LayerKeptBytes(view, isa);
      if (offsets != nullptr) {
        offsets[k] = bytes == 0 ? 0 : end;
        if (bytes != 0) KeepLayer(view, isa, scratch, kept + end);
      }
      any = any || bytes != 0;
      end += RoundUp64(bytes);
    }
  }
  return any ? end : 0;
}

}  // namespace

uint64_t KeptBytes(const BlobView& blob, uint32_t plan_mask, Isa isa) {
  if constexpr (!kAnythingIsKept) return 0;
  return KeepPlans(blob, plan_mask, isa, nullptr, nullptr);
}

void KeepLayers(const BlobView& blob, uint32_t plan_mask, Isa isa, uint8_t* scratch,
                uint8_t* kept) {
  if constexpr (kAnythingIsKept) KeepPlans(blob, plan_mask, isa, scratch, kept);
}

}  // namespace octet
