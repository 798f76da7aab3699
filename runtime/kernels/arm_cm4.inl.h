// What kernels for Cortex-M's DSP extension share. Included by */arm_cm4.cc files only; internal
// linkage.
#ifndef OCTET_KERNELS_ARM_CM4_INL_H_
#define OCTET_KERNELS_ARM_CM4_INL_H_

#include <arm_acle.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#if !defined(__ARM_FEATURE_DSP)
#error "the level cm4 needs the DSP extension"
#endif

namespace octet {
namespace {

// 4 bytes at any address: these cores load words unaligned.
static inline uint32_t LoadWord(const uint8_t* from) {
  uint32_t word;
  memcpy(&word, from, sizeof(word));
  return word;
}
static inline void StoreWord(uint8_t* to, uint32_t word) {
  memcpy(to, &word, sizeof(word));
}

// Bytes 0 and 2 of a word, and 1 and 3, as signed 16 bits.
static inline uint32_t EvenBytes(uint32_t word) {
  return (uint32_t)__sxtb16(word);
}
static inline uint32_t OddBytes(uint32_t word) {
  uint32_t out;
  __asm__("sxtb16 %0, %1, ror #8" : "=r"(out) : "r"(word));
  return out;
}

// The bytes at `from`, `count` of them, the others 0.
static inline uint32_t LoadBytes(const uint8_t* from, uint32_t count) {
  uint32_t word = 0;
  for (uint32_t i = 0; i < count; ++i) word |= (uint32_t)from[i] << (8 * i);
  return word;
}
static inline void StoreBytes(uint8_t* to, uint32_t word, uint32_t count) {
  if (count == 4) return StoreWord(to, word);
  for (uint32_t i = 0; i < count; ++i) to[i] = (uint8_t)(word >> (8 * i));
}

// The same added to two sums of 16 bits.
static inline uint32_t AddEvenBytes(uint32_t sums, uint32_t word) {
  uint32_t out;
  __asm__("sxtab16 %0, %1, %2" : "=r"(out) : "r"(sums), "r"(word));
  return out;
}
static inline uint32_t AddOddBytes(uint32_t sums, uint32_t word) {
  uint32_t out;
  __asm__("sxtab16 %0, %1, %2, ror #8" : "=r"(out) : "r"(sums), "r"(word));
  return out;
}
// The low bytes of the halves of `even` and `odd` side by side.
static inline uint32_t WordOf(uint32_t even, uint32_t odd) {
  return (uint32_t)__uxtb16(even) | (uint32_t)__uxtb16(odd) << 8;
}

// The low, or the high, 16 bits of both: those of `a` below.
static inline uint32_t PackLow(uint32_t a, uint32_t b) {
  uint32_t out;
  __asm__("pkhbt %0, %1, %2, lsl #16" : "=r"(out) : "r"(a), "r"(b));
  return out;
}
static inline uint32_t PackHigh(uint32_t a, uint32_t b) {
  uint32_t out;
  __asm__("pkhtb %0, %1, %2, asr #16" : "=r"(out) : "r"(b), "r"(a));
  return out;
}

// A byte in all four places.
static inline uint32_t FourOf(int32_t byte) {
  return (uint32_t)(uint8_t)byte * 0x01010101u;
}

// The larger and the smaller of 4 signed bytes each.
static inline uint32_t LargerBytes(uint32_t a, uint32_t b) {
  uint32_t out;
  __asm__("ssub8 %0, %1, %2\n\tsel %0, %1, %2" : "=&r"(out) : "r"(a), "r"(b));
  return out;
}
static inline uint32_t SmallerBytes(uint32_t a, uint32_t b) {
  uint32_t out;
  __asm__("ssub8 %0, %1, %2\n\tsel %0, %2, %1" : "=&r"(out) : "r"(a), "r"(b));
  return out;
}

// Requantize() and ToInt8() at once for shifts of kLeastShift to kMostShift and no pre-shift: with
// s = shift - 1 and SMMLA's floor(acc * multiplier / 2^32),
//   (floor(acc * multiplier / 2^32) + 2^(s - 1) + (zero_point << s)) >> s
// drops bits below the rounding position first, as quant/requantize.h does, and adds a multiple of
// 2^s, which leaves the shift as zero_point. 2^(s - 1) + (zero_point << s) = (2 zero_point + 1) <<
// (s - 1). |acc * multiplier / 2^32| <= 2^29 and |2 zero_point + 1| << 21 < 2^30 fit 32 bits.
constexpr int32_t kLeastShift = 2, kMostShift = 23;

// Whether there is more to do than the int8 range does: `args` of either convolution.
template <typename Args>
static inline bool IsNarrow(const Args& args) {
  return args.clamp_lo > -128 || args.clamp_hi < 127 || args.table != nullptr;
}

// Bytes that were finished over the whole int8 range: clamped to the layer's, then through its
// table, if any.
static inline void FinishBytes(uint8_t* bytes, size_t count, int32_t lo, int32_t hi,
                               const int8_t* table) {
  if (lo > -128 || hi < 127) {
    const uint32_t least = FourOf(lo), most = FourOf(hi);
    size_t i = 0;
    for (; i + 4 <= count; i += 4) {
      StoreWord(bytes + i, SmallerBytes(LargerBytes(LoadWord(bytes + i), least), most));
    }
    for (; i < count; ++i) {
      const int32_t q = (int8_t)bytes[i];
      bytes[i] = (uint8_t)(q < lo ? lo : q > hi ? hi : q);
    }
  }
  if (table == nullptr) return;
  for (size_t i = 0; i < count; ++i) bytes[i] = (uint8_t)table[(int8_t)bytes[i] + 128];
}

}  // namespace
}  // namespace octet

#endif  // OCTET_KERNELS_ARM_CM4_INL_H_
