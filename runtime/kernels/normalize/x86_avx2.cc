// int8 normalizations with AVX2. 64-bit lanes hold what needs them; as there is no arithmetic shift
// of 64 bits, 2^62 makes a number positive before a logical one and is taken off, shifted, behind
// it: floor((x + 2^62) / 2^s) = floor(x / 2^s) + 2^(62 - s) for s <= 62.
#include "runtime/kernels/normalize/s8.inl.h"
#include "runtime/kernels/x86_requantize.inl.h"

namespace octet {
namespace {

static inline __m256i Positive() {
  return _mm256_set1_epi64x((long long)1 << 62);
}

// Four ratios in 64-bit lanes.
struct Ratios4 {
  __m256i sum, inverse, shift, unbias;

  // An inverse of 2^31 does not fit the signed factor of VPMULDQ: half of it and a shift less.
  void Set(const RatioS8* r, uint32_t step) {
    alignas(32) int64_t sums[4], inverses[4], shifts[4];
    for (uint32_t i = 0; i < 4; ++i) {
      const RatioS8& from = r[i * step];
      const bool halve = from.inverse > INT32_MAX;
      sums[i] = from.sum;
      inverses[i] = halve ? from.inverse / 2 : from.inverse;
      shifts[i] = from.shift - (halve ? 1 : 0);
    }
    sum = _mm256_load_si256(reinterpret_cast<const __m256i*>(sums));
    inverse = _mm256_load_si256(reinterpret_cast<const __m256i*>(inverses));
    shift = _mm256_load_si256(reinterpret_cast<const __m256i*>(shifts));
    unbias = _mm256_srlv_epi64(Positive(), shift);
  }

  // RatioOf() in the lower halves, for q there: |n q - S1| < 2^30, its product with the inverse is
  // within 2^61.
  __m256i Of(__m256i q, __m256i count) const {
    const __m256i u = _mm256_sub_epi64(_mm256_mul_epi32(q, count), sum);
    const __m256i product = _mm256_add_epi64(_mm256_mul_epi32(u, inverse), Positive());
    return _mm256_sub_epi64(_mm256_srlv_epi64(product, shift), unbias);
  }
};

// The parameters of four elements in 64-bit lanes; the factor is a lower half. A record is one
// 16-byte load: offset, then factor and shift.
struct Channels4 {
  __m256i offset, factor, shift;

  void Load(const blob::NormalizeChannelS8* c, uint64_t step) {
    const __m128i* from = reinterpret_cast<const __m128i*>(c);
    const __m256i first = _mm256_inserti128_si256(_mm256_castsi128_si256(_mm_loadu_si128(from)),
                                                  _mm_loadu_si128(from + 2 * step), 1);
    const __m256i second = _mm256_inserti128_si256(
        _mm256_castsi128_si256(_mm_loadu_si128(from + step)), _mm_loadu_si128(from + 3 * step), 1);
    offset = _mm256_unpacklo_epi64(first, second);
    factor = _mm256_unpackhi_epi64(first, second);
    shift = _mm256_srli_epi64(factor, 32);
  }

  // floor((r f + b) / 2^s + 1/2) in the lower halves, where s >= 31: the sum is below 2^62 in
  // magnitude (QUANTIZATION.md, section 17), so that the result fits 32 bits.
  __m256i Scale(__m256i ratio) const {
    const __m256i one = _mm256_set1_epi64x(1);
    const __m256i rounding = _mm256_sllv_epi64(one, _mm256_sub_epi64(shift, one));
    const __m256i start = _mm256_add_epi64(_mm256_add_epi64(offset, rounding), Positive());
    const __m256i sum = _mm256_add_epi64(_mm256_mul_epi32(ratio, factor), start);
    return _mm256_sub_epi64(_mm256_srlv_epi64(sum, shift), _mm256_srlv_epi64(Positive(), shift));
  }
};

static inline int64_t SumOf32(__m256i x) {
  alignas(32) int32_t lanes[8];
  _mm256_store_si256(reinterpret_cast<__m256i*>(lanes), x);
  int64_t sum = 0;
  for (int32_t lane : lanes) sum += lane;
  return sum;
}

static inline int64_t SumOf64(__m256i x) {
  const __m128i pair = _mm_add_epi64(_mm256_castsi256_si128(x), _mm256_extracti128_si256(x, 1));
  return _mm_cvtsi128_si64(pair) + _mm_extract_epi64(pair, 1);
}

// 16 columns: rows in pairs, so that one multiplication of words adds both.
static inline void AddColumns16(const uint8_t* from, uint64_t rows, uint64_t step, uint32_t width,
                                uint8_t sign, int64_t* sum, int64_t* squares) {
  const __m128i flip = _mm_set1_epi8((char)sign);
  const __m256i ones = _mm256_set1_epi16(1);
  const auto row = [&](uint64_t r) {
    return _mm256_cvtepi8_epi16(_mm_xor_si128(LoadPartial16(from + r * step, width), flip));
  };
  __m256i sums[2] = {}, sums_of_squares[2] = {};
  const auto add = [&](__m256i a, __m256i b) {
    const __m256i pairs[2] = {_mm256_unpacklo_epi16(a, b), _mm256_unpackhi_epi16(a, b)};
    for (int i = 0; i < 2; ++i) {
      sums[i] = _mm256_add_epi32(sums[i], _mm256_madd_epi16(pairs[i], ones));
      sums_of_squares[i] =
          _mm256_add_epi32(sums_of_squares[i], _mm256_madd_epi16(pairs[i], pairs[i]));
    }
  };
  uint64_t r = 0;
  for (; r + 2 <= rows; r += 2) add(row(r), row(r + 1));
  if (r < rows) add(row(r), _mm256_setzero_si256());
  alignas(32) int32_t lanes[2][16];
  for (int i = 0; i < 2; ++i) {
    // Unpacking leaves columns 0 .. 3 and 8 .. 11 in the one, the others in the other.
    const __m256i from_lanes[2] = {sums[i], sums_of_squares[i]};
    for (int k = 0; k < 2; ++k) {
      _mm_store_si128(reinterpret_cast<__m128i*>(lanes[k] + 4 * i),
                      _mm256_castsi256_si128(from_lanes[k]));
      _mm_store_si128(reinterpret_cast<__m128i*>(lanes[k] + 8 + 4 * i),
                      _mm256_extracti128_si256(from_lanes[k], 1));
    }
  }
  for (uint32_t c = 0; c < width; ++c) {
    sum[c] += lanes[0][c];
    squares[c] += lanes[1][c];
  }
}

struct Level {
  struct Ratios {
    Ratios4 low, high;
    __m256i count;

    Ratios() = default;
    Ratios(const RatioS8* r, uint32_t step) {
      low.Set(r, step);
      high.Set(r + 4 * step, step);
      count = _mm256_set1_epi64x(r->count);
    }
  };

  static inline void AddRun(const uint8_t* from, uint64_t count, uint8_t sign, int64_t* sum,
                            int64_t* squares) {
    // A step adds up to 4 * 2^14 to a lane of squares.
    constexpr uint64_t kPart = (uint64_t)32 << 14;
    const __m256i flip = _mm256_set1_epi8((char)sign), half = _mm256_set1_epi8((char)0x80);
    __m256i biased = _mm256_setzero_si256();  // sums of q + 128
    uint64_t i = 0;
    while (i + 32 <= count) {
      const uint64_t end = count - i < kPart ? count : i + kPart;
      __m256i part = _mm256_setzero_si256();
      for (; i + 32 <= end; i += 32) {
        const __m256i q =
            _mm256_xor_si256(_mm256_loadu_si256(reinterpret_cast<const __m256i*>(from + i)), flip);
        biased = _mm256_add_epi64(
            biased, _mm256_sad_epu8(_mm256_xor_si256(q, half), _mm256_setzero_si256()));
        const __m256i low = _mm256_cvtepi8_epi16(_mm256_castsi256_si128(q));
        const __m256i high = _mm256_cvtepi8_epi16(_mm256_extracti128_si256(q, 1));
        part = _mm256_add_epi32(
            part, _mm256_add_epi32(_mm256_madd_epi16(low, low), _mm256_madd_epi16(high, high)));
      }
      *squares += SumOf32(part);
    }
    *sum += SumOf64(biased) - 128 * (int64_t)i;
    for (; i < count; ++i) {
      const int32_t q = (int8_t)(from[i] ^ sign);
      *sum += q;
      *squares += q * q;
    }
  }

  static inline void AddColumns(const uint8_t* from, uint64_t rows, uint64_t step, uint32_t width,
                                uint8_t sign, int64_t* sum, int64_t* squares) {
    for (uint32_t c = 0; c < width; c += 16) {
      AddColumns16(from + c, rows, step, width - c < 16 ? width - c : 16, sign, sum + c,
                   squares + c);
    }
  }

  // x is off by 2^-53 of itself as a double and its root by as much again: less than one.
  static inline uint32_t Root(uint64_t x) {
    const __m128d value = _mm_set_sd((double)(int64_t)x);
    return SqrtFromEstimate(x, (uint64_t)_mm_cvttsd_si64(_mm_sqrt_sd(value, value)));
  }

  static inline bool Eight(const uint8_t* from, const Ratios& ratios,
                           const blob::NormalizeChannelS8* channels, uint64_t step,
                           int32_t zero_point, uint8_t sign, uint8_t* to) {
    const __m128i flip = _mm_set1_epi8((char)sign);
    Channels4 low, high;
    low.Load(channels, step);
    high.Load(channels + 4 * step, step);
    const __m256i least = _mm256_set1_epi64x(31);
    const __m256i small =
        _mm256_or_si256(_mm256_sub_epi64(low.shift, least), _mm256_sub_epi64(high.shift, least));
    if (_mm256_movemask_pd(_mm256_castsi256_pd(small)) != 0) return false;
    const __m128i q = _mm_xor_si128(_mm_loadl_epi64(reinterpret_cast<const __m128i*>(from)), flip);
    const __m256i a = low.Scale(ratios.low.Of(_mm256_cvtepi8_epi64(q), ratios.count));
    const __m256i b =
        high.Scale(ratios.high.Of(_mm256_cvtepi8_epi64(_mm_srli_si128(q, 4)), ratios.count));
    // Lower halves: 0 1 4 5 | 2 3 6 7.
    const __m256i mixed = _mm256_castps_si256(
        _mm256_shuffle_ps(_mm256_castsi256_ps(a), _mm256_castsi256_ps(b), 0x88));
    const __m256i y = _mm256_permute4x64_epi64(mixed, 0xD8);
    // Saturating to 16 bits first changes nothing: what it touches is beyond int8 either way.
    const __m128i words =
        _mm_packs_epi32(_mm256_castsi256_si128(y), _mm256_extracti128_si256(y, 1));
    const __m128i codes = _mm_adds_epi16(words, _mm_set1_epi16((short)zero_point));
    _mm_storel_epi64(reinterpret_cast<__m128i*>(to),
                     _mm_xor_si128(_mm_packs_epi16(codes, codes), flip));
    return true;
  }

  static inline void LookUp(const int8_t* table, const uint8_t* from, uint64_t count, uint8_t sign,
                            uint8_t* to) {
    table_s8_avx2(TableS8Args{from, to, (uint32_t)count, table, sign}, Share{0, 1});
  }
};

}  // namespace

void normalize_s8_avx2(const NormalizeS8Args& args, Share share) {
  RunNormalizeS8<Level>(args, share);
}

}  // namespace octet
