// From the sums of an FP16 panel with FP16 arithmetic to its outputs.
//
// SiLU, the function of most layers, is computed in halves too: its argument is the half nearest to
// the sum of all chunks but the last, and the last one's, added in FP16. FORMAT.md, "FP16
// arithmetic", writes each rounding down.
#ifndef OCTET_KERNELS_CONV_F16_ARM_FINISH_INL_H_
#define OCTET_KERNELS_CONV_F16_ARM_FINISH_INL_H_

#include "runtime/kernels/conv/f16_arm_dotprod_tall.inl.h"

namespace octet {
namespace {

static inline float16x8_t Halves(float x) {
  return vdupq_n_f16((float16_t)x);
}

// x / (1 + e^-x). e^-x = 2^n e^-r, n = round(-x / ln 2), |r| <= 0.35:
//   e^-r = 1 - r + r^2 (1/2 - r / 6) within 6e-4, 2^n is added to the exponent.
// From 2^16 on e^-x is infinite; FRECPS takes infinity times 0, the estimate of its reciprocal, for
// 0. So -0 follows below x = -11.1. The architecture defines every bit of FRECPE's 8.
//
// Against the true value, over all halves: within 3.2 units in the last place from -10 up, 0.54 in
// root mean square (the nearest half: 0.29); within 1.8e-4 below.
template <int kCount>
static inline void Silu(float16x8_t* x) {
  const float16x8_t one = Halves(1.0f), round = Halves(1536.0f);
#pragma GCC unroll 4
  for (int i = 0; i < kCount; ++i) {
    const float16x8_t low = vmaxq_f16(x[i], Halves(-33.0f));
    float16x8_t r = vminq_f16(low, Halves(9.7f));
    const float16x8_t sum = vfmsq_f16(round, r, Halves(1.44269504f));  // n in its low bits
    const float16x8_t n = vsubq_f16(sum, round);
    r = vfmaq_f16(r, n, Halves(0.693359375f));
    r = vfmsq_f16(r, n, Halves(2.12194440e-4f));
    const float16x8_t p = vfmsq_f16(Halves(0.5f), r, Halves(0.166666667f));
    const float16x8_t e = vfmaq_f16(vsubq_f16(one, r), vmulq_f16(r, r), p);
    const uint16x8_t scaled =
        vaddq_u16(vreinterpretq_u16_f16(e), vshlq_n_u16(vreinterpretq_u16_f16(sum), 10));
    const float16x8_t d =
        vaddq_f16(one, vreinterpretq_f16_u16(vminq_u16(scaled, vdupq_n_u16(0x7C00))));
    const float16x8_t y = vrecpeq_f16(d);
    x[i] = vmulq_f16(low, vmulq_f16(y, vrecpsq_f16(d, y)));
  }
}

// 8 floats rounded.
static inline float16x8_t Narrow8(const float* from) {
  return vcvt_high_f16_f32(vcvt_f16_f32(vld1q_f32(from)), vld1q_f32(from + 4));
}

// kRows rows of 16 outputs. Where the only sum before the last chunk is the bias, it comes rounded.
template <int kRows, bool kBias>
static inline void SiluRows(const float16_t* last, Earlier earlier, const float16x8_t* bias,
                            uint16_t* output, size_t output_stride) {
  float16x8_t x[2 * kRows];
#pragma GCC unroll 4
  for (int i = 0; i < 2 * kRows; ++i) {
    const float* from = earlier.from + i / 2 * earlier.step + i % 2 * 8;
    x[i] = vaddq_f16(kBias ? bias[i % 2] : Narrow8(from), vld1q_f16(last + 8 * i));
  }
  Silu<2 * kRows>(x);
#pragma GCC unroll 4
  for (int i = 0; i < 2 * kRows; ++i) {
    vst1q_u16(output + i / 2 * output_stride + i % 2 * 8, vreinterpretq_u16_f16(x[i]));
  }
}

// Two rows at a time: cores that execute in order wait less.
template <bool kBias>
static inline void FinishSilu(const float16_t* last, Earlier earlier, uint32_t rows,
                              uint16_t* output, size_t output_stride) {
  const float16x8_t bias[2] = {Narrow8(earlier.from), Narrow8(earlier.from + 8)};
#pragma GCC unroll 1
  for (; rows >= 2; rows -= 2) {
    SiluRows<2, kBias>(last, earlier, bias, output, output_stride);
    last += 2 * kChannelBlock;
    earlier.from += 2 * earlier.step;
    output += 2 * output_stride;
  }
  if (rows != 0) SiluRows<1, kBias>(last, earlier, bias, output, output_stride);
}

// The same of rows of `width` sums of which fewer are outputs.
static inline void FinishSiluPart(const float16_t* last, Earlier earlier, uint32_t rows,
                                  uint32_t width, uint32_t channels, uint16_t* output,
                                  size_t output_stride) {
#pragma GCC unroll 1
  for (uint32_t r = 0; r < rows; ++r, last += width, earlier.from += earlier.step) {
#pragma GCC unroll 1
    for (uint32_t i = 0; i < channels; i += 8) {
      float16x8_t x = vaddq_f16(Narrow8(earlier.from + i), vld1q_f16(last + i));
      Silu<1>(&x);
      StorePartial16(reinterpret_cast<uint8_t*>(output + i), vreinterpretq_s8_f16(x),
                     channels - i < 8 ? 2 * (channels - i) : 16);
    }
    output += output_stride;
  }
}

// store(sums) of eights, `kVectors` a row, the last chunk added.
template <int kVectors, typename Store>
static inline void AddLast(const float16_t* last, Earlier earlier, uint32_t rows, Store store) {
#pragma GCC unroll 1
  for (uint32_t r = 0; r < rows; ++r, last += 8 * kVectors, earlier.from += earlier.step) {
    Float8 x[kVectors];
#pragma GCC unroll 2
    for (int i = 0; i < kVectors; ++i) {
      const float* from = earlier.from + 8 * i;
      const Float8 a = Widen(vreinterpretq_u16_f16(vld1q_f16(last + 8 * i)));
      x[i] = Float8{vaddq_f32(vld1q_f32(from), a.low), vaddq_f32(vld1q_f32(from + 4), a.high)};
    }
    store(x);
  }
}

// Rows of 16 outputs without a function, in one go from the last chunk to the stores.
static inline void FinishWhole(const float16_t* last, Earlier earlier, uint32_t rows,
                               uint16_t* output, size_t output_stride) {
  const auto store = [](const Float8& x, uint16_t* to) {
    const float16x4_t low = vcvt_f16_f32(x.low);
    vst1q_u16(to, vreinterpretq_u16_f16(vcvt_high_f16_f32(low, x.high)));
  };
  AddLast<2>(last, earlier, rows, [&](const Float8* x) {
    store(x[0], output);
    store(x[1], output + 8);
    output += output_stride;
  });
}

// Function, rounding and stores of `rows` rows of a panel, `width` sums each.
[[gnu::noinline, gnu::noclone]] static void Finish(const Part& part, const PanelF16& p,
                                                   uint32_t row, uint32_t rows, uint32_t width,
                                                   const float16_t* last, Earlier earlier) {
  const FloatFunction f = {part.args->function, part.args->alpha, part.args->beta};
  const size_t stride = p.output_stride;
  uint16_t* output = p.output + row * stride;
  const bool whole = p.output_channels == kChannelBlock;
  if (f.function == blob::Function::kSilu) {
    if (!whole) {
      return FinishSiluPart(last, earlier, rows, width, p.output_channels, output, stride);
    }
    if (earlier.step == 0) return FinishSilu<true>(last, earlier, rows, output, stride);
    return FinishSilu<false>(last, earlier, rows, output, stride);
  }
  if (whole && f.function == blob::Function::kIdentity) {
    return FinishWhole(last, earlier, rows, output, stride);
  }
  float sums[kPanelRows * kChannelBlock];
  float* to = sums;
  const auto keep = [&](const Float8* x) {
    vst1q_f32(to, x->low);
    vst1q_f32(to + 4, x->high);
    to += 8;
  };
  if (width == 8) {
    AddLast<1>(last, earlier, rows, keep);
  } else {
    AddLast<2>(last, earlier, rows, [&](const Float8* x) {
      keep(x);
      keep(x + 1);
    });
  }
  ApplyMany(f, sums, rows * width);
  for (const float* from = sums; from != to; from += width, output += stride) {
    HalfRows::Narrow(from, p.output_channels, output);
  }
}

}  // namespace
}  // namespace octet

#endif  // OCTET_KERNELS_CONV_F16_ARM_FINISH_INL_H_
