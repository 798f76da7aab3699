// Which layers get transformed weights, and the numbers in them.
#include "converter/lower/winograd.h"

#include <gtest/gtest.h>

#include <cstdlib>
#include <string>

namespace octet::lower {
namespace {

// A 3x3 convolution of `size` x `size` pictures whose weights all are `weight`.
Program OneConv(uint32_t size, uint32_t in_c, uint32_t out_c, int weight) {
  Program program;
  program.tensors.resize(2);
  program.tensors[0].dims[1] = program.tensors[0].dims[2] = size;
  program.tensors[1].dims[1] = program.tensors[1].dims[2] = size;
  program.tensors[0].dims[3] = in_c;
  program.tensors[1].dims[3] = out_c;
  Layer layer;
  layer.op = blob::Op::kConv;
  layer.inputs = {0};
  layer.output = 1;
  layer.macs = uint64_t{9} * size * size * in_c * out_c;
  layer.weights.assign(size_t{(out_c + 15) / 16} * ((9 * in_c + 3) / 4) * 64,
                       static_cast<uint8_t>(weight));
  blob::ConvParams p{};
  p.kernel_h = p.kernel_w = 3;
  p.stride_h = p.stride_w = p.dilation_h = p.dilation_w = 1;
  p.pad_top = p.pad_left = p.pad_bottom = p.pad_right = 1;
  p.groups = 1;
  layer.Set(p);
  program.layers.push_back(layer);
  return program;
}

int Choice(const Program& program) {
  return ChooseWinograd(program, program.layers[0]);
}

TEST(Winograd, ChosenWhereItPays) {
  EXPECT_EQ(Choice(OneConv(56, 64, 64, 20)), 4);
  EXPECT_EQ(Choice(OneConv(14, 256, 256, 20)), 4);
  EXPECT_EQ(Choice(OneConv(1, 512, 512, 20)), 0) << "one pixel of a tile is used";
  EXPECT_EQ(Choice(OneConv(6, 64, 64, 20)), 2) << "the same products from fewer bytes";
}

TEST(Winograd, OnlyWhereTheMethodApplies) {
  EXPECT_EQ(Choice(OneConv(56, 12, 64, 20)), 0) << "channels";
  const auto with = [](auto change) {
    Program program = OneConv(56, 64, 64, 20);
    auto p = program.layers[0].Get<blob::ConvParams>();
    change(program, p);
    program.layers[0].Set(p);
    return Choice(program);
  };
  EXPECT_EQ(with([](Program&, blob::ConvParams&) {}), 4);
  EXPECT_EQ(with([](Program&, blob::ConvParams& p) { p.kernel_w = 1; }), 0);
  EXPECT_EQ(with([](Program&, blob::ConvParams& p) { p.stride_h = 2; }), 0);
  EXPECT_EQ(with([](Program&, blob::ConvParams& p) { p.dilation_w = 2; }), 0);
  EXPECT_EQ(with([](Program&, blob::ConvParams& p) { p.groups = 2; }), 0);
  EXPECT_EQ(with([](Program& g, blob::ConvParams&) { g.layers[0].op = blob::Op::kDepthwiseConv; }),
            0);
  EXPECT_EQ(
      with([](Program& g, blob::ConvParams&) { g.layers[0].precision = blob::Precision::kFp16; }),
      0);
}

// 128 * sum(|w|) < 2^25 for tiles of 4x4; beyond it tiles of 2x2 are left.
TEST(Winograd, OnlyWhereItIsProvedExact) {
  EXPECT_EQ(Choice(OneConv(28, 224, 224, 127)), 4);
  EXPECT_EQ(Choice(OneConv(28, 240, 240, 127)), 2);
  EXPECT_EQ(Choice(OneConv(28, 240, 240, -127)), 2);
  EXPECT_EQ(Choice(OneConv(8, 3680, 16, 127)), 0);
}

TEST(Winograd, NumbersOfOneWindow) {
  Program program = OneConv(8, 8, 17, 0);
  // Output 16 (block 1, lane 0), channel 3: w = [1 2 3; 4 5 6; 7 8 9].
  for (uint32_t tap = 0; tap < 9; ++tap) {
    const uint32_t k = tap * 8 + 3;
    program.layers[0].weights[size_t{18 + k / 4} * 64 + k % 4] = static_cast<uint8_t>(tap + 1);
  }
  const auto u2 = TransformWeights(program.layers[0].weights, 17, 8, 2);
  const auto u4 = TransformWeights(program.layers[0].weights, 17, 8, 4);
  ASSERT_EQ(u2.size(), 16u * 2 * 8 * 16);
  ASSERT_EQ(u4.size(), 36u * 2 * 8 * 16);
  const auto at = [](const std::vector<int16_t>& u, size_t position) {
    return u[((position * 2 + 1) * 8 + 3) * 16];
  };
  EXPECT_EQ(at(u2, 0), 4);        // 2 * 2 * w00
  EXPECT_EQ(at(u2, 5), 45);       // the sum
  EXPECT_EQ(at(u2, 15), 36);      // 2 * 2 * w22
  EXPECT_EQ(at(u4, 0), 36);       // 6 * 6 * w00
  EXPECT_EQ(at(u4, 7), 16 * 45);  // the sum
  // (3, 4): [1 2 4] w [1 -2 4]^T = 1 * 9 + 2 * 18 + 4 * 27.
  EXPECT_EQ(at(u4, 3 * 6 + 4), 9 + 36 + 108);
  EXPECT_EQ(at(u4, 35), 36 * 9);
  int64_t others = 0;
  for (size_t i = 0; i < u4.size(); ++i) {
    if (i % 16 != 0 || i / 16 % 8 != 3 || i / 128 % 2 != 1) others += std::abs(u4[i]);
  }
  EXPECT_EQ(others, 0);
}

// Each layer as it is chosen for; the others stay as they are.
TEST(Winograd, LayersGetTheWeightsOfTheirTiles) {
  Program program;
  const Program parts[] = {OneConv(56, 64, 64, 20), OneConv(1, 512, 512, 20),
                           OneConv(6, 64, 64, 20), OneConv(56, 12, 64, 20)};
  for (const Program& part : parts) {
    const int first = static_cast<int>(program.tensors.size());
    program.tensors.insert(program.tensors.end(), part.tensors.begin(), part.tensors.end());
    program.layers.push_back(part.layers[0]);
    program.layers.back().inputs = {first};
    program.layers.back().output = first + 1;
  }
  AddTransformedWeights(&program);
  const int tiles[] = {4, 0, 2, 0};
  for (size_t i = 0; i < 4; ++i) {
    const Layer& layer = program.layers[i];
    EXPECT_EQ(layer.layout, tiles[i] == 4   ? blob::Layout::kWinograd4
                            : tiles[i] == 2 ? blob::Layout::kWinograd2
                                            : blob::Layout::kNone);
    EXPECT_EQ(layer.weights, parts[i].layers[0].weights);
    if (tiles[i] == 0) {
      EXPECT_TRUE(layer.extra.empty());
    } else {
      EXPECT_EQ(layer.extra, ToBytes(TransformWeights(layer.weights, 64, 64, tiles[i])));
    }
  }
}

// What the model of its time says of pictures of 4 to 56 pixels with 8 to 256 channels.
TEST(Winograd, BySizeAndChannels) {
  std::string choices;
  for (const uint32_t size : {4, 6, 8, 14, 28, 56}) {
    for (const uint32_t in : {8, 16, 32, 64, 256}) {
      for (const uint32_t out : {4, 16, 64, 256}) {
        choices += std::to_string(Choice(OneConv(size, in, out, 1)));
      }
      choices += ' ';
    }
    choices += '\n';
  }
  EXPECT_EQ(choices,
            "0000 0000 0000 0000 0000 \n"
            "0000 0222 0222 0222 0222 \n"
            "0444 0444 0444 0444 0444 \n"
            "0444 0444 0444 0444 0444 \n"
            "0444 0444 0444 0444 0444 \n"
            "0444 0444 0444 0444 0444 \n");
}

}  // namespace
}  // namespace octet::lower
