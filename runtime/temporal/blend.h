// The filter itself, on bytes.
#ifndef OCTET_TEMPORAL_BLEND_H_
#define OCTET_TEMPORAL_BLEND_H_

#include <stddef.h>
#include <stdint.h>

#include "runtime/format/temporal_record.h"

namespace octet {
namespace temporal {

struct Past {
  const uint8_t* frames[blob::kMostTemporalFrames - 1];  // newest first
  int16_t weights[blob::kMostTemporalFrames - 1];  // not negative, together at most kTemporalOne
  uint32_t count;
};

// octet/temporal.h has the equation. tensor: the present frame, replaced by the result; byte ^ mask
// is q + 128, as which the past is kept. keep: gets the present frame; may be one of the past's,
// and overlaps nothing else.
void Blend(uint8_t* tensor, size_t bytes, uint8_t mask, const Past& past, uint32_t gate,
           uint8_t* keep);

// Mean change of a byte between two frames, in 1/256 step, from 256 bytes at even distances (or as
// many as there are). now: byte ^ mask is q + 128, as `before` is kept.
uint32_t MeanChange(const uint8_t* now, const uint8_t* before, size_t bytes, uint8_t mask);

}  // namespace temporal
}  // namespace octet

#endif  // OCTET_TEMPORAL_BLEND_H_
