// Softmax of int8 with AVX2. Terms are loaded one by one: a gather takes as long or, where it has
// been slowed down for safety, several times longer.
#include "runtime/kernels/softmax/s8.inl.h"
#include "runtime/kernels/softmax/short_rows_s8.inl.h"
#include "runtime/kernels/x86_requantize.inl.h"

namespace octet {
namespace {

static inline __m256i OddLanes(__m256i x) {
  return _mm256_srli_epi64(x, 32);
}

// The sums of four lanes.
struct Sums4 {
  __m256i half, last, low, high;  // 2^15 S, 2^16 S - 1; lower and upper 32 bits of 2^16 S

  void Set(const ProbabilityLine* lines, uint32_t step) {
    alignas(32) uint64_t whole[4];
    for (uint32_t i = 0; i < 4; ++i) whole[i] = lines[i * step].half;
    low = _mm256_load_si256(reinterpret_cast<const __m256i*>(whole));
    half = _mm256_srli_epi64(low, 1);
    last = _mm256_sub_epi64(low, _mm256_set1_epi64x(1));
    high = OddLanes(low);
  }

  // All bits of a lane: one too many, one too few.
  void Judge(__m256i t, __m256i q, __m256i one, __m256i* above, __m256i* below) const {
    const __m256i n = _mm256_add_epi64(_mm256_mul_epu32(t, one), half);
    const __m256i upper = _mm256_slli_epi64(_mm256_mul_epu32(q, high), 32);
    const __m256i rest = _mm256_sub_epi64(_mm256_sub_epi64(n, _mm256_mul_epu32(q, low)), upper);
    *above = _mm256_cmpgt_epi64(_mm256_setzero_si256(), rest);
    *below = _mm256_cmpgt_epi64(rest, last);
  }
};

struct Level {
  struct Quotients {
    Sums4 even, odd;
    __m256 inverse;
    __m256i one;
    __m128i zero_point;

    Quotients(const ProbabilityLine* lines, uint32_t step, ProbabilityCodes codes) {
      alignas(32) float inverses[8];
      for (uint32_t i = 0; i < 8; ++i) inverses[i] = lines[i * step].inverse;
      inverse = _mm256_load_ps(inverses);
      even.Set(lines, 2 * step);
      odd.Set(lines + step, 2 * step);
      one = _mm256_set1_epi64x((long long)codes.one);
      zero_point = _mm_set1_epi16((short)codes.zero_point);
    }

    void Store(const uint32_t* terms, uint8_t sign, uint8_t* to) const {
      const __m256i t = _mm256_load_si256(reinterpret_cast<const __m256i*>(terms));
      const __m256 product = _mm256_mul_ps(_mm256_cvtepi32_ps(t), inverse);
      const __m256i q = _mm256_cvttps_epi32(_mm256_add_ps(product, _mm256_set1_ps(0.5f)));
      __m256i above, below, odd_above, odd_below;
      even.Judge(t, q, one, &above, &below);
      odd.Judge(OddLanes(t), OddLanes(q), one, &odd_above, &odd_below);
      above = _mm256_blend_epi32(above, odd_above, 0xAA);
      below = _mm256_blend_epi32(below, odd_below, 0xAA);
      const __m256i y = _mm256_sub_epi32(_mm256_add_epi32(q, above), below);
      // 0 .. 2^12: the zero point cannot take it below -128.
      const __m128i words =
          _mm_packs_epi32(_mm256_castsi256_si128(y), _mm256_extracti128_si256(y, 1));
      const __m128i codes = _mm_add_epi16(words, zero_point);
      _mm_storel_epi64(reinterpret_cast<__m128i*>(to),
                       _mm_xor_si128(_mm_packs_epi16(codes, codes), _mm_set1_epi8((char)sign)));
    }
  };

  // Of q + 128 as unsigned bytes.
  static inline int32_t Largest(const uint8_t* from, uint32_t count, uint8_t sign) {
    const __m128i flip = _mm_set1_epi8((char)(sign ^ 0x80));
    const auto load = [&](const uint8_t* at, uint32_t width) {
      return _mm_xor_si128(LoadPartial16(at, width), flip);
    };
    __m128i max;
    if (count < 16) {
      const __m128i first = _mm_loadl_epi64(reinterpret_cast<const __m128i*>(from));
      const __m128i last = _mm_loadl_epi64(reinterpret_cast<const __m128i*>(from + count - 8));
      max = _mm_xor_si128(_mm_unpacklo_epi64(first, last), flip);
    } else {
      max = load(from + count - 16, 16);
      for (uint32_t i = 0; i + 16 <= count; i += 16) max = _mm_max_epu8(max, load(from + i, 16));
    }
    // VPHMINPOSUW finds the smallest of eight words.
    const __m128i distance = _mm_xor_si128(max, _mm_set1_epi8((char)0xFF));
    const __m128i smaller = _mm_min_epu8(distance, _mm_srli_epi16(distance, 8));
    return 127 - (int32_t)(_mm_cvtsi128_si32(_mm_minpos_epu16(smaller)) & 0xFF);
  }

  static inline void LargestOfColumns(const uint8_t* from, uint32_t count, uint64_t step,
                                      uint32_t width, uint8_t sign, int32_t* max) {
    const __m128i flip = _mm_set1_epi8((char)sign);
    for (uint32_t c = 0; c < width; c += 16) {
      const uint32_t part = width - c < 16 ? width - c : 16;
      __m128i largest = _mm_set1_epi8(-128);
      for (uint32_t k = 0; k < count; ++k) {
        const __m128i x = LoadPartial16(from + c + k * step, part);
        largest = _mm_max_epi8(largest, _mm_xor_si128(x, flip));
      }
      alignas(16) int8_t values[16];
      _mm_store_si128(reinterpret_cast<__m128i*>(values), largest);
      for (uint32_t i = 0; i < part; ++i) max[c + i] = values[i];
    }
  }
};

struct ShortRows {
  static constexpr uint32_t kLanes = 8;
  uint32_t reversed[256];           // of distance 255 - i: arena bytes count upwards
  __m128 scale_below, scale_above;  // codes of 1, less and plus the margin
  __m256i zero_point;

  explicit ShortRows(const SoftmaxS8Args& args) {
    for (uint32_t i = 0; i < 256; ++i) reversed[i] = args.table[255 - i];
    const float scale = (float)args.codes.one / 65536.0f;
    scale_below = _mm_set1_ps(scale - scale * kQuotientMargin);
    scale_above = _mm_set1_ps(scale + scale * kQuotientMargin);
    zero_point = _mm256_set1_epi16((short)(args.codes.zero_point + 128));
  }

  inline void LookUp(const uint8_t* x, uint32_t rows, uint32_t count, uint32_t* terms) const {
    for (uint32_t r = 0; r < rows; ++r, x += count) {
      uint32_t max = 0, i = 0;
      if (count < 8) {
        for (uint32_t c = 0; c < count; ++c) max = x[c] > max ? x[c] : max;
      } else {
        max = (uint32_t)(Level::Largest(x, count, 0x80) + 128);
      }
      const uint32_t* from = reversed + 255 - max;
      const uint8_t* in = x;
      for (; i + 8 <= count; i += 8, in += 8, terms += 8) {
#pragma GCC unroll 8
        for (size_t c = 0; c < 8; ++c) {
          uint32_t t = from[in[c]];
          __asm__("" : "+r"(t));  // not by shuffles: ports of loads and stores are free
          terms[c] = t;
        }
      }
      for (; i < count; ++i) *terms++ = from[*in++];
      for (; i % kLanes != 0; ++i) *terms++ = 0;
    }
  }

  inline void Invert(const uint32_t* terms, uint32_t wide, uint32_t* sums, Inverses* to) const {
    for (uint32_t r = 0; r < kRowsTogether; r += 4) {
      __m256i s[4];
#pragma GCC unroll 4
      for (uint32_t k = 0; k < 4; ++k) {
        const __m256i* row = reinterpret_cast<const __m256i*>(terms + (r + k) * wide);
        s[k] = _mm256_load_si256(row);
        for (uint32_t i = 1; i < wide / kLanes; ++i) {
          s[k] = _mm256_add_epi32(s[k], _mm256_load_si256(row + i));
        }
      }
      const __m256i pairs =
          _mm256_hadd_epi32(_mm256_hadd_epi32(s[0], s[1]), _mm256_hadd_epi32(s[2], s[3]));
      const __m128i sum =
          _mm_add_epi32(_mm256_castsi256_si128(pairs), _mm256_extracti128_si256(pairs, 1));
      _mm_store_si128(reinterpret_cast<__m128i*>(sums + r), sum);
      const __m128 divisor = _mm_cvtepi32_ps(sum);
      _mm_store_ps(to->below + r, _mm_div_ps(scale_below, divisor));
      _mm_store_ps(to->above + r, _mm_div_ps(scale_above, divisor));
    }
  }

  // Eight quotients; lanes of `unsure` have bits where the two estimates differ.
  static inline __m256i Quotients(const uint32_t* terms, __m256 below, __m256 above,
                                  __m256i* unsure) {
    const __m256 nearest = _mm256_set1_ps(kNearest);
    const __m256 t = _mm256_cvtepi32_ps(_mm256_load_si256(reinterpret_cast<const __m256i*>(terms)));
    const __m256i q = _mm256_castps_si256(_mm256_fmadd_ps(t, below, nearest));
    const __m256i other = _mm256_castps_si256(_mm256_fmadd_ps(t, above, nearest));
    *unsure = _mm256_or_si256(*unsure, _mm256_xor_si256(q, other));
    return _mm256_sub_epi32(q, _mm256_set1_epi32(kNearestBits));
  }

  // 0 .. 2^12 and a zero point of -128 and more: within 16 bits.
  inline __m128i Codes(__m256i a, __m256i b) const {
    const __m256i words = _mm256_add_epi16(_mm256_packs_epi32(a, b), zero_point);
    const __m256i ordered = _mm256_permute4x64_epi64(words, 0xD8);
    return _mm_packus_epi16(_mm256_castsi256_si128(ordered), _mm256_extracti128_si256(ordered, 1));
  }

  inline bool Store(const uint32_t* terms, float below, float above, uint32_t count,
                    uint8_t* to) const {
    const __m256 low = _mm256_set1_ps(below), high = _mm256_set1_ps(above);
    __m256i unsure = _mm256_setzero_si256();
    const auto eight = [&](uint32_t at) { return Quotients(terms + at, low, high, &unsure); };
    uint32_t c = 0;
    for (; c + 16 <= count; c += 16) {
      const __m256i a = eight(c), b = eight(c + 8);
      _mm_storeu_si128(reinterpret_cast<__m128i*>(to + c), Codes(a, b));
    }
    if (c < count) {
      const __m256i a = eight(c), b = count - c > 8 ? eight(c + 8) : a;
      StorePartial16(to + c, Codes(a, b), count - c);
    }
    return _mm256_testz_si256(unsure, unsure) != 0;
  }
};

}  // namespace

void softmax_s8_avx2(const SoftmaxS8Args& args, Share share) {
  if (args.count <= kLongestShortRow) return RunShortRowsS8<ShortRows>(args, share);
  RunSoftmaxS8<Level>(args, share);
}

void axis_softmax_s8_avx2(const AxisSoftmaxS8Args& args, Share share) {
  if (args.inner == 1) {
    return softmax_s8_avx2(SoftmaxS8Args{args.input, args.output, args.outer, args.count,
                                         args.table, args.codes, args.sign},
                           share);
  }
  RunAxisSoftmaxS8<Level>(args, share);
}

}  // namespace octet
