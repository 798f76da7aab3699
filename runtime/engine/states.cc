// States of the model: tensors that a frame reads and the frame before it has written.
#include <string.h>

#include "runtime/core/round_up.h"
#include "runtime/engine/session.h"

namespace octet {
namespace {

// act(state, bytes, where it lies in the head).
template <typename Act>
uint64_t EachState(const BlobView& blob, Act act) {
  uint64_t at = 0;
  for (uint32_t i = 0; i < blob.model->state_count; ++i) {
    const uint64_t bytes = StateBytes(blob.states[i]);
    act(i, (size_t)bytes, (size_t)at);
    at += RoundUp64(bytes);
  }
  return at;
}

// head: the states. body: those that the last frame read. rest: runs aside are a sequence.
uint32_t& IsSequence(const FeatureMemory& memory) {
  return *reinterpret_cast<uint32_t*>(memory.rest);
}

Status Measure(const BlobView& blob, uint32_t, FeatureBytes* bytes) {
  const uint64_t of_all = EachState(blob, [](uint32_t, size_t, size_t) {});
  *bytes = FeatureBytes{of_all, of_all, sizeof(uint32_t)};
  return Ok();
}

void Start(const BlobView& blob, uint8_t* states) {
  EachState(blob, [&](uint32_t state, size_t bytes, size_t at) {
    const uint32_t initial = blob.states[state].initial;
    if (initial == blob::kNone) {
      memset(states + at, 0, bytes);
    } else {
      memcpy(states + at, blob.tables.data + initial, bytes);
    }
  });
}

void Make(const BlobView& blob, const FeatureMemory& memory) {
  Start(blob, memory.head);
  Start(blob, memory.body);
}

void Reached(Session* session, const FeatureMemory& memory, uint32_t layer) {
  const blob::PlanRecord& plan = CurrentPlan(*session);
  if (layer != 0 && layer != plan.layer_count) return;
  const bool repeats = session->aside_from != 0 && IsSequence(memory) == 0;
  if (layer != 0 && repeats) return;
  const uint8_t* from = repeats ? memory.body : memory.head;
  EachState(session->blob, [&](uint32_t state, size_t bytes, size_t at) {
    const StateTensors tensors = PlanStateTensors(session->blob, plan, state);
    const uint32_t tensor = layer == 0 ? tensors.read : tensors.written;
    uint8_t* data = session->tensors + session->records[tensor].arena_offset;
    if (layer == 0) {
      memcpy(data, from + at, bytes);
      return;
    }
    if (session->aside_from == 0) memcpy(memory.body + at, memory.head + at, bytes);
    memcpy(memory.head + at, data, bytes);
  });
}

bool Restored(const BlobView&, const FeatureMemory& memory) {
  IsSequence(memory) = 0;
  return false;
}

void Reset(Session* session, const FeatureMemory& memory) {
  Start(session->blob, memory.head);
  IsSequence(memory) = session->aside_from != 0 ? 1 : 0;
  if (session->aside_from == 0) Start(session->blob, memory.body);
}

}  // namespace

const Feature kStatesFeature = {Measure, Make, nullptr, Reached, nullptr, Restored, Reset, true};

}  // namespace octet
