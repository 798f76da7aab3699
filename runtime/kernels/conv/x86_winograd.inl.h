// Winograd's method (winograd.inl.h) on x86: the transforms of all levels, 16 or 8 channels in 16
// bits on the way in, 8 outputs in 32 bits on the way out. A level adds its own Multiply().
// Included behind x86_requantize.inl.h.
#include "runtime/kernels/conv/winograd.inl.h"

namespace octet {
namespace {

typedef int16_t Words16 __attribute__((vector_size(32)));
typedef int16_t Words8 __attribute__((vector_size(16)));

// Arena bytes q + 128 -> q.
static inline void LoadWords(const uint8_t* from, Words16* to) {
  *to = (Words16)_mm256_cvtepu8_epi16(_mm_loadu_si128(reinterpret_cast<const __m128i*>(from))) -
        (int16_t)128;
}
static inline void LoadWords(const uint8_t* from, Words8* to) {
  *to = (Words8)_mm_cvtepu8_epi16(_mm_loadl_epi64(reinterpret_cast<const __m128i*>(from))) -
        (int16_t)128;
}

static inline void StoreWords(int16_t* to, size_t channel_stride, Words16 words) {
  const __m256i x = (__m256i)words;
  _mm_storeu_si128(reinterpret_cast<__m128i*>(to), _mm256_castsi256_si128(x));
  _mm_storeu_si128(reinterpret_cast<__m128i*>(to + channel_stride), _mm256_extracti128_si256(x, 1));
}
static inline void StoreWords(int16_t* to, size_t, Words8 words) {
  _mm_storeu_si128(reinterpret_cast<__m128i*>(to), (__m128i)words);
}

#ifdef __AVX512F__
typedef int16_t Words32 __attribute__((vector_size(64)));

static inline void LoadWords(const uint8_t* from, Words32* to) {
  *to = (Words32)_mm512_cvtepu8_epi16(_mm256_loadu_si256(reinterpret_cast<const __m256i*>(from))) -
        (int16_t)128;
}
static inline void StoreWords(int16_t* to, size_t channel_stride, Words32 words) {
  const __m512i x = (__m512i)words;
  _mm_storeu_si128(reinterpret_cast<__m128i*>(to), _mm512_castsi512_si128(x));
  _mm_storeu_si128(reinterpret_cast<__m128i*>(to + channel_stride),
                   _mm512_extracti32x4_epi32(x, 1));
  _mm_storeu_si128(reinterpret_cast<__m128i*>(to + 2 * channel_stride),
                   _mm512_extracti32x4_epi32(x, 2));
  _mm_storeu_si128(reinterpret_cast<__m128i*>(to + 3 * channel_stride),
                   _mm512_extracti32x4_epi32(x, 3));
}
#endif

// B^T d for 4 or 6 values `step` apart.
template <int m, typename Words>
static inline void TransformLine(const Words* d, int step, Words* r) {
  const Words d0 = d[0], d1 = d[step], d2 = d[2 * step], d3 = d[3 * step];
  if (m == 2) {
    r[0] = d0 - d2;
    r[1] = d1 + d2;
    r[2] = d2 - d1;
    r[3] = d1 - d3;
    return;
  }
  const Words d4 = d[4 * step], d5 = d[5 * step];
  const Words a = d4 - (d2 << 2), b = d3 - (d1 << 2), c = d4 - d2, e = (d3 - d1) << 1;
  r[0] = ((d0 - d2) << 2) + c;
  r[1] = a + b;
  r[2] = a - b;
  r[3] = c + e;
  r[4] = c - e;
  r[5] = d5 - d3 - (e << 1);
}

// As many channels of one tile as Words has lanes.
template <int m, typename Words>
static inline void TransformChannels(const uint8_t* const* pixels, uint32_t channel, int16_t* v,
                                     size_t position_stride, size_t channel_stride) {
  constexpr int kSize = m + 2;
  Words half[kSize * kSize];  // [column][row of B^T d]
#pragma GCC unroll 6
  for (int j = 0; j < kSize; ++j) {
    Words d[kSize];
#pragma GCC unroll 6
    for (int i = 0; i < kSize; ++i) LoadWords(pixels[i * kSize + j] + channel, &d[i]);
    TransformLine<m>(d, 1, half + j * kSize);
  }
#pragma GCC unroll 6
  for (int i = 0; i < kSize; ++i) {
    Words r[kSize];
    TransformLine<m>(half + i, kSize, r);
#pragma GCC unroll 6
    for (int j = 0; j < kSize; ++j) {
      StoreWords(v + (size_t)(i * kSize + j) * position_stride, channel_stride, r[j]);
    }
  }
}

typedef int32_t Sums8 __attribute__((vector_size(32)));
typedef uint32_t Wrapping8 __attribute__((vector_size(32)));

// A^T p for 4 or 6 values `step` apart.
template <int m, typename Wrapping>
static inline void GatherLine(const Wrapping* p, int step, Wrapping* s) {
  const Wrapping p0 = p[0], p1 = p[step], p2 = p[2 * step], p3 = p[3 * step];
  if (m == 2) {
    s[0] = p0 + p1 + p2;
    s[1] = p1 - p2 - p3;
    return;
  }
  const Wrapping p4 = p[4 * step], p5 = p[5 * step];
  const Wrapping a = p1 + p2, b = p1 - p2, c = p3 + p4, d = (p3 - p4) << 1;
  s[0] = p0 + a + c;
  s[1] = b + d;
  s[2] = a + (c << 2);
  s[3] = b + ((d + p5) << 2);
}

// 8 of the 16 outputs of a tile.
template <int m>
static inline void FinishHalf(const int32_t* products, const WinogradOutput& out, uint32_t first) {
  constexpr int kSize = m + 2;
  const ConvS8Args& args = *out.args;
  Wrapping8 half[m * kSize];  // [column][row of A^T p]
#pragma GCC unroll 6
  for (int j = 0; j < kSize; ++j) {
    Wrapping8 p[kSize];
#pragma GCC unroll 6
    for (int i = 0; i < kSize; ++i) {
      p[i] = (Wrapping8)_mm256_loadu_si256(
          reinterpret_cast<const __m256i*>(products + (i * kSize + j) * 16 + first));
    }
    GatherLine<m>(p, 1, half + j * m);
  }
  const blob::ChannelBlockS8& block = *out.channels;
  const Channels8 channels = LoadChannels8(block.multiplier + first, block.shift + first);
  const Finish8 finish = MakeFinish8(args.out_zero_point, args.clamp_lo, args.clamp_hi);
  const Sums8 bias = (Sums8)_mm256_load_si256(reinterpret_cast<const __m256i*>(block.bias + first));
  const uint32_t left = out.channels_count - first;
  const uint32_t count = left < 8 ? left : 8;
  uint8_t* to = out.output + first;
#pragma GCC unroll 4
  for (int i = 0; i < m; ++i, to += (size_t)args.g.out_w * args.g.out_c) {
    if ((uint32_t)i >= out.rows) break;
    Wrapping8 s[m];
    GatherLine<m>(half + i, m, s);
    __m256i value[4];
#pragma GCC unroll 4
    for (int j = 0; j < m; ++j) {
      const Sums8 exact = m == 2 ? (Sums8)s[j] >> 2 : (Sums8)(s[j] * kInverseOf9) >> 6;
      __m256i acc = (__m256i)(exact + bias);
      if (args.pre_shift != 0) acc = PreShift8(acc, args.pre_shift);
      value[j] = Requantize8(acc, channels);
    }
    if (m == 2) value[2] = value[3] = value[0];
    const __m256i bytes = FinishRows8(value, finish);
    StoreRows8(bytes, to, args.g.out_c, out.columns, count);
    if (args.table != nullptr) {
      for (uint32_t j = 0; j < out.columns; ++j) {
        ApplyTable(to + (size_t)j * args.g.out_c, count, args.table);
      }
    }
  }
}

struct WinogradX86 {
  template <int m>
  static void TransformInput(const uint8_t* const* pixels, uint32_t in_c, uint8_t, int16_t* v,
                             size_t position_stride, size_t channel_stride) {
    uint32_t c = 0;
    for (; c + 16 <= in_c; c += 16, v += 2 * channel_stride) {
      TransformChannels<m, Words16>(pixels, c, v, position_stride, channel_stride);
    }
    for (; c < in_c; c += 8, v += channel_stride) {
      TransformChannels<m, Words8>(pixels, c, v, position_stride, channel_stride);
    }
  }

  template <int m>
  static void Finish(const int32_t* products, const WinogradOutput& out) {
    FinishHalf<m>(products, out, 0);
    if (out.channels_count > 8) FinishHalf<m>(products, out, 8);
  }
};

}  // namespace
}  // namespace octet
