// Arithmetic on untrusted numbers: 64-bit, saturating where it could wrap.
#ifndef OCTET_CORE_CHECKED_H_
#define OCTET_CORE_CHECKED_H_

#include <stdint.h>

namespace octet {

static inline uint64_t SaturatingMul(uint64_t a, uint64_t b) {
  uint64_t product;
  return __builtin_mul_overflow(a, b, &product) ? UINT64_MAX : product;
}

static inline uint64_t SaturatingAdd(uint64_t a, uint64_t b) {
  uint64_t sum;
  return __builtin_add_overflow(a, b, &sum) ? UINT64_MAX : sum;
}

// Does [offset, offset + count * size) lie within [0, limit)?
static inline bool InRange(uint64_t offset, uint64_t count, uint64_t size, uint64_t limit) {
  return SaturatingAdd(offset, SaturatingMul(count, size)) <= limit;
}

// alignment: a power of two; value: below 2^63.
static inline uint64_t RoundUpTo(uint64_t value, uint64_t alignment) {
  return (value + alignment - 1) & ~(alignment - 1);
}

// Bit patterns, so that no float instruction is needed and a signalling NaN does no harm.
static inline bool IsFiniteFloat(float value) {
  uint32_t bits;
  __builtin_memcpy(&bits, &value, sizeof(bits));
  return (bits & 0x7F800000u) != 0x7F800000u;
}

static inline bool IsNormalPositiveFloat(float value) {
  uint32_t bits;
  __builtin_memcpy(&bits, &value, sizeof(bits));
  return bits >= 0x00800000u && bits < 0x7F800000u;
}

// 2^-64 to 2^64: multiplying by it, or by its inverse, rounds nothing away that FP16 holds.
static inline bool IsPowerOfTwo(float value) {
  uint32_t bits;
  __builtin_memcpy(&bits, &value, sizeof(bits));
  return (bits & 0x807FFFFFu) == 0 && bits >= 0x1F800000u && bits <= 0x5F800000u;
}

}  // namespace octet

#endif  // OCTET_CORE_CHECKED_H_
