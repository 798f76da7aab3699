// Recurrent layers with AVX-512: a unit's 16 channels are one vector.
#include "runtime/kernels/kernel_table.h"
#include "runtime/kernels/recurrent/x86_s8.inl.h"

namespace octet {
namespace {

struct LevelS8 : UnsignedRows {
  static constexpr uint32_t kLanes = 16;

  template <uint32_t kRows, uint32_t kUnits>
  static inline void Dot(const int8_t* weights, uint64_t unit_step, const uint8_t* x,
                         uint64_t x_step, uint32_t depth, int32_t (*sums)[kChannelBlock]) {
    __m512i acc[kRows * kUnits];
    for (__m512i& sum : acc) sum = _mm512_setzero_si512();
    for (uint32_t k = 0; k < depth; k += 4, weights += 4 * kChannelBlock) {
      for (uint32_t u = 0; u < kUnits; ++u) {
        const __m512i w = _mm512_loadu_si512(weights + u * unit_step);
        for (uint32_t r = 0; r < kRows; ++r) {
          __m512i& sum = acc[r * kUnits + u];
          sum = _mm512_dpbusd_epi32(sum, _mm512_set1_epi32(Four(x + r * x_step + k)), w);
        }
      }
    }
    for (uint32_t i = 0; i < kRows * kUnits; ++i) _mm512_store_si512(sums[i], acc[i]);
  }
};

struct LevelF16 : HalfRows {
  typedef float Value;
  typedef float Sum;
  typedef uint16_t Weight;
  static constexpr uint32_t kLanes = 16;
  static constexpr bool kInt8 = false;

  static inline void Pack(const RecurrentArgs& args, uint64_t from, uint32_t count, float* to) {
    Widen(reinterpret_cast<const uint16_t*>(args.input) + from, count, to);
  }
  static inline void Hold(const float* h, const RecurrentArgs&, float* to) {
    memcpy(to, h, kChannelBlock * sizeof(float));
  }
  template <bool kHalves>
  static inline __m512 Add(__m512 sum, __m512 x, __m512 w) {
    return kHalves ? _mm512_fmadd_ps(x, w, sum) : _mm512_add_ps(sum, _mm512_mul_ps(x, w));
  }
  template <uint32_t kRows, uint32_t kUnits, bool kHalves>
  static inline void Dot(const uint16_t* weights, uint64_t unit_step, const float* x,
                         uint64_t x_step, uint32_t depth, float (*sums)[kChannelBlock]) {
    __m512 acc[kRows * kUnits];
    for (uint32_t i = 0; i < kRows * kUnits; ++i) acc[i] = _mm512_load_ps(sums[i]);
    for (uint32_t k = 0; k < depth; ++k, weights += kChannelBlock) {
      for (uint32_t u = 0; u < kUnits; ++u) {
        const __m512 w = _mm512_cvtph_ps(
            _mm256_loadu_si256(reinterpret_cast<const __m256i*>(weights + u * unit_step)));
        for (uint32_t r = 0; r < kRows; ++r) {
          __m512& sum = acc[r * kUnits + u];
          sum = Add<kHalves>(sum, _mm512_set1_ps(x[r * x_step + k]), w);
        }
      }
    }
    for (uint32_t i = 0; i < kRows * kUnits; ++i) _mm512_store_ps(sums[i], acc[i]);
  }
};

}  // namespace

void recurrent_s8_avx512vnni(const RecurrentArgs& args, Share share) {
  RunRecurrent<LevelS8>(args, share);
}

void recurrent_f16_avx512vnni(const RecurrentArgs& args, Share share) {
  RunRecurrent<LevelF16>(args, share);
}

}  // namespace octet
