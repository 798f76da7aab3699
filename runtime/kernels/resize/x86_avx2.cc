// Linear Resize of int8 with AVX2, 16 channels at a time: the taps of a row in pairs of words, one
// VPMADDWD each (weights are at most 2^11).
#include "runtime/kernels/kernel_table.h"
#include "runtime/kernels/resize/linear.inl.h"
#include "runtime/kernels/x86_requantize.inl.h"

namespace octet {
namespace {

// Two weights in every 32 bits.
static inline __m256i WeightPairs(const blob::ResizeTap& tap) {
  return _mm256_set1_epi32((int32_t)(tap.weight_low | tap.weight_high << 16));
}

static inline __m256i WordsOf(__m128i bytes, uint8_t sign) {
  return _mm256_cvtepi8_epi16(_mm_xor_si128(bytes, _mm_set1_epi8((char)sign)));
}

// a * low + b * high of 16 elements: 0 .. 3 and 8 .. 11 in the first, the others in the second.
struct Weighed {
  __m256i first, second;
};

static inline Weighed Weigh(__m256i a, __m256i b, __m256i weights) {
  return Weighed{_mm256_madd_epi16(_mm256_unpacklo_epi16(a, b), weights),
                 _mm256_madd_epi16(_mm256_unpackhi_epi16(a, b), weights)};
}

struct Level {
  static inline void Blend(const ResizeLine<uint8_t>& line, uint32_t count, uint8_t sign,
                           int32_t* to) {
    const __m256i weights = WeightPairs(*line.row);
    uint32_t i = 0;
    for (; i + 16 <= count; i += 16) {
      const Weighed w =
          Weigh(WordsOf(_mm_loadu_si128(reinterpret_cast<const __m128i*>(line.top + i)), sign),
                WordsOf(_mm_loadu_si128(reinterpret_cast<const __m128i*>(line.bottom + i)), sign),
                weights);
      _mm256_storeu_si256(reinterpret_cast<__m256i*>(to + i),
                          _mm256_permute2x128_si256(w.first, w.second, 0x20));
      _mm256_storeu_si256(reinterpret_cast<__m256i*>(to + i + 8),
                          _mm256_permute2x128_si256(w.first, w.second, 0x31));
    }
    for (; i < count; ++i) {
      to[i] = (int8_t)(line.top[i] ^ sign) * (int32_t)line.row->weight_low +
              (int8_t)(line.bottom[i] ^ sign) * (int32_t)line.row->weight_high;
    }
  }

  static inline void Pixel(const Corners<uint8_t>& s, const blob::ResizeTap& column,
                           const blob::ResizeTap& row, uint32_t channels, uint8_t sign,
                           uint8_t* to) {
    const __m256i weights = WeightPairs(column);
    const __m256i row_low = _mm256_set1_epi32((int32_t)row.weight_low);
    const __m256i row_high = _mm256_set1_epi32((int32_t)row.weight_high);
    const auto blend = [&](__m256i top, __m256i bottom) {
      const __m256i v =
          _mm256_add_epi32(_mm256_mullo_epi32(top, row_low), _mm256_mullo_epi32(bottom, row_high));
      return _mm256_srai_epi32(_mm256_add_epi32(v, _mm256_set1_epi32(1 << 21)), 22);
    };
    const auto sixteen = [&](uint32_t c, uint32_t count) {
      const Weighed top = Weigh(WordsOf(LoadPartial16(s.top_low + c, count), sign),
                                WordsOf(LoadPartial16(s.top_high + c, count), sign), weights);
      const Weighed bottom = Weigh(WordsOf(LoadPartial16(s.bottom_low + c, count), sign),
                                   WordsOf(LoadPartial16(s.bottom_high + c, count), sign), weights);
      const __m256i words =
          _mm256_packs_epi32(blend(top.first, bottom.first), blend(top.second, bottom.second));
      const __m128i bytes =
          _mm_packs_epi16(_mm256_castsi256_si128(words), _mm256_extracti128_si256(words, 1));
      StorePartial16(to + c, _mm_xor_si128(bytes, _mm_set1_epi8((char)sign)), count);
    };
    if (channels < 16) return sixteen(0, channels);
    uint32_t c = 0;
    for (; c + 16 <= channels; c += 16) sixteen(c, 16);
    if (c < channels) sixteen(channels - 16, 16);  // some a second time
  }
};

}  // namespace

void resize_linear_s8_avx2(const ResizeLinearS8Args& args, Share share) {
  RunResizeLinearS8<Level>(args, share);
}

}  // namespace octet
