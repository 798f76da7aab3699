// The working memory of the decoding calls and what lies in it.
#ifndef OCTET_ENGINE_DECODE_MEMORY_H_
#define OCTET_ENGINE_DECODE_MEMORY_H_

#include "runtime/decode/detect.h"
#include "runtime/decode/objects.h"
#include "runtime/engine/session.h"

namespace octet {

// Every output as floats, then the candidates, then room for the sums of one mask; each part
// 64-byte aligned. The sum lies below 2^31 (validate_decode.cc).
struct DecodeMemory {
  size_t output_offsets[kMaxOutputs];
  size_t candidates_offset;
  size_t sums_offset;
  size_t bytes;
};
DecodeMemory LayOutDecodeMemory(const BlobView& blob);

// Grid of the prototypes; 0 x 0 where there are no masks.
MaskGrid MaskGridOf(const BlobView& blob);

// Outputs as floats, and views of the section.
struct DecodeOutputs {
  const float* places[kMaxOutputs];
  DecodeInput in;
};

// Views of the parts of the memory, filled or not. False where the blob has another task, or the
// memory is null or not aligned to 64 bytes.
bool ViewOutputs(const Session& session, blob::Task task, const void* memory, DecodeOutputs* out);

// How a frame lies on the decoder's input.
Placement PlaceFrame(const Session& session, uint32_t frame_width, uint32_t frame_height);

}  // namespace octet

#endif  // OCTET_ENGINE_DECODE_MEMORY_H_
