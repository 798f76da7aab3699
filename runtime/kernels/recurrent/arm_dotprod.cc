// Recurrent layers of int8 with SDOT.
#include "runtime/kernels/kernel_table.h"
#include "runtime/kernels/recurrent/arm.inl.h"

namespace octet {
namespace {

struct Level : SignedRows {
  // Rows and units together are at most 4.
  template <uint32_t kRows, uint32_t kUnits>
  static inline void Dot(const int8_t* weights, uint64_t unit_step, const int8_t* x,
                         uint64_t x_step, uint32_t depth, int32_t (*sums)[kChannelBlock]) {
    int32x4_t acc[kRows * kUnits][4];
    for (auto& unit : acc) {
      for (int32x4_t& sum : unit) sum = vdupq_n_s32(0);
    }
    for (uint32_t k = 0; k < depth; k += 8, weights += 8 * kChannelBlock) {
      int8x8_t value[kRows];
#pragma GCC unroll 4
      for (uint32_t r = 0; r < kRows; ++r) value[r] = vld1_s8(x + r * x_step + k);
#pragma GCC unroll 4
      for (uint32_t u = 0; u < kUnits; ++u) {
        const int8_t* w = weights + u * unit_step;
#pragma GCC unroll 4
        for (uint32_t q = 0; q < 4; ++q) {
          const int8x16_t w0 = vld1q_s8(w + 16 * q);
          const int8x16_t w1 = vld1q_s8(w + 4 * kChannelBlock + 16 * q);
#pragma GCC unroll 4
          for (uint32_t r = 0; r < kRows; ++r) {
            int32x4_t& sum = acc[r * kUnits + u][q];
            sum = vdotq_lane_s32(vdotq_lane_s32(sum, w0, value[r], 0), w1, value[r], 1);
          }
        }
      }
    }
    for (uint32_t i = 0; i < kRows * kUnits; ++i) {
      for (uint32_t q = 0; q < 4; ++q) vst1q_s32(sums[i] + 4 * q, acc[i][q]);
    }
  }
};

}  // namespace

void recurrent_s8_dotprod(const RecurrentArgs& args, Share share) {
  RunRecurrent<Level>(args, share);
}

}  // namespace octet
