// Recurrent layers with AVX2 and F16C. int8: operands and weights as 16 bits, pairs of products
// added by VPMADDWD: exact for all codes.
#include "runtime/kernels/kernel_table.h"
#include "runtime/kernels/x86_float.inl.h"
// Intrinsics come first.
#include "runtime/kernels/recurrent/recurrent.inl.h"

namespace octet {
namespace {

struct LevelS8 : HalfRows {
  typedef int16_t Value;
  typedef int32_t Sum;
  typedef int8_t Weight;
  static constexpr uint32_t kLanes = 8;
  static constexpr bool kInt8 = true;
  static constexpr int32_t kOffset = 0;

  static inline void Pack(const RecurrentArgs& args, uint64_t from, uint32_t count, int16_t* to) {
    for (uint32_t i = 0; i < count; ++i) to[i] = (int8_t)(args.input[from + i] ^ args.sign);
  }
  static inline void Hold(const float* h, const RecurrentArgs& args, int16_t* to) {
    for (uint32_t i = 0; i < kChannelBlock; ++i) {
      to[i] = (int16_t)HeldCode(h[i], args.params->hidden_inverse);
    }
  }

  // Each 32 bits of acc[q] are half of the products of channel 4 q + i / 2.
  template <uint32_t kRows>
  static inline void DotUnit(const int8_t* w, const int16_t* x, uint64_t x_step, uint32_t depth,
                             int32_t* sums, uint64_t row_sums) {
    __m256i acc[kRows][4];
    for (auto& row : acc) {
      for (__m256i& sum : row) sum = _mm256_setzero_si256();
    }
    for (uint32_t k = 0; k < depth; k += 4, w += 4 * kChannelBlock) {
      for (uint32_t q = 0; q < 4; ++q) {
        const __m256i weights =
            _mm256_cvtepi8_epi16(_mm_loadu_si128(reinterpret_cast<const __m128i*>(w + 16 * q)));
        for (uint32_t r = 0; r < kRows; ++r) {
          int64_t four;
          memcpy(&four, x + r * x_step + k, sizeof(four));
          acc[r][q] =
              _mm256_add_epi32(acc[r][q], _mm256_madd_epi16(weights, _mm256_set1_epi64x(four)));
        }
      }
    }
    for (uint32_t r = 0; r < kRows; ++r) {
      for (uint32_t half = 0; half < 2; ++half) {
        const __m256i sum = _mm256_permute4x64_epi64(
            _mm256_hadd_epi32(acc[r][2 * half], acc[r][2 * half + 1]), 0xD8);
        _mm256_store_si256(reinterpret_cast<__m256i*>(sums + r * row_sums + 8 * half), sum);
      }
    }
  }

  template <uint32_t kRows, uint32_t kUnits>
  static inline void Dot(const int8_t* weights, uint64_t unit_step, const int16_t* x,
                         uint64_t x_step, uint32_t depth, int32_t (*sums)[kChannelBlock]) {
    constexpr uint64_t kRowSums = (uint64_t)kUnits * kChannelBlock;
    for (uint32_t u = 0; u < kUnits; ++u) {
      const int8_t* w = weights + u * unit_step;
      if constexpr (kRows == 1) {
        DotUnit<1>(w, x, x_step, depth, sums[u], kRowSums);
      } else {
        for (uint32_t r = 0; r < kRows; r += 2) {  // two rows fill the registers
          DotUnit<2>(w, x + r * x_step, x_step, depth, sums[r * kUnits + u], kRowSums);
        }
      }
    }
  }
};

struct LevelF16 : HalfRows {
  typedef float Value;
  typedef float Sum;
  typedef uint16_t Weight;
  static constexpr uint32_t kLanes = 8;
  static constexpr bool kInt8 = false;

  static inline void Pack(const RecurrentArgs& args, uint64_t from, uint32_t count, float* to) {
    Widen(reinterpret_cast<const uint16_t*>(args.input) + from, count, to);
  }
  static inline void Hold(const float* h, const RecurrentArgs&, float* to) {
    memcpy(to, h, kChannelBlock * sizeof(float));
  }
  template <bool kHalves>
  static inline __m256 Add(__m256 sum, __m256 x, __m256 w) {
    return kHalves ? _mm256_fmadd_ps(x, w, sum) : _mm256_add_ps(sum, _mm256_mul_ps(x, w));
  }
  template <uint32_t kRows, uint32_t kUnits, bool kHalves>
  static inline void Dot(const uint16_t* weights, uint64_t unit_step, const float* x,
                         uint64_t x_step, uint32_t depth, float (*sums)[kChannelBlock]) {
    __m256 acc[kRows * kUnits][2];
    for (uint32_t i = 0; i < kRows * kUnits; ++i) {
      acc[i][0] = _mm256_load_ps(sums[i]);
      acc[i][1] = _mm256_load_ps(sums[i] + 8);
    }
    for (uint32_t k = 0; k < depth; ++k, weights += kChannelBlock) {
      for (uint32_t u = 0; u < kUnits; ++u) {
        const __m256 w0 = LoadHalves(weights + u * unit_step, 8);
        const __m256 w1 = LoadHalves(weights + u * unit_step + 8, 8);
        for (uint32_t r = 0; r < kRows; ++r) {
          const __m256 value = _mm256_set1_ps(x[r * x_step + k]);
          __m256* sum = acc[r * kUnits + u];
          sum[0] = Add<kHalves>(sum[0], value, w0);
          sum[1] = Add<kHalves>(sum[1], value, w1);
        }
      }
    }
    for (uint32_t i = 0; i < kRows * kUnits; ++i) {
      _mm256_store_ps(sums[i], acc[i][0]);
      _mm256_store_ps(sums[i] + 8, acc[i][1]);
    }
  }
};

}  // namespace

void recurrent_s8_avx2(const RecurrentArgs& args, Share share) {
  RunRecurrent<LevelS8>(args, share);
}

void recurrent_f16_avx2(const RecurrentArgs& args, Share share) {
  RunRecurrent<LevelF16>(args, share);
}

}  // namespace octet
