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

// Some rows by a slice of the depth: `runs` runs of `run` floats of each row, the first from
// `first` on, the others run_step apart; behind `until_wrap` of them they go on `wrap` before.
struct MultiplyArgs {
  const float* const* row;
  size_t first, runs, run, run_step, until_wrap, wrap;
  const void* weights;
  float* widened;  // where Widening leaves them
  size_t block_step;
  const float* bias;  // nullptr: sums go on
  float* sums;
  size_t vector_step;
  const char* next;  // weights on their way to the caches, next_step bytes a step of the depth
  size_t next_step;
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

// Kinds of weights: floats, widened as [step][vectors][kLanes]; those of the blob, whose blocks are
// block_step apart; and the latter, which the first panel leaves as floats for the others.
struct Widened {
  typedef float Value;
  static constexpr bool kOfBlob = false, kKeeps = false;
};
struct Direct {
  typedef uint16_t Value;
  static constexpr bool kOfBlob = true, kKeeps = false;
};
struct Widening {
  typedef uint16_t Value;
  static constexpr bool kOfBlob = true, kKeeps = true;
};

template <int kRows, int kVectors, typename Bounds>
static inline void StoreRows(const MultiplyArgs& args, const Floats (&acc)[kRows][kVectors],
                             Bounds bounds) {
  uint16_t* to = args.output;
#pragma GCC unroll 10
  for (int r = 0; r < kRows; ++r, to += args.output_stride) {
#pragma GCC unroll 4
    for (int v = 0; v < kVectors; ++v) StoreNarrow(to + (size_t)v * kLanes, bounds(acc[r][v]));
  }
}

// kRows rows x kVectors vectors of outputs. Sums of a row are kChannelBlock behind those of the row
// before, those of a vector vector_step behind those of the vector before.
template <typename Kind, int kRows, int kVectors>
static void Multiply(const MultiplyArgs& args) {
  typedef typename Kind::Value Weight;
  // Beside one vector of weights loads are what takes the time.
  constexpr bool kFetches = (!Kind::kOfBlob || Kind::kKeeps) && kVectors > 1;
  const size_t step = Kind::kOfBlob ? kChannelBlock : kVectors * kLanes;
  const size_t vector_weights = !Kind::kOfBlob || kLanes < kChannelBlock ? kLanes : args.block_step;
  const Weight* weights = static_cast<const Weight*>(args.weights);
  float* widened = args.widened;
  const float* rows[kRows];
#pragma GCC unroll 10
  for (int r = 0; r < kRows; ++r) rows[r] = args.row[r];
  Floats acc[kRows][kVectors];
  if (args.bias == nullptr) {
#pragma GCC unroll 10
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
#pragma GCC unroll 10
      for (int r = 0; r < kRows; ++r) acc[r][v] = bias;
    }
  }
  const char* next = args.next;
  size_t k = args.first, runs = args.runs, until_wrap = args.until_wrap;
  do {
    const size_t end = k + args.run;
    do {
      // Where a compiler knows nothing of it, it cannot trade it for a pointer a row.
      __asm__("" : "+r"(k));
      Floats w[kVectors];
#pragma GCC unroll 4
      for (int v = 0; v < kVectors; ++v) {
        w[v] = Weights(weights + (size_t)v * vector_weights);
        if (Kind::kKeeps) Store(widened + (size_t)v * kLanes, w[v]);
#if defined(__AVX512F__)
        // Of a long slice they come from the second cache.
        if (kFetches && !Kind::kOfBlob) {
          _mm_prefetch(reinterpret_cast<const char*>(weights + (size_t)v * kLanes + 256),
                       _MM_HINT_T0);
        }
#endif
      }
      if (kFetches) {
        _mm_prefetch(next, _MM_HINT_T0);
        next += args.next_step;
      }
#pragma GCC unroll 10
      for (int r = 0; r < kRows; ++r) {
        Floats value = All(rows[r][k]);
        __asm__("" : "+v"(value));  // a load of its own is faster than one with every FMA
#pragma GCC unroll 4
        for (int v = 0; v < kVectors; ++v) acc[r][v] = MultiplyAdd(value, w[v], acc[r][v]);
      }
      ++k;
      weights += step;
      if (Kind::kKeeps) widened += kVectors * kLanes;
    } while (k != end);
    k += args.run_step - args.run;
    if (--until_wrap == 0) k -= args.wrap;
  } while (--runs != 0);
  if (args.output != nullptr) {
    // Each bound takes the port of an FMA.
    const Floats lo = All(args.lo), hi = All(args.hi);
    if (args.hi != FloatInfinity()) {
      return StoreRows<kRows, kVectors>(args, acc,
                                        [=](Floats x) { return Smaller(hi, Larger(lo, x)); });
    }
    if (args.lo != -FloatInfinity()) {
      return StoreRows<kRows, kVectors>(args, acc, [=](Floats x) { return Larger(lo, x); });
    }
    return StoreRows<kRows, kVectors>(args, acc, [](Floats x) { return x; });
  }
  float* sums = args.sums;
#pragma GCC unroll 10
  for (int r = 0; r < kRows; ++r, sums += kChannelBlock) {
#pragma GCC unroll 4
    for (int v = 0; v < kVectors; ++v) Store(sums + (size_t)v * args.vector_step, acc[r][v]);
  }
}

}  // namespace
}  // namespace octet

#endif  // OCTET_KERNELS_CONV_F16_X86_MULTIPLY_INL_H_
