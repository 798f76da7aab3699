// Max and average pooling; equations at PoolParams in format/blob.h.
#ifndef OCTET_KERNELS_POOL_POOL_H_
#define OCTET_KERNELS_POOL_POOL_H_

#include "runtime/kernels/share.h"
#include "runtime/kernels/window.h"
#include "runtime/quant/requantize.h"

namespace octet {

struct PoolS8Args {
  ConvGeometry g;  // in_c == out_c == groups
  const uint8_t* input;
  uint8_t* output;
  const Multiplier* multipliers;  // average only
  uint32_t multiplier_count;      // 1 or kernel_h * kernel_w
  uint8_t count_include_pad;
  int32_t in_zero_point, out_zero_point;
  int32_t clamp_lo, clamp_hi, pre_shift;
  uint8_t sign;
};
typedef void (*PoolS8Fn)(const PoolS8Args& args, Share share);

struct PoolF16Args {
  ConvGeometry g;
  const uint16_t* input;
  uint16_t* output;
  uint8_t count_include_pad;
};
typedef void (*PoolF16Fn)(const PoolF16Args& args, Share share);

}  // namespace octet

#endif  // OCTET_KERNELS_POOL_POOL_H_
