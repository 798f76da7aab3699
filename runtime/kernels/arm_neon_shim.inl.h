// <arm_neon.h> for both architectures: the few AArch64 operations that the kernels use, under names
// of their own, and what ARMv7 does in their place. Included by arm_*.cc files only; internal
// linkage.
#ifndef OCTET_KERNELS_ARM_NEON_SHIM_INL_H_
#define OCTET_KERNELS_ARM_NEON_SHIM_INL_H_

#include <arm_neon.h>
#include <stdint.h>
#include <string.h>

namespace octet {
namespace {

#if defined(__aarch64__)

static inline int16x8_t MultiplyHigh8(int8x16_t a, int8x16_t b) {
  return vmull_high_s8(a, b);
}
static inline int16x8_t MultiplyAddHigh8(int16x8_t sum, int8x16_t a, int8x16_t b) {
  return vmlal_high_s8(sum, a, b);
}
static inline int32x4_t AddHigh16(int32x4_t sum, int16x8_t a) {
  return vaddw_high_s16(sum, a);
}
static inline int32x4_t MultiplyHigh16(int16x8_t a, int16x8_t b) {
  return vmull_high_s16(a, b);
}
static inline int32x4_t MultiplyAddHigh16(int32x4_t sum, int16x8_t a, int16x8_t b) {
  return vmlal_high_s16(sum, a, b);
}
// [a0+a1, a2+a3, b0+b1, b2+b3]
static inline int32x4_t AddPairs(int32x4_t a, int32x4_t b) {
  return vpaddq_s32(a, b);
}
static inline int8_t Smallest(int8x16_t a) {
  return vminvq_s8(a);
}
static inline float32x4_t DivideF32(float32x4_t a, float32x4_t b) {
  return vdivq_f32(a, b);
}
// floor(x) as an integer, saturated (ARMv7: to +-512, beyond every code); 0 for NaN.
static inline int32x4_t FloorToInt(float32x4_t x) {
  return vcvtmq_s32_f32(x);
}
static inline float32x4_t WidenHighHalf(uint16x8_t half) {
  return vcvt_high_f32_f16(vreinterpretq_f16_u16(half));
}

#else

static inline int16x8_t MultiplyHigh8(int8x16_t a, int8x16_t b) {
  return vmull_s8(vget_high_s8(a), vget_high_s8(b));
}
static inline int16x8_t MultiplyAddHigh8(int16x8_t sum, int8x16_t a, int8x16_t b) {
  return vmlal_s8(sum, vget_high_s8(a), vget_high_s8(b));
}
static inline int32x4_t AddHigh16(int32x4_t sum, int16x8_t a) {
  return vaddw_s16(sum, vget_high_s16(a));
}
static inline int32x4_t MultiplyHigh16(int16x8_t a, int16x8_t b) {
  return vmull_s16(vget_high_s16(a), vget_high_s16(b));
}
static inline int32x4_t MultiplyAddHigh16(int32x4_t sum, int16x8_t a, int16x8_t b) {
  return vmlal_s16(sum, vget_high_s16(a), vget_high_s16(b));
}
static inline int32x4_t AddPairs(int32x4_t a, int32x4_t b) {
  return vcombine_s32(vpadd_s32(vget_low_s32(a), vget_high_s32(a)),
                      vpadd_s32(vget_low_s32(b), vget_high_s32(b)));
}
static inline int8_t Smallest(int8x16_t a) {
  int8x8_t m = vmin_s8(vget_low_s8(a), vget_high_s8(a));
  m = vpmin_s8(m, m);
  m = vpmin_s8(m, m);
  m = vpmin_s8(m, m);
  return vget_lane_s8(m, 0);
}
static inline int32x4_t FloorToInt(float32x4_t x) {
  const float32x4_t limit = vdupq_n_f32(512.0f);
  const float32x4_t bounded = vminq_f32(vmaxq_f32(x, vnegq_f32(limit)), limit);
  const int32x4_t whole = vcvtq_s32_f32(bounded);  // towards 0: one too many below it
  const uint32x4_t above = vcgtq_f32(vcvtq_f32_s32(whole), bounded);
  return vaddq_s32(whole, vreinterpretq_s32_u32(above));
}
static inline float32x4_t WidenHighHalf(uint16x8_t half) {
  return vcvt_f32_f16(vreinterpret_f16_u16(vget_high_u16(half)));
}
// ARMv7 has no vector division; its scalar one is exact.
static inline float32x4_t DivideF32(float32x4_t a, float32x4_t b) {
  float x[4], y[4];
  vst1q_f32(x, a);
  vst1q_f32(y, b);
  for (int i = 0; i < 4; ++i) x[i] /= y[i];
  return vld1q_f32(x);
}

#endif

static inline int8x16_t LoadBytes(const void* from) {
  return vld1q_s8(static_cast<const int8_t*>(from));
}

// Four bytes of any alignment in every 32-bit lane.
static inline int8x16_t LoadReplicated4(const uint8_t* from) {
  int32_t word;
  memcpy(&word, from, 4);
  return vreinterpretq_s8_s32(vdupq_n_s32(word));
}

// The same, and the pointer moves on. As assembly, because the post-indexed form is one instruction
// where the compiler spends two.
static inline int8x16_t LoadNext4(const uint8_t** from) {
  int8x16_t result;
#if defined(__aarch64__)
  __asm__("ld1r {%0.4s}, [%1], #4" : "=w"(result), "+r"(*from) : : "memory");
#else
  __asm__("vld1.32 {%e0[], %f0[]}, [%1]!" : "=w"(result), "+r"(*from) : : "memory");
#endif
  return result;
}

// The first `count` (0..16) bytes; the rest are zero, and nothing behind them is read.
static inline int8x16_t LoadPartial16(const uint8_t* from, uint32_t count) {
  if (count >= 16) return LoadBytes(from);
  if (count == 8) return vcombine_s8(vld1_s8(reinterpret_cast<const int8_t*>(from)), vdup_n_s8(0));
  uint64_t half[2] = {0, 0};
  uint8_t* to = reinterpret_cast<uint8_t*>(half);
  if (count & 8) {
    memcpy(to, from, 8);
    to += 8;
    from += 8;
  }
  if (count & 4) {
    memcpy(to, from, 4);
    to += 4;
    from += 4;
  }
  for (uint32_t i = 0; i < (count & 3); ++i) to[i] = from[i];
  return LoadBytes(half);
}

// The first `count` (1..16) bytes.
static inline void StorePartial16(uint8_t* to, int8x16_t bytes, uint32_t count) {
  if (count >= 16) {
    vst1q_u8(to, vreinterpretq_u8_s8(bytes));
    return;
  }
  if (count == 8) {
    vst1_u8(to, vget_low_u8(vreinterpretq_u8_s8(bytes)));
    return;
  }
  uint64_t half = vgetq_lane_u64(vreinterpretq_u64_s8(bytes), 0);
  if (count & 8) {
    memcpy(to, &half, 8);
    to += 8;
    half = vgetq_lane_u64(vreinterpretq_u64_s8(bytes), 1);
  }
  if (count & 4) {
    const uint32_t word = (uint32_t)half;
    memcpy(to, &word, 4);
    to += 4;
    half >>= 32;
  }
  for (uint32_t i = 0; i < (count & 3); ++i, half >>= 8) to[i] = (uint8_t)half;
}

}  // namespace
}  // namespace octet

#endif  // OCTET_KERNELS_ARM_NEON_SHIM_INL_H_
