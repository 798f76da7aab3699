// What kernels for Cortex-M's integer vectors (MVE) share. Included by */arm_helium.cc files only;
// internal linkage.
#ifndef OCTET_KERNELS_ARM_HELIUM_INL_H_
#define OCTET_KERNELS_ARM_HELIUM_INL_H_

#include <arm_mve.h>
#include <stddef.h>
#include <stdint.h>

#include "runtime/quant/requantize.h"

#if (__ARM_FEATURE_MVE & 1) == 0
#error "the level helium needs MVE"
#endif

namespace octet {
namespace {

// Four channels: what finishes their sums.
struct Lanes {
  int32x4_t bias, multiplier;
  int32x4_t shift;  // negative: VRSHL shifts left
};

// Requantize(): VQDMULH is floor(2 a b / 2^32), and saturates only where both are -2^31; VRSHL adds
// the half before it shifts. That is the one rounding of quant/requantize.h.
static inline int32x4_t RequantizeLanes(int32x4_t acc, int32x4_t multiplier, int32x4_t shift) {
  return vrshlq_s32(vqdmulhq_s32(acc, multiplier), shift);
}

static inline int32x4_t PreShiftLanes(int32x4_t acc, int32_t pre_shift) {
  if (pre_shift == 0) return acc;
  const int32_t bound = (kAccumulatorLimit - 1) >> pre_shift;
  acc = vmaxq_s32(vminq_s32(acc, vdupq_n_s32(bound)), vdupq_n_s32(-bound));
  return vshlq_r_s32(acc, pre_shift);
}

static inline int32x4_t ClampLanes(int32x4_t value, int32_t lo, int32_t hi) {
  return vmaxq_s32(vminq_s32(value, vdupq_n_s32(hi)), vdupq_n_s32(lo));
}

// table[q + 128] of every lane.
static inline int32x4_t LookUpLanes(const int8_t* table, int32x4_t q) {
  return vldrbq_gather_offset_s32(table, vreinterpretq_u32_s32(vaddq_n_s32(q, 128)));
}

// Lanes [begin, end) of four.
static inline mve_pred16_t LanesBetween(uint32_t begin, uint32_t end) {
  return (mve_pred16_t)(vctp32q(end) & ~vctp32q(begin));
}

// Bytes that were finished over the whole int8 range: clamped to the layer's, then through its
// table, if any.
static inline void FinishBytes(uint8_t* bytes, size_t count, int32_t lo, int32_t hi,
                               const int8_t* table) {
  auto* at = reinterpret_cast<int8_t*>(bytes);
  const int8x16_t least = vdupq_n_s8((int8_t)lo), most = vdupq_n_s8((int8_t)hi);
  if (table == nullptr) {
    for (int32_t left = (int32_t)count; left > 0; left -= 16, at += 16) {
      const mve_pred16_t p = vctp8q((uint32_t)left);
      vstrbq_p_s8(at, vmaxq_s8(vminq_s8(vldrbq_z_s8(at, p), most), least), p);
    }
    return;
  }
  // A table has 256 entries: offsets of 8 bits.
  for (int32_t left = (int32_t)count; left > 0; left -= 16, at += 16) {
    const mve_pred16_t p = vctp8q((uint32_t)left);
    const int8x16_t q = vmaxq_s8(vminq_s8(vldrbq_z_s8(at, p), most), least);
    const uint8x16_t index = veorq_u8(vreinterpretq_u8_s8(q), vdupq_n_u8(0x80));
    vstrbq_p_s8(at, vldrbq_gather_offset_z_s8(table, index, p), p);
  }
}

}  // namespace
}  // namespace octet

#endif  // OCTET_KERNELS_ARM_HELIUM_INL_H_
