// half.h for blocks of 32: the same bits, four at a time and without branches. Vectors of GCC,
// which makes of them what the architecture has. Blocks need no alignment and do not overlap.
#ifndef OCTET_CORE_HALF_BLOCK_H_
#define OCTET_CORE_HALF_BLOCK_H_

#include <stddef.h>
#include <stdint.h>

#include "runtime/core/half.h"

namespace octet {

constexpr size_t kHalfBlock = 32;

typedef uint32_t FourWords __attribute__((vector_size(16)));
typedef float FourFloats __attribute__((vector_size(16)));
typedef uint16_t FourHalves __attribute__((vector_size(8)));

// halves[i] = FloatToHalf(values[i] * factor).
static inline void FloatsToHalfBlock(const float* values, float factor, uint16_t* halves) {
  for (size_t i = 0; i < kHalfBlock; i += 4) {
    FourFloats x;
    __builtin_memcpy(&x, values + i, sizeof(x));
    const FourWords bits = (FourWords)(x * factor);
    const FourWords magnitude = bits & 0x7FFFFFFFu;
    // To even: half of the lowest bit kept less one, plus that bit.
    const FourWords normal = (magnitude - 0x38000000u + 0xFFFu + (magnitude >> 13 & 1u)) >> 13;
    // The last place of 0.5 + x is 2^-24, that of a subnormal half.
    const FourWords subnormal = (FourWords)((FourFloats)magnitude + 0.5f) - 0x3F000000u;
    FourWords half = magnitude < 0x38800000u ? subnormal : normal;
    half = magnitude >= 0x477FF000u ? (FourWords){} + 0x7C00u : half;
    half = magnitude > 0x7F800000u ? 0x7E00u | (magnitude >> 13 & 0x1FFu) : half;
    const FourHalves result = __builtin_convertvector(half | (bits >> 16 & 0x8000u), FourHalves);
    __builtin_memcpy(halves + i, &result, sizeof(result));
  }
}

// values[i] = HalfToFloat(halves[i]) * factor.
static inline void HalvesToFloatBlock(const uint16_t* halves, float factor, float* values) {
  typedef int32_t FourInts __attribute__((vector_size(16)));
  for (size_t i = 0; i < kHalfBlock; i += 4) {
    FourHalves loaded;
    __builtin_memcpy(&loaded, halves + i, sizeof(loaded));
    const FourWords bits = __builtin_convertvector(loaded, FourWords);
    const FourWords magnitude = bits & 0x7FFFu;
    // fraction * 2^-24, exact.
    const FourWords subnormal =
        (FourWords)(__builtin_convertvector((FourInts)magnitude, FourFloats) *
                    BitsFloat(0x33800000u));
    FourWords wide = (magnitude << 13) + 0x38000000u;
    wide = magnitude >= 0x7C00u ? wide + 0x38000000u : wide;
    wide = magnitude > 0x7C00u ? wide | 0x400000u : wide;
    wide = magnitude < 0x400u ? subnormal : wide;
    const FourFloats result = (FourFloats)(wide | (bits & 0x8000u) << 16) * factor;
    __builtin_memcpy(values + i, &result, sizeof(result));
  }
}

}  // namespace octet

#endif  // OCTET_CORE_HALF_BLOCK_H_
