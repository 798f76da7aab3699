// Batched matrix products with NEON: 4 rows x 8 columns of sums in registers (AArch64: 16), k in
// turn. int8: differences of 16 bits, products added in 32 (|sum| <= 2^30). FP16: a product is
// exact, so a fused sum has its bits. ARMv7's vectors flush subnormal floats to zero, which
// products of halves never are (at least 2^-48), and sums of them neither: they are whole multiples
// of 2^-48.
#include "runtime/kernels/arm_half.inl.h"
#include "runtime/kernels/arm_requantize.inl.h"
#include "runtime/kernels/kernel_table.h"
// Intrinsics come first.
#include "runtime/kernels/matmul/driver.inl.h"

namespace octet {
namespace {

#if defined(__aarch64__)
constexpr int kVectors =
    4;  // of 4 sums; 16 sums, 4 rows of A and a row of B fill 24 of 32 registers
#else
constexpr int kVectors = 2;
#endif
constexpr uint32_t kSide = 4 * kVectors;

struct LevelS8 : PackOneByOne {
  typedef int16_t Value;  // q - zero_point; arena bytes are q itself on ARM
  static constexpr uint32_t kGroup = 1;
  typedef int32_t Zero;
  static inline Zero ZeroA(const MatMulS8Args& args) { return args.zero_point_a; }
  static inline Zero ZeroB(const MatMulS8Args& args) { return args.zero_point_b; }

  // 8 elements two apart, and nothing behind the last of them.
  static inline int8x8_t LoadEven8(const int8_t* from) {
    const int8x8x2_t x = vuzp_s8(vld1_s8(from), vld1_s8(from + 7));
    return vbsl_s8(vcreate_u8(0xFFFFFFFF), x.val[0], x.val[1]);
  }

  static inline void Pack(Zero zero_point, const uint8_t* from, uint64_t from_step, uint32_t count,
                          int16_t* to, uint64_t to_step) {
    uint32_t i = 0;
    if (to_step == 1 && from_step - 1 <= 1) {
      const int8x8_t zero = vdup_n_s8((int8_t)zero_point);
      for (; i + 8 <= count; i += 8) {
        const int8_t* at = reinterpret_cast<const int8_t*>(from + i * from_step);
        vst1q_s16(to + i, vsubl_s8(from_step == 1 ? vld1_s8(at) : LoadEven8(at), zero));
      }
    }
    for (; i < count; ++i) to[i * to_step] = (int16_t)((int8_t)from[i * from_step] - zero_point);
  }

  static inline uint32_t PackTurned(const MatMulS8Args& args, const uint8_t* b, int16_t* panel) {
    const int8x8_t zero = vdup_n_s8((int8_t)args.zero_point_b);
    const uint64_t step = args.params->b_strides[4];
    const uint32_t whole = args.params->depth / 8 * 8;
    for (uint32_t k = 0; k < whole; k += 8, b += 8) {
      int8x8_t x[8];
#pragma GCC unroll 8
      for (int i = 0; i < 8; ++i) x[i] = vld1_s8(reinterpret_cast<const int8_t*>(b + i * step));
      int16x4x2_t words[4];
#pragma GCC unroll 4
      for (int i = 0; i < 4; ++i) {
        const int8x8x2_t bytes = vtrn_s8(x[2 * i], x[2 * i + 1]);  // columns 2 i, 2 i + 1
        x[2 * i] = bytes.val[0];                                   // even k
        x[2 * i + 1] = bytes.val[1];
      }
#pragma GCC unroll 4
      for (int i = 0; i < 4; ++i) {
        const int at = i / 2 * 4 + i % 2;
        words[i] = vtrn_s16(vreinterpret_s16_s8(x[at]), vreinterpret_s16_s8(x[at + 2]));
      }
#pragma GCC unroll 4
      for (int i = 0; i < 4; ++i) {  // k and k + 4 for k = i % 2 + i / 2 * 2
        const int32x2x2_t both = vtrn_s32(vreinterpret_s32_s16(words[i % 2].val[i / 2]),
                                          vreinterpret_s32_s16(words[2 + i % 2].val[i / 2]));
        int16_t* to = panel + (k + (uint32_t)i) * kMatMulPanel;
        vst1q_s16(to, vsubl_s8(vreinterpret_s8_s32(both.val[0]), zero));
        vst1q_s16(to + 4 * kMatMulPanel, vsubl_s8(vreinterpret_s8_s32(both.val[1]), zero));
      }
    }
    return whole;
  }

  // Row r takes its factor from a lane of a[r].
  template <int kLane>
  static inline void AddLane(const int16x4_t (&a)[kMatMulTile], const int16_t* b,
                             int32x4_t (&sums)[kMatMulTile][kVectors]) {
#pragma GCC unroll 2
    for (int v = 0; v < kVectors; v += 2) {
      const int16x8_t columns = vld1q_s16(b + 4 * v);
#pragma GCC unroll 4
      for (uint32_t r = 0; r < kMatMulTile; ++r) {
        sums[r][v] = vmlal_lane_s16(sums[r][v], vget_low_s16(columns), a[r], kLane);
#if defined(__aarch64__)
        sums[r][v + 1] = vmlal_high_lane_s16(sums[r][v + 1], columns, a[r], kLane);
#else
        sums[r][v + 1] = vmlal_lane_s16(sums[r][v + 1], vget_high_s16(columns), a[r], kLane);
#endif
      }
    }
  }

  // Of rows that the tile lacks: sums of what it held before.
  static inline void Sums(const int16_t* tile, uint64_t deep, const int16_t* panel, uint32_t depth,
                          int32x4_t (&sums)[kMatMulTile][kVectors]) {
#pragma GCC unroll 4
    for (uint32_t r = 0; r < kMatMulTile; ++r) {
#pragma GCC unroll 4
      for (int v = 0; v < kVectors; ++v) sums[r][v] = vdupq_n_s32(0);
    }
    const int16_t* b = panel;
    uint32_t k = 0;
    for (; k + 4 <= depth; k += 4, b += 4 * kMatMulPanel) {
      int16x4_t a[kMatMulTile];
#pragma GCC unroll 4
      for (uint32_t r = 0; r < kMatMulTile; ++r) a[r] = vld1_s16(tile + r * deep + k);
      AddLane<0>(a, b, sums);
      AddLane<1>(a, b + kMatMulPanel, sums);
      AddLane<2>(a, b + 2 * kMatMulPanel, sums);
      AddLane<3>(a, b + 3 * kMatMulPanel, sums);
    }
    for (; k < depth; ++k, b += kMatMulPanel) {
      int16x4_t a[kMatMulTile];
#pragma GCC unroll 4
      for (uint32_t r = 0; r < kMatMulTile; ++r) a[r] = vld1_dup_s16(tile + r * deep + k);
      AddLane<0>(a, b, sums);
    }
  }

  static inline void Multiply(const MatMulS8Args& args, const int16_t* tile, const int16_t* panel,
                              uint32_t rows, uint32_t columns, uint8_t* out) {
    const blob::MatMulParams& p = *args.params;
    const uint64_t deep = MatMulDeep(p.depth);
    const Tail16 tail = MakeTail16(args.out_zero_point, p.clamp_lo, p.clamp_hi);
    const int32x4_t multiplier = vdupq_n_s32(p.multiplier), left_shift = vdupq_n_s32(-p.shift);
    for (uint32_t first = 0; first < columns; first += kSide) {
      int32x4_t sums[kMatMulTile][kVectors];
      Sums(tile, deep, panel + first, p.depth, sums);
      const uint32_t left = columns - first < kSide ? columns - first : kSide;
      for (uint32_t r = 0; r < rows; ++r) {
        int32x4_t q[4];
#pragma GCC unroll 4
        for (int v = 0; v < 4; ++v) {
          int32x4_t sum = sums[r][v % kVectors];
          if (p.pre_shift != 0) sum = PreShift4(sum, p.pre_shift);
          q[v] = v < kVectors ? Requantize4(sum, multiplier, left_shift) : q[v - kVectors];
        }
        StorePartial16(out + (uint64_t)r * p.columns + first,
                       Finish16(q[0], q[1], q[2], q[3], tail), left);
      }
    }
  }
};

struct LevelF16 : PackOneByOne {
  typedef float Value;
  static constexpr uint32_t kGroup = 1;
  struct Zero {};
  static inline Zero ZeroA(const MatMulF16Args&) { return Zero{}; }
  static inline Zero ZeroB(const MatMulF16Args&) { return Zero{}; }

  // 8 elements two apart, and nothing behind the last of them.
  static inline uint16x8_t LoadEven8(const uint16_t* from) {
    const uint16x8x2_t x = vuzpq_u16(vld1q_u16(from), vld1q_u16(from + 7));
    return vcombine_u16(vget_low_u16(x.val[0]), vget_high_u16(x.val[1]));
  }

  // Eights of a dense row. Returns how many elements that were.
  template <uint32_t kStep>
  static inline uint32_t PackDense(const uint16_t* from, uint32_t count, float* to) {
    uint32_t i = 0;
    for (; i + 8 <= count; i += 8, from += 8 * kStep) {
      const Float8 x = Widen(kStep == 1 ? vld1q_u16(from) : LoadEven8(from));
      vst1q_f32(to + i, x.low);
      vst1q_f32(to + i + 4, x.high);
    }
    return i;
  }

  [[gnu::noinline]] static void Pack(Zero, const uint16_t* from, uint64_t from_step, uint32_t count,
                                     float* to, uint64_t to_step) {
    uint32_t i = 0;
    if (to_step == 1 && from_step == 1) i = PackDense<1>(from, count, to);
    if (to_step == 1 && from_step == 2) i = PackDense<2>(from, count, to);
    for (; i + 8 <= count; i += 8) {
      uint16_t halves[8];
      const uint16_t* dense = from + i;
      if (from_step != 1) {
        for (uint32_t j = 0; j < 8; ++j) halves[j] = from[(i + j) * from_step];
        dense = halves;
      }
      const Float8 x = LoadHalf8(dense);
      float values[8];
      vst1q_f32(values, x.low);
      vst1q_f32(values + 4, x.high);
      for (uint32_t j = 0; j < 8; ++j) to[(i + j) * to_step] = values[j];
    }
    for (; i < count; ++i) to[i * to_step] = HalfToFloat(from[i * from_step]);
  }

  // 8 columns as four pairs: columns i and i + 4 share a vector.
  static inline uint32_t PackTurned(const MatMulF16Args& args, const uint16_t* b, float* panel) {
    const uint64_t step = args.params->b_strides[4];
    const uint32_t whole = args.params->depth / 4 * 4;
    for (uint32_t k = 0; k < whole; k += 4, b += 4) {
      uint16x8_t x[4];
#pragma GCC unroll 4
      for (int i = 0; i < 4; ++i) {
        x[i] = vcombine_u16(vld1_u16(b + i * step), vld1_u16(b + (i + 4) * step));
      }
      const uint16x8x2_t a0 = vtrnq_u16(x[0], x[1]), a1 = vtrnq_u16(x[2], x[3]);
#pragma GCC unroll 2
      for (int i = 0; i < 2; ++i) {
        const uint32x4x2_t both =
            vtrnq_u32(vreinterpretq_u32_u16(a0.val[i]), vreinterpretq_u32_u16(a1.val[i]));
#pragma GCC unroll 2
        for (int j = 0; j < 2; ++j) {
          const Float8 row = Widen(vreinterpretq_u16_u32(both.val[j]));
          float* to = panel + (k + (uint32_t)(i + 2 * j)) * kMatMulPanel;
          vst1q_f32(to, row.low);
          vst1q_f32(to + 4, row.high);
        }
      }
    }
    return whole;
  }

  template <int kLane>
  static inline float32x4_t MultiplyAdd(float32x4_t sum, float32x4_t b, float32x4_t a) {
#if defined(__aarch64__)
    return vfmaq_laneq_f32(sum, b, a, kLane);
#else
    return vfmaq_f32(sum, b,
                     vdupq_lane_f32(kLane < 2 ? vget_low_f32(a) : vget_high_f32(a), kLane % 2));
#endif
  }

  template <int kLane>
  static inline void AddLane(const float32x4_t (&a)[kMatMulTile], const float* b,
                             float32x4_t (&sums)[kMatMulTile][kVectors]) {
#pragma GCC unroll 4
    for (int v = 0; v < kVectors; ++v) {
      const float32x4_t columns = vld1q_f32(b + 4 * v);
#pragma GCC unroll 4
      for (uint32_t r = 0; r < kMatMulTile; ++r) {
        sums[r][v] = MultiplyAdd<kLane>(sums[r][v], columns, a[r]);
      }
    }
  }

  // The sums are a local array until the end: the caller's, of which it takes a row by its number,
  // would be stored in every round.
  static inline void Sums(const float* tile, uint64_t deep, const float* panel, uint32_t depth,
                          float32x4_t (&result)[kMatMulTile][kVectors]) {
    float32x4_t sums[kMatMulTile][kVectors];
#pragma GCC unroll 4
    for (uint32_t r = 0; r < kMatMulTile; ++r) {
#pragma GCC unroll 4
      for (int v = 0; v < kVectors; ++v) sums[r][v] = vdupq_n_f32(0.0f);
    }
    const float* b = panel;
    uint32_t k = 0;
    for (; k + 4 <= depth; k += 4, b += 4 * kMatMulPanel) {
      float32x4_t a[kMatMulTile];
#pragma GCC unroll 4
      for (uint32_t r = 0; r < kMatMulTile; ++r) a[r] = vld1q_f32(tile + r * deep + k);
      AddLane<0>(a, b, sums);
      AddLane<1>(a, b + kMatMulPanel, sums);
      AddLane<2>(a, b + 2 * kMatMulPanel, sums);
      AddLane<3>(a, b + 3 * kMatMulPanel, sums);
    }
    for (; k < depth; ++k, b += kMatMulPanel) {
      float32x4_t a[kMatMulTile];
#pragma GCC unroll 4
      for (uint32_t r = 0; r < kMatMulTile; ++r) a[r] = vld1q_dup_f32(tile + r * deep + k);
      AddLane<0>(a, b, sums);
    }
#pragma GCC unroll 4
    for (uint32_t r = 0; r < kMatMulTile; ++r) {
#pragma GCC unroll 4
      for (int v = 0; v < kVectors; ++v) result[r][v] = sums[r][v];
    }
  }

  static inline void Multiply(const MatMulF16Args& args, const float* tile, const float* panel,
                              uint32_t rows, uint32_t columns, uint16_t* out) {
    const blob::MatMulParams& p = *args.params;
    const uint64_t deep = MatMulDeep(p.depth);
    for (uint32_t first = 0; first < columns; first += kSide) {
      float32x4_t sums[kMatMulTile][kVectors];
      Sums(tile, deep, panel + first, p.depth, sums);
      for (uint32_t r = 0; r < rows; ++r) {
        uint16_t* to = out + (uint64_t)r * p.columns + first;
        for (uint32_t c = 0; c < kSide && first + c < columns; c += 8) {
          const Float8 x = {sums[r][c / 4], sums[r][c / 4 + 1]};
          StorePartialHalf8(to + c, x, columns - first - c);
        }
      }
    }
  }
};

}  // namespace

void matmul_s8_neon(const MatMulS8Args& args, Share share) {
  RunMatMul<LevelS8>(args, share);
}

void matmul_f16_neon(const MatMulF16Args& args, Share share) {
  RunMatMul<LevelF16>(args, share);
}

}  // namespace octet
