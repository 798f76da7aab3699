// FP16 pointwise convolutions of few outputs (the expectation over the bins of a box's side, masks
// of one class): sixteen pixels are the lanes, where blocks of sixteen outputs would be empty but
// for these. Sums run over the inputs in their order, as everywhere.
#ifndef OCTET_KERNELS_CONV_F16_FEW_X86_INL_H_
#define OCTET_KERNELS_CONV_F16_FEW_X86_INL_H_

#include "runtime/kernels/conv/f16_x86.inl.h"
#include "runtime/kernels/x86_turn_halves.inl.h"

namespace octet {
namespace {

// Sixteen pixels, kVectors vectors of them.
struct SixteenPixels {
  static constexpr uint32_t kVectors = 16 / kLanes;
  Floats v[kVectors];

  static inline SixteenPixels All(float x) {
    SixteenPixels pixels;
    for (uint32_t i = 0; i < kVectors; ++i) pixels.v[i] = octet::All(x);
    return pixels;
  }
  static inline SixteenPixels Widened(__m256i halves) {
#if defined(__AVX512F__)
    return SixteenPixels{{_mm512_cvtph_ps(halves)}};
#else
    return SixteenPixels{{_mm256_cvtph_ps(_mm256_castsi256_si128(halves)),
                          _mm256_cvtph_ps(_mm256_extracti128_si256(halves, 1))}};
#endif
  }
};

// weights: [in_c][kOutputs]. Rows of fewer than 16 pixels or 8 channels are padded.
template <uint32_t kOutputs>
static inline void SumFewOutputs(const ConvF16Args& args, const float* weights, uint64_t pixel,
                                 uint32_t pixels, float* sums) {
  const uint32_t in_c = args.g.in_c;
  SixteenPixels acc[kOutputs];
  for (uint32_t o = 0; o < kOutputs; ++o) acc[o] = SixteenPixels::All(args.bias[o]);
  const uint16_t* from = args.input + pixel * in_c;
  uint16_t padded[16 * 8] = {};
  for (uint32_t k = 0; k < in_c; k += 8) {
    const uint32_t channels = in_c - k < 8 ? in_c - k : 8;
    __m256i columns[8];
    if (pixels == 16 && channels == 8) {
      LoadTurned16x8(from + k, in_c, columns);
    } else {
      for (uint32_t p = 0; p < pixels; ++p) {
        memcpy(padded + p * 8, from + (size_t)p * in_c + k, channels * sizeof(*padded));
      }
      LoadTurned16x8(padded, 8, columns);
    }
#pragma GCC unroll 8
    for (uint32_t c = 0; c < 8; ++c) {
      if (c == channels) break;
      const SixteenPixels x = SixteenPixels::Widened(columns[c]);
      for (uint32_t o = 0; o < kOutputs; ++o, ++weights) {
        const Floats w = All(*weights);
        for (uint32_t i = 0; i < SixteenPixels::kVectors; ++i) {
          acc[o].v[i] = MultiplyAdd(x.v[i], w, acc[o].v[i]);
        }
      }
    }
  }
  for (uint32_t o = 0; o < kOutputs; ++o) {
    for (uint32_t i = 0; i < SixteenPixels::kVectors; ++i) {
      Store(sums + o * 16 + i * kLanes, acc[o].v[i]);
    }
  }
}

template <uint32_t kOutputs>
static void RunOutputs(const ConvF16Args& args, Share share) {
  const ConvGeometry& g = args.g;
  float* weights = reinterpret_cast<float*>(args.scratch);
  for (uint32_t k = 0; k < g.in_c; ++k) {
    for (uint32_t o = 0; o < kOutputs; ++o) {
      weights[k * kOutputs + o] = _cvtsh_ss(args.weights[(size_t)k * kChannelBlock + o]);
    }
  }
  const Range range = RangeOf(OutputPixels(g), share);
  alignas(64) float sums[kOutputs * 16];
  for (uint64_t pixel = range.begin; pixel < range.end; pixel += 16) {
    const uint64_t left = range.end - pixel;
    const uint32_t pixels = left < 16 ? (uint32_t)left : 16;
    SumFewOutputs<kOutputs>(args, weights, pixel, pixels, sums);
    uint16_t halves[kOutputs * 16];
    for (uint32_t i = 0; i < kOutputs * 16; i += 8) {
      StoreHalves(halves + i,
                  Apply8(args.function, _mm256_load_ps(sums + i), args.alpha, args.beta), 8);
    }
    uint16_t* to = args.output + pixel * kOutputs;
    if (kOutputs == 1) {
      memcpy(to, halves, pixels * sizeof(*to));
      continue;
    }
    for (uint32_t p = 0; p < pixels; ++p) {
      for (uint32_t o = 0; o < kOutputs; ++o) *to++ = halves[o * 16 + p];
    }
  }
}

static inline void RunFewOutputs(const ConvF16Args& args, Share share) {
  switch (args.g.out_c) {
    case 1:
      return RunOutputs<1>(args, share);
    case 2:
      return RunOutputs<2>(args, share);
    case 3:
      return RunOutputs<3>(args, share);
    default:
      return RunOutputs<kFewOutputs>(args, share);
  }
}

}  // namespace
}  // namespace octet

#endif  // OCTET_KERNELS_CONV_F16_FEW_X86_INL_H_
