// The guard in a session: its state, and the probes, which are measurements.
#include "octet/guard.h"
#include "runtime/engine/session.h"
#include "runtime/guard/sound.h"

namespace octet {
namespace guard {
namespace {

struct Head {
  octet_guard guard;
  octet_guard_budget budget;
};

octet_probes* ProbesIn(const FeatureMemory& memory) {
  return reinterpret_cast<octet_probes*>(memory.rest);
}

Status Measure(const BlobView&, uint32_t, FeatureBytes* bytes) {
  *bytes = FeatureBytes{sizeof(Head), 0, sizeof(octet_probes)};
  return Ok();
}

// Of probes that break a rule there are none: octet_probes_init tells.
void Make(const BlobView& blob, const FeatureMemory& memory) {
  octet_probes_init(ProbesIn(memory), blob.base, blob.header->file_bytes);
}

void Reached(Session* session, const FeatureMemory& memory, uint32_t layer) {
  octet_probes_take(ProbesIn(memory), reinterpret_cast<octet_session*>(session), layer, 0);
}

bool IsSoundIn(const FeatureMemory&, const uint8_t* head) {
  return IsSound(reinterpret_cast<const Head*>(head)->guard);
}

}  // namespace
}  // namespace guard

static_assert(OCTET_WITH_GUARD == kFeatureBits[kGuardNumber], "the bit of features.inc");

const Feature kGuardFeature = {guard::Measure,   guard::Make, nullptr, guard::Reached,
                               guard::IsSoundIn, nullptr,     nullptr, false};

}  // namespace octet

octet_status octet_guard_bound(const octet_session* session, octet_guard** guard,
                               octet_guard_budget** budget, octet_probes** probes) {
  const auto& s = *reinterpret_cast<const octet::Session*>(session);
  const octet::FeatureMemory memory = MemoryOf(s.features, octet::kGuardNumber);
  auto* head = reinterpret_cast<octet::guard::Head*>(memory.head);
  if (head == nullptr || guard == nullptr || budget == nullptr || probes == nullptr) {
    return {OCTET_INVALID_ARGUMENT, 0};
  }
  *guard = &head->guard;
  *budget = &head->budget;
  *probes = octet::guard::ProbesIn(memory);
  return {OCTET_OK, 0};
}
