// A frame into the tensor [1, H, W, C] of an image input: resize, colour, table, by the rule of
// runtime/image/frame.h. Shares divide the tensor's rows.
//
// No memory but the stack, where the vector versions keep strips: at most 16 KiB with all they
// call. Nothing outside the rows of the planes is read. destination: H * W * C elements, int8 codes
// (entries' low byte) or FP16; aligned to its elements.
#ifndef OCTET_KERNELS_FRAME_FRAME_H_
#define OCTET_KERNELS_FRAME_FRAME_H_

#include "runtime/image/frame.h"
#include "runtime/kernels/share.h"

namespace octet {

struct InputFrameArgs {
  FrameLayout layout;
  uint32_t height, width, channels;  // of the tensor; channels 1 or 3
  blob::ColourOrder colour;
  uint8_t letterbox_value;
  bool fp16;
  const uint16_t* entries;  // [channels][256], FillInputTable
  uint8_t* destination;
};
typedef void (*InputFrameFn)(const InputFrameArgs& args, Share share);

static inline InputFrameArgs MakeInputFrameArgs(const Frame& frame, const blob::InputRecord& input,
                                                const blob::TensorRecord& tensor,
                                                const uint16_t* entries, uint8_t* destination) {
  return InputFrameArgs{LayOutFrame(frame, tensor.dims[1], tensor.dims[2], input.resize),
                        tensor.dims[1],
                        tensor.dims[2],
                        tensor.dims[3],
                        input.colour,
                        input.letterbox_value,
                        tensor.type == blob::ElementType::kFp16,
                        entries,
                        destination};
}

}  // namespace octet

#endif  // OCTET_KERNELS_FRAME_FRAME_H_
