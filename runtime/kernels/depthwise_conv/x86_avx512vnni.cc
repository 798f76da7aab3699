// Depthwise convolution with 512-bit VPDPBUSD, 64 channels at a time, and 256-bit for a rest of up
// to 32.
#include "runtime/kernels/depthwise_conv/x86_vector256.inl.h"
// The vector classes come first.
#include "runtime/kernels/depthwise_conv/x86_depthwise_s8.inl.h"
// Then what uses both.
#include "runtime/kernels/depthwise_conv/x86_depthwise_3x3.inl.h"
#include "runtime/kernels/depthwise_conv/x86_depthwise_5x5.inl.h"
// Then the ways that a layer can go.
#include "runtime/kernels/depthwise_conv/x86_depthwise_flat.inl.h"

namespace octet {
namespace {

struct VectorAvx512Half : Vector256 {
  typedef Vec Weight;
  static constexpr bool kLooksUp = true;
  static inline Vec LookUp(Vec bytes, const int8_t* table) {
    return _mm512_castsi512_si256(octet::LookUp(_mm512_castsi256_si512(bytes), table));
  }
  static constexpr bool kMiddleTwice = false;
  static constexpr uint32_t kSideBySide = 1;
  static inline Vec Ones() { return Vec{}; }
  static inline Weight MakeWeight(Vec w, bool) { return w; }
  static inline Vec LoadPart(const uint8_t* from, uint32_t width, const uint8_t*) {
    const __mmask32 mask = width >= kBytes ? ~(__mmask32)0 : ((__mmask32)1 << width) - 1;
    return _mm256_maskz_loadu_epi8(mask, from);
  }
  static inline void Dot(Vec& acc, Vec x, const Weight& w, Vec) {
    // As assembly for the reason given in conv/x86_avx512vnni.cc.
    __asm__("vpdpbusd %2, %1, %0" : "+v"(acc) : "v"(x), "vm"(w));
  }
  static inline void StorePart(uint8_t* to, Vec bytes, uint32_t width) {
    const __mmask32 mask = width >= kBytes ? ~(__mmask32)0 : ((__mmask32)1 << width) - 1;
    _mm256_mask_storeu_epi8(to, mask, bytes);
  }
};

struct VectorAvx512 {
  typedef __m512i Vec;
  typedef Vec Weight;
  typedef __m512 Floats;
  typedef Channels16 Channels;
  static constexpr uint32_t kBytes = 64;
  static constexpr bool kLooksUp = true;
  static inline Vec LookUp(Vec bytes, const int8_t* table) { return octet::LookUp(bytes, table); }

  static inline Vec Load(const void* from) { return _mm512_loadu_si512(from); }
  static inline void Store(void* to, Vec x) { _mm512_store_si512(to, x); }
  static inline Vec Set(uint8_t byte) { return _mm512_set1_epi8((char)byte); }
  static inline __mmask64 Mask(uint32_t width) {
    return width >= kBytes ? ~(__mmask64)0 : ((__mmask64)1 << width) - 1;
  }
  static inline Vec LoadPart(const uint8_t* from, uint32_t width, const uint8_t*) {
    return _mm512_maskz_loadu_epi8(Mask(width), from);
  }
  static constexpr bool kMiddleTwice = false;
  static constexpr uint32_t kSideBySide = 1;
  static inline Vec Ones() { return Vec{}; }
  static inline Weight MakeWeight(Vec w, bool) { return w; }
  static inline void Dot(Vec& acc, Vec x, const Weight& w, Vec) {
    __asm__("vpdpbusd %2, %1, %0" : "+v"(acc) : "v"(x), "vm"(w));
  }
  static inline void Interleave(const Vec (&rows)[4], Vec (&out)[4]) {
    const Vec low01 = _mm512_unpacklo_epi8(rows[0], rows[1]);
    const Vec high01 = _mm512_unpackhi_epi8(rows[0], rows[1]);
    const Vec low23 = _mm512_unpacklo_epi8(rows[2], rows[3]);
    const Vec high23 = _mm512_unpackhi_epi8(rows[2], rows[3]);
    out[0] = _mm512_unpacklo_epi16(low01, low23);
    out[1] = _mm512_unpackhi_epi16(low01, low23);
    out[2] = _mm512_unpacklo_epi16(high01, high23);
    out[3] = _mm512_unpackhi_epi16(high01, high23);
  }
  static inline Vec Start(Vec bias, Vec sum) {
    return _mm512_sub_epi32(bias, _mm512_slli_epi32(sum, 7));
  }
  static inline Channels MakeChannels(Vec multiplier, Vec shift) {
    return MakeChannels16(multiplier, shift);
  }
  static inline Vec PreShift(Vec acc, int32_t pre_shift) { return PreShift16(acc, pre_shift); }
  static inline Vec Requantize(Vec acc, const Channels& c) { return Requantize16(acc, c); }
  static inline void Finish(const Vec (&value)[4], int32_t zero_point, int32_t lo, int32_t hi,
                            uint8_t* to, uint32_t width) {
    const Vec zero = _mm512_set1_epi16((short)(zero_point + 128));
    const Vec low = _mm512_adds_epi16(_mm512_packs_epi32(value[0], value[1]), zero);
    const Vec high = _mm512_adds_epi16(_mm512_packs_epi32(value[2], value[3]), zero);
    Vec bytes = _mm512_packus_epi16(low, high);
    bytes = _mm512_max_epu8(bytes, _mm512_set1_epi8((char)(lo + 128)));
    bytes = _mm512_min_epu8(bytes, _mm512_set1_epi8((char)(hi + 128)));
    _mm512_mask_storeu_epi8(to, Mask(width), bytes);
  }
  static inline Vec FromLanes(const void* const (&lanes)[4]) {
    const auto load = [](const void* from) {
      return _mm_loadu_si128(static_cast<const __m128i*>(from));
    };
    Vec v = _mm512_castsi128_si512(load(lanes[0]));
    v = _mm512_inserti32x4(v, load(lanes[1]), 1);
    v = _mm512_inserti32x4(v, load(lanes[2]), 2);
    return _mm512_inserti32x4(v, load(lanes[3]), 3);
  }
  static inline Floats FusedStart(int32_t zero_point) {
    return _mm512_set1_ps(octet::FusedStart(zero_point));
  }
  static inline Floats AsFloats(Vec bits) { return _mm512_castsi512_ps(bits); }
  static inline Vec FusedBytes(const Vec (&sums)[4], const Floats (&factor)[4], Floats start) {
    const Vec low =
        _mm512_packs_epi32(Fused16(sums[0], factor[0], start), Fused16(sums[1], factor[1], start));
    const Vec high =
        _mm512_packs_epi32(Fused16(sums[2], factor[2], start), Fused16(sums[3], factor[3], start));
    return _mm512_packus_epi16(low, high);
  }
  static inline void Arrange(Channels (&)[4]) {}
  template <bool>
  static inline Vec FinishTwo(Vec a, Vec b, const Channels& of_a, const Channels& of_b) {
    return _mm512_packs_epi32(RequantizeDoubled16(a, of_a), RequantizeDoubled16(b, of_b));
  }
  static inline Vec Bytes(Vec low, Vec high) { return _mm512_packus_epi16(low, high); }
  static inline Vec Clamp(Vec bytes, Vec lo, Vec hi) {
    return _mm512_min_epu8(_mm512_max_epu8(bytes, lo), hi);
  }
  static inline void StorePart(uint8_t* to, Vec bytes, uint32_t width) {
    _mm512_mask_storeu_epi8(to, Mask(width), bytes);
  }
};

}  // namespace

void depthwise_conv_s8_avx512vnni(const DepthwiseConvS8Args& args, Share share) {
  const ConvGeometry& g = args.g;
  if (!FitsChunk(g, VectorAvx512::kBytes)) {
    depthwise_conv_s8_reference(args, share);
    return;
  }
  const Range rows = RangeOf(g.out_h, share);
  if (rows.begin == rows.end || TryFlat3x3<VectorAvx512>(args, rows)) return;
  for (uint32_t channel = 0; channel < g.in_c;) {
    const uint32_t left = g.in_c - channel;
    if (left > VectorAvx512Half::kBytes) {
      const uint32_t width = left < VectorAvx512::kBytes ? left : VectorAvx512::kBytes;
      RunAnyChunk<VectorAvx512>(args, channel, width, rows);
      channel += width;
    } else {
      RunAnyChunk<VectorAvx512Half>(args, channel, left, rows);
      channel += left;
    }
  }
}

}  // namespace octet
