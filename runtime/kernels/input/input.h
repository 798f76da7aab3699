// Float inputs of a model to a tensor [N, H, W, C]. Int8:
//   bytes[((n * H + h) * W + w) * C + c] = QuantizeInput(values[sum(index * stride)]) ^ sign,
// exactly the scalar rule of runtime/image/preprocess.h. FP16: halves[..] = FloatToHalf(values[..]
// * factor), factor a power of two. values and the tensor do not overlap; nothing outside the
// elements is read or written. Shares divide the rows.
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

struct InputF16Args {
  const float* values;
  uint32_t dims[4];     // n, h, w, c
  uint32_t strides[4];  // of values, in elements
  float factor;
  uint16_t* halves;
};
typedef void (*InputF16Fn)(const InputF16Args& args, Share share);

// How rows of the values lie that vector kernels take, as bits; 0: only the reference takes them.
enum InputRows : uint32_t {
  kInputRows = 1,    // channel by channel, one or three of them, or as in the tensor
  kInputPlanes = 2,  // three channels, strides[3] apart
  kInputDense = 4,   // rows lie one behind the other
};
uint32_t RowsOfInput(const uint32_t dims[4], const uint32_t strides[4]);

}  // namespace octet

#endif  // OCTET_KERNELS_INPUT_INPUT_H_
