// Recurrent layers with NEON. int8: two products of 8 bits are added in 16, exact for weights in
// +-127, and pairs of these sums in 32. FP16: a product is rounded before it is added, so no VFMA.
#include "runtime/kernels/kernel_table.h"
#include "runtime/kernels/recurrent/arm.inl.h"

namespace octet {
namespace {

struct LevelS8 : SignedRows {
  static inline int8x8_t Four(const int8_t* x) {
    int32_t four;
    memcpy(&four, x, sizeof(four));
    return vreinterpret_s8_s32(vdup_n_s32(four));
  }

  // acc[i] has, for the channels 2 i and 2 i + 1, sums of the first and the second two of four
  // products.
  static inline void DotUnit(const int8_t* w, const int8_t* x, uint32_t depth, int32_t* sums) {
    int32x4_t acc[8];
    for (int32x4_t& sum : acc) sum = vdupq_n_s32(0);
    for (uint32_t k = 0; k < depth; k += 8, w += 8 * kChannelBlock) {
      const int8x8_t x0 = Four(x + k), x1 = Four(x + k + 4);
#pragma GCC unroll 8
      for (uint32_t i = 0; i < 8; ++i) {
        const int16x8_t products =
            vmlal_s8(vmull_s8(vld1_s8(w + 8 * i), x0), vld1_s8(w + 4 * kChannelBlock + 8 * i), x1);
        acc[i] = vpadalq_s16(acc[i], products);
      }
    }
#pragma GCC unroll 4
    for (uint32_t i = 0; i < 4; ++i) {
      vst1q_s32(sums + 4 * i, AddPairs(acc[2 * i], acc[2 * i + 1]));
    }
  }

  template <uint32_t kRows, uint32_t kUnits>
  static inline void Dot(const int8_t* weights, uint64_t unit_step, const int8_t* x,
                         uint64_t x_step, uint32_t depth, int32_t (*sums)[kChannelBlock]) {
    for (uint32_t i = 0; i < kRows * kUnits; ++i) {
      DotUnit(weights + i % kUnits * unit_step, x + i / kUnits * x_step, depth, sums[i]);
    }
  }
};

struct LevelF16 : HalfRows {
  typedef float Value;
  typedef float Sum;
  typedef uint16_t Weight;
  static constexpr uint32_t kLanes = 4;
  static constexpr bool kInt8 = false;

  static inline void Pack(const RecurrentArgs& args, uint64_t from, uint32_t count, float* to) {
    Widen(reinterpret_cast<const uint16_t*>(args.input) + from, count, to);
  }
  static inline void Hold(const float* h, const RecurrentArgs&, float* to) {
    memcpy(to, h, kChannelBlock * sizeof(float));
  }

  // Two units, or two rows of one: 8 vectors of sums.
  template <bool kHalves>
  static inline float32x4_t Add(float32x4_t sum, float32x4_t x, float32x4_t w) {
    return kHalves ? vfmaq_f32(sum, x, w) : vaddq_f32(sum, vmulq_f32(x, w));
  }
  template <uint32_t kRows, uint32_t kUnits, bool kHalves>
  static inline void DotFew(const uint16_t* weights, uint64_t unit_step, const float* x,
                            uint64_t x_step, uint32_t depth, float (*sums)[kChannelBlock],
                            uint32_t row_sums) {
    float32x4_t acc[kRows * kUnits][4];
    for (uint32_t i = 0; i < kRows * kUnits; ++i) {
#pragma GCC unroll 4
      for (uint32_t q = 0; q < 4; ++q) {
        acc[i][q] = vld1q_f32(sums[i / kUnits * row_sums + i % kUnits] + 4 * q);
      }
    }
    for (uint32_t k = 0; k < depth; ++k, weights += kChannelBlock) {
#pragma GCC unroll 2
      for (uint32_t u = 0; u < kUnits; ++u) {
        const Float8 low = LoadHalf8(weights + u * unit_step);
        const Float8 high = LoadHalf8(weights + u * unit_step + 8);
#pragma GCC unroll 2
        for (uint32_t r = 0; r < kRows; ++r) {
          const float32x4_t value = vld1q_dup_f32(x + r * x_step + k);
          float32x4_t* sum = acc[r * kUnits + u];
          sum[0] = Add<kHalves>(sum[0], value, low.low);
          sum[1] = Add<kHalves>(sum[1], value, low.high);
          sum[2] = Add<kHalves>(sum[2], value, high.low);
          sum[3] = Add<kHalves>(sum[3], value, high.high);
        }
      }
    }
    for (uint32_t i = 0; i < kRows * kUnits; ++i) {
#pragma GCC unroll 4
      for (uint32_t q = 0; q < 4; ++q) {
        vst1q_f32(sums[i / kUnits * row_sums + i % kUnits] + 4 * q, acc[i][q]);
      }
    }
  }

  template <uint32_t kRows, uint32_t kUnits, bool kHalves>
  static inline void Dot(const uint16_t* weights, uint64_t unit_step, const float* x,
                         uint64_t x_step, uint32_t depth, float (*sums)[kChannelBlock]) {
    if constexpr (kRows > 1) {
      for (uint32_t r = 0; r < kRows; r += 2) {
        DotFew<2, 1, kHalves>(weights, unit_step, x + r * x_step, x_step, depth, sums + r, 1);
      }
    } else {
      constexpr uint32_t kPairs = kUnits / 2;
      for (uint32_t u = 0; u < 2 * kPairs; u += 2) {
        DotFew<1, 2, kHalves>(weights + u * unit_step, unit_step, x, x_step, depth, sums + u, 0);
      }
      if constexpr (kUnits % 2 != 0) {
        DotFew<1, 1, kHalves>(weights + 2 * kPairs * unit_step, unit_step, x, x_step, depth,
                              sums + 2 * kPairs, 0);
      }
    }
  }
};

}  // namespace

void recurrent_s8_neon(const RecurrentArgs& args, Share share) {
  RunRecurrent<LevelS8>(args, share);
}

void recurrent_f16_neon(const RecurrentArgs& args, Share share) {
  RunRecurrent<LevelF16>(args, share);
}

}  // namespace octet
