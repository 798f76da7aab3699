// The state of a session through the C API: octet/state.h.
#include "octet/state.h"

#include <string.h>

#include "runtime/core/bytes.h"
#include "runtime/core/sized.h"
#include "runtime/engine/c_api.h"
#include "runtime/engine/session.h"

using octet::Code;
using octet::FeatureBlock;
using octet::Session;
using octet::SessionOf;
using octet::ToC;

namespace {

// In front of the block in a copy: whose it is.
struct Copy {
  uint8_t digest[octet::kSha256Bytes];  // of the blob's header
  uint32_t features;                    // bits of plan_mask
  uint32_t pointer_bytes;
  uint64_t state_bytes;
};
static_assert(sizeof(Copy) == 48, "Copy layout");

Copy CopyOf(const Session& session) {
  Copy copy = {};
  memcpy(copy.digest, session.blob.header->sha256, sizeof(copy.digest));
  copy.features = session.features->features;
  copy.pointer_bytes = sizeof(void*);
  copy.state_bytes = session.features->state_bytes;
  return copy;
}

size_t BytesOf(const FeatureBlock* block) {
  return block == nullptr ? 0 : sizeof(Copy) + block->state_bytes;
}

bool AreSound(const FeatureBlock& block, const uint8_t* heads) {
  for (uint32_t i = 0; i < octet::kFeatureCount; ++i) {
    if ((block.features & octet::kFeatureBits[i]) == 0) continue;
    const octet::Feature& feature = *octet::FeatureAt(i);
    const uint8_t* head = heads + (block.memory[i].head - block.state);
    if (feature.is_sound != nullptr && !feature.is_sound(block.memory[i], head)) return false;
  }
  return true;
}

}  // namespace

octet_status octet_state_describe(const octet_session* session, octet_state_info* info) {
  if (!octet::IsSized(info)) return ToC(Code::kInvalidArgument);
  const FeatureBlock* block = SessionOf(session)->features;
  octet_state_info own = {};
  own.bytes = BytesOf(block);
  if (block != nullptr) {
    own.frame_bytes = block->head_bytes;
    own.arena_bytes = block->arena_bytes;
  }
  octet::WriteSized(own, info);
  return ToC(Code::kOk);
}

octet_status octet_state_get(const octet_session* session, void* memory, size_t bytes) {
  const Session& s = *SessionOf(session);
  if (bytes != BytesOf(s.features)) return ToC(Code::kInvalidArgument);
  if (bytes == 0) return ToC(Code::kOk);
  const FeatureBlock& block = *s.features;
  const Copy copy = CopyOf(s);
  auto* to = static_cast<uint8_t*>(memory);
  memcpy(to, &copy, sizeof(copy));
  memcpy(to + sizeof(copy), block.state, block.state_bytes);
  if (s.aside_from != 0 || block.ran != 0) {
    memcpy(to + sizeof(copy), block.saved, block.head_bytes);
  }
  return ToC(Code::kOk);
}

octet_status octet_state_set(octet_session* session, const void* memory, size_t bytes) {
  Session& s = *SessionOf(session);
  if (bytes != BytesOf(s.features) || s.aside_from != 0) return ToC(Code::kInvalidArgument);
  if (bytes == 0) return ToC(Code::kOk);
  octet::CancelFrame(&s);
  FeatureBlock& block = *s.features;
  const Copy own = CopyOf(s);
  const auto* from = static_cast<const uint8_t*>(memory);
  if (!octet::SameBytes(reinterpret_cast<const uint8_t*>(&own), from, sizeof(own))) {
    return ToC(Code::kInvalidArgument);
  }
  memcpy(block.saved, from + sizeof(own), block.head_bytes);  // aligned, for it to be looked at
  if (!AreSound(block, block.saved)) return ToC(Code::kCorrupt);
  memcpy(block.state, from + sizeof(own), block.state_bytes);
  if (octet::RestoreState(&s)) octet::SelectPlan(&s, s.plan);
  return ToC(Code::kOk);
}

octet_status octet_reset(octet_session* session) {
  octet::ResetState(SessionOf(session));
  return ToC(Code::kOk);
}

uint32_t octet_state_count(const octet_session* session) {
  return SessionOf(session)->blob.model->state_count;
}

octet_status octet_state_tensor(const octet_session* session, uint32_t index,
                                octet_tensor_info* info) {
  const octet::BlobView& blob = SessionOf(session)->blob;
  if (index >= blob.model->state_count || !octet::IsSized(info)) {
    return ToC(Code::kInvalidArgument);
  }
  const octet::blob::StateRecord& state = blob.states[index];
  octet_tensor_info own = {};
  own.name = StringAt(blob, state.name);
  own.rank = state.rank;
  own.element_count = 1;
  for (uint32_t i = 0; i < state.rank; ++i) {
    own.dims[i] = state.dims[i];
    own.element_count *= state.dims[i];
  }
  octet::WriteSized(own, info);
  return ToC(Code::kOk);
}

octet_status octet_aside_begin(octet_session* session) {
  Session& s = *SessionOf(session);
  if (s.aside_from != 0) return ToC(Code::kInvalidArgument);
  octet::CancelFrame(&s);
  if (s.features != nullptr) {
    memcpy(s.features->saved, s.features->state, s.features->head_bytes);
  }
  s.aside_from = static_cast<uint8_t>(s.plan + 1);
  return ToC(Code::kOk);
}

octet_status octet_aside_end(octet_session* session) {
  Session& s = *SessionOf(session);
  if (s.aside_from == 0) return ToC(Code::kInvalidArgument);
  const uint32_t before = s.aside_from - 1u;
  s.aside_from = 0;
  const bool rebind = s.features != nullptr && octet::RestoreState(&s);
  if (rebind || s.plan != before) octet::SelectPlan(&s, before);
  return ToC(Code::kOk);
}

int octet_is_aside(const octet_session* session) {
  return SessionOf(session)->aside_from != 0 ? 1 : 0;
}
