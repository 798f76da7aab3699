// Resize, linear: four taps an output element with the converter's weights of 11 bits
// (blob::ResizeTap). [batch][in_h][in_w][channels] to [batch][out_h][out_w][channels]; the output
// does not overlap the input.
//
// int8: v = sum over the taps of q * wy * wx, where the wy and the wx each sum to 2^11: |v| <= 128
// * 2^22 = 2^29, so v + 2^21 fits 32 bits, and (v + 2^21) >> 22 lies between the smallest and the
// largest of the four q. v is exact, so that the order of its terms is free.
//
// FP16: (a * low + b * high) * row_low + (c * low + d * high) * row_high in float, weights / 2^11,
// rounded once at the end. Products of the first two are exact (11 + 11 bits), and no value lies
// below the normal floats: a half is a multiple of 2^-24, so that the sums are 0 or at least 2^-35
// and their products at least 2^-46.
#ifndef OCTET_KERNELS_RESIZE_LINEAR_H_
#define OCTET_KERNELS_RESIZE_LINEAR_H_

#include "runtime/format/blob.h"
#include "runtime/kernels/share.h"

namespace octet {

constexpr uint32_t kResizeOne = 2048;

struct ResizeGeometry {
  uint32_t batch, in_h, in_w, out_h, out_w, channels;
  const blob::ResizeTap *rows, *columns;  // [out_h], [out_w]
};

struct ResizeLinearS8Args {
  const uint8_t* input;
  uint8_t* output;
  ResizeGeometry geometry;
  uint8_t sign;
};
typedef void (*ResizeLinearS8Fn)(const ResizeLinearS8Args& args, Share share);

struct ResizeLinearF16Args {
  const uint16_t* input;
  uint16_t* output;
  ResizeGeometry geometry;
};
typedef void (*ResizeLinearF16Fn)(const ResizeLinearF16Args& args, Share share);

}  // namespace octet

#endif  // OCTET_KERNELS_RESIZE_LINEAR_H_
