// Recurrent layers of int8 with the VPDPBUSD of 256 bits.
#include "runtime/kernels/kernel_table.h"
#include "runtime/kernels/recurrent/x86_s8.inl.h"

namespace octet {
namespace {

struct Level : UnsignedRows {
  static constexpr uint32_t kLanes = 8;

  template <uint32_t kRows, uint32_t kUnits>
  static inline void Dot(const int8_t* weights, uint64_t unit_step, const uint8_t* x,
                         uint64_t x_step, uint32_t depth, int32_t (*sums)[kChannelBlock]) {
    __m256i acc[kRows * kUnits][2];
    for (auto& pair : acc) pair[0] = pair[1] = _mm256_setzero_si256();
    for (uint32_t k = 0; k < depth; k += 4, weights += 4 * kChannelBlock) {
      for (uint32_t u = 0; u < kUnits; ++u) {
        const __m256i* w = reinterpret_cast<const __m256i*>(weights + u * unit_step);
        const __m256i w0 = _mm256_loadu_si256(w), w1 = _mm256_loadu_si256(w + 1);
        for (uint32_t r = 0; r < kRows; ++r) {
          const __m256i value = _mm256_set1_epi32(Four(x + r * x_step + k));
          __m256i* sum = acc[r * kUnits + u];
          sum[0] = _mm256_dpbusd_avx_epi32(sum[0], value, w0);
          sum[1] = _mm256_dpbusd_avx_epi32(sum[1], value, w1);
        }
      }
    }
    for (uint32_t i = 0; i < kRows * kUnits; ++i) {
      __m256i* to = reinterpret_cast<__m256i*>(sums[i]);
      _mm256_store_si256(to, acc[i][0]);
      _mm256_store_si256(to + 1, acc[i][1]);
    }
  }
};

}  // namespace

void recurrent_s8_avxvnni(const RecurrentArgs& args, Share share) {
  RunRecurrent<Level>(args, share);
}

}  // namespace octet
