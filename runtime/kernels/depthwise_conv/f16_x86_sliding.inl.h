// FP16 depthwise convolution on x86: outputs side by side in one or two rows, whose windows slide
// over the columns of the image. V as in f16_x86.inl.h, which includes this. Internal linkage.
#ifndef OCTET_KERNELS_DEPTHWISE_CONV_F16_X86_SLIDING_INL_H_
#define OCTET_KERNELS_DEPTHWISE_CONV_F16_X86_SLIDING_INL_H_

#include "runtime/kernels/kernel_table.h"

namespace octet {
namespace {

template <typename V, blob::Function kFunction>
static inline void NarrowThrough(const ConvF16Args& args, const float* values, uint32_t count,
                                 uint16_t* to) {
  for (uint32_t i = 0; i < count; ++i, to += args.g.out_c) {
    for (uint32_t lane = 0; lane < V::kLanes; lane += 8, values += 8) {
      StoreHalves(to + lane, Apply8(kFunction, _mm256_load_ps(values), args.alpha, args.beta), 8);
    }
  }
}

// The sums of `count` outputs side by side through a function that is no clamp.
template <typename V>
[[gnu::noinline]] static void FinishValues(const ConvF16Args& args, float* values, uint32_t count,
                                           uint16_t* to) {
  using blob::Function;
  switch (args.function) {
    case Function::kLeakyRelu:
      return NarrowThrough<V, Function::kLeakyRelu>(args, values, count, to);
    case Function::kHardSigmoid:
      return NarrowThrough<V, Function::kHardSigmoid>(args, values, count, to);
    case Function::kHardSwish:
      return NarrowThrough<V, Function::kHardSwish>(args, values, count, to);
    default:
      V::Apply(args.function, args.alpha, args.beta, values, count * V::kLanes);
      return NarrowThrough<V, Function::kIdentity>(args, values, count, to);
  }
}

// Outputs side by side in one row, of the channels of one vector.
struct Window {
  const uint16_t* input;
  int64_t start;         // of the input's elements: column 0 of the first line inside the image
  size_t down, right;    // from a line to the next, from a column to the next
  uint32_t lines;        // inside the image
  int64_t first, last;   // columns inside the image
  const float* weights;  // of the first of these lines
  const float* bias;
};

// Sums that need no more than a clamp.
static inline bool OnlyClamps(blob::Function function) {
  return function == blob::Function::kIdentity || function == blob::Function::kClamp;
}

// What becomes of sums, read once for all tiles.
template <typename V>
struct Finish {
  bool in_memory, bounded;
  typename V::Floats lo, hi;

  static Finish Of(const ConvF16Args& args) {
    const bool clamps = args.function == blob::Function::kClamp;
    // Each bound takes the port of an FMA; with AVX2 looking for them takes as long.
    const bool bounded = V::kLanes < kChannelBlock || (clamps && args.beta != FloatInfinity());
    return Finish{!OnlyClamps(args.function), bounded,
                  V::All(clamps ? args.alpha : -FloatInfinity()),
                  V::All(clamps ? args.beta : FloatInfinity())};
  }
};

// The sums of N outputs side by side to their places.
template <typename V, uint32_t N>
static inline void StoreOutputs(const ConvF16Args& args, const Finish<V>& finish,
                                const typename V::Floats (&sums)[N], size_t out_c, uint16_t* to) {
  if (finish.in_memory) {
    alignas(64) float values[N * V::kLanes];
#pragma GCC unroll 8
    for (uint32_t i = 0; i < N; ++i) V::Store(values + i * V::kLanes, sums[i]);
    return FinishValues<V>(args, values, N, to);
  }
  const auto store = [&](auto bounds) {
#pragma GCC unroll 8
    for (uint32_t i = 0; i < N; ++i) V::Narrow(bounds(sums[i]), to + i * out_c);
  };
  const typename V::Floats lo = finish.lo, hi = finish.hi;
  if (finish.bounded) {
    return store([=](typename V::Floats x) { return V::AtMost(hi, V::AtLeast(lo, x)); });
  }
  store([=](typename V::Floats x) { return V::AtLeast(lo, x); });
}

// Whether column j of a tile's kColumns lies outside the image.
template <uint32_t K, uint32_t kColumns>
static inline bool IsOutside(const Window& window, uint32_t j) {
  return (j < K / 2 && j < window.first) || (j + K / 2 >= kColumns && j >= window.last);
}

// `tiles` times N outputs side by side. Every column of the input is widened once for all outputs
// of a tile whose windows see it: an output still meets its taps in their order. Only the outermost
// K / 2 columns may lie outside the image, and none of several tiles.
template <typename V, uint32_t K, uint32_t S, uint32_t N>
static void Outputs(const Window& window, const ConvF16Args& args, uint32_t tiles, uint16_t* to) {
  constexpr uint32_t kColumns = (N - 1) * S + K;
  const size_t out_c = args.g.out_c;
  const Finish<V> finish = Finish<V>::Of(args);
  int64_t start = window.start;
  for (; tiles != 0; --tiles, start += (int64_t)(N * S * window.right), to += N * out_c) {
    typename V::Floats sums[N];
#pragma GCC unroll 8
    for (uint32_t i = 0; i < N; ++i) sums[i] = V::Load(window.bias);
    int64_t line = start;
    const float* w = window.weights;
    for (uint32_t ky = 0; ky < window.lines; ++ky, line += window.down, w += K * kChannelBlock) {
      typename V::Floats weights[K];
#pragma GCC unroll 5
      for (uint32_t kx = 0; kx < K; ++kx) weights[kx] = V::Load(w + kx * kChannelBlock);
#pragma GCC unroll 19
      for (uint32_t j = 0; j < kColumns; ++j) {
        if (IsOutside<K, kColumns>(window, j)) continue;
        const typename V::Floats x = V::Widen(window.input + line + (int64_t)(j * window.right));
#pragma GCC unroll 5
        for (uint32_t kx = 0; kx < K; ++kx) {
          if (j < kx || (j - kx) % S != 0 || (j - kx) / S >= N) continue;
          sums[(j - kx) / S] = V::MultiplyAdd(x, weights[kx], sums[(j - kx) / S]);
        }
      }
    }
    StoreOutputs<V, N>(args, finish, sums, out_c, to);
  }
}

// The same of two rows of 3x3 windows that go down by one line and lie inside the image but for the
// outermost columns: what both rows see of a line is widened once.
template <typename V, uint32_t N>
static void OutputsOfTwoRows(const Window& window, const ConvF16Args& args, uint32_t tiles,
                             uint16_t* to) {
  constexpr uint32_t K = 3, kColumns = N - 1 + K;
  typename V::Floats weights[K * K];
#pragma GCC unroll 9
  for (uint32_t i = 0; i < K * K; ++i) weights[i] = V::Load(window.weights + i * kChannelBlock);
  const size_t out_c = args.g.out_c;
  const Finish<V> finish = Finish<V>::Of(args);
  int64_t start = window.start;
  for (; tiles != 0; --tiles, start += (int64_t)(N * window.right), to += N * out_c) {
    typename V::Floats upper[N], lower[N];
#pragma GCC unroll 8
    for (uint32_t i = 0; i < N; ++i) upper[i] = lower[i] = V::Load(window.bias);
    int64_t line = start;
#pragma GCC unroll 4
    for (uint32_t ky = 0; ky < K + 1; ++ky, line += window.down) {
#pragma GCC unroll 10
      for (uint32_t j = 0; j < kColumns; ++j) {
        if (IsOutside<K, kColumns>(window, j)) continue;
        const typename V::Floats x = V::Widen(window.input + line + (int64_t)(j * window.right));
#pragma GCC unroll 3
        for (uint32_t kx = 0; kx < K; ++kx) {
          if (j < kx || j - kx >= N) continue;
          const uint32_t i = j - kx;
          if (ky < K) upper[i] = V::MultiplyAdd(x, weights[ky * K + kx], upper[i]);
          if (ky > 0) lower[i] = V::MultiplyAdd(x, weights[(ky - 1) * K + kx], lower[i]);
        }
      }
    }
    StoreOutputs<V, N>(args, finish, upper, out_c, to);
    StoreOutputs<V, N>(args, finish, lower, out_c, to + args.g.out_w * out_c);
  }
}

typedef void (*OutputsOf)(const Window&, const ConvF16Args&, uint32_t, uint16_t*);
constexpr uint32_t kMost = 8;  // outputs at a time

template <typename V, uint32_t K, uint32_t S>
struct Sliding {
  static constexpr OutputsOf kOf[kMost] = {
      Outputs<V, K, S, 1>, Outputs<V, K, S, 2>, Outputs<V, K, S, 3>, Outputs<V, K, S, 4>,
      Outputs<V, K, S, 5>, Outputs<V, K, S, 6>, Outputs<V, K, S, 7>, Outputs<V, K, S, 8>};
};

template <typename V>
struct SlidingTwoRows {
  static constexpr OutputsOf kOf[kMost] = {OutputsOfTwoRows<V, 1>, OutputsOfTwoRows<V, 2>,
                                           OutputsOfTwoRows<V, 3>, OutputsOfTwoRows<V, 4>,
                                           OutputsOfTwoRows<V, 5>, OutputsOfTwoRows<V, 6>,
                                           OutputsOfTwoRows<V, 7>, OutputsOfTwoRows<V, 8>};
};

// By number of outputs less one; null where there are none for this geometry.
template <typename V>
static const OutputsOf* SlidingOf(const ConvGeometry& g) {
  const uint32_t kernel = g.kernel_w, half = kernel / 2;
  if (g.dilation_w != 1 || g.pad_left > half) return nullptr;
  if ((uint64_t)(g.out_w - 1) * g.stride_w + kernel > (uint64_t)g.in_w + g.pad_left + half) {
    return nullptr;
  }
  if (kernel == 3 && g.stride_w == 1) return Sliding<V, 3, 1>::kOf;
  if (kernel == 3 && g.stride_w == 2) return Sliding<V, 3, 2>::kOf;
  if (kernel == 5 && g.stride_w == 1) return Sliding<V, 5, 1>::kOf;
  if (kernel == 5 && g.stride_w == 2) return Sliding<V, 5, 2>::kOf;
  return nullptr;
}

// Those of two rows; null where there are none. The sums of both need 16 registers, weights 9.
template <typename V>
static const OutputsOf* SlidingTwoRowsOf(const ConvGeometry& g) {
  if constexpr (V::kLanes == kChannelBlock) {
    const bool alike = g.kernel_h == 3 && g.stride_h == 1 && g.dilation_h == 1;
    const OutputsOf* const one = SlidingOf<V>(g);
    if (alike && one == Sliding<V, 3, 1>::kOf) return SlidingTwoRows<V>::kOf;
  }
  return nullptr;
}

}  // namespace
}  // namespace octet

#endif  // OCTET_KERNELS_DEPTHWISE_CONV_F16_X86_SLIDING_INL_H_
