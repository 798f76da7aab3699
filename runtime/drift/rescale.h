// The numbers of a layer for other scales of its tensors, computed from those in the blob.
#ifndef OCTET_DRIFT_RESCALE_H_
#define OCTET_DRIFT_RESCALE_H_

#include "runtime/drift/section.h"
#include "runtime/kernels/operator.h"

namespace octet {
namespace drift {

// scale * 2^(steps / 8), in float, rounded twice.
float TimesPowerFloat(float scale, int32_t steps);

// Bytes of a layer's channels and tables, each rounded up to 64.
uint64_t DataBytes(const blob::LayerRecord& layer);

// Where a layer's own copy goes.
struct Place {
  uint8_t* base;  // what its DataRefs count from, 64-byte aligned
  uint32_t data;  // first free byte from there, multiple of 64: DataBytes() of them
  blob::LayerRecord* record;
  const blob::TensorRecord* tensors;  // with the new scales
};

// from: the layer in the blob, accepted by its check. steps: by how many eighths of an octave each
// group's scale moves. docs/drift.md: the only float is in scales and in tables of functions.
// False: a factor grows beyond what the format holds.
bool Rescale(const LayerView& from, const blob::DriftLayer& entry, const Section& section,
             const int8_t* steps, const Place& place);

}  // namespace drift
}  // namespace octet

#endif  // OCTET_DRIFT_RESCALE_H_
