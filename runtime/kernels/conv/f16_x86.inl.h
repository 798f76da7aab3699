// FP16 panels of the x86 levels. Sums: the sums of 16 outputs of one pixel.
#ifndef OCTET_KERNELS_CONV_F16_X86_INL_H_
#define OCTET_KERNELS_CONV_F16_X86_INL_H_

#include "runtime/kernels/conv/f16.inl.h"
#include "runtime/kernels/x86_float.inl.h"

namespace octet {
namespace {

template <typename Sums, int kRows>
static void Panel(const PartF16& part, const PanelF16& p) {
  const ConvF16Args& args = *part.args;
  const size_t row_step = part.row_step;
  Sums sums[kRows];
#pragma GCC unroll 12
  for (int r = 0; r < kRows; ++r) sums[r].Start(part.bias + (size_t)p.block * kBlock);
  const float* run = part.tile + p.row * row_step;
  const uint16_t* weights = p.weights;
  for (size_t i = 0; i < part.runs; ++i, run += part.run_step) {
    const float* x = run;
    for (size_t k = 0; k < part.run; ++k, ++x, weights += kBlock) {
      typename Sums::Weights w;
      w.Load(weights);
#pragma GCC unroll 12
      for (int r = 0; r < kRows; ++r) sums[r].Add(x[(size_t)r * row_step], w);
    }
  }
  if (!IsInLine(args.function)) {
    alignas(64) float values[kRows * kBlock];
#pragma GCC unroll 12
    for (int r = 0; r < kRows; ++r) sums[r].Store(values + r * kBlock);
    Sums::Apply(args, values, kRows * kBlock);
    for (int r = 0; r < kRows; ++r) {
      uint16_t* to = p.output + (size_t)r * p.output_stride;
      HalfRows::Narrow(values + r * kBlock, p.output_channels, to);
    }
    return;
  }
#pragma GCC unroll 12
  for (int r = 0; r < kRows; ++r) {
    uint16_t* to = p.output + (size_t)r * p.output_stride;
    StoreHalves(to, Apply8(args.function, sums[r].Low(), args.alpha, args.beta), p.output_channels);
    if (p.output_channels > 8) {
      StoreHalves(to + 8, Apply8(args.function, sums[r].High(), args.alpha, args.beta),
                  p.output_channels - 8);
    }
  }
}

}  // namespace
}  // namespace octet

#endif  // OCTET_KERNELS_CONV_F16_X86_INL_H_
