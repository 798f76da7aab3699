// Content of SectionKind::kTemporal; docs/temporal.md, "In the blob".
#ifndef OCTET_FORMAT_TEMPORAL_RECORD_H_
#define OCTET_FORMAT_TEMPORAL_RECORD_H_

#include <stdint.h>

namespace octet {
namespace blob {

constexpr uint32_t kMostTemporalLayers = 16;
constexpr uint32_t kMostTemporalFrames = 10;  // a filter reaches over, the present one included
// Weights are multiples of 2^-15: a sum of products with bytes stays below 2^23, and the smallest
// share that can change a byte (1/510) is 64 of them.
constexpr uint32_t kTemporalOneLog2 = 15, kTemporalOne = 1u << kTemporalOneLog2;
constexpr uint32_t kMostTemporalWeight = kTemporalOne - 1;  // of a frame: 16 bits with a sign
constexpr uint32_t kMostTemporalGate = 255;                 // steps: lets everything pass

struct TemporalRecord {  // 16 bytes, then layer_count TemporalLayerRecords at layers_offset
  uint32_t record_bytes;
  uint32_t layer_count;
  uint32_t layers_offset;
  uint32_t reserved;
};
static_assert(sizeof(TemporalRecord) == 16, "TemporalRecord layout");

// One filtered tensor: what a layer of a plan writes, in int8.
struct TemporalLayerRecord {  // 48 bytes
  uint32_t plan, layer;
  uint32_t bytes;   // of the tensor
  uint32_t frames;  // 2 to kMostTemporalFrames
  uint32_t cut;     // mean change of a byte from frame to frame, in 1/256 step, that begins anew
  float noise;      // of the tensor in conversion, RMS of the error over that of the signal
  // Of the frames before, newest first; the present one has what is left of kTemporalOne.
  uint16_t weights[kMostTemporalFrames - 1];
  uint16_t gate;  // a value further than so many steps from the present one counts as that
  uint16_t reserved[2];
};
static_assert(sizeof(TemporalLayerRecord) == 48, "TemporalLayerRecord layout");

}  // namespace blob
}  // namespace octet

#endif  // OCTET_FORMAT_TEMPORAL_RECORD_H_
