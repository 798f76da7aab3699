// FP16 convolutions by Winograd's method: which, their numbers, and that they compute a
// convolution.
#include "converter/lower/winograd_f16.h"

#include <gtest/gtest.h>

#include <cmath>
#include <cstring>
#include <string>

#include "runtime/core/half.h"
#include "runtime/kernels/conv/scratch.h"
#include "runtime/kernels/kernel_table.h"

namespace octet::lower {
namespace {

constexpr size_t kBlock = 16;

blob::ConvParams Window3() {
  blob::ConvParams p{};
  p.kernel_h = p.kernel_w = 3;
  p.stride_h = p.stride_w = p.dilation_h = p.dilation_w = p.groups = 1;
  p.pad_top = p.pad_left = p.pad_bottom = p.pad_right = 1;
  return p;
}

Program OneConv(uint32_t size, uint32_t in_c, uint32_t out_c) {
  Program program;
  program.tensors.resize(2);
  for (Tensor& tensor : program.tensors) tensor.dims[1] = tensor.dims[2] = size;
  program.tensors[0].dims[3] = in_c;
  program.tensors[1].dims[3] = out_c;
  Layer layer;
  layer.op = blob::Op::kConv;
  layer.precision = blob::Precision::kFp16;
  layer.inputs = {0};
  layer.output = 1;
  layer.weights.assign(size_t{(out_c + 15) / 16} * 9 * in_c * kBlock * 2, 0);
  layer.Set(Window3());
  program.layers.push_back(layer);
  return program;
}

bool Transforms(Program program) {
  TransformHalves(&program);
  return program.layers[0].arithmetic == blob::Arithmetic::kWinograd;
}

TEST(WinogradF16, WhereItPays) {
  EXPECT_TRUE(Transforms(OneConv(56, 64, 64)));
  EXPECT_TRUE(Transforms(OneConv(7, 512, 512)));
  EXPECT_FALSE(Transforms(OneConv(1, 512, 512))) << "one pixel of a tile is used";
  EXPECT_FALSE(Transforms(OneConv(56, 12, 64))) << "channels";
}

TEST(WinogradF16, OnlyWhereTheMethodApplies) {
  const auto with = [](auto change) {
    Program program = OneConv(56, 64, 64);
    auto p = program.layers[0].Get<blob::ConvParams>();
    change(program.layers[0], p);
    program.layers[0].Set(p);
    return Transforms(program);
  };
  EXPECT_TRUE(with([](Layer&, blob::ConvParams&) {}));
  EXPECT_FALSE(with([](Layer&, blob::ConvParams& p) { p.kernel_h = 1; }));
  EXPECT_FALSE(with([](Layer&, blob::ConvParams& p) { p.stride_w = 2; }));
  EXPECT_FALSE(with([](Layer&, blob::ConvParams& p) { p.dilation_h = 2; }));
  EXPECT_FALSE(with([](Layer&, blob::ConvParams& p) { p.groups = 2; }));
  EXPECT_FALSE(with([](Layer& l, blob::ConvParams&) { l.op = blob::Op::kDepthwiseConv; }));
  EXPECT_FALSE(with([](Layer& l, blob::ConvParams&) { l.precision = blob::Precision::kInt8; }));
  // U of a window of 30000 is 67500 in the middle, beyond FP16.
  EXPECT_FALSE(with([](Layer& l, blob::ConvParams&) {
    const uint16_t large = FloatToHalf(30000);
    for (size_t i = 0; i < l.weights.size(); i += 2) std::memcpy(&l.weights[i], &large, 2);
  }));
}

// Against the convolution in double, from the same FP16 numbers: FP16's rounding of U and of the
// result are what is between them.
TEST(WinogradF16, ComputesTheConvolution) {
  constexpr uint32_t kSize = 9, kIn = 48, kOut = 20;
  uint32_t state = 1;
  const auto draw = [&state] {
    state = state * 1664525u + 1013904223u;
    return FloatToHalf(static_cast<float>(static_cast<int32_t>(state)) * 0x1p-31f);
  };
  std::vector<uint16_t> input(kSize * kSize * kIn), weights(2 * 9 * kIn * kBlock);
  for (uint16_t& x : input) x = draw();
  for (size_t i = 0; i < weights.size(); ++i) {
    if (i < weights.size() / 2 || i % kBlock < kOut - kBlock) weights[i] = draw();
  }
  alignas(64) float bias[2 * kBlock] = {};
  for (size_t o = 0; o < kOut; ++o) bias[o] = static_cast<float>(o) - 9;
  const Bytes transformed = TransformHalfWeights(ToBytes(weights), kIn);
  std::vector<uint16_t> u(transformed.size() / 2), output(kSize * kSize * kOut);
  std::memcpy(u.data(), transformed.data(), transformed.size());
  ConvF16Args args{};
  args.g = {kSize, kSize, kIn, kSize, kSize, kOut, 3, 3, 1, 1, 1, 1, 1, 1, 1};
  std::vector<float> scratch(ConvScratchF16(Isa::kReference, args.g, true) / sizeof(float));
  args.input = input.data();
  args.output = output.data();
  args.weights = u.data();
  args.bias = bias;
  args.function = blob::Function::kIdentity;
  args.scratch = reinterpret_cast<uint8_t*>(scratch.data());
  args.winograd = true;
  conv_f16_reference(args, Share{0, 1});
  double error = 0, signal = 0;
  for (int64_t pixel = 0; pixel < kSize * kSize; ++pixel) {
    for (size_t o = 0; o < kOut; ++o) {
      double sum = static_cast<double>(bias[o]);
      for (int64_t tap = 0; tap < 9; ++tap) {
        const int64_t y = pixel / kSize + tap / 3 - 1, x = pixel % kSize + tap % 3 - 1;
        if (y < 0 || y >= kSize || x < 0 || x >= kSize) continue;
        for (size_t c = 0; c < kIn; ++c) {
          const size_t at = static_cast<size_t>(y * kSize + x) * kIn + c;
          const size_t w = ((o / kBlock * 9 + static_cast<size_t>(tap)) * kIn + c) * kBlock;
          sum += static_cast<double>(HalfToFloat(input[at])) *
                 static_cast<double>(HalfToFloat(weights[w + o % kBlock]));
        }
      }
      const auto got =
          static_cast<double>(HalfToFloat(output[static_cast<size_t>(pixel) * kOut + o]));
      error += (got - sum) * (got - sum);
      signal += sum * sum;
    }
  }
  const double relative = std::sqrt(error / signal);
  EXPECT_LT(relative, 5e-4);  // 2^-11
  EXPECT_GT(relative, 0);
}

TEST(WinogradF16, BySizeAndChannels) {
  std::string choices;
  for (const uint32_t size : {2, 3, 4, 5, 6, 8, 28}) {
    for (const uint32_t in : {16, 24, 32, 64, 256}) {
      for (const uint32_t out : {4, 16, 64}) {
        choices += Transforms(OneConv(size, in, out)) ? 'w' : '.';
      }
      choices += ' ';
    }
    choices += '\n';
  }
  EXPECT_EQ(choices,
            "... ... ... ... ... \n"
            "... ... ... ... ... \n"
            "www www www www www \n"
            "... ..w ..w ..w ..w \n"
            "www www www www www \n"
            "www www www www www \n"
            "www www www www www \n");
}

}  // namespace
}  // namespace octet::lower
