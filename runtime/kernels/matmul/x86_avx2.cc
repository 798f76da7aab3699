// Batched matrix products with AVX2 and F16C: 4 rows x 16 columns of sums in registers. int8 takes
// pairs of k: VPMADDWD adds two products of 16 bits, exact for factors in [-255, 255].
#include "runtime/kernels/kernel_table.h"
#include "runtime/kernels/matmul/driver.inl.h"
#include "runtime/kernels/x86_float.inl.h"
#include "runtime/quant/requantize.h"

namespace octet {
namespace {

constexpr uint32_t kSide = 16;

struct LevelS8 {
  typedef int16_t Value;  // q - zero_point
  static constexpr uint32_t kGroup = 2;
  struct Zero {
    int32_t zero_point;
    uint8_t sign;
  };
  static inline Zero ZeroA(const MatMulS8Args& args) { return Zero{args.zero_point_a, args.sign}; }
  static inline Zero ZeroB(const MatMulS8Args& args) { return Zero{args.zero_point_b, args.sign}; }

  static inline void Pack(const Zero& zero, const uint8_t* from, uint64_t from_step, uint32_t count,
                          int16_t* to, uint64_t to_step) {
    uint32_t i = 0;
    if (from_step == 1) {
      const __m128i sign = _mm_set1_epi8((char)zero.sign);
      const __m256i zero_point = _mm256_set1_epi16((int16_t)zero.zero_point);
      for (; i + 16 <= count; i += 16) {
        const __m128i q = _mm_loadu_si128(reinterpret_cast<const __m128i*>(from + i));
        const __m256i x =
            _mm256_sub_epi16(_mm256_cvtepi8_epi16(_mm_xor_si128(q, sign)), zero_point);
        if (to_step == 1) {
          _mm256_storeu_si256(reinterpret_cast<__m256i*>(to + i), x);
        } else {
          alignas(32) int16_t values[16];
          _mm256_store_si256(reinterpret_cast<__m256i*>(values), x);
          for (uint32_t j = 0; j < 16; ++j) to[(i + j) * to_step] = values[j];
        }
      }
    }
    for (; i < count; ++i) {
      to[i * to_step] = (int16_t)((int8_t)(from[i * from_step] ^ zero.sign) - zero.zero_point);
    }
  }

  template <uint32_t kRows>
  static inline void Sums(const int16_t* tile, uint64_t deep, const int16_t* panel,
                          int32_t (&sums)[kMatMulTile][kSide]) {
    __m256i low[kRows], high[kRows];
    for (uint32_t r = 0; r < kRows; ++r) low[r] = high[r] = _mm256_setzero_si256();
    for (uint64_t k = 0; k < deep; k += 2) {
      const int16_t* row = panel + k * kMatMulPanel;
      const __m256i b0 = _mm256_loadu_si256(reinterpret_cast<const __m256i*>(row));
      const __m256i b1 = _mm256_loadu_si256(reinterpret_cast<const __m256i*>(row + 16));
      for (uint32_t r = 0; r < kRows; ++r) {
        int32_t pair;
        memcpy(&pair, tile + r * deep + k, sizeof(pair));
        const __m256i a = _mm256_set1_epi32(pair);
        low[r] = _mm256_add_epi32(low[r], _mm256_madd_epi16(a, b0));
        high[r] = _mm256_add_epi32(high[r], _mm256_madd_epi16(a, b1));
      }
    }
    for (uint32_t r = 0; r < kRows; ++r) {
      _mm256_store_si256(reinterpret_cast<__m256i*>(sums[r]), low[r]);
      _mm256_store_si256(reinterpret_cast<__m256i*>(sums[r] + 8), high[r]);
    }
  }

  static inline void Multiply(const MatMulS8Args& args, const int16_t* tile, const int16_t* panel,
                              uint32_t rows, uint32_t columns, uint8_t* out) {
    const blob::MatMulParams& p = *args.params;
    const uint64_t deep = MatMulDeep(p.depth);
    for (uint32_t first = 0; first < columns; first += kSide) {
      alignas(32) int32_t sums[kMatMulTile][kSide];
      const int16_t* from = panel + first * kGroup;
      switch (rows) {
        case 4:
          Sums<4>(tile, deep, from, sums);
          break;
        case 3:
          Sums<3>(tile, deep, from, sums);
          break;
        case 2:
          Sums<2>(tile, deep, from, sums);
          break;
        default:
          Sums<1>(tile, deep, from, sums);
      }
      for (uint32_t r = 0; r < rows; ++r) {
        uint8_t* to = out + (uint64_t)r * p.columns + first;
        for (uint32_t c = 0; c < kSide && first + c < columns; ++c) {
          const int32_t real = Requantize(PreShift(sums[r][c], p.pre_shift), p.multiplier, p.shift);
          const int8_t q = ToInt8(real, args.out_zero_point, p.clamp_lo, p.clamp_hi);
          to[c] = (uint8_t)((uint8_t)q ^ args.sign);
        }
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
    if (from_step == 1) {
      for (; i + 8 <= count; i += 8) {
        const __m256 x = LoadHalves(from + i, 8);
        if (to_step == 1) {
          _mm256_storeu_ps(to + i, x);
        } else {
          alignas(32) float values[8];
          _mm256_store_ps(values, x);
          for (uint32_t j = 0; j < 8; ++j) to[(i + j) * to_step] = values[j];
        }
      }
    }
    for (; i < count; ++i) to[i * to_step] = _cvtsh_ss(from[i * from_step]);
  }

  template <uint32_t kRows>
  static inline void Sums(const float* tile, uint64_t deep, const float* panel, uint32_t depth,
                          __m256 (&low)[kMatMulTile], __m256 (&high)[kMatMulTile]) {
    for (uint32_t r = 0; r < kRows; ++r) low[r] = high[r] = _mm256_setzero_ps();
    for (uint64_t k = 0; k < depth; ++k) {
      const __m256 b0 = _mm256_loadu_ps(panel + k * kMatMulPanel);
      const __m256 b1 = _mm256_loadu_ps(panel + k * kMatMulPanel + 8);
      for (uint32_t r = 0; r < kRows; ++r) {
        const __m256 a = _mm256_set1_ps(tile[r * deep + k]);
        low[r] = _mm256_add_ps(low[r], _mm256_mul_ps(a, b0));
        high[r] = _mm256_add_ps(high[r], _mm256_mul_ps(a, b1));
      }
    }
  }

  static inline void Multiply(const MatMulF16Args& args, const float* tile, const float* panel,
                              uint32_t rows, uint32_t columns, uint16_t* out) {
    const blob::MatMulParams& p = *args.params;
    const uint64_t deep = MatMulDeep(p.depth);
    for (uint32_t first = 0; first < columns; first += kSide) {
      __m256 low[kMatMulTile], high[kMatMulTile];
      switch (rows) {
        case 4:
          Sums<4>(tile, deep, panel + first, p.depth, low, high);
          break;
        case 3:
          Sums<3>(tile, deep, panel + first, p.depth, low, high);
          break;
        case 2:
          Sums<2>(tile, deep, panel + first, p.depth, low, high);
          break;
        default:
          Sums<1>(tile, deep, panel + first, p.depth, low, high);
      }
      const uint32_t left = columns - first;
      for (uint32_t r = 0; r < rows; ++r) {
        uint16_t* to = out + (uint64_t)r * p.columns + first;
        StoreHalves(to, low[r], left);
        if (left > 8) StoreHalves(to + 8, high[r], left - 8);
      }
    }
  }
};

}  // namespace

void matmul_s8_avx2(const MatMulS8Args& args, Share share) {
  RunMatMul<LevelS8>(args, share);
}

void matmul_f16_avx2(const MatMulF16Args& args, Share share) {
  RunMatMul<LevelF16>(args, share);
}

}  // namespace octet
