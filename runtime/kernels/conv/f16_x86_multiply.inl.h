// One FP16 panel of the x86 levels: rows x vectors of sums in registers.
#ifndef OCTET_KERNELS_CONV_F16_X86_MULTIPLY_INL_H_
#define OCTET_KERNELS_CONV_F16_X86_MULTIPLY_INL_H_

#include "runtime/kernels/conv/f16_wide.inl.h"
#include "runtime/kernels/unary/function_lanes.inl.h"
#include "runtime/kernels/x86_float.inl.h"

namespace octet {
namespace {

static inline void StoreNarrow(uint16_t* to, Floats x) {
#if defined(__AVX512F__)
  _mm256_storeu_si256(reinterpret_cast<__m256i*>(to),
                      _mm512_cvtps_ph(x, _MM_FROUND_TO_NEAREST_INT));
#else
  _mm_storeu_si128(reinterpret_cast<__m128i*>(to), _mm256_cvtps_ph(x, _MM_FROUND_TO_NEAREST_INT));
#endif
}

static inline Floats MultiplyAdd(Floats x, Floats w, Floats sum) {
#if defined(__AVX512F__)
  return _mm512_fmadd_ps(x, w, sum);
#else
  return _mm256_fmadd_ps(x, w, sum);
#endif
}

static inline Floats WidenLanes(const uint16_t* from) {
#if defined(__AVX512F__)
  return _mm512_cvtph_ps(_mm256_loadu_si256(reinterpret_cast<const __m256i*>(from)));
#else
  return LoadHalves(from, kLanes);
#endif
}

// Where a compiler knows nothing of a pointer, it cannot trade it for a register a row.
static inline void Forget(const float** pointer) {
  __asm__("" : "+r"(*pointer));
}

static inline uintptr_t NumberOf(const void* pointer) {
  return reinterpret_cast<uintptr_t>(pointer);
}

struct MultiplyArgs {
  const PartWide* part;
  const float* rows;
  const void* weights;
  size_t block_step;
  const float* bias;  // AVX2: nullptr, sums go on
  float* sums;
  size_t vector_step;
  // Weights on their way to the second cache: AVX-512, 8 bytes a step; AVX2, some with every panel,
  // as many as these; 0: none.
  uintptr_t next;
  // Where sums go as halves, clamped; nullptr: they go to `sums`.
  uint16_t* output;
  size_t output_stride;
  float lo, hi;
};

static inline Floats Weights(const float* from) {
  return Load(from);
}
static inline Floats Weights(const uint16_t* from) {
  return WidenLanes(from);
}

// Panels that may finish their sums in registers: those of most layers.
template <typename Weight, int kVectors>
constexpr bool kFinishes = sizeof(Weight) == sizeof(float) && kVectors == 2;

// kRows rows x kVectors vectors of outputs; Weight: float, widened as [step][vectors][kLanes], or
// uint16_t, those of the blob, whose blocks are block_step apart. Sums of a row are kChannelBlock
// behind those of the row before, those of a vector vector_step behind those of the vector before.
// Row r is (r % 3) * row_step behind pointer r / 3, which x86 addresses without a register a row.
template <typename Weight, int kRows, int kVectors>
static void Multiply(const MultiplyArgs& args) {
  constexpr int kPointers = (kRows + 2) / 3;
  constexpr bool kWidened = sizeof(Weight) == sizeof(float);
  const PartWide& part = *args.part;
  const size_t row_step = part.row_step;
  const size_t step = kWidened ? kVectors * kLanes : kChannelBlock;
  const size_t vector_weights = kWidened || kLanes < kChannelBlock ? kLanes : args.block_step;
  const float* rows = args.rows;
  const Weight* weights = static_cast<const Weight*>(args.weights);
  Floats acc[kRows][kVectors];
  if (kLanes < kChannelBlock && args.bias == nullptr) {
#pragma GCC unroll 9
    for (int r = 0; r < kRows; ++r) {
#pragma GCC unroll 4
      for (int v = 0; v < kVectors; ++v) {
        acc[r][v] = Load(args.sums + (size_t)r * kChannelBlock + (size_t)v * args.vector_step);
      }
    }
  } else {
#pragma GCC unroll 4
    for (int v = 0; v < kVectors; ++v) {
      const Floats bias = Load(args.bias + (size_t)v * kLanes);
#pragma GCC unroll 9
      for (int r = 0; r < kRows; ++r) acc[r][v] = bias;
    }
  }
  size_t runs = part.runs, until_first = runs - part.first_run;
#if defined(__AVX512F__)
  // Counted by the row: from its start the weights are twice as far.
  const uintptr_t next = args.next - 2 * NumberOf(rows);
#endif
  rows += part.first_run * part.run_step;
  do {
    const float* x[kPointers];
#pragma GCC unroll 4
    for (int j = 0; j < kPointers; ++j) x[j] = rows + 3 * (size_t)j * row_step;
    size_t left = part.run;
    do {
#pragma GCC unroll 4
      for (int j = 0; j < kPointers; ++j) Forget(&x[j]);
      Floats w[kVectors];
#pragma GCC unroll 4
      for (int v = 0; v < kVectors; ++v) {
        w[v] = Weights(weights + (size_t)v * vector_weights);
#if defined(__AVX512F__)
        // They come from the second cache. With 256 bits fetching ahead costs more than it saves.
        if (kWidened)
          _mm_prefetch(reinterpret_cast<const char*>(weights + (size_t)v * kLanes + 256),
                       _MM_HINT_T0);
#endif
      }
#if defined(__AVX512F__)
      _mm_prefetch(reinterpret_cast<const char*>(next + 2 * NumberOf(x[0])), _MM_HINT_T1);
#endif
#pragma GCC unroll 9
      for (int r = 0; r < kRows; ++r) {
        Floats value = All(x[r / 3][(size_t)(r % 3) * row_step]);
        __asm__("" : "+v"(value));  // a load of its own is faster than one with every FMA
#pragma GCC unroll 4
        for (int v = 0; v < kVectors; ++v) acc[r][v] = MultiplyAdd(value, w[v], acc[r][v]);
      }
#pragma GCC unroll 4
      for (int j = 0; j < kPointers; ++j) ++x[j];
      weights += step;
    } while (--left != 0);
    rows += part.run_step;
    if (--until_first == 0) rows -= part.runs * part.run_step;
  } while (--runs != 0);
  if (kFinishes<Weight, kVectors> && args.output != nullptr) {
    uint16_t* to = args.output;
    const Floats lo = All(args.lo), hi = All(args.hi);
#pragma GCC unroll 9
    for (int r = 0; r < kRows; ++r, to += args.output_stride) {
#pragma GCC unroll 4
      for (int v = 0; v < kVectors; ++v) {
        StoreNarrow(to + (size_t)v * kLanes, Smaller(hi, Larger(lo, acc[r][v])));
      }
    }
    return;
  }
  float* sums = args.sums;
#pragma GCC unroll 9
  for (int r = 0; r < kRows; ++r, sums += kChannelBlock) {
#pragma GCC unroll 4
    for (int v = 0; v < kVectors; ++v) Store(sums + (size_t)v * args.vector_step, acc[r][v]);
  }
}

}  // namespace
}  // namespace octet

#endif  // OCTET_KERNELS_CONV_F16_X86_MULTIPLY_INL_H_
