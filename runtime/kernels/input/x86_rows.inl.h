// Float inputs on x86: 32 elements at a time; three planes are interleaved in registers. A Rule has
// ThirtyTwo(values): 32 codes as arena bytes. Included by input/x86_*.cc; internal linkage.
#ifndef OCTET_KERNELS_INPUT_X86_ROWS_INL_H_
#define OCTET_KERNELS_INPUT_X86_ROWS_INL_H_

#include <string.h>

#include "runtime/kernels/input/runs.inl.h"
#include "runtime/kernels/kernel_table.h"
#include "runtime/kernels/x86_immintrin.inl.h"

namespace octet {
namespace {

constexpr size_t kWide = 32;

template <typename Rule>
static inline __m256i UpTo32(const Rule& rule, const float* values, size_t count) {
  if (count >= kWide) return rule.ThirtyTwo(values);
  float padded[kWide] = {};
  memcpy(padded, values, count * sizeof(float));
  return rule.ThirtyTwo(padded);
}

template <typename Rule>
static void QuantizeRun(const Rule& rule, const float* values, size_t count, uint8_t* bytes) {
  for (size_t i = 0; i < count; i += kWide) {
    const __m256i codes = UpTo32(rule, values + i, count - i);
    if (count - i >= kWide) {
      _mm256_storeu_si256(reinterpret_cast<__m256i*>(bytes + i), codes);
      continue;
    }
    uint8_t rest[kWide];
    _mm256_storeu_si256(reinterpret_cast<__m256i*>(rest), codes);
    memcpy(bytes + i, rest, count - i);
  }
}

// 16 bytes of each of three planes -> 48 bytes.
static inline void Interleave3(__m128i a, __m128i b, __m128i c, uint8_t* to) {
  // Byte k of the result is byte k / 3 of plane k % 3; a set top bit makes a zero.
  alignas(16) static constexpr int8_t kFrom[3][3][16] = {
      {{0, -1, -1, 1, -1, -1, 2, -1, -1, 3, -1, -1, 4, -1, -1, 5},
       {-1, 0, -1, -1, 1, -1, -1, 2, -1, -1, 3, -1, -1, 4, -1, -1},
       {-1, -1, 0, -1, -1, 1, -1, -1, 2, -1, -1, 3, -1, -1, 4, -1}},
      {{-1, -1, 6, -1, -1, 7, -1, -1, 8, -1, -1, 9, -1, -1, 10, -1},
       {5, -1, -1, 6, -1, -1, 7, -1, -1, 8, -1, -1, 9, -1, -1, 10},
       {-1, 5, -1, -1, 6, -1, -1, 7, -1, -1, 8, -1, -1, 9, -1, -1}},
      {{-1, 11, -1, -1, 12, -1, -1, 13, -1, -1, 14, -1, -1, 15, -1, -1},
       {-1, -1, 11, -1, -1, 12, -1, -1, 13, -1, -1, 14, -1, -1, 15, -1},
       {10, -1, -1, 11, -1, -1, 12, -1, -1, 13, -1, -1, 14, -1, -1, 15}}};
  for (int i = 0; i < 3; ++i) {
    const auto pick = [i](__m128i plane, int p) {
      return _mm_shuffle_epi8(plane, _mm_load_si128(reinterpret_cast<const __m128i*>(kFrom[i][p])));
    };
    const __m128i bytes = _mm_or_si128(_mm_or_si128(pick(a, 0), pick(b, 1)), pick(c, 2));
    _mm_storeu_si128(reinterpret_cast<__m128i*>(to + 16 * i), bytes);
  }
}

template <typename Rule>
static void QuantizePlanes3(const Rule& rule, const float* values, size_t plane, size_t count,
                            uint8_t* bytes) {
  for (size_t x = 0; x < count; x += kWide) {
    const size_t left = count - x;
    const __m256i a = UpTo32(rule, values + x, left);
    const __m256i b = UpTo32(rule, values + plane + x, left);
    const __m256i c = UpTo32(rule, values + 2 * plane + x, left);
    uint8_t rest[3 * kWide];
    uint8_t* to = left < kWide ? rest : bytes + 3 * x;
    Interleave3(_mm256_castsi256_si128(a), _mm256_castsi256_si128(b), _mm256_castsi256_si128(c),
                to);
    Interleave3(_mm256_extracti128_si256(a, 1), _mm256_extracti128_si256(b, 1),
                _mm256_extracti128_si256(c, 1), to + 48);
    if (left < kWide) memcpy(bytes + 3 * x, rest, 3 * left);
  }
}

// False: the reference takes them.
template <typename Rule>
static bool QuantizeRows(const InputF32Args& args, const Rule& rule, Share share) {
  return ForEachRun(args, share, [&](const InputRun& run) {
    if (run.planes) {
      QuantizePlanes3(rule, run.values, args.strides[3], run.pixels, args.bytes + run.at);
    } else {
      QuantizeRun(rule, run.values, run.pixels * args.dims[3], args.bytes + run.at);
    }
  });
}

}  // namespace
}  // namespace octet

#endif  // OCTET_KERNELS_INPUT_X86_ROWS_INL_H_
