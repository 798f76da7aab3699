// quant/requantize.h for 16 channels at once: the same integers. VQDMULH gives
// floor(2 * acc * m / 2^32) = floor(acc * m / 2^31), VRSHL by -shift the one rounding shift.
// Included by arm_*.cc files only; internal linkage.
#ifndef OCTET_KERNELS_ARM_REQUANTIZE_INL_H_
#define OCTET_KERNELS_ARM_REQUANTIZE_INL_H_

#include "runtime/format/blob.h"
#include "runtime/kernels/arm_neon_shim.inl.h"
#include "runtime/quant/requantize.h"

namespace octet {
namespace {

struct Scale16 {
  int32x4_t multiplier[4], left_shift[4];
};

static inline Scale16 LoadScale16(const blob::ChannelBlockS8& block) {
  Scale16 s;
  for (int i = 0; i < 4; ++i) {
    s.multiplier[i] = vld1q_s32(block.multiplier + 4 * i);
    s.left_shift[i] = vnegq_s32(vld1q_s32(block.shift + 4 * i));
  }
  return s;
}

static inline int32x4_t PreShift4(int32x4_t acc, int32_t pre_shift) {
  const int32x4_t bound = vdupq_n_s32((kAccumulatorLimit - 1) >> pre_shift);
  return vshlq_s32(vminq_s32(vmaxq_s32(acc, vnegq_s32(bound)), bound), vdupq_n_s32(pre_shift));
}

static inline int32x4_t Requantize4(int32x4_t acc, int32x4_t multiplier, int32x4_t left_shift) {
  return vrshlq_s32(vqdmulhq_s32(acc, multiplier), left_shift);
}

// What every output of a layer shares.
struct Tail16 {
  int16x8_t zero_point;
  int8x16_t lo, hi;
};

static inline Tail16 MakeTail16(int32_t zero_point, int32_t lo, int32_t hi) {
  Tail16 t;
  t.zero_point = vdupq_n_s16((int16_t)zero_point);
  t.lo = vdupq_n_s8((int8_t)lo);
  t.hi = vdupq_n_s8((int8_t)hi);
  return t;
}

// Requantized values -> int8. Saturation to 16 bits before the zero point is added changes nothing:
// whatever it touches lies beyond every int8 clamp.
static inline int8x16_t Finish16(int32x4_t a, int32x4_t b, int32x4_t c, int32x4_t d,
                                 const Tail16& t) {
  const int16x8_t low = vqaddq_s16(vcombine_s16(vqmovn_s32(a), vqmovn_s32(b)), t.zero_point);
  const int16x8_t high = vqaddq_s16(vcombine_s16(vqmovn_s32(c), vqmovn_s32(d)), t.zero_point);
  const int8x16_t q = vcombine_s8(vqmovn_s16(low), vqmovn_s16(high));
  return vminq_s8(vmaxq_s8(q, t.lo), t.hi);
}

static inline int8x16_t RequantizeFinish16(const int32x4_t* acc, const Scale16& s,
                                           const Tail16& t) {
  return Finish16(Requantize4(acc[0], s.multiplier[0], s.left_shift[0]),
                  Requantize4(acc[1], s.multiplier[1], s.left_shift[1]),
                  Requantize4(acc[2], s.multiplier[2], s.left_shift[2]),
                  Requantize4(acc[3], s.multiplier[3], s.left_shift[3]), t);
}

#if defined(__aarch64__)

// A table indexed by q + 128, in registers, in the order of the bytes of q: those of 0 to 127
// first.
struct Table256 {
  uint8x16x4_t part[4];
};

static inline Table256 LoadTable256(const int8_t* table) {
  const uint8_t* entries = reinterpret_cast<const uint8_t*>(table);
  Table256 t;
  for (int i = 0; i < 4; ++i) {
    // One by one: GCC would load vectors of vld1q_u8_x4() anew for every lookup.
    for (int j = 0; j < 4; ++j) t.part[i].val[j] = vld1q_u8(entries + 64 * (i ^ 2) + 16 * j);
  }
  return t;
}

static inline uint8x16_t LookUp(const Table256& t, uint8x16_t index) {
  // TBL gives 0 and TBX keeps what stands where an index lies beyond its 64 entries.
  const uint8x16_t step = vdupq_n_u8(64);
  uint8x16_t result = vqtbl4q_u8(t.part[0], index);
  index = vsubq_u8(index, step);
  result = vqtbx4q_u8(result, t.part[1], index);
  index = vsubq_u8(index, step);
  result = vqtbx4q_u8(result, t.part[2], index);
  index = vsubq_u8(index, step);
  return vqtbx4q_u8(result, t.part[3], index);
}

#endif

// A table indexed by q + 128, applied to `count` (at least 1) vectors of q in place.
static inline void ApplyTable(int8x16_t* values, int count, const int8_t* table) {
#if defined(__aarch64__)
  const Table256 t = LoadTable256(table);
  for (int i = 0; i < count; ++i) {
    values[i] = vreinterpretq_s8_u8(LookUp(t, vreinterpretq_u8_s8(values[i])));
  }
#else
  for (int i = 0; i < count; ++i) {
    int8_t bytes[16];
    vst1q_s8(bytes, values[i]);
    for (int j = 0; j < 16; ++j) bytes[j] = table[bytes[j] + 128];
    values[i] = vld1q_s8(bytes);
  }
#endif
}

}  // namespace
}  // namespace octet

#endif  // OCTET_KERNELS_ARM_REQUANTIZE_INL_H_
