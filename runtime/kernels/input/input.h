// Float inputs of a model to the codes of an int8 tensor [N, H, W, C]:
//   bytes[((n * H + h) * W + w) * C + c] = QuantizeInput(values[sum(index * stride)]) ^ sign,
// exactly the scalar rule of runtime/image/preprocess.h. values and bytes do not overlap; nothing
// outside the elements is read or written. Shares divide the rows.
#ifndef OCTET_KERNELS_INPUT_INPUT_H_
#define OCTET_KERNELS_INPUT_INPUT_H_

#include "runtime/kernels/share.h"

namespace octet {

struct InputF32Args {
  const float* values;
  uint32_t dims[4];     // n, h, w, c
  uint32_t strides[4];  // of values, in elements
  float scale;
  int32_t zero_point;
  uint8_t sign;
  uint8_t* bytes;
};
typedef void (*InputF32Fn)(const InputF32Args& args, Share share);

}  // namespace octet

#endif  // OCTET_KERNELS_INPUT_INPUT_H_
