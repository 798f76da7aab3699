// The drift section of a blob, checked: whose scales may move together, and which layers follow.
#ifndef OCTET_DRIFT_SECTION_H_
#define OCTET_DRIFT_SECTION_H_

#include "runtime/core/status.h"
#include "runtime/format/drift_record.h"
#include "runtime/format/view.h"

namespace octet {
namespace drift {

struct Section {
  const blob::DriftRecord* record;
  const blob::DriftGroup* groups;
  const blob::DriftLayer* layers;
  const uint16_t* group_of;  // by tensor of the plan
  const blob::DriftChannel* channels;
  PlanView plan, observe;
};

// Every rule of docs/drift.md. kInvalidArgument: the blob has no such section. The blob's plans are
// validated, all of them.
Status ViewSection(const BlobView& blob, Section* section);

// By how many eighths of an octave a tensor's scale moves where its group moves by `steps`.
static inline int32_t StepsOf(const Section& section, const int8_t* steps, uint32_t tensor) {
  const uint16_t group = section.group_of[tensor];
  if (group == blob::kNoDriftGroup) return 0;
  const auto moved = int32_t{steps[group & ~blob::kGrowsOnly]};
  return moved < 0 && (group & blob::kGrowsOnly) != 0 ? 0 : moved;
}

// May this layer's numbers be computed anew from the scales of its tensors?
bool CanRescale(const blob::LayerRecord& layer);
// Does this int8 layer hand on what it reads at the scale it has, whatever that is?
bool KeepsScale(const blob::LayerRecord& layer, const blob::TensorRecord& output);

}  // namespace drift
}  // namespace octet

#endif  // OCTET_DRIFT_SECTION_H_
