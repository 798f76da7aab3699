// Elementwise functions of halves with NEON. One operation on halves gives no float that is
// subnormal (the smallest product is 2^-48), so that ARMv7, whose vectors flush these to zero,
// gives the same bits.
#include "runtime/kernels/arm_half.inl.h"
// Intrinsics come first.
#include "runtime/kernels/elementwise/halves.inl.h"

namespace octet {
namespace {

struct Mask8 {
  uint32x4_t low, high;
};

struct Level {
  typedef Float8 Vector;
  typedef Mask8 Mask;  // all bits of a lane, or none

  static inline Vector Load(const uint16_t* from) { return LoadHalf8(from); }
  static inline void Store(uint16_t* to, const Vector& x) { StorePartialHalf8(to, x, kVector); }
  static inline void StoreTest(int32_t* to, const Mask& mask) {
    vst1q_s32(to, vreinterpretq_s32_u32(vshrq_n_u32(mask.low, 31)));
    vst1q_s32(to + 4, vreinterpretq_s32_u32(vshrq_n_u32(mask.high, 31)));
  }
  static inline Vector All(float x) { return Vector{vdupq_n_f32(x), vdupq_n_f32(x)}; }
  static inline Vector Add(const Vector& x, const Vector& y) {
    return Vector{vaddq_f32(x.low, y.low), vaddq_f32(x.high, y.high)};
  }
  static inline Vector Sub(const Vector& x, const Vector& y) {
    return Vector{vsubq_f32(x.low, y.low), vsubq_f32(x.high, y.high)};
  }
  static inline Vector Mul(const Vector& x, const Vector& y) {
    return Vector{vmulq_f32(x.low, y.low), vmulq_f32(x.high, y.high)};
  }
  static inline Vector Div(const Vector& x, const Vector& y) {
    return Vector{DivideF32(x.low, y.low), DivideF32(x.high, y.high)};
  }
  static inline Mask Less(const Vector& x, const Vector& y) {
    return Mask{vcltq_f32(x.low, y.low), vcltq_f32(x.high, y.high)};
  }
  static inline Mask LessOrEqual(const Vector& x, const Vector& y) {
    return Mask{vcleq_f32(x.low, y.low), vcleq_f32(x.high, y.high)};
  }
  static inline Mask Equal(const Vector& x, const Vector& y) {
    return Mask{vceqq_f32(x.low, y.low), vceqq_f32(x.high, y.high)};
  }
  static inline Vector Select(const Mask& mask, const Vector& x, const Vector& y) {
    return Vector{vbslq_f32(mask.low, x.low, y.low), vbslq_f32(mask.high, x.high, y.high)};
  }
  static inline Vector Apply(blob::Function function, const Vector& x, float alpha, float beta) {
    return Apply8(FloatFunction{function, alpha, beta}, x);
  }
};

}  // namespace

void elementwise_f16_neon(const ElementwiseArgs& args, Share share) {
  RunElementwiseHalves<Level>(args, share);
}

}  // namespace octet
