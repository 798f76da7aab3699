#include "runtime/drift/feature.h"

#include <string.h>

#include "octet/drift.h"
#include "runtime/core/bytes.h"
#include "runtime/drift/log2.h"

namespace octet {
namespace drift {
namespace {

// Both plans of the section have to be bound, and so were validated.
Status Measure(const BlobView& blob, uint32_t plans, FeatureBytes* bytes) {
  Section section;
  const Status status = ViewSection(blob, &section);
  if (!IsOk(status)) return status;
  const uint32_t needs = 1u << section.record->plan | 1u << section.record->observe_plan;
  if ((plans & needs) != needs) return Status{Code::kInvalidArgument, 0};
  *bytes = FeatureBytes{sizeof(Rounds), 0, BankBytes(section)};
  return Ok();
}

void Make(const BlobView& blob, const FeatureMemory& memory) {
  Section section;
  ViewSection(blob, &section);  // measured
  MakeBank(section, memory.rest);
  StartRounds(section, reinterpret_cast<Rounds*>(memory.head));
}

void Bound(Session* session, const FeatureMemory& memory) {
  const Bank& bank = *reinterpret_cast<const Bank*>(memory.rest);
  if (!bank.moved || bank.section.record->plan != session->plan) return;
  session->records = bank.tensors;
  uint32_t listed = 0;
  for (uint32_t k = 0; k < CurrentPlan(*session).layer_count; ++k) {
    LayerView& view = session->layers[k].view;
    view = ViewOf(bank, k, view, &listed);
  }
}

bool AreSteps(const int8_t* steps, uint32_t group_count) {
  for (uint32_t g = 0; g < blob::kMostDriftGroups; ++g) {
    const int32_t most = g < group_count ? kMostSteps : 0;
    if (steps[g] < -most || steps[g] > most) return false;
  }
  return true;
}

bool IsSound(const FeatureMemory& memory, const uint8_t* head) {
  const Bank& bank = *reinterpret_cast<const Bank*>(memory.rest);
  Rounds rounds;
  memcpy(&rounds, head, sizeof(rounds));
  return rounds.group_count == bank.section.record->group_count &&
         rounds.role <= OCTET_DRIFT_JUDGE && rounds.scales <= OCTET_DRIFT_CANDIDATE &&
         IsConfig(rounds) && AreSteps(rounds.current, rounds.group_count) &&
         AreSteps(rounds.candidate, rounds.group_count);
}

bool Restored(const BlobView& blob, const FeatureMemory& memory) {
  Bank* bank = reinterpret_cast<Bank*>(memory.rest);
  const Rounds& rounds = *reinterpret_cast<const Rounds*>(memory.head);
  if (SameBytes(reinterpret_cast<const uint8_t*>(bank->steps),
                reinterpret_cast<const uint8_t*>(WantedSteps(rounds)), sizeof(bank->steps)))
    return false;
  FillAsWanted(blob, rounds, bank);
  return true;
}

}  // namespace

bool FillAsWanted(const BlobView& blob, const Rounds& rounds, Bank* bank) {
  const int8_t* steps = WantedSteps(rounds);
  memcpy(bank->steps, steps, sizeof(bank->steps));
  bool moves = false;
  for (uint32_t g = 0; g < rounds.group_count; ++g) moves = moves || steps[g] != 0;
  const bool runs = !moves || Fill(blob, steps, MakeLayerView, LayerViewCheck, bank);
  bank->moved = moves && runs;
  return runs;
}

}  // namespace drift

static_assert(OCTET_WITH_DRIFT == kFeatureBits[kDriftNumber], "the bit of features.inc");

const Feature kDriftFeature = {drift::Measure, drift::Make,     drift::Bound, nullptr,
                               drift::IsSound, drift::Restored, nullptr,      false};

}  // namespace octet
