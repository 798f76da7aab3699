// Frames into tensors with AVX2.
#include "runtime/kernels/frame/x86_boxes.inl.h"
#include "runtime/kernels/kernel_table.h"

namespace octet {
namespace {

// [component][vector]: where the bytes of 16, and of 8 of two bytes, lie in three vectors of
// interleaved triples.
constexpr char kNone = (char)0x80;
// clang-format off
alignas(16) constexpr char kTakeThird8[3][3][16] = {{{0, 3, 6, 9, 12, 15, kNone, kNone, kNone, kNone, kNone, kNone, kNone, kNone, kNone, kNone},
    {kNone, kNone, kNone, kNone, kNone, kNone, 2, 5, 8, 11, 14, kNone, kNone, kNone, kNone, kNone},
    {kNone, kNone, kNone, kNone, kNone, kNone, kNone, kNone, kNone, kNone, kNone, 1, 4, 7, 10, 13}},
    {{1, 4, 7, 10, 13, kNone, kNone, kNone, kNone, kNone, kNone, kNone, kNone, kNone, kNone, kNone},
    {kNone, kNone, kNone, kNone, kNone, 0, 3, 6, 9, 12, 15, kNone, kNone, kNone, kNone, kNone},
    {kNone, kNone, kNone, kNone, kNone, kNone, kNone, kNone, kNone, kNone, kNone, 2, 5, 8, 11, 14}},
    {{2, 5, 8, 11, 14, kNone, kNone, kNone, kNone, kNone, kNone, kNone, kNone, kNone, kNone, kNone},
    {kNone, kNone, kNone, kNone, kNone, 1, 4, 7, 10, 13, kNone, kNone, kNone, kNone, kNone, kNone},
    {kNone, kNone, kNone, kNone, kNone, kNone, kNone, kNone, kNone, kNone, 0, 3, 6, 9, 12, 15}}};
alignas(16) constexpr char kTakeThird16[3][3][16] = {{{0, 1, 6, 7, 12, 13, kNone, kNone, kNone, kNone, kNone, kNone, kNone, kNone, kNone, kNone},
    {kNone, kNone, kNone, kNone, kNone, kNone, 2, 3, 8, 9, 14, 15, kNone, kNone, kNone, kNone},
    {kNone, kNone, kNone, kNone, kNone, kNone, kNone, kNone, kNone, kNone, kNone, kNone, 4, 5, 10, 11}},
    {{2, 3, 8, 9, 14, 15, kNone, kNone, kNone, kNone, kNone, kNone, kNone, kNone, kNone, kNone},
    {kNone, kNone, kNone, kNone, kNone, kNone, 4, 5, 10, 11, kNone, kNone, kNone, kNone, kNone, kNone},
    {kNone, kNone, kNone, kNone, kNone, kNone, kNone, kNone, kNone, kNone, 0, 1, 6, 7, 12, 13}},
    {{4, 5, 10, 11, kNone, kNone, kNone, kNone, kNone, kNone, kNone, kNone, kNone, kNone, kNone, kNone},
    {kNone, kNone, kNone, kNone, 0, 1, 6, 7, 12, 13, kNone, kNone, kNone, kNone, kNone, kNone},
    {kNone, kNone, kNone, kNone, kNone, kNone, kNone, kNone, kNone, kNone, 2, 3, 8, 9, 14, 15}}};
// clang-format on

template <uint32_t kRows, bool kStart>
static inline uint32_t AddRowsVector(const RowTaps& taps, uint32_t count, uint16_t* sums) {
  __m256i weights[kRows];
  for (uint32_t r = 0; r < kRows; ++r) weights[r] = _mm256_set1_epi16((short)taps.weights[r]);
  uint32_t x = 0;
  for (; x + 16 <= count; x += 16) {
    __m256i* to = reinterpret_cast<__m256i*>(sums + x);
    __m256i sum = kStart ? _mm256_setzero_si256() : _mm256_loadu_si256(to);
    for (uint32_t r = 0; r < kRows; ++r) {
      const __m256i pixels = _mm256_cvtepu8_epi16(Load16(taps.rows[r] + x));
      sum = _mm256_add_epi16(sum, _mm256_mullo_epi16(pixels, weights[r]));
    }
    _mm256_storeu_si256(to, sum);
  }
  return x;
}

template <uint32_t kRows, bool kStart>
static inline uint32_t AddRowsVector(const RowTaps&, uint32_t, uint32_t*) {
  return 0;
}

typedef __m256i Sums8;

static inline Sums8 LoadSums(const uint32_t* from) {
  return _mm256_loadu_si256(reinterpret_cast<const __m256i*>(from));
}
static inline Sums8 LoadSums(const uint16_t* from) {
  return _mm256_cvtepu16_epi32(_mm_loadu_si128(reinterpret_cast<const __m128i*>(from)));
}
static inline void StoreSums(Sums8 sums, uint32_t* to) {
  _mm256_storeu_si256(reinterpret_cast<__m256i*>(to), sums);
}
static inline Sums8 Difference(Sums8 a, Sums8 b) {
  return _mm256_sub_epi32(a, b);
}

// Every third of 24 from each of the first three on, added up.
static inline Sums8 Triples(const uint16_t* from) {
  // Words 0 3 6 of the first 8, 1 4 7 of the second, 2 5 of the third.
  constexpr char kNo = (char)0x80;
  const __m128i first =
      _mm_setr_epi8(0, 1, 6, 7, 12, 13, kNo, kNo, kNo, kNo, kNo, kNo, kNo, kNo, kNo, kNo);
  const __m128i second =
      _mm_setr_epi8(kNo, kNo, kNo, kNo, kNo, kNo, 2, 3, 8, 9, 14, 15, kNo, kNo, kNo, kNo);
  const __m128i third =
      _mm_setr_epi8(kNo, kNo, kNo, kNo, kNo, kNo, kNo, kNo, kNo, kNo, kNo, kNo, 4, 5, 10, 11);
  __m256i sums = _mm256_setzero_si256();
  for (uint32_t k = 0; k < 3; ++k) {
    const __m128i* at = reinterpret_cast<const __m128i*>(from + k);
    const __m128i words =
        _mm_or_si128(_mm_or_si128(_mm_shuffle_epi8(_mm_loadu_si128(at), first),
                                  _mm_shuffle_epi8(_mm_loadu_si128(at + 1), second)),
                     _mm_shuffle_epi8(_mm_loadu_si128(at + 2), third));
    sums = _mm256_add_epi32(sums, _mm256_cvtepu16_epi32(words));
  }
  return sums;
}

// Neighbours added up: of a, then of b.
static inline Sums8 PairSums(__m256i a, __m256i b) {
  return _mm256_permute4x64_epi64(_mm256_hadd_epi32(a, b), 0xD8);
}

template <uint32_t kBox>
static inline Sums8 BoxSums(const uint16_t* from) {
  if constexpr (kBox == 1) return LoadSums(from);
  if constexpr (kBox == 2) return PairSums(LoadSums(from), LoadSums(from + 8));
  if constexpr (kBox == 3) return Triples(from);
  if constexpr (kBox == 4) return PairSums(BoxSums<2>(from), BoxSums<2>(from + 16));
  if constexpr (kBox == 6) return PairSums(Triples(from), Triples(from + 24));
}

// line[i] = the sum of the first i.
template <class Sum>
static inline void RunningSums(const Sum* sums, uint32_t count, uint32_t* line) {
  line[0] = 0;
  __m256i before = _mm256_setzero_si256();
  for (uint32_t i = 0; i < count; i += 8) {
    __m256i x = LoadSums(sums + i);
    x = _mm256_add_epi32(x, _mm256_slli_si256(x, 4));
    x = _mm256_add_epi32(x, _mm256_slli_si256(x, 8));
    // The lower lane's total into the upper lane.
    const __m256i lower = _mm256_permutevar8x32_epi32(x, _mm256_set1_epi32(3));
    x = _mm256_add_epi32(x, _mm256_blend_epi32(_mm256_setzero_si256(), lower, 0xF0));
    x = _mm256_add_epi32(x, before);
    StoreSums(x, line + i + 1);
    before = _mm256_permutevar8x32_epi32(x, _mm256_set1_epi32(7));
  }
}

static inline Sums8 WeighPairs8(const uint32_t* line, const uint16_t* at, const uint16_t* low,
                                const uint16_t* high) {
  const auto pair = [line](uint32_t bytes) {
    const uint8_t* from = reinterpret_cast<const uint8_t*>(line) + bytes;
    return _mm_loadl_epi64(reinterpret_cast<const __m128i*>(from));
  };
  const auto two = [&](uint32_t i, uint32_t k) {
    return _mm_unpacklo_epi64(pair(at[i]), pair(at[k]));
  };
  const __m256 a = _mm256_castsi256_ps(_mm256_setr_m128i(two(0, 1), two(4, 5)));
  const __m256 b = _mm256_castsi256_ps(_mm256_setr_m128i(two(2, 3), two(6, 7)));
  const __m256i lows = _mm256_castps_si256(_mm256_shuffle_ps(a, b, 0x88));
  const __m256i highs = _mm256_castps_si256(_mm256_shuffle_ps(a, b, 0xDD));
  return _mm256_add_epi32(_mm256_mullo_epi32(lows, LoadSums(low)),
                          _mm256_mullo_epi32(highs, LoadSums(high)));
}

struct VectorRounding {
  __m256i total, multiplier;
  __m128i shift;
};

static inline VectorRounding MakeVectorRounding(const Rounding& r) {
  return VectorRounding{_mm256_set1_epi32((int)r.total), _mm256_set1_epi32((int)r.multiplier),
                        _mm_cvtsi32_si128((int)r.shift)};
}

template <bool kWide>
static inline void StoreRounded(const VectorRounding& r, Sums8 sums, uint8_t* to) {
  __m256i n = _mm256_add_epi32(_mm256_add_epi32(sums, sums), r.total);
  if (kWide) {
    // Quotients of the even and of the odd lanes; those of the odd ones stay in the upper half.
    const __m256i even = _mm256_srl_epi64(_mm256_mul_epu32(n, r.multiplier), r.shift);
    const __m256i odd =
        _mm256_srl_epi64(_mm256_mul_epu32(_mm256_srli_epi64(n, 32), r.multiplier), r.shift);
    n = _mm256_or_si256(even, _mm256_slli_epi64(odd, 32));
  } else {
    n = _mm256_srl_epi32(_mm256_mullo_epi32(n, r.multiplier), r.shift);
  }
  const __m128i words = _mm_packs_epi32(_mm256_castsi256_si128(n), _mm256_extracti128_si256(n, 1));
  _mm_storel_epi64(reinterpret_cast<__m128i*>(to), _mm_packus_epi16(words, words));
}

// One component of interleaved ones.
template <uint32_t kStep>
static inline uint32_t SplitVector(const uint8_t* from, uint32_t count, uint32_t offset,
                                   uint8_t* to) {
  uint32_t i = 0;
  if (kStep == 3) {
    for (; i + 16 <= count; i += 16) {
      __m128i bytes = _mm_setzero_si128();
      for (uint32_t v = 0; v < 3; ++v) {
        const __m128i place =
            _mm_load_si128(reinterpret_cast<const __m128i*>(kTakeThird8[offset][v]));
        bytes = _mm_or_si128(bytes, _mm_shuffle_epi8(Load16(from + 3 * i + 16 * v), place));
      }
      Store16(to + i, bytes);
    }
    return i;
  }
  const __m128i shift = _mm_cvtsi32_si128((int)(8 * offset));
  const __m256i low = kStep == 2 ? _mm256_set1_epi16(255) : _mm256_set1_epi32(255);
  const auto take = [&](const uint8_t* at) {
    return _mm256_and_si256(_mm256_srl_epi32(Load32(at), shift), low);
  };
  const __m256i order = _mm256_setr_epi32(0, 4, 1, 5, 2, 6, 3, 7);
  for (; i + 32 <= count; i += 32) {
    const uint8_t* at = from + kStep * i;
    __m256i bytes;
    if (kStep == 2) {
      bytes = _mm256_permute4x64_epi64(_mm256_packus_epi16(take(at), take(at + 32)), 0xD8);
    } else {
      bytes = _mm256_packus_epi16(_mm256_packs_epi32(take(at), take(at + 32)),
                                  _mm256_packs_epi32(take(at + 64), take(at + 96)));
      bytes = _mm256_permutevar8x32_epi32(bytes, order);
    }
    _mm256_storeu_si256(reinterpret_cast<__m256i*>(to + i), bytes);
  }
  return i;
}

template <uint32_t kStep>
static inline uint32_t SplitVector(const uint16_t* from, uint32_t count, uint32_t offset,
                                   uint16_t* to) {
  uint32_t i = 0;
  const __m128i shift = _mm_cvtsi32_si128((int)(16 * offset));
  for (; i + 8 <= count; i += 8) {
    const uint8_t* at = reinterpret_cast<const uint8_t*>(from + kStep * i);
    if (kStep == 3) {
      __m128i words = _mm_setzero_si128();
      for (uint32_t v = 0; v < 3; ++v) {
        const __m128i place =
            _mm_load_si128(reinterpret_cast<const __m128i*>(kTakeThird16[offset][v]));
        words = _mm_or_si128(words, _mm_shuffle_epi8(Load16(at + 16 * v), place));
      }
      _mm_storeu_si128(reinterpret_cast<__m128i*>(to + i), words);
      continue;
    }
    __m256i words;
    if (kStep == 2) {
      words = _mm256_and_si256(_mm256_srl_epi32(Load32(at), shift), _mm256_set1_epi32(0xFFFF));
    } else {
      const __m256i low = _mm256_set1_epi64x(0xFFFF);
      words = _mm256_packus_epi32(_mm256_and_si256(_mm256_srl_epi64(Load32(at), shift), low),
                                  _mm256_and_si256(_mm256_srl_epi64(Load32(at + 32), shift), low));
      words = _mm256_permute4x64_epi64(words, 0xD8);
    }
    words = _mm256_permute4x64_epi64(_mm256_packus_epi32(words, words), 0xD8);
    _mm_storeu_si128(reinterpret_cast<__m128i*>(to + i), _mm256_castsi256_si128(words));
  }
  return i;
}

template <uint32_t kStep>
static inline uint32_t SplitVector(const uint32_t*, uint32_t, uint32_t, uint32_t*) {
  return 0;
}

// Both taps of 8 outputs lie in the 16 bytes from `start` on: as pairs of bytes they meet pairs of
// weights in VPMADDWD.
struct LinearColumns {
  uint16_t start[kStrip / 8];
  uint8_t taps[2 * kStrip];
  int16_t weights[2 * kStrip];
  inline void Set(uint32_t i, uint32_t low, uint32_t high, uint32_t high_weight) {
    taps[2 * i] = (uint8_t)low;
    taps[2 * i + 1] = (uint8_t)high;
    weights[2 * i] = (int16_t)(kLinearTotal - high_weight);
    weights[2 * i + 1] = (int16_t)high_weight;
  }
};

// (low 2048 + (high - low) weight + 2^21) >> 22 of rows whose columns are already weighted.
static inline void LinearRow(const uint8_t* low, const uint8_t* high, const LinearColumns& columns,
                             uint32_t high_weight, uint32_t count, uint8_t* out) {
  const __m256i weight = _mm256_set1_epi32((int)high_weight);
  const __m256i half = _mm256_set1_epi32(1 << 21);
  for (uint32_t i = 0; i < count; i += 8) {
    const uint32_t start = columns.start[i / 8];
    const __m128i taps = Load16(columns.taps + 2 * i);
    const __m256i weights =
        _mm256_loadu_si256(reinterpret_cast<const __m256i*>(columns.weights + 2 * i));
    const __m128i a = _mm_shuffle_epi8(Load16(low + start), taps);
    const __m128i b = _mm_shuffle_epi8(Load16(high + start), taps);
    const __m256i upper = _mm256_madd_epi16(_mm256_cvtepu8_epi16(a), weights);
    const __m256i lower = _mm256_madd_epi16(_mm256_cvtepu8_epi16(b), weights);
    __m256i sum = _mm256_mullo_epi32(_mm256_sub_epi32(lower, upper), weight);
    sum = _mm256_add_epi32(sum, _mm256_add_epi32(_mm256_slli_epi32(upper, 11), half));
    sum = _mm256_srli_epi32(sum, 22);
    const __m128i words =
        _mm_packs_epi32(_mm256_castsi256_si128(sum), _mm256_extracti128_si256(sum, 1));
    _mm_storel_epi64(reinterpret_cast<__m128i*>(out + i), _mm_packus_epi16(words, words));
  }
}

// 149 (y - 16) needs more than 16 bits above 235. Less 4096 it lies in [-6480, 27419 + 4096], and
// the chroma's part plus 4096 in 16 bits too; their saturated sum is wrong only where the byte is 0
// or 255 anyway. 258 (u - 128) is added in two halves. 64 rounds.
static inline void ConvertYuv(uint8_t* first, uint8_t* second, uint8_t* third, uint32_t count) {
  constexpr short kOffset = 4096;
  const auto load = [](const uint8_t* from) { return _mm256_cvtepu8_epi16(Load16(from)); };
  const auto times = [](__m256i x, short factor) {
    return _mm256_mullo_epi16(x, _mm256_set1_epi16(factor));
  };
  const auto store = [](uint8_t* to, __m256i x) {
    const __m256i bytes = _mm256_packus_epi16(_mm256_srai_epi16(x, 7), _mm256_setzero_si256());
    Store16(to, _mm256_castsi256_si128(_mm256_permute4x64_epi64(bytes, 0xD8)));
  };
  const __m256i centre = _mm256_set1_epi16(128), offset = _mm256_set1_epi16(kOffset + 64);
  for (uint32_t i = 0; i < count; i += 16) {
    const __m256i y =
        _mm256_sub_epi16(times(load(first + i), 149), _mm256_set1_epi16(149 * 16 + kOffset));
    const __m256i u = _mm256_sub_epi16(load(second + i), centre);
    const __m256i v = _mm256_sub_epi16(load(third + i), centre);
    const __m256i red = _mm256_add_epi16(times(v, 204), offset);
    const __m256i green = _mm256_sub_epi16(_mm256_sub_epi16(offset, times(u, 50)), times(v, 104));
    const __m256i blue = times(u, 129);
    store(first + i, _mm256_adds_epi16(y, red));
    store(second + i, _mm256_adds_epi16(y, green));
    store(third + i, _mm256_adds_epi16(_mm256_adds_epi16(y, blue), _mm256_add_epi16(blue, offset)));
  }
}

// The method of unary/x86_avx2.cc.
static inline void LookUp(const uint8_t* table, uint32_t count, uint8_t* bytes) {
  __m256i rows[16];
  for (int i = 0; i < 16; ++i) rows[i] = _mm256_broadcastsi128_si256(Load16(table + 16 * i));
  const __m256i bias = _mm256_set1_epi8(0x70), step = _mm256_set1_epi8(16);
  for (uint32_t i = 0; i < count; i += 32) {
    __m256i index = Load32(bytes + i);
    __m256i result = _mm256_setzero_si256();
#pragma GCC unroll 16
    for (int row = 0; row < 16; ++row) {
      const __m256i entry = _mm256_shuffle_epi8(rows[row], _mm256_adds_epu8(index, bias));
      result = _mm256_or_si256(result, entry);
      index = _mm256_sub_epi8(index, step);
    }
    _mm256_storeu_si256(reinterpret_cast<__m256i*>(bytes + i), result);
  }
}

// Byte j of vector v of the output is element (16 v + j) / 3 of plane (16 v + j) % 3.
alignas(16) constexpr char kPlace[3][3][16] = {
    {{0, kNone, kNone, 1, kNone, kNone, 2, kNone, kNone, 3, kNone, kNone, 4, kNone, kNone, 5},
     {kNone, 0, kNone, kNone, 1, kNone, kNone, 2, kNone, kNone, 3, kNone, kNone, 4, kNone, kNone},
     {kNone, kNone, 0, kNone, kNone, 1, kNone, kNone, 2, kNone, kNone, 3, kNone, kNone, 4, kNone}},
    {{kNone, kNone, 6, kNone, kNone, 7, kNone, kNone, 8, kNone, kNone, 9, kNone, kNone, 10, kNone},
     {5, kNone, kNone, 6, kNone, kNone, 7, kNone, kNone, 8, kNone, kNone, 9, kNone, kNone, 10},
     {kNone, 5, kNone, kNone, 6, kNone, kNone, 7, kNone, kNone, 8, kNone, kNone, 9, kNone, kNone}},
    {{kNone, 11, kNone, kNone, 12, kNone, kNone, 13, kNone, kNone, 14, kNone, kNone, 15, kNone,
      kNone},
     {kNone, kNone, 11, kNone, kNone, 12, kNone, kNone, 13, kNone, kNone, 14, kNone, kNone, 15,
      kNone},
     {10, kNone, kNone, 11, kNone, kNone, 12, kNone, kNone, 13, kNone, kNone, 14, kNone, kNone,
      15}}};

static inline void StoreThree(uint8_t* const planes[3], uint32_t count, uint8_t* to) {
  uint32_t i = 0;
  for (; i + 16 <= count; i += 16, to += 48) {
    for (uint32_t v = 0; v < 3; ++v) {
      __m128i bytes = _mm_setzero_si128();
      for (uint32_t p = 0; p < 3; ++p) {
        const __m128i place = _mm_load_si128(reinterpret_cast<const __m128i*>(kPlace[v][p]));
        bytes = _mm_or_si128(bytes, _mm_shuffle_epi8(Load16(planes[p] + i), place));
      }
      Store16(to + 16 * v, bytes);
    }
  }
  for (; i < count; ++i, to += 3) {
    for (uint32_t p = 0; p < 3; ++p) to[p] = planes[p][i];
  }
}

}  // namespace
}  // namespace octet

#include "runtime/kernels/frame/driver.inl.h"

namespace octet {

void input_frame_avx2(const InputFrameArgs& args, Share share) {
  InputFrameShare(args, share);
}

}  // namespace octet
