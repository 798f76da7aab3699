// FP16 in memory, float in registers: loads, stores and the fused functions, 4 and 8 elements at a
// time. Included by arm_*.cc files only; internal linkage.
#ifndef OCTET_KERNELS_ARM_HALF_INL_H_
#define OCTET_KERNELS_ARM_HALF_INL_H_

#include "runtime/kernels/arm_neon_shim.inl.h"
#include "runtime/kernels/function.h"

namespace octet {
namespace {

struct Float8 {
  float32x4_t low, high;
};

static inline Float8 Widen(uint16x8_t half) {
  return Float8{vcvt_f32_f16(vreinterpret_f16_u16(vget_low_u16(half))), WidenHighHalf(half)};
}

static inline Float8 LoadHalf8(const uint16_t* from) {
  return Widen(vld1q_u16(from));
}

// The first `count` (1..8); the rest are zero, and nothing behind them is read.
static inline Float8 LoadPartialHalf8(const uint16_t* from, uint32_t count) {
  if (count >= 8) return LoadHalf8(from);
  return Widen(
      vreinterpretq_u16_s8(LoadPartial16(reinterpret_cast<const uint8_t*>(from), 2 * count)));
}

static inline void StorePartialHalf8(uint16_t* to, const Float8& x, uint32_t count) {
  const uint16x8_t half = vcombine_u16(vreinterpret_u16_f16(vcvt_f16_f32(x.low)),
                                       vreinterpret_u16_f16(vcvt_f16_f32(x.high)));
  if (count >= 8) {
    vst1q_u16(to, half);
  } else {
    StorePartial16(reinterpret_cast<uint8_t*>(to), vreinterpretq_s8_u16(half), 2 * count);
  }
}

// Rows of halves to floats and back. Floats are read and written in whole vectors of 8: a row of
// them has room for the last one.
struct HalfRows {
  static inline void Widen(const uint16_t* from, uint32_t count, float* to) {
    for (uint32_t i = 0; i < count; i += 8) {
      const Float8 x = LoadPartialHalf8(from + i, count - i);
      vst1q_f32(to + i, x.low);
      vst1q_f32(to + i + 4, x.high);
    }
  }
  static inline void Narrow(const float* from, uint32_t count, uint16_t* to) {
    for (uint32_t i = 0; i < count; i += 8) {
      const Float8 x = {vld1q_f32(from + i), vld1q_f32(from + i + 4)};
      StorePartialHalf8(to + i, x, count - i);
    }
  }
};

// min(max(x, lo), hi) where NaN stays NaN.
static inline float32x4_t Clamp4(float32x4_t x, float32x4_t lo, float32x4_t hi) {
  x = vbslq_f32(vcltq_f32(x, lo), lo, x);
  return vbslq_f32(vcgtq_f32(x, hi), hi, x);
}

struct FloatFunction {
  blob::Function function;
  float alpha, beta;
};

// The functions that Apply8() has in line. Others are better applied to many values at a time.
static inline bool IsInLine(blob::Function function) {
  return function == blob::Function::kIdentity || function == blob::Function::kClamp ||
         function == blob::Function::kLeakyRelu || function == blob::Function::kHardSigmoid ||
         function == blob::Function::kHardSwish;
}

// ApplyHalfFunction() of function.h on four values, for the last three of IsInLine().
static inline float32x4_t Apply4(const FloatFunction& f, float32x4_t x) {
  const float32x4_t zero = vdupq_n_f32(0.0f), one = vdupq_n_f32(1.0f);
  switch (f.function) {
    case blob::Function::kLeakyRelu:
      return vbslq_f32(vcltq_f32(x, zero), vmulq_n_f32(x, f.alpha), x);
    case blob::Function::kHardSigmoid:
      return Clamp4(vaddq_f32(vmulq_n_f32(x, f.alpha), vdupq_n_f32(f.beta)), zero, one);
    case blob::Function::kHardSwish: {
      const float32x4_t gate =
          Clamp4(vaddq_f32(vmulq_n_f32(x, 1.0f / 6.0f), vdupq_n_f32(0.5f)), zero, one);
      return vbslq_f32(vceqq_f32(gate, zero), zero, vmulq_f32(x, gate));
    }
    default:
      return x;  // Apply8() has taken the others
  }
}

// The two commonest functions without a call.
static inline Float8 Apply8(const FloatFunction& f, const Float8& x) {
  if (f.function == blob::Function::kIdentity) return x;
  if (f.function == blob::Function::kClamp) {
    const float32x4_t lo = vdupq_n_f32(f.alpha), hi = vdupq_n_f32(f.beta);
    return Float8{Clamp4(x.low, lo, hi), Clamp4(x.high, lo, hi)};
  }
  if (IsInLine(f.function)) return Float8{Apply4(f, x.low), Apply4(f, x.high)};
  float values[8];
  vst1q_f32(values, x.low);
  vst1q_f32(values + 4, x.high);
  apply_function_neon(f.function, f.alpha, f.beta, values, 8);
  return Float8{vld1q_f32(values), vld1q_f32(values + 4)};
}

// ApplyHalfFunction() on `count` values in place, a multiple of 8.
static inline void ApplyMany(const FloatFunction& f, float* values, uint32_t count) {
  if (!IsInLine(f.function)) {
    return apply_function_neon(f.function, f.alpha, f.beta, values, count);
  }
  for (uint32_t i = 0; i < count; i += 8) {
    const Float8 y = Apply8(f, Float8{vld1q_f32(values + i), vld1q_f32(values + i + 4)});
    vst1q_f32(values + i, y.low);
    vst1q_f32(values + i + 4, y.high);
  }
}

}  // namespace
}  // namespace octet

#endif  // OCTET_KERNELS_ARM_HALF_INL_H_
