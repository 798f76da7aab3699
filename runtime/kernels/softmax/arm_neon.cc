// Softmax of int8 with NEON.
#include "runtime/kernels/arm_neon_shim.inl.h"
#include "runtime/kernels/softmax/s8.inl.h"

namespace octet {
namespace {

// Four quotients; ARMv7 has no comparison of 64 bits, but signs can be shifted down.
struct Quotients4 {
  uint64x2_t whole[2];  // 2^16 S
  float32x4_t inverse;

  void Set(const ProbabilityLine* lines, uint32_t step) {
    float inverses[4];
    uint64_t sums[4];
    for (uint32_t i = 0; i < 4; ++i) {
      inverses[i] = lines[i * step].inverse;
      sums[i] = lines[i * step].half;
    }
    inverse = vld1q_f32(inverses);
    whole[0] = vld1q_u64(sums);
    whole[1] = vld1q_u64(sums + 2);
  }

  // What two estimates are off: -1, 0 or 1 to add.
  static inline int32x2_t Correction(uint32x2_t t, uint32x2_t q, uint32_t one, uint64x2_t whole) {
    const uint32x2_t low = vmovn_u64(whole), high = vshrn_n_u64(whole, 32);
    const uint64x2_t n = vmlal_u32(vshrq_n_u64(whole, 1), t, vdup_n_u32(one));
    const uint64x2_t rest = vsubq_u64(vmlsl_u32(n, q, low), vshlq_n_u64(vmull_u32(q, high), 32));
    const int64x2_t above = vshrq_n_s64(vreinterpretq_s64_u64(rest), 63);
    const int64x2_t enough = vshrq_n_s64(vreinterpretq_s64_u64(vsubq_u64(rest, whole)), 63);
    return vadd_s32(vmovn_s64(vaddq_s64(above, enough)), vdup_n_s32(1));
  }

  int32x4_t Of(const uint32_t* terms, uint32_t one) const {
    const uint32x4_t t = vld1q_u32(terms);
    const float32x4_t product = vmulq_f32(vcvtq_f32_u32(t), inverse);
    const float32x4_t x = vaddq_f32(product, vdupq_n_f32(0.5f));
    const uint32x4_t q = vcvtq_u32_f32(x);
#if defined(__aarch64__)
    // The product is at most 2^12 and three times rounded, the sum once: within a thousandth of
    // what they stand for. Farther than that from every whole number, the estimates are right.
    const float32x4_t distance = vabdq_f32(x, vrndnq_f32(x));
    if (vminvq_f32(distance) > 1.0f / 256) return vreinterpretq_s32_u32(q);
#endif
    const int32x4_t correction =
        vcombine_s32(Correction(vget_low_u32(t), vget_low_u32(q), one, whole[0]),
                     Correction(vget_high_u32(t), vget_high_u32(q), one, whole[1]));
    return vaddq_s32(vreinterpretq_s32_u32(q), correction);
  }
};

struct Level {
  struct Quotients {
    Quotients4 low, high;
    ProbabilityCodes codes;

    Quotients(const ProbabilityLine* lines, uint32_t step, ProbabilityCodes output) {
      low.Set(lines, step);
      high.Set(lines + 4 * step, step);
      codes = output;
    }

    // 0 .. 2^12: the zero point cannot take it below -128.
    void Store(const uint32_t* terms, uint8_t sign, uint8_t* to) const {
      const int16x8_t q = vcombine_s16(vmovn_s32(low.Of(terms, codes.one)),
                                       vmovn_s32(high.Of(terms + 4, codes.one)));
      const int8x8_t bytes = vqmovn_s16(vaddq_s16(q, vdupq_n_s16((int16_t)codes.zero_point)));
      vst1_u8(to, veor_u8(vreinterpret_u8_s8(bytes), vdup_n_u8(sign)));
    }
  };

  static inline int32_t Largest(const uint8_t* from, uint32_t count, uint8_t sign) {
    const int8x16_t flip = vdupq_n_s8((int8_t)sign);
    int8x16_t max;
    if (count < 16) {
      const uint8x16_t ends = vcombine_u8(vld1_u8(from), vld1_u8(from + count - 8));
      max = veorq_s8(vreinterpretq_s8_u8(ends), flip);
    } else {
      max = veorq_s8(LoadBytes(from + count - 16), flip);
      for (uint32_t i = 0; i + 16 <= count; i += 16) {
        max = vmaxq_s8(max, veorq_s8(LoadBytes(from + i), flip));
      }
    }
    return ~(int32_t)Smallest(vmvnq_s8(max));
  }

  static inline void LargestOfColumns(const uint8_t* from, uint32_t count, uint64_t step,
                                      uint32_t width, uint8_t sign, int32_t* max) {
    const int8x16_t flip = vdupq_n_s8((int8_t)sign);
    for (uint32_t c = 0; c < width; c += 16) {
      const uint32_t part = width - c < 16 ? width - c : 16;
      int8x16_t largest = vdupq_n_s8(-128);
      for (uint32_t k = 0; k < count; ++k) {
        const int8x16_t x = LoadPartial16(from + c + k * step, part);
        largest = vmaxq_s8(largest, veorq_s8(x, flip));
      }
      int8_t values[16];
      vst1q_s8(values, largest);
      for (uint32_t i = 0; i < part; ++i) max[c + i] = values[i];
    }
  }
};

}  // namespace

void softmax_s8_neon(const SoftmaxS8Args& args, Share share) {
  RunSoftmaxS8<Level>(args, share);
}

void axis_softmax_s8_neon(const AxisSoftmaxS8Args& args, Share share) {
  RunAxisSoftmaxS8<Level>(args, share);
}

}  // namespace octet
