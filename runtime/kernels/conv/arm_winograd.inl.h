// Winograd's method with NEON alone: SMLAL by element, 4 exact products an instruction, against the
// 5.3 of the direct kernel of which 2.25 (tiles of 2x2) or 4 times as many are needed.
//
// Included once by conv/arm_neon.cc; everything has internal linkage.
#ifndef OCTET_KERNELS_CONV_ARM_WINOGRAD_INL_H_
#define OCTET_KERNELS_CONV_ARM_WINOGRAD_INL_H_

#include "runtime/kernels/arm_requantize.inl.h"
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

// --- Products ----------------------------------------------------------------------------------

#if defined(__aarch64__)

constexpr size_t kWinogradPanel = 5;

// 5 tiles x 16 outputs are 20 registers of sums (v12 to v31), 5 of V (v0 to v4: 8 channels of a
// tile each) and 2 x 2 of U (v5 to v8: 16 outputs of two channels). U is loaded a channel ahead, V
// while its last products are made. Addresses advance on their own: cores that execute in order
// make a load wait for the address that the one before it wrote back.
// clang-format off
#define OCTET_ROW(op, sum, u, lanes, v, c) \
  #op " v" #sum ".4s, v" #u "." #lanes ", v" #v ".h[" #c "]\n\t"
#define OCTET_ROWS1(op, u, lanes, s0, s1, s2, s3, s4, c) OCTET_ROW(op, s0, u, lanes, 0, c)
#define OCTET_ROWS2(op, u, lanes, s0, s1, s2, s3, s4, c) \
  OCTET_ROWS1(op, u, lanes, s0, s1, s2, s3, s4, c) OCTET_ROW(op, s1, u, lanes, 1, c)
#define OCTET_ROWS3(op, u, lanes, s0, s1, s2, s3, s4, c) \
  OCTET_ROWS2(op, u, lanes, s0, s1, s2, s3, s4, c) OCTET_ROW(op, s2, u, lanes, 2, c)
#define OCTET_ROWS4(op, u, lanes, s0, s1, s2, s3, s4, c) \
  OCTET_ROWS3(op, u, lanes, s0, s1, s2, s3, s4, c) OCTET_ROW(op, s3, u, lanes, 3, c)
#define OCTET_ROWS5(op, u, lanes, s0, s1, s2, s3, s4, c) \
  OCTET_ROWS4(op, u, lanes, s0, s1, s2, s3, s4, c) OCTET_ROW(op, s4, u, lanes, 4, c)
// A channel's products with U in registers a and b; the last quarter apart.
#define OCTET_PART(rows, c, a, b)                \
  rows(smlal, a, 4h, 12, 16, 20, 24, 28, c)      \
  rows(smlal2, a, 8h, 13, 17, 21, 25, 29, c)     \
  rows(smlal, b, 4h, 14, 18, 22, 26, 30, c)
#define OCTET_CHANNEL(rows, c, a, b, next)       \
  OCTET_PART(rows, c, a, b)                      \
  rows(smlal2, b, 8h, 15, 19, 23, 27, 31, c)     \
  "ldp q" #a ", q" #b ", [%[u], #" #next "]\n\t"
// The last products of 8 channels, and V of the next 8.
#define OCTET_LAST1 "smlal2 v15.4s, v8.8h, v0.h[7]\n\t" "ldr q0, [%[v]]\n\t"
#define OCTET_LAST2                                                        \
  "smlal2 v15.4s, v8.8h, v0.h[7]\n\t" "smlal2 v19.4s, v8.8h, v1.h[7]\n\t"  \
  "ldp q0, q1, [%[v]]\n\t"
#define OCTET_LAST3 \
  OCTET_LAST2 "smlal2 v23.4s, v8.8h, v2.h[7]\n\t" "ldr q2, [%[v], #32]\n\t"
#define OCTET_LAST4                                                        \
  OCTET_LAST2 "smlal2 v23.4s, v8.8h, v2.h[7]\n\t"                          \
  "smlal2 v27.4s, v8.8h, v3.h[7]\n\t" "ldp q2, q3, [%[v], #32]\n\t"
#define OCTET_LAST5 \
  OCTET_LAST4 "smlal2 v31.4s, v8.8h, v4.h[7]\n\t" "ldr q4, [%[v], #64]\n\t"
#define OCTET_FIRST1 "ldr q0, [%[v]]\n\t"
#define OCTET_FIRST2 "ldp q0, q1, [%[v]]\n\t"
#define OCTET_FIRST3 OCTET_FIRST2 "ldr q2, [%[v], #32]\n\t"
#define OCTET_FIRST4 OCTET_FIRST2 "ldp q2, q3, [%[v], #32]\n\t"
#define OCTET_FIRST5 OCTET_FIRST4 "ldr q4, [%[v], #64]\n\t"
#define OCTET_ZERO(a, b, c, d)                        \
  "movi v" #a ".4s, #0\n\t" "movi v" #b ".4s, #0\n\t" \
  "movi v" #c ".4s, #0\n\t" "movi v" #d ".4s, #0\n\t"
#define OCTET_ZERO1 OCTET_ZERO(12, 13, 14, 15)
#define OCTET_ZERO2 OCTET_ZERO1 OCTET_ZERO(16, 17, 18, 19)
#define OCTET_ZERO3 OCTET_ZERO2 OCTET_ZERO(20, 21, 22, 23)
#define OCTET_ZERO4 OCTET_ZERO3 OCTET_ZERO(24, 25, 26, 27)
#define OCTET_ZERO5 OCTET_ZERO4 OCTET_ZERO(28, 29, 30, 31)
#define OCTET_STORE(a, b, c, d)                                                \
  "stp q" #a ", q" #b ", [%[to]]\n\t" "stp q" #c ", q" #d ", [%[to], #32]\n\t" \
  "add %[to], %[to], %[to_step]\n\t"
#define OCTET_STORE1 OCTET_STORE(12, 13, 14, 15)
#define OCTET_STORE2 OCTET_STORE1 OCTET_STORE(16, 17, 18, 19)
#define OCTET_STORE3 OCTET_STORE2 OCTET_STORE(20, 21, 22, 23)
#define OCTET_STORE4 OCTET_STORE3 OCTET_STORE(24, 25, 26, 27)
#define OCTET_STORE5 OCTET_STORE4 OCTET_STORE(28, 29, 30, 31)
// 8 channels whose U lies at `u` + at; those behind them are loaded from u + next. The last round of
// all loads its own U and V again: nothing behind them is read.
#define OCTET_ROUND(n, at64, at96, at128, at160, at192, at224, next, next32, step0, step1, step2) \
  OCTET_CHANNEL(OCTET_ROWS##n, 0, 5, 6, at64)                                       \
  OCTET_CHANNEL(OCTET_ROWS##n, 1, 7, 8, at96) step0                                 \
  OCTET_CHANNEL(OCTET_ROWS##n, 2, 5, 6, at128)                                      \
  OCTET_CHANNEL(OCTET_ROWS##n, 3, 7, 8, at160) step1                                \
  OCTET_CHANNEL(OCTET_ROWS##n, 4, 5, 6, at192)                                      \
  "add %[v], %[v], %[v_step]\n\t"                                                   \
  OCTET_CHANNEL(OCTET_ROWS##n, 5, 7, 8, at224) step2                                \
  OCTET_CHANNEL(OCTET_ROWS##n, 6, 5, 6, next)                                       \
  OCTET_PART(OCTET_ROWS##n, 7, 7, 8)                                                \
  OCTET_LAST##n                                                                     \
  "ldp q7, q8, [%[u], #" #next32 "]\n\t"
// Two rounds at a time; an odd number begins with the second.
#define OCTET_PANEL(n)                                                              \
  static inline void WinogradPanel##n(const int16_t* u, const int16_t* v,           \
                                      size_t v_step, size_t rounds, int32_t* to,    \
                                      size_t to_step) {                             \
    size_t u_step = 512;                                                            \
    __asm__ volatile(                                                               \
        "ldp q5, q6, [%[u]]\n\t"                                                    \
        "ldp q7, q8, [%[u], #32]\n\t"                                               \
        OCTET_FIRST##n OCTET_ZERO##n                                                \
        "tbz %[rounds], #0, 1f\n\t"                                                 \
        "add %[rounds], %[rounds], #1\n\t"                                          \
        "sub %[u], %[u], #256\n\t"                                                  \
        "b 2f\n\t"                                                                  \
        "1:\n\t"                                                                    \
        OCTET_ROUND(n, 64, 96, 128, 160, 192, 224, 256, 288, "", "", "")            \
        "2:\n\t"                                                                    \
        "subs %[rounds], %[rounds], #2\n\t"                                         \
        OCTET_ROUND(n, 320, 352, 384, 416, 448, 480, 0, 32,                         \
                    "csel %[v_step], %[v_step], xzr, ne\n\t",                       \
                    "csel %[u_step], %[u_step], %[u_last], ne\n\t",                 \
                    "add %[u], %[u], %[u_step]\n\t")                                \
        "b.ne 1b\n\t"                                                               \
        OCTET_STORE##n                                                              \
        : [u] "+r"(u), [v] "+r"(v), [rounds] "+r"(rounds), [to] "+r"(to),           \
          [u_step] "+r"(u_step), [v_step] "+r"(v_step)                              \
        : [to_step] "r"(to_step), [u_last] "r"((size_t)256)                         \
        : "cc", "memory", "v0", "v1", "v2", "v3", "v4", "v5", "v6", "v7", "v8",     \
          "v12", "v13", "v14", "v15", "v16", "v17", "v18", "v19", "v20", "v21",     \
          "v22", "v23", "v24", "v25", "v26", "v27", "v28", "v29", "v30", "v31");    \
  }
OCTET_PANEL(1)
OCTET_PANEL(2)
OCTET_PANEL(3)
OCTET_PANEL(4)
OCTET_PANEL(5)
// clang-format on
#undef OCTET_ROW
#undef OCTET_ROWS1
#undef OCTET_ROWS2
#undef OCTET_ROWS3
#undef OCTET_ROWS4
#undef OCTET_ROWS5
#undef OCTET_PART
#undef OCTET_CHANNEL
#undef OCTET_LAST1
#undef OCTET_LAST2
#undef OCTET_LAST3
#undef OCTET_LAST4
#undef OCTET_LAST5
#undef OCTET_FIRST1
#undef OCTET_FIRST2
#undef OCTET_FIRST3
#undef OCTET_FIRST4
#undef OCTET_FIRST5
#undef OCTET_ZERO
#undef OCTET_ZERO1
#undef OCTET_ZERO2
#undef OCTET_ZERO3
#undef OCTET_ZERO4
#undef OCTET_ZERO5
#undef OCTET_STORE
#undef OCTET_STORE1
#undef OCTET_STORE2
#undef OCTET_STORE3
#undef OCTET_STORE4
#undef OCTET_STORE5
#undef OCTET_ROUND
#undef OCTET_PANEL

// Steps in bytes; `rounds` of 8 channels.
static inline void WinogradPanel(const int16_t* u, const int16_t* v, size_t v_step, size_t rounds,
                                 int32_t* to, size_t to_step, size_t tiles) {
  static constexpr void (*kPanels[kWinogradPanel])(const int16_t*, const int16_t*, size_t, size_t,
                                                   int32_t*, size_t) = {
      WinogradPanel1, WinogradPanel2, WinogradPanel3, WinogradPanel4, WinogradPanel5};
  kPanels[tiles - 1](u, v, v_step, rounds, to, to_step);
}

#else

constexpr size_t kWinogradPanel = 2;  // 2 tiles x 16 outputs are 8 of the 16 registers

template <int kTiles, int kLane>
static inline void WinogradChannel(const int16_t* u, const int16x4_t* v, int32x4_t (*sums)[4]) {
#pragma GCC unroll 4
  for (int i = 0; i < 4; ++i) {
    const int16x4_t weights = vld1_s16(u + 4 * i);
#pragma GCC unroll 2
    for (int t = 0; t < kTiles; ++t) {
      sums[t][i] = vmlal_lane_s16(sums[t][i], weights, v[t], kLane);
    }
  }
}

template <int kTiles>
static inline void WinogradTiles(const int16_t* u, const int16_t* v, size_t v_step, size_t rounds,
                                 int32_t* to, size_t to_step) {
  int32x4_t sums[kTiles][4];
  for (int t = 0; t < kTiles; ++t) {
    for (int i = 0; i < 4; ++i) sums[t][i] = vdupq_n_s32(0);
  }
  for (; rounds != 0; --rounds, v += v_step / sizeof(*v)) {
    for (int half = 0; half < 8; half += 4, u += 64) {
      int16x4_t lanes[kTiles];
      for (int t = 0; t < kTiles; ++t) lanes[t] = vld1_s16(v + 8 * t + half);
      WinogradChannel<kTiles, 0>(u, lanes, sums);
      WinogradChannel<kTiles, 1>(u + 16, lanes, sums);
      WinogradChannel<kTiles, 2>(u + 32, lanes, sums);
      WinogradChannel<kTiles, 3>(u + 48, lanes, sums);
    }
  }
  for (int t = 0; t < kTiles; ++t, to += to_step / sizeof(*to)) {
    for (int i = 0; i < 4; ++i) vst1q_s32(to + 4 * i, sums[t][i]);
  }
}

static inline void WinogradPanel(const int16_t* u, const int16_t* v, size_t v_step, size_t rounds,
                                 int32_t* to, size_t to_step, size_t tiles) {
  (tiles == 1 ? WinogradTiles<1> : WinogradTiles<2>)(u, v, v_step, rounds, to, to_step);
}

#endif

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
