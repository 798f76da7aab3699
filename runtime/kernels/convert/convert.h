// int8 <-> FP16, for layers of mixed precision. One value:
//
//   to FP16: scale * (q - zero_point), one float product, rounded to the nearest even half
//   to int8: x * inverse_scale, halves up: floor(.. + 0.5) + zero_point, clamped; NaN is the zero
//            point. Beyond +-2^10 every zero point saturates, so that a bound there keeps the
//            conversion to an integer defined, infinities included.
#ifndef OCTET_KERNELS_CONVERT_CONVERT_H_
#define OCTET_KERNELS_CONVERT_CONVERT_H_

#include "runtime/core/float_math.h"
#include "runtime/kernels/share.h"

namespace octet {

struct ConvertArgs {
  const void* input;  // int8 bytes, or halves
  void* output;       // the other
  uint64_t count;
  float factor;  // scale, or inverse_scale
  int32_t zero_point;
  uint8_t sign;
};
typedef void (*ConvertFn)(const ConvertArgs& args, Share share);

static inline uint16_t DequantizedHalf(const ConvertArgs& args, uint8_t byte) {
  return FloatToHalf(args.factor * (float)((int8_t)(byte ^ args.sign) - args.zero_point));
}

constexpr float kSaturated = 1024.0f;

static inline uint8_t QuantizedByte(const ConvertArgs& args, float x) {
  const float scaled = x * args.factor;
  int32_t q = 0;
  if (scaled == scaled) {
    const float bounded =
        scaled < -kSaturated ? -kSaturated : (scaled > kSaturated ? kSaturated : scaled);
    q = (int32_t)FloatFloor(bounded + 0.5f);
  }
  q += args.zero_point;
  q = q < -128 ? -128 : (q > 127 ? 127 : q);
  return (uint8_t)((uint8_t)(int8_t)q ^ args.sign);
}

}  // namespace octet

#endif  // OCTET_KERNELS_CONVERT_CONVERT_H_
