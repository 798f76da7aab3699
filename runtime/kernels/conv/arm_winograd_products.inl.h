// The products of Winograd's method with NEON alone: sums of 1 to kWinogradPanel tiles x 16
// outputs.
//
// Included once by conv/arm_winograd.inl.h; everything has internal linkage.
#ifndef OCTET_KERNELS_CONV_ARM_WINOGRAD_PRODUCTS_INL_H_
#define OCTET_KERNELS_CONV_ARM_WINOGRAD_PRODUCTS_INL_H_

#include <stddef.h>
#include <stdint.h>

#include "runtime/kernels/arm_neon_shim.inl.h"

namespace octet {
namespace {

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

}  // namespace
}  // namespace octet

#endif  // OCTET_KERNELS_CONV_ARM_WINOGRAD_PRODUCTS_INL_H_
