// Batched matrix products of the x86 levels: 4 rows x 2 vectors of sums in registers, 8 lanes each
// with AVX2, 16 with AVX-512. int8 takes pairs of k as 16 bits: VPMADDWD and VPDPWSSD add two
// products, exact for factors in [-255, 255]. FP16 stands in x86_f16.inl.h. Included by x86_*.cc of
// this folder only; internal linkage.
#include "runtime/kernels/matmul/driver.inl.h"
#include "runtime/kernels/x86_float.inl.h"
#include "runtime/kernels/x86_requantize.inl.h"

namespace octet {
namespace {

#if defined(__AVX512F__)
constexpr uint32_t kLanes = 16;
typedef __m512i Ints;
typedef __m512 Floats;
static inline Ints NoInts() {
  return _mm512_setzero_si512();
}
static inline Floats NoFloats() {
  return _mm512_setzero_ps();
}
static inline Ints LoadInts(const int16_t* from) {
  return _mm512_loadu_si512(from);
}
static inline Floats LoadFloats(const float* from) {
  return _mm512_loadu_ps(from);
}
static inline void StoreInts(int32_t* to, Ints x) {
  _mm512_store_si512(to, x);
}

// The requantization of a layer, and 16 sums by it.
typedef Channels16 Factor;
static inline Factor FactorOf(const blob::MatMulParams& p) {
  return MakeChannels16(_mm512_set1_epi32(p.multiplier), _mm512_set1_epi32(p.shift));
}
static inline __m128i Codes16(const int32_t* sums, int32_t pre_shift, const Factor& factor,
                              const Finish8& finish) {
  __m512i acc = _mm512_load_si512(sums);
  if (pre_shift != 0) acc = PreShift16(acc, pre_shift);
  acc = Requantize16(acc, factor);
  return Finish16(_mm512_castsi512_si256(acc), _mm512_extracti64x4_epi64(acc, 1), finish);
}
#else
constexpr uint32_t kLanes = 8;
typedef __m256i Ints;
typedef __m256 Floats;
static inline Ints NoInts() {
  return _mm256_setzero_si256();
}
static inline Floats NoFloats() {
  return _mm256_setzero_ps();
}
static inline Ints LoadInts(const int16_t* from) {
  return _mm256_loadu_si256(reinterpret_cast<const __m256i*>(from));
}
static inline Floats LoadFloats(const float* from) {
  return _mm256_loadu_ps(from);
}
static inline void StoreInts(int32_t* to, Ints x) {
  _mm256_store_si256(reinterpret_cast<__m256i*>(to), x);
}

typedef Channels8 Factor;
static inline Factor FactorOf(const blob::MatMulParams& p) {
  return MakeChannels8(_mm256_set1_epi32(p.multiplier), _mm256_set1_epi32(p.shift));
}
static inline __m128i Codes16(const int32_t* sums, int32_t pre_shift, const Factor& factor,
                              const Finish8& finish) {
  __m256i acc[2];
#pragma GCC unroll 2
  for (int i = 0; i < 2; ++i) {
    acc[i] = _mm256_load_si256(reinterpret_cast<const __m256i*>(sums + 8 * i));
    if (pre_shift != 0) acc[i] = PreShift8(acc[i], pre_shift);
    acc[i] = Requantize8(acc[i], factor);
  }
  return Finish16(acc[0], acc[1], finish);
}
#endif
constexpr uint32_t kSide = 2 * kLanes;
static_assert(kMatMulPanel % kSide == 0, "");

// 8 columns x 8 units of 16 bits, columns `step` units apart -> 8 rows of 8 columns.
static inline void Turn(const uint8_t* from, uint64_t step_bytes, __m128i (&rows)[8]) {
  __m128i a[8], b[8];
#pragma GCC unroll 8
  for (int i = 0; i < 8; ++i) {
    a[i] = _mm_loadu_si128(reinterpret_cast<const __m128i*>(from + (uint64_t)i * step_bytes));
  }
#pragma GCC unroll 4
  for (int i = 0; i < 4; ++i) {
    b[2 * i] = _mm_unpacklo_epi16(a[2 * i], a[2 * i + 1]);
    b[2 * i + 1] = _mm_unpackhi_epi16(a[2 * i], a[2 * i + 1]);
  }
#pragma GCC unroll 2
  for (int i = 0; i < 2; ++i) {
#pragma GCC unroll 2
    for (int j = 0; j < 2; ++j) {
      a[4 * i + 2 * j] = _mm_unpacklo_epi32(b[4 * i + j], b[4 * i + 2 + j]);
      a[4 * i + 2 * j + 1] = _mm_unpackhi_epi32(b[4 * i + j], b[4 * i + 2 + j]);
    }
  }
#pragma GCC unroll 4
  for (int i = 0; i < 4; ++i) {
    rows[2 * i] = _mm_unpacklo_epi64(a[i], a[i + 4]);
    rows[2 * i + 1] = _mm_unpackhi_epi64(a[i], a[i + 4]);
  }
}

struct LevelS8 : PackOneByOne {
  typedef int16_t Value;  // q - zero_point
  static constexpr uint32_t kGroup = 2;
  struct Zero {
    int32_t zero_point;
    uint8_t sign;
  };
  static inline Zero ZeroA(const MatMulS8Args& args) { return Zero{args.zero_point_a, args.sign}; }
  static inline Zero ZeroB(const MatMulS8Args& args) { return Zero{args.zero_point_b, args.sign}; }

  static inline __m256i Widen(const Zero& zero, __m128i q) {
    const __m128i sign = _mm_set1_epi8((char)zero.sign);
    return _mm256_sub_epi16(_mm256_cvtepi8_epi16(_mm_xor_si128(q, sign)),
                            _mm256_set1_epi16((int16_t)zero.zero_point));
  }

  static inline void Pack(const Zero& zero, const uint8_t* from, uint64_t from_step, uint32_t count,
                          int16_t* to, uint64_t to_step) {
    uint32_t i = 0;
    if (from_step == 1 && to_step == 1) {
      for (; i + 16 <= count; i += 16) {
        const __m128i q = _mm_loadu_si128(reinterpret_cast<const __m128i*>(from + i));
        _mm256_storeu_si256(reinterpret_cast<__m256i*>(to + i), Widen(zero, q));
      }
    }
    for (; i < count; ++i) {
      to[i * to_step] = (int16_t)((int8_t)(from[i * from_step] ^ zero.sign) - zero.zero_point);
    }
  }

  // Two rows of 16 columns, a pair of each column together. Behind an odd depth its zero point
  // follows, which is 0 less the zero point.
  static inline bool PackRows(const MatMulS8Args& args, const uint8_t* b, uint32_t columns,
                              int16_t* panel) {
    const uint32_t depth = args.params->depth;
    if (args.params->b_strides[4] != 1 || columns % 16 != 0) return false;
    const Zero zero = ZeroB(args);
    const __m128i no_row = _mm_set1_epi8((char)((uint8_t)zero.zero_point ^ zero.sign));
    const uint64_t k_step = args.params->b_strides[3];
    for (uint32_t k = 0; k < depth; k += 2, b += 2 * k_step, panel += 2 * kMatMulPanel) {
      for (uint32_t c = 0; c < columns; c += 16) {
        const __m128i even = _mm_loadu_si128(reinterpret_cast<const __m128i*>(b + c));
        const __m128i odd = k + 1 < depth
                                ? _mm_loadu_si128(reinterpret_cast<const __m128i*>(b + k_step + c))
                                : no_row;
        __m256i* to = reinterpret_cast<__m256i*>(panel + 2 * c);
        _mm256_storeu_si256(to, Widen(zero, _mm_unpacklo_epi8(even, odd)));
        _mm256_storeu_si256(to + 1, Widen(zero, _mm_unpackhi_epi8(even, odd)));
      }
    }
    return true;
  }

  // 8 columns, whose elements lie side by side: returns how many of their depth are packed.
  static inline uint32_t PackTurned(const MatMulS8Args& args, const uint8_t* b, int16_t* panel) {
    const Zero zero = ZeroB(args);
    const uint32_t whole = args.params->depth / 16 * 16;
    for (uint32_t k = 0; k < whole; k += 16) {
      __m128i pairs[8];
      Turn(b + k, args.params->b_strides[4], pairs);
      int16_t* to = panel + k * kMatMulPanel;
#pragma GCC unroll 8
      for (int i = 0; i < 8; ++i, to += 2 * kMatMulPanel) {
        _mm256_storeu_si256(reinterpret_cast<__m256i*>(to), Widen(zero, pairs[i]));
      }
    }
    return whole;
  }

  static inline Ints AddProducts(Ints sum, int32_t pair, Ints b) {
#if defined(__AVX512F__)
    return _mm512_dpwssd_epi32(sum, _mm512_set1_epi32(pair), b);
#else
    return _mm256_add_epi32(sum, _mm256_madd_epi16(_mm256_set1_epi32(pair), b));
#endif
  }

  template <uint32_t kRows>
  static inline void Sums(const int16_t* tile, uint64_t deep, const int16_t* panel,
                          int32_t (&sums)[kMatMulTile][kSide]) {
    Ints low[kRows], high[kRows];
#pragma GCC unroll 4
    for (uint32_t r = 0; r < kRows; ++r) low[r] = high[r] = NoInts();
    for (uint64_t k = 0; k < deep; k += 2) {
      const int16_t* row = panel + k * kMatMulPanel;
      const Ints b0 = LoadInts(row), b1 = LoadInts(row + 2 * kLanes);
#pragma GCC unroll 4
      for (uint32_t r = 0; r < kRows; ++r) {
        int32_t pair;
        memcpy(&pair, tile + r * deep + k, sizeof(pair));
        low[r] = AddProducts(low[r], pair, b0);
        high[r] = AddProducts(high[r], pair, b1);
      }
    }
#pragma GCC unroll 4
    for (uint32_t r = 0; r < kRows; ++r) {
      StoreInts(sums[r], low[r]);
      StoreInts(sums[r] + kLanes, high[r]);
    }
  }

  static inline void Multiply(const MatMulS8Args& args, const int16_t* tile, const int16_t* panel,
                              uint32_t rows, uint32_t columns, uint8_t* out) {
    const blob::MatMulParams& p = *args.params;
    const uint64_t deep = MatMulDeep(p.depth);
    const Factor factor = FactorOf(p);
    const Finish8 finish = MakeFinish8(args.out_zero_point, p.clamp_lo, p.clamp_hi);
    for (uint32_t first = 0; first < columns; first += kSide) {
      alignas(64) int32_t sums[kMatMulTile][kSide];
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
        for (uint32_t c = 0; c < kSide && first + c < columns; c += 16) {
          StorePartial16(out + (uint64_t)r * p.columns + first + c,
                         Codes16(sums[r] + c, p.pre_shift, factor, finish), columns - first - c);
        }
      }
    }
  }
};

}  // namespace
}  // namespace octet
