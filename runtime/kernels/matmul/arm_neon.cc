// Batched matrix products with NEON: 4 rows x 8 columns of sums in registers, k in turn. int8:
// differences of 16 bits, products added in 32 (|sum| <= 2^30). FP16: a product is rounded before
// it is added, so no VFMA. ARMv7's vectors flush subnormal floats to zero, which products of halves
// never are (at least 2^-48), and sums of them neither: they are whole multiples of 2^-48.
#include "runtime/kernels/arm_half.inl.h"
#include "runtime/kernels/arm_requantize.inl.h"
#include "runtime/kernels/kernel_table.h"
// Intrinsics come first.
#include "runtime/kernels/matmul/driver.inl.h"

namespace octet {
namespace {

constexpr uint32_t kSide = 8;

struct LevelS8 {
  typedef int16_t Value;  // q - zero_point; arena bytes are q itself on ARM
  static constexpr uint32_t kGroup = 1;
  typedef int32_t Zero;
  static inline Zero ZeroA(const MatMulS8Args& args) { return args.zero_point_a; }
  static inline Zero ZeroB(const MatMulS8Args& args) { return args.zero_point_b; }

  static inline void Pack(Zero zero_point, const uint8_t* from, uint64_t from_step, uint32_t count,
                          int16_t* to, uint64_t to_step) {
    uint32_t i = 0;
    if (from_step == 1 && to_step == 1) {
      const int8x8_t zero = vdup_n_s8((int8_t)zero_point);
      for (; i + 8 <= count; i += 8) {
        vst1q_s16(to + i, vsubl_s8(vld1_s8(reinterpret_cast<const int8_t*>(from + i)), zero));
      }
    }
    for (; i < count; ++i) to[i * to_step] = (int16_t)((int8_t)from[i * from_step] - zero_point);
  }

  // Row r takes its factor from a lane of a[r].
  template <int kLane, uint32_t kRows>
  static inline void AddLane(const int16x4_t (&a)[kRows], const int16_t* b,
                             int32x4_t (&low)[kMatMulTile], int32x4_t (&high)[kMatMulTile]) {
    const int16x4_t b0 = vld1_s16(b), b1 = vld1_s16(b + 4);
#pragma GCC unroll 4
    for (uint32_t r = 0; r < kRows; ++r) {
      low[r] = vmlal_lane_s16(low[r], b0, a[r], kLane);
      high[r] = vmlal_lane_s16(high[r], b1, a[r], kLane);
    }
  }

  template <uint32_t kRows>
  static inline void Sums(const int16_t* tile, uint64_t deep, const int16_t* panel, uint32_t depth,
                          int32x4_t (&low)[kMatMulTile], int32x4_t (&high)[kMatMulTile]) {
#pragma GCC unroll 4
    for (uint32_t r = 0; r < kRows; ++r) low[r] = high[r] = vdupq_n_s32(0);
    const int16_t* b = panel;
    uint32_t k = 0;
    for (; k + 4 <= depth; k += 4, b += 4 * kMatMulPanel) {
      int16x4_t a[kRows];
#pragma GCC unroll 4
      for (uint32_t r = 0; r < kRows; ++r) a[r] = vld1_s16(tile + r * deep + k);
      AddLane<0>(a, b, low, high);
      AddLane<1>(a, b + kMatMulPanel, low, high);
      AddLane<2>(a, b + 2 * kMatMulPanel, low, high);
      AddLane<3>(a, b + 3 * kMatMulPanel, low, high);
    }
    for (; k < depth; ++k, b += kMatMulPanel) {
      int16x4_t a[kRows];
#pragma GCC unroll 4
      for (uint32_t r = 0; r < kRows; ++r) a[r] = vld1_dup_s16(tile + r * deep + k);
      AddLane<0>(a, b, low, high);
    }
  }

  static inline void Multiply(const MatMulS8Args& args, const int16_t* tile, const int16_t* panel,
                              uint32_t rows, uint32_t columns, uint8_t* out) {
    const blob::MatMulParams& p = *args.params;
    const uint64_t deep = MatMulDeep(p.depth);
    const Tail16 tail = MakeTail16(args.out_zero_point, p.clamp_lo, p.clamp_hi);
    const int32x4_t multiplier = vdupq_n_s32(p.multiplier), left_shift = vdupq_n_s32(-p.shift);
    const auto requantized = [&](int32x4_t sum) {
      if (p.pre_shift != 0) sum = PreShift4(sum, p.pre_shift);
      return Requantize4(sum, multiplier, left_shift);
    };
    for (uint32_t first = 0; first < columns; first += kSide) {
      int32x4_t low[kMatMulTile], high[kMatMulTile];
      if (rows == kMatMulTile) {
        Sums<kMatMulTile>(tile, deep, panel + first, p.depth, low, high);
      } else {
        for (uint32_t r = 0; r < rows; ++r) {
          int32x4_t row_low[kMatMulTile], row_high[kMatMulTile];
          Sums<1>(tile + r * deep, deep, panel + first, p.depth, row_low, row_high);
          low[r] = row_low[0];
          high[r] = row_high[0];
        }
      }
      const uint32_t left = columns - first < kSide ? columns - first : kSide;
      for (uint32_t r = 0; r < rows; ++r) {
        const int32x4_t a = requantized(low[r]), b = requantized(high[r]);
        StorePartial16(out + (uint64_t)r * p.columns + first, Finish16(a, b, a, b, tail), left);
      }
    }
  }
};

struct LevelF16 {
  typedef float Value;
  static constexpr uint32_t kGroup = 1;
  struct Zero {};
  static inline Zero ZeroA(const MatMulF16Args&) { return Zero{}; }
  static inline Zero ZeroB(const MatMulF16Args&) { return Zero{}; }

  static inline void Pack(Zero, const uint16_t* from, uint64_t from_step, uint32_t count, float* to,
                          uint64_t to_step) {
    uint32_t i = 0;
    for (; i + 8 <= count; i += 8) {
      uint16_t halves[8];
      const uint16_t* dense = from + i;
      if (from_step != 1) {
        for (uint32_t j = 0; j < 8; ++j) halves[j] = from[(i + j) * from_step];
        dense = halves;
      }
      const Float8 x = LoadHalf8(dense);
      if (to_step == 1) {
        vst1q_f32(to + i, x.low);
        vst1q_f32(to + i + 4, x.high);
        continue;
      }
      float values[8];
      vst1q_f32(values, x.low);
      vst1q_f32(values + 4, x.high);
      for (uint32_t j = 0; j < 8; ++j) to[(i + j) * to_step] = values[j];
    }
    for (; i < count; ++i) to[i * to_step] = HalfToFloat(from[i * from_step]);
  }

  template <uint32_t kRows>
  static inline void Sums(const float* tile, uint64_t deep, const float* panel, uint32_t depth,
                          Float8 (&sums)[kMatMulTile]) {
#pragma GCC unroll 4
    for (uint32_t r = 0; r < kRows; ++r) sums[r] = Float8{vdupq_n_f32(0.0f), vdupq_n_f32(0.0f)};
    for (uint64_t k = 0; k < depth; ++k) {
      const float32x4_t b0 = vld1q_f32(panel + k * kMatMulPanel);
      const float32x4_t b1 = vld1q_f32(panel + k * kMatMulPanel + 4);
#pragma GCC unroll 4
      for (uint32_t r = 0; r < kRows; ++r) {
        const float32x4_t a = vld1q_dup_f32(tile + r * deep + k);
        sums[r].low = vaddq_f32(sums[r].low, vmulq_f32(a, b0));
        sums[r].high = vaddq_f32(sums[r].high, vmulq_f32(a, b1));
      }
    }
  }

  static inline void Multiply(const MatMulF16Args& args, const float* tile, const float* panel,
                              uint32_t rows, uint32_t columns, uint16_t* out) {
    const blob::MatMulParams& p = *args.params;
    const uint64_t deep = MatMulDeep(p.depth);
    for (uint32_t first = 0; first < columns; first += kSide) {
      Float8 sums[kMatMulTile];
      if (rows == kMatMulTile) {
        Sums<kMatMulTile>(tile, deep, panel + first, p.depth, sums);
      } else {
        for (uint32_t r = 0; r < rows; ++r) {
          Float8 row[kMatMulTile];
          Sums<1>(tile + r * deep, deep, panel + first, p.depth, row);
          sums[r] = row[0];
        }
      }
      for (uint32_t r = 0; r < rows; ++r) {
        StorePartialHalf8(out + (uint64_t)r * p.columns + first, sums[r], columns - first);
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
