// 32 channels in four 256-bit registers, for x86_depthwise_s8.inl.h and _3x3.inl.h; the dot product
// is the level's own.
#include "runtime/kernels/x86_blocks.inl.h"

namespace octet {
namespace {

struct Vector256 {
  typedef __m256i Vec;
  typedef __m256 Floats;
  typedef Channels8 Channels;
  static constexpr uint32_t kBytes = 32;
  static constexpr bool kLooksUp = false;  // true: LookUp() applies a table to a register

  static inline Vec Load(const void* from) {
    return _mm256_loadu_si256(static_cast<const __m256i*>(from));
  }
  static inline void Store(void* to, Vec x) { _mm256_store_si256(static_cast<__m256i*>(to), x); }
  static inline Vec Set(uint8_t byte) { return _mm256_set1_epi8((char)byte); }

  // The first `width` bytes; what follows them is not used, and not read where the tensor ends.
  static inline Vec LoadPart(const uint8_t* from, uint32_t width, const uint8_t* end) {
    if (width >= kBytes || (size_t)(end - from) >= kBytes) return Load(from);
    alignas(32) uint8_t bytes[kBytes] = {};
    memcpy(bytes, from, width);
    return Load(bytes);
  }

  static inline void Interleave(const Vec (&rows)[4], Vec (&out)[4]) {
    const Vec low01 = _mm256_unpacklo_epi8(rows[0], rows[1]);
    const Vec high01 = _mm256_unpackhi_epi8(rows[0], rows[1]);
    const Vec low23 = _mm256_unpacklo_epi8(rows[2], rows[3]);
    const Vec high23 = _mm256_unpackhi_epi8(rows[2], rows[3]);
    out[0] = _mm256_unpacklo_epi16(low01, low23);
    out[1] = _mm256_unpackhi_epi16(low01, low23);
    out[2] = _mm256_unpacklo_epi16(high01, high23);
    out[3] = _mm256_unpackhi_epi16(high01, high23);
  }

  static inline Vec Start(Vec bias, Vec sum) {
    return _mm256_sub_epi32(bias, _mm256_slli_epi32(sum, 7));
  }
  static inline Channels MakeChannels(Vec multiplier, Vec shift) {
    return MakeChannels8(multiplier, shift);
  }
  static inline Vec PreShift(Vec acc, int32_t pre_shift) { return PreShift8(acc, pre_shift); }
  static inline Vec Requantize(Vec acc, const Channels& c) { return Requantize8(acc, c); }

  // The packs within 128-bit lanes restore the order of the channels.
  static inline void Finish(const Vec (&value)[4], int32_t zero_point, int32_t lo, int32_t hi,
                            uint8_t* to, uint32_t width) {
    const Finish8 f = MakeFinish8(zero_point, lo, hi);
    const Vec low = _mm256_adds_epi16(_mm256_packs_epi32(value[0], value[1]), f.zero_point);
    const Vec high = _mm256_adds_epi16(_mm256_packs_epi32(value[2], value[3]), f.zero_point);
    const Vec bytes = _mm256_min_epu8(_mm256_max_epu8(_mm256_packus_epi16(low, high), f.lo), f.hi);
    if (width >= kBytes) {
      _mm256_storeu_si256(reinterpret_cast<__m256i*>(to), bytes);
    } else if (width > 16) {
      _mm_storeu_si128(reinterpret_cast<__m128i*>(to), _mm256_castsi256_si128(bytes));
      StorePartial16(to + 16, _mm256_extracti128_si256(bytes, 1), width - 16);
    } else {
      StorePartial16(to, _mm256_castsi256_si128(bytes), width);
    }
  }

  // For x86_depthwise_3x3.inl.h.
  static inline Vec FromLanes(const void* const (&lanes)[2]) {
    return _mm256_loadu2_m128i(static_cast<const __m128i*>(lanes[1]),
                               static_cast<const __m128i*>(lanes[0]));
  }
  static inline Floats FusedStart(int32_t zero_point) {
    return _mm256_set1_ps(octet::FusedStart(zero_point));
  }
  static inline Floats AsFloats(Vec bits) { return _mm256_castsi256_ps(bits); }
  // The packs within 128-bit lanes restore the order of the channels.
  static inline Vec FusedBytes(const Vec (&sums)[4], const Floats (&factor)[4], Floats start) {
    const Vec middle = _mm256_set1_epi32(kFusedMiddleBits);
    const Vec low = _mm256_packs_epi32(Fused8(sums[0], factor[0], start, middle),
                                       Fused8(sums[1], factor[1], start, middle));
    const Vec high = _mm256_packs_epi32(Fused8(sums[2], factor[2], start, middle),
                                        Fused8(sums[3], factor[3], start, middle));
    return _mm256_packus_epi16(low, high);
  }
  static inline void Arrange(Channels (&)[4]) {}
  template <bool>
  static inline Vec FinishTwo(Vec a, Vec b, const Channels& of_a, const Channels& of_b) {
    return _mm256_packs_epi32(RequantizeDoubled8(a, of_a), RequantizeDoubled8(b, of_b));
  }
  // The packs within 128-bit lanes restore the order of the channels.
  static inline Vec Bytes(Vec low, Vec high) { return _mm256_packus_epi16(low, high); }
  static inline Vec Clamp(Vec bytes, Vec lo, Vec hi) {
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
}  // namespace octet
