// Content of SectionKind::kDrift; docs/drift.md, "In the blob".
#ifndef OCTET_FORMAT_DRIFT_RECORD_H_
#define OCTET_FORMAT_DRIFT_RECORD_H_

#include <stdint.h>

#include "runtime/format/blob.h"

namespace octet {
namespace blob {

constexpr uint32_t kMostDriftGroups = 256;
constexpr uint16_t kNoDriftGroup = 0xFFFF;
// In the group of a tensor: its scale grows with the group's, but does not shrink below the blob's.
// For values in front of a function whose results alone are looked at.
constexpr uint16_t kGrowsOnly = 0x8000;

// Tensors of `plan` whose scales can be multiplied together, and the layers that change with them.
struct DriftRecord {  // 48 bytes
  uint32_t record_bytes;
  uint32_t plan;                            // int8
  uint32_t observe_plan;                    // FP16: where ranges are looked at
  uint32_t group_count, groups_offset;      // DriftGroup[], 1 to kMostDriftGroups
  uint32_t layer_count, layers_offset;      // DriftLayer[], by rising layer
  uint32_t tensor_count, tensors_offset;    // uint16 group of every tensor of the plan
  uint32_t channel_count, channels_offset;  // DriftChannel[]
  uint32_t reserved;
};
static_assert(sizeof(DriftRecord) == 48, "DriftRecord layout");

// Peak: the largest |value| of a sample, as log2 in steps of 1/256 (drift/log2.h).
struct DriftGroup {  // 16 bytes
  uint32_t tensor;   // of observe_plan, that stands for the group
  int32_t peak;      // mean over calibration
  uint32_t spread;   // standard deviation over calibration
  uint32_t reserved;
};
static_assert(sizeof(DriftGroup) == 16, "DriftGroup layout");

// A layer whose numbers follow from the scales of its tensors.
struct DriftLayer {  // 24 bytes
  uint32_t layer;    // of `plan`
  // What the clamp or the table it ends with computes; kIdentity: neither.
  Function function;
  // 1: the values before a convolution's table grow with those behind it (Silu and its kin); else
  // they keep their scale.
  uint8_t follows;
  uint8_t reserved[2];
  float alpha, beta;
  float table_scale;  // of the values that a convolution's table maps; 0 without one
  // Where channels have scales of their own, behind a convolution and in front of tables by
  // channel: as many DriftChannel from here on as there are channels; kNone otherwise.
  uint32_t first_channel;
};
static_assert(sizeof(DriftLayer) == 24, "DriftLayer layout");

struct DriftChannel {  // 8 bytes
  float scale;
  int8_t zero_point;
  uint8_t reserved[3];
};
static_assert(sizeof(DriftChannel) == 8, "DriftChannel layout");

}  // namespace blob
}  // namespace octet

#endif  // OCTET_FORMAT_DRIFT_RECORD_H_
