#include "runtime/engine/state.h"

#include <string.h>

#include "runtime/core/round_up.h"
#include "runtime/engine/bands.h"
#include "runtime/engine/selection.h"
#include "runtime/engine/session.h"

namespace octet {
namespace {

// A constant: a program without features has no code of what lies behind the question.
FeatureBlock* BlockOf(const Session& session) {
  return kSelectsFeatures ? session.features : nullptr;
}

template <typename Act>
void EachFeature(const FeatureBlock& block, Act act) {
  for (uint32_t i = 0; i < kFeatureCount; ++i) {
    if ((block.features & kFeatureBits[i]) != 0) act(*FeatureAt(i), block.memory[i]);
  }
}

void Reach(Session* session, uint32_t layer) {
  EachFeature(*session->features, [=](const Feature& feature, const FeatureMemory& memory) {
    if (feature.reached == nullptr) return;
    if (session->aside_from == 0 || feature.in_runs_aside) feature.reached(session, memory, layer);
  });
}

}  // namespace

const Feature* FeatureAt(uint32_t number) {
  switch (number) {
#define OCTET_FEATURE(word, Name, bit)                                \
  case k##Name##Number:                                               \
    if constexpr (IsSelectedFeature(#word)) return &k##Name##Feature; \
    break;
#include "runtime/engine/features.inc"
#undef OCTET_FEATURE
  }
  return nullptr;
}

uint32_t FeaturesOf(const BlobView& view, uint32_t plan_mask) {
  return (plan_mask & ~kPlanBits) |
         (view.model->state_count != 0 ? kFeatureBits[kStatesNumber] : 0);
}

Status MeasureFeatures(const BlobView& view, uint32_t plan_mask, FeatureSizes* sizes) {
  memset(sizes, 0, sizeof(*sizes));
  const uint32_t features = FeaturesOf(view, plan_mask);
  uint32_t unknown = features;
  for (uint32_t i = 0; i < kFeatureCount; ++i) {
    if ((features & kFeatureBits[i]) == 0) continue;
    unknown &= ~kFeatureBits[i];
    const Feature* feature = FeatureAt(i);
    if (feature == nullptr) return Status{Code::kOperatorUnavailable, 0};
    FeatureBytes& of = sizes->of[i];
    const Status status = feature->measure(view, PlansOf(view, plan_mask), &of);
    if (!IsOk(status)) return status;
    of = FeatureBytes{RoundUp64(of.head), RoundUp64(of.body), RoundUp64(of.rest)};
    sizes->heads += of.head;
    sizes->state += of.head + of.body;
    sizes->bytes += of.head + of.body + of.rest;
  }
  if (unknown != 0) return Status{Code::kInvalidArgument, 0};
  if (features != 0) {
    sizes->bytes += RoundUp64(sizeof(FeatureBlock)) + sizes->heads;
  }
  return Ok();
}

FeatureBlock* MakeFeatures(const BlobView& view, uint32_t plan_mask, const FeatureSizes& sizes,
                           uint8_t* memory) {
  if (!kSelectsFeatures || sizes.bytes == 0) return nullptr;
  memset(memory, 0, (size_t)sizes.bytes);
  FeatureBlock* block = reinterpret_cast<FeatureBlock*>(memory);
  block->features = FeaturesOf(view, plan_mask);
  block->state = memory + RoundUp64(sizeof(FeatureBlock));
  block->head_bytes = (size_t)sizes.heads;
  block->state_bytes = (size_t)sizes.state;
  block->arena_bytes = (size_t)sizes.bytes;
  block->saved = block->state + block->state_bytes;
  uint8_t *head = block->state, *body = head + block->head_bytes,
          *rest = block->saved + block->head_bytes;
  for (uint32_t i = 0; i < kFeatureCount; ++i) {
    if ((block->features & kFeatureBits[i]) == 0) continue;
    block->memory[i] = FeatureMemory{head, body, rest};
    FeatureAt(i)->make(view, block->memory[i]);
    head += sizes.of[i].head;
    body += sizes.of[i].body;
    rest += sizes.of[i].rest;
  }
  return block;
}

void BindFeatures(Session* session) {
  if (kSelectsBands && RunsInBands(*session)) MakeBands(session, kBandLimits);
  const FeatureBlock* block = BlockOf(*session);
  if (block == nullptr) return;
  EachFeature(*block, [session](const Feature& feature, const FeatureMemory& memory) {
    if (feature.bound != nullptr) feature.bound(session, memory);
  });
}

bool RestoreState(Session* session) {
  FeatureBlock& block = *session->features;
  block.ran = 0;
  memcpy(block.state, block.saved, block.head_bytes);
  bool rebind = false;
  EachFeature(block, [&](const Feature& feature, const FeatureMemory& memory) {
    if (feature.restored != nullptr) rebind |= feature.restored(session->blob, memory);
  });
  return rebind;
}

void CancelFrame(Session* session) {
  FeatureBlock* block = BlockOf(*session);
  if (block == nullptr || block->ran == 0) return;
  if (session->aside_from != 0) {
    block->ran = 0;
  } else if (RestoreState(session)) {
    SelectPlan(session, session->plan);
  }
}

void ResetState(Session* session) {
  const FeatureBlock* block = BlockOf(*session);
  if (block == nullptr) return;
  CancelFrame(session);
  EachFeature(*block, [session](const Feature& feature, const FeatureMemory& memory) {
    if (feature.reset != nullptr) feature.reset(session, memory);
  });
}

uint32_t RunTogether(Session* session, uint32_t layer) {
  return kSelectsBands && session->ticks == nullptr ? RunBands(session, layer) : 0;
}

void BeforeLayer(Session* session, uint32_t layer) {
  FeatureBlock* block = BlockOf(*session);
  if (block == nullptr || layer != 0) return;
  CancelFrame(session);
  if (session->aside_from == 0) memcpy(block->saved, block->state, block->head_bytes);
  Reach(session, 0);
}

void AfterLayer(Session* session, uint32_t layer) {
  FeatureBlock* block = BlockOf(*session);
  if (block == nullptr) return;
  if (layer != block->ran) return CancelFrame(session);
  Reach(session, layer + 1);
  block->ran = layer + 1 == CurrentPlan(*session).layer_count ? 0 : layer + 1;
}

}  // namespace octet
