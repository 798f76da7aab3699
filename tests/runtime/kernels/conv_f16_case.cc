#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>

#include "runtime/core/half.h"
#include "runtime/kernels/conv/scratch.h"
#include "runtime/kernels/depthwise_conv/scratch.h"
#include "runtime/kernels/function.h"
#include "tests/runtime/kernels/conv_case.h"
#include "tests/runtime/kernels/half_silu.h"

namespace octet::kernels_test {
ConvF16Case::ConvF16Case(Random& random, const ConvGeometry& geometry, bool depthwise)
    : g_(geometry), depthwise_(depthwise), place_(random.Place()) {
  const size_t taps = size_t{g_.kernel_h} * g_.kernel_w;
  const size_t depth = depthwise ? taps : taps * (g_.in_c / g_.groups);
  const size_t channels = (size_t{g_.out_c} + 15) / 16 * 16;
  input_ = std::make_unique<GuardedBuffer>(size_t{2} * g_.in_h * g_.in_w * g_.in_c, 2, place_);
  weights_ = std::make_unique<GuardedBuffer>(2 * channels * depth, 64, place_);
  bias_ = std::make_unique<GuardedBuffer>(4 * channels, 64, place_);
  weights_->Poison(0);
  bias_->Poison(0);
  for (size_t i = 0; i < input_->size() / 2; ++i) {
    input_->As<uint16_t>()[i] = FloatToHalf(random.Float(-2.0f, 2.0f));
  }
  for (size_t o = 0; o < g_.out_c; ++o) {
    bias_->As<float>()[o] = random.Float(-1.0f, 1.0f);
    for (size_t k = 0; k < depth; ++k) {
      weights_->As<uint16_t>()[(o / 16 * depth + k) * 16 + o % 16] =
          FloatToHalf(random.Float(-1.0f, 1.0f));
    }
  }
  args_.g = g_;
  args_.input = input_->As<uint16_t>();
  args_.weights = weights_->As<uint16_t>();
  args_.bias = bias_->As<float>();
  using blob::Function;
  args_.function = random.Pick<Function>({Function::kIdentity, Function::kClamp, Function::kClamp,
                                          Function::kLeakyRelu, Function::kSilu,
                                          Function::kHardSwish, Function::kHardSigmoid});
  if (args_.function == Function::kClamp) {
    args_.alpha = 0.0f;
    args_.beta = 6.0f;
  } else {
    args_.alpha = 0.125f;
    args_.beta = 0.5f;
  }
}

std::vector<uint16_t> ConvF16Case::Run(ConvF16Fn kernel, Isa level, uint32_t threads) const {
  const uint64_t scratch_bytes =
      depthwise_ ? DepthwiseScratch(level, g_, false) : ConvScratchF16(level, g_, args_.winograd);
  const GuardedBuffer scratch(scratch_bytes, 64, place_);
  const size_t count = size_t{1} * g_.out_h * g_.out_w * g_.out_c;
  const GuardedBuffer output(2 * count, 2, place_);
  output.Poison(static_cast<uint8_t>(0x3C + threads));
  ConvF16Args args = args_;
  args.output = output.As<uint16_t>();
  args.scratch = scratch.data();
  for (uint32_t i = 0; i < threads; ++i) {
    scratch.Poison(static_cast<uint8_t>(0xF1 + i));
    kernel(args, Share{i, threads});
  }
  EXPECT_TRUE(output.GuardsIntact()) << "output guards";
  EXPECT_TRUE(scratch.GuardsIntact()) << "scratch guards";
  return std::vector<uint16_t>(output.As<uint16_t>(), output.As<uint16_t>() + count);
}

void ConvF16Case::ApplySiluToHalves() {
  args_.function = blob::Function::kSilu;
  for (size_t i = 0; i < input_->size() / 2; ++i) {
    input_->As<uint16_t>()[i] = static_cast<uint16_t>(i);
  }
  for (size_t i = 0; i < weights_->size() / 2; ++i) weights_->As<uint16_t>()[i] = 0x3C00;
  for (size_t i = 0; i < bias_->size() / 4; ++i) bias_->As<float>()[i] = 0;
}

void ConvF16Case::TransformRandomly(Random& random) {
  const size_t count = kWinogradPositionsF16 * ((size_t{g_.out_c} + 15) / 16) * g_.in_c * 16;
  weights_ = std::make_unique<GuardedBuffer>(2 * count, 64, place_);
  for (size_t i = 0; i < count; ++i) {
    weights_->As<uint16_t>()[i] = FloatToHalf(random.Float(-0.5f, 0.5f));
  }
  args_.weights = weights_->As<uint16_t>();
  args_.winograd = true;
}

std::vector<uint16_t> ConvF16Case::HalfEquation() const {
  constexpr size_t kChunk = 64;
  std::vector<uint16_t> output;
  const size_t group_in = g_.in_c / g_.groups, group_out = g_.out_c / g_.groups;
  const uint32_t taps = g_.kernel_h * g_.kernel_w;
  const size_t depth = taps * group_in;
  const auto* input = input_->As<uint16_t>();
  for (uint32_t pixel = 0; pixel < g_.out_h * g_.out_w; ++pixel) {
    for (size_t o = 0; o < g_.out_c; ++o) {
      const uint16_t* weights = args_.weights + o / 16 * depth * 16 + o % 16;
      float sum = args_.bias[o], before = sum;
      double chunk = 0, last = 0;  // products of halves and their sums with halves are exact
      size_t k = 0;
      for (uint32_t tap = 0; tap < taps; ++tap) {
        const int64_t source =
            SourcePixel(g_, PixelOf(g_, pixel), tap / g_.kernel_w, tap % g_.kernel_w);
        const size_t at = static_cast<size_t>(source) * g_.in_c + o / group_out * group_in;
        for (size_t c = 0; c < group_in; ++c) {
          const double x = source < 0 ? 0.0 : double{HalfToFloat(input[at + c])};
          chunk = RoundToHalf(chunk + x * double{HalfToFloat(weights[k * 16])});
          if (++k % kChunk != 0 && k != depth) continue;
          before = sum;
          sum += static_cast<float>(chunk);
          last = chunk;
          chunk = 0;
        }
      }
      if (args_.function == blob::Function::kSilu) {
        const double x = double{HalfToFloat(FloatToHalf(before))} + last;
        output.push_back(HalfSilu(RoundToHalf(x)));
        continue;
      }
      output.push_back(
          FloatToHalf(ApplyHalfFunction(args_.function, sum, args_.alpha, args_.beta)));
    }
  }
  return output;
}

}  // namespace octet::kernels_test
