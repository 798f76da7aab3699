// Depthwise convolution with 256-bit VPDPBUSD.
#include "runtime/kernels/depthwise_conv/x86_vector256.inl.h"
// The vector class comes first.
#include "runtime/kernels/depthwise_conv/x86_depthwise_s8.inl.h"
// Then what uses both.
#include "runtime/kernels/depthwise_conv/x86_depthwise_3x3.inl.h"

namespace octet {
namespace {

struct VectorAvxVnni : Vector256 {
  typedef Vec Weight;
  static constexpr bool kMiddleTwice = false;
  static inline Weight MakeWeight(Vec w, bool) { return w; }
  static inline void Dot(Vec& acc, Vec x, const Weight& w) {
    // As assembly for the reason given in conv/x86_avxvnni.cc.
    __asm__("%{vex%} vpdpbusd %2, %1, %0" : "+x"(acc) : "x"(x), "xm"(w));
  }
  static inline Vec FromLanes(const void* const (&lanes)[2]) {
    return _mm256_loadu2_m128i(static_cast<const __m128i*>(lanes[1]),
                               static_cast<const __m128i*>(lanes[0]));
  }
  static inline Vec RequantizeDoubled(Vec acc, const Channels& c) {
    return RequantizeDoubled8(acc, c);
  }
  // The packs within 128-bit lanes restore the order of the channels.
  static inline Vec Pack(const Vec (&value)[4], Vec lo, Vec hi) {
    const Vec bytes = _mm256_packus_epi16(_mm256_packs_epi32(value[0], value[1]),
                                          _mm256_packs_epi32(value[2], value[3]));
    return _mm256_min_epu8(_mm256_max_epu8(bytes, lo), hi);
  }
  static inline void StorePart(uint8_t* to, Vec bytes, uint32_t width) {
    if (width >= kBytes) {
      _mm256_storeu_si256(reinterpret_cast<__m256i*>(to), bytes);
      return;
    }
    StorePartial16(to, _mm256_castsi256_si128(bytes), width);
    if (width > 16) StorePartial16(to + 16, _mm256_extracti128_si256(bytes, 1), width - 16);
  }
};

}  // namespace

void depthwise_conv_s8_avxvnni(const DepthwiseConvS8Args& args, Share share) {
  const ConvGeometry& g = args.g;
  if (!FitsChunk(g, VectorAvxVnni::kBytes)) {
    depthwise_conv_s8_reference(args, share);
    return;
  }
  const Range rows = RangeOf(g.out_h, share);
  if (rows.begin == rows.end || TryFlat3x3<VectorAvxVnni>(args, rows)) return;
  for (uint32_t channel = 0; channel < g.in_c; channel += VectorAvxVnni::kBytes) {
    const uint32_t left = g.in_c - channel;
    RunAnyChunk<VectorAvxVnni>(args, channel,
                               left < VectorAvxVnni::kBytes ? left : VectorAvxVnni::kBytes, rows);
  }
}

}  // namespace octet
