// int8 <-> FP16 with NEON, eight elements at a time.
#include "runtime/kernels/arm_half.inl.h"
#include "runtime/kernels/kernel_table.h"
#include "runtime/kernels/share.h"

namespace octet {
namespace {

// floor(x + 1/2) for |x| <= 2^10; ARMv7 rounds towards zero alone.
inline int32x4_t NearestUp(float32x4_t x) {
  const float32x4_t above = vaddq_f32(x, vdupq_n_f32(0.5f));
  const int32x4_t cut = vcvtq_s32_f32(above);
  const uint32x4_t too_large = vcgtq_f32(vcvtq_f32_s32(cut), above);
  return vaddq_s32(cut, vreinterpretq_s32_u32(too_large));
}

inline int32x4_t Quantized(float32x4_t x, const ConvertArgs& args) {
  const float32x4_t scaled = vmulq_n_f32(x, args.factor);
  // NaN becomes 0.
  const float32x4_t number =
      vreinterpretq_f32_u32(vandq_u32(vreinterpretq_u32_f32(scaled), vceqq_f32(scaled, scaled)));
  const float32x4_t bounded =
      vminq_f32(vmaxq_f32(number, vdupq_n_f32(-kSaturated)), vdupq_n_f32(kSaturated));
  return vaddq_s32(NearestUp(bounded), vdupq_n_s32(args.zero_point));
}

}  // namespace

void convert_f16_neon(const ConvertArgs& args, Share share) {
  const Range range = RangeOf(args.count, share);
  const uint8_t* from = static_cast<const uint8_t*>(args.input);
  uint16_t* to = static_cast<uint16_t*>(args.output);
  const int16x8_t zero_point = vdupq_n_s16((int16_t)args.zero_point);
  uint64_t i = range.begin;
  for (; i + 8 <= range.end; i += 8) {
    const uint8x8_t bytes = veor_u8(vld1_u8(from + i), vdup_n_u8(args.sign));
    const int16x8_t steps = vsubq_s16(vmovl_s8(vreinterpret_s8_u8(bytes)), zero_point);
    const Float8 x = {vmulq_n_f32(vcvtq_f32_s32(vmovl_s16(vget_low_s16(steps))), args.factor),
                      vmulq_n_f32(vcvtq_f32_s32(vmovl_s16(vget_high_s16(steps))), args.factor)};
    StorePartialHalf8(to + i, x, 8);
  }
  for (; i < range.end; ++i) to[i] = DequantizedHalf(args, from[i]);
}

void convert_s8_neon(const ConvertArgs& args, Share share) {
  const Range range = RangeOf(args.count, share);
  const uint16_t* from = static_cast<const uint16_t*>(args.input);
  uint8_t* to = static_cast<uint8_t*>(args.output);
  uint64_t i = range.begin;
  for (; i + 8 <= range.end; i += 8) {
    const Float8 x = LoadHalf8(from + i);
    const int16x8_t words =
        vcombine_s16(vqmovn_s32(Quantized(x.low, args)), vqmovn_s32(Quantized(x.high, args)));
    const uint8x8_t bytes = vreinterpret_u8_s8(vqmovn_s16(words));
    vst1_u8(to + i, veor_u8(bytes, vdup_n_u8(args.sign)));
  }
  for (; i < range.end; ++i) to[i] = QuantizedByte(args, HalfToFloat(from[i]));
}

}  // namespace octet
