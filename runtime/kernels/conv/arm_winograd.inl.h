// Winograd's method with NEON alone: SMLAL by element, 4 exact products an instruction, against the
// 5.3 of the direct kernel of which 2.25 (tiles of 2x2) or 4 times as many are needed.
//
// Included once by conv/arm_neon.cc; everything has internal linkage.
#ifndef OCTET_KERNELS_CONV_ARM_WINOGRAD_INL_H_
#define OCTET_KERNELS_CONV_ARM_WINOGRAD_INL_H_

#include "runtime/kernels/arm_requantize.inl.h"
#include "runtime/kernels/conv/arm_winograd_products.inl.h"
#include "runtime/kernels/conv/winograd.inl.h"

namespace octet {
namespace {

// --- Input: V = B^T d B of 8 channels ----------------------------------------------------------

// Stores and moves the pointer on, in one instruction where the compiler spends two.
static inline void StoreNext(int16_t** to, size_t bytes, int16x8_t value) {
#if defined(__aarch64__)
  __asm__ volatile("st1 {%1.8h}, [%0], %2" : "+r"(*to) : "w"(value), "r"(bytes) : "memory");
#else
  __asm__ volatile("vst1.16 {%e1, %f1}, [%0], %2" : "+r"(*to) : "w"(value), "r"(bytes) : "memory");
#endif
}

// One dimension of int8 or int16.
static inline void TransformLine(const int8x8_t (&d)[4], int16x8_t* out) {
  out[0] = vsubl_s8(d[0], d[2]);
  out[1] = vaddl_s8(d[1], d[2]);
  out[2] = vsubl_s8(d[2], d[1]);
  out[3] = vsubl_s8(d[1], d[3]);
}
static inline void TransformLine(const int16x8_t (&d)[4], int16x8_t* out) {
  out[0] = vsubq_s16(d[0], d[2]);
  out[1] = vaddq_s16(d[1], d[2]);
  out[2] = vsubq_s16(d[2], d[1]);
  out[3] = vsubq_s16(d[1], d[3]);
}
static inline void TransformLine(const int8x8_t (&d)[6], int16x8_t* out) {
  const int8x8_t four = vdup_n_s8(4);
  const int16x8_t even = vsubl_s8(d[4], d[2]), odd = vsubl_s8(d[3], d[1]);
  const int16x8_t a = vmlsl_s8(vmovl_s8(d[4]), d[2], four);
  const int16x8_t b = vmlsl_s8(vmovl_s8(d[3]), d[1], four);
  out[0] = vaddq_s16(even, vshlq_n_s16(vsubl_s8(d[0], d[2]), 2));
  out[1] = vaddq_s16(a, b);
  out[2] = vsubq_s16(a, b);
  out[3] = vaddq_s16(even, vaddq_s16(odd, odd));
  out[4] = vsubq_s16(even, vaddq_s16(odd, odd));
  out[5] = vsubq_s16(vsubl_s8(d[5], d[3]), vshlq_n_s16(odd, 2));
}
static inline void TransformLine(const int16x8_t (&d)[6], int16x8_t* out) {
  const int16x8_t four = vdupq_n_s16(4);
  const int16x8_t even = vsubq_s16(d[4], d[2]), odd = vsubq_s16(d[3], d[1]);
  const int16x8_t a = vmlsq_s16(d[4], d[2], four), b = vmlsq_s16(d[3], d[1], four);
  const int16x8_t twice = vaddq_s16(odd, odd);
  out[0] = vmlaq_s16(even, vsubq_s16(d[0], d[2]), four);
  out[1] = vaddq_s16(a, b);
  out[2] = vsubq_s16(a, b);
  out[3] = vaddq_s16(even, twice);
  out[4] = vsubq_s16(even, twice);
  out[5] = vmlsq_s16(vsubq_s16(d[5], d[3]), odd, four);
}

// --- Output: acc of 4 channels -----------------------------------------------------------------

// One dimension of A^T M A.
static inline void CollectLine(const int32x4_t (&x)[4], int32x4_t* out, size_t step) {
  out[0] = vaddq_s32(vaddq_s32(x[0], x[1]), x[2]);
  out[step] = vsubq_s32(vsubq_s32(x[1], x[2]), x[3]);
}
static inline void CollectLine(const int32x4_t (&x)[6], int32x4_t* out, size_t step) {
  const int32x4_t four = vdupq_n_s32(4);
  const int32x4_t sum12 = vaddq_s32(x[1], x[2]), difference12 = vsubq_s32(x[1], x[2]);
  const int32x4_t sum34 = vaddq_s32(x[3], x[4]), difference34 = vsubq_s32(x[3], x[4]);
  const int32x4_t twice34 = vaddq_s32(difference34, difference34);
  out[0] = vaddq_s32(vaddq_s32(x[0], sum12), sum34);
  out[step] = vaddq_s32(difference12, twice34);
  out[2 * step] = vmlaq_s32(sum12, sum34, four);
  out[3 * step] = vmlaq_s32(difference12, vaddq_s32(twice34, x[5]), four);
}

template <int m>
static inline int32x4_t ExactQuotient(int32x4_t bias, int32x4_t sum) {
  if (m == 2) return vsraq_n_s32(bias, sum, 2);
  return vsraq_n_s32(bias, vmulq_s32(sum, vdupq_n_s32((int32_t)kInverseOf9)), 6);
}

struct WinogradNeon {
  // Half of the transform goes through memory: (m + 2)^2 vectors are more than there are registers.
  template <int m>
  static inline void TransformInput(const uint8_t* const* pixels, uint32_t in_c, uint8_t /*sign*/,
                                    int16_t* v, size_t position_stride, size_t channel_stride) {
    constexpr int kSize = m + 2;
    for (uint32_t c = 0; c < in_c; c += 8, v += channel_stride) {
      int16_t half[kSize][kSize][8];  // row of the transform, column of the image
      // Unrolled, the compiler would keep more addresses than there are registers.
#pragma GCC unroll 1
      for (int j = 0; j < kSize; ++j) {
        int8x8_t d[kSize];
        int16x8_t line[kSize];
#pragma GCC unroll 6
        for (int i = 0; i < kSize; ++i) {
          d[i] = vreinterpret_s8_u8(vld1_u8(pixels[i * kSize + j] + c));
        }
        TransformLine(d, line);
#pragma GCC unroll 6
        for (int i = 0; i < kSize; ++i) vst1q_s16(half[i][j], line[i]);
      }
      int16_t* to = v;
#pragma GCC unroll 1
      for (int i = 0; i < kSize; ++i) {
        int16x8_t d[kSize], line[kSize];
#pragma GCC unroll 6
        for (int j = 0; j < kSize; ++j) d[j] = vld1q_s16(half[i][j]);
        TransformLine(d, line);
#pragma GCC unroll 6
        for (int j = 0; j < kSize; ++j) StoreNext(&to, position_stride * sizeof(*to), line[j]);
      }
    }
  }

  static inline void Multiply(const int16_t* u, const int16_t* v, size_t tiles, uint32_t in_c,
                              int32_t* products, size_t product_stride) {
    const size_t panels = (tiles + kWinogradPanel - 1) / kWinogradPanel;
    const size_t least = tiles / panels, larger = tiles % panels;  // panels with one tile more
    for (size_t i = 0; i < panels; ++i) {
      const size_t count = least + (i < larger ? 1 : 0);
      WinogradPanel(u, v, tiles * 8 * sizeof(*v), in_c / 8, products,
                    product_stride * sizeof(*products), count);
      v += count * 8;
      products += count * product_stride;
    }
  }

  template <int m>
  static inline void Finish(const int32_t* products, const WinogradOutput& out) {
    constexpr int kSize = m + 2;
    const ConvS8Args& args = *out.args;
    int16_t values[m * m][16];  // requantized
    for (int quad = 0; quad < 4; ++quad) {
      int32x4_t half[m][kSize];
#pragma GCC unroll 6
      for (int j = 0; j < kSize; ++j) {
        int32x4_t x[kSize];
#pragma GCC unroll 6
        for (int i = 0; i < kSize; ++i) {
          x[i] = vld1q_s32(products + (i * kSize + j) * 16 + 4 * quad);
        }
        CollectLine(x, &half[0][j], kSize);
      }
      const int32x4_t bias = vld1q_s32(out.channels->bias + 4 * quad);
      const int32x4_t multiplier = vld1q_s32(out.channels->multiplier + 4 * quad);
      const int32x4_t left_shift = vnegq_s32(vld1q_s32(out.channels->shift + 4 * quad));
#pragma GCC unroll 4
      for (int i = 0; i < m; ++i) {
        int32x4_t line[m];
        CollectLine(half[i], line, 1);
#pragma GCC unroll 4
        for (int j = 0; j < m; ++j) {
          int32x4_t acc = ExactQuotient<m>(bias, line[j]);
          if (args.pre_shift != 0) acc = PreShift4(acc, args.pre_shift);
          vst1_s16(values[i * m + j] + 4 * quad,
                   vqmovn_s32(Requantize4(acc, multiplier, left_shift)));
        }
      }
    }
    Store<m>(values, out);
  }

 private:
  // Saturation to 16 bits before the zero point is added changes nothing (Finish16).
  static inline int8x16_t Narrow(const int16_t* values, const Tail16& tail) {
    const int16x8_t low = vqaddq_s16(vld1q_s16(values), tail.zero_point);
    const int16x8_t high = vqaddq_s16(vld1q_s16(values + 8), tail.zero_point);
    const int8x16_t q = vcombine_s8(vqmovn_s16(low), vqmovn_s16(high));
    return vminq_s8(vmaxq_s8(q, tail.lo), tail.hi);
  }

  template <int m>
  static inline void Store(const int16_t (*values)[16], const WinogradOutput& out) {
    const ConvS8Args& args = *out.args;
    const Tail16 tail = MakeTail16(args.out_zero_point, args.clamp_lo, args.clamp_hi);
    const size_t out_c = args.g.out_c, row_bytes = (size_t)args.g.out_w * out_c;
    uint8_t* row = out.output;
    if (args.table == nullptr && out.channels_count == 16 && out.columns == m) {
      for (uint32_t y = 0; y < out.rows; ++y, row += row_bytes, values += m) {
        uint8_t* to = row;
#pragma GCC unroll 4
        for (int x = 0; x < m; ++x, to += out_c) {
          vst1q_u8(to, vreinterpretq_u8_s8(Narrow(values[x], tail)));
        }
      }
      return;
    }
    int8x16_t q[m * m];
    for (int i = 0; i < m * m; ++i) q[i] = Narrow(values[i], tail);
    if (args.table != nullptr) ApplyTable(q, m * m, args.table);
    for (uint32_t y = 0; y < out.rows; ++y, row += row_bytes) {
      uint8_t* to = row;
      for (uint32_t x = 0; x < out.columns; ++x, to += out_c) {
        StorePartial16(to, q[y * m + x], out.channels_count);
      }
    }
  }
};

}  // namespace
}  // namespace octet

#endif  // OCTET_KERNELS_CONV_ARM_WINOGRAD_INL_H_
