// Which way a convolution goes at each level, and that the parts of its scratch neither overlap nor
// leave it: no kernel looks beyond what the layer's size says.
#include "runtime/kernels/conv/rules.h"

#include <gtest/gtest.h>

#include <initializer_list>
#include <vector>

#include "runtime/kernels/conv/scratch.h"
#include "runtime/kernels/conv/tiling.h"
#include "runtime/kernels/depthwise_conv/scratch.h"
#include "runtime/kernels/matmul/scratch.h"

namespace octet::kernels_test {
namespace {

// 3x3, stride 1, as large as its input.
ConvGeometry Square(uint32_t side, uint32_t in_c, uint32_t out_c) {
  return {side, side, in_c, side, side, out_c, 3, 3, 1, 1, 1, 1, 1, 1, 1};
}

ConvGeometry Pointwise(uint32_t h, uint32_t w, uint32_t in_c, uint32_t out_c) {
  return {h, w, in_c, h, w, out_c, 1, 1, 1, 1, 1, 1, 0, 0, 1};
}

ConvWay WayOf(const ConvRules& rules, const ConvGeometry& g, uint32_t winograd,
              uint32_t threads = 1) {
  return ChooseConv(rules, g, winograd, threads).way;
}

TEST(ConvRules, WinogradWhereTheRuleOfTheLevelSaysSo) {
  const ConvGeometry g = Square(24, 64, 64);  // 36 tiles of 4 x 4
  for (const ConvRules* rules : {&kRulesAvx2, &kRulesNeon}) {
    EXPECT_EQ(WayOf(*rules, g, 0), ConvWay::kTiles);
    EXPECT_EQ(WayOf(*rules, g, 2), ConvWay::kWinograd);
    EXPECT_EQ(WayOf(*rules, g, 4), ConvWay::kWinograd);
  }
  EXPECT_EQ(WayOf(kRulesDotprod, g, 4), ConvWay::kTiles);
  EXPECT_EQ(WayOf(kRulesI8mm, g, 4), ConvWay::kTiles);
  EXPECT_EQ(WayOf(kRulesAvxVnni, g, 2), ConvWay::kTiles);
  EXPECT_EQ(WayOf(kRulesAvxVnni, g, 4), ConvWay::kWinograd);
  EXPECT_EQ(WayOf(kRulesAvxVnni, g, 4, 2), ConvWay::kTiles);
  EXPECT_EQ(WayOf(kRulesAvxVnni, Square(24, 56, 64), 4), ConvWay::kTiles);
  EXPECT_EQ(WayOf(kRulesAvxVnni, Square(32, 64, 64), 4, 2), ConvWay::kWinograd);
  EXPECT_EQ(WayOf(kRulesAvxVnni, Square(32, 64, 64), 4, 3), ConvWay::kTiles);
  EXPECT_EQ(WayOf(kRulesAvx512Vnni, Square(48, 64, 64), 4), ConvWay::kTiles);
  EXPECT_EQ(WayOf(kRulesAvx512Vnni, Square(52, 64, 64), 4), ConvWay::kWinograd);
}

TEST(ConvRules, WinogradWhileItsWeightsStayInTheCache) {
  EXPECT_EQ(TransformedBytes(Square(24, 64, 33), 2), 16u * 64 * 48 * 2);
  EXPECT_EQ(WayOf(kRulesAvxVnni, Square(24, 64, 336), 4), ConvWay::kWinograd);
  EXPECT_EQ(WayOf(kRulesAvxVnni, Square(24, 64, 352), 4), ConvWay::kTiles);
  EXPECT_EQ(WayOf(kRulesAvx2, Square(24, 512, 512), 2), ConvWay::kWinograd);  // 8 MiB
  EXPECT_EQ(WayOf(kRulesAvx2, Square(24, 512, 528), 2), ConvWay::kTiles);
  EXPECT_EQ(WayOf(kRulesAvx2, Square(24, 512, 512), 4), ConvWay::kTiles);
  EXPECT_EQ(WayOf(kRulesAvx2, Square(24, 512, 224), 4), ConvWay::kWinograd);
  EXPECT_EQ(WayOf(kRulesNeon, Square(24, 512, 512), 4), ConvWay::kWinograd);
}

TEST(ConvRules, WaysOfFewPixelsAndOfFewOutputs) {
  EXPECT_EQ(WayOf(kRulesI8mm, Pointwise(1, 3, 32, 32), 0), ConvWay::kBelow);
  EXPECT_EQ(WayOf(kRulesI8mm, Pointwise(1, 4, 32, 32), 0), ConvWay::kTiles);
  EXPECT_EQ(WayOf(kRulesF16Avx2, Pointwise(3, 4, 32, 4), 0), ConvWay::kFewOutputs);
  EXPECT_EQ(WayOf(kRulesF16Avx2, Pointwise(1, 11, 32, 4), 0), ConvWay::kTiles);
  EXPECT_EQ(WayOf(kRulesF16Avx2, Pointwise(3, 4, 32, 5), 0), ConvWay::kTiles);
  EXPECT_EQ(WayOf(kRulesF16Avx512Vnni, Square(8, 32, 4), 0), ConvWay::kTiles);
  EXPECT_EQ(WayOf(kRulesF16Avx512Vnni, Square(8, 32, 4), 2), ConvWay::kWinograd);
  EXPECT_EQ(WayOf(kRulesF16Neon, Pointwise(3, 4, 32, 4), 0), ConvWay::kTiles);
}

#if OCTET_ARCH_X86
TEST(ConvRules, NoPanelOfOneBlockIsLeftWhereNarrowerOnesLeaveNone) {
  const auto blocks = [](uint32_t count) {
    return ChooseConv(kRulesAvx512Vnni, Pointwise(8, 8, 64, 16 * count), 0, 1).panel_blocks;
  };
  EXPECT_EQ(blocks(1), 4u);
  EXPECT_EQ(blocks(4), 4u);
  EXPECT_EQ(blocks(5), 3u);
  EXPECT_EQ(blocks(6), 4u);
  EXPECT_EQ(blocks(9), 3u);
  EXPECT_EQ(blocks(13), 4u);  // threes would leave one as well
  EXPECT_EQ(ChooseConv(kRulesAvx2, Pointwise(8, 8, 64, 80), 0, 1).panel_blocks, 1u);
  EXPECT_EQ(ChooseConv(kRulesF16Avx2, Pointwise(8, 8, 64, 64), 0, 1).panel_blocks, 3u);
}
#endif

// Offsets in their order, the whole last.
void ExpectParts(std::initializer_list<uint64_t> offsets) {
  uint64_t last = 0;
  for (const uint64_t offset : offsets) {
    EXPECT_GT(offset, last);
    EXPECT_EQ(offset % 64, 0u);
    last = offset;
  }
}

TEST(ConvScratch, PartsFollowEachOther) {
  for (const uint64_t channels : {1u, 3u, 16u, 40u, 512u}) {
    const uint64_t depth = 9 * channels;
    const ConvPartsCm4 cm4 = Cm4PartsOf(depth, channels);
    ExpectParts({cm4.packed, cm4.unfinished, cm4.bytes});
    const ConvPartsHelium helium = HeliumPartsOf(DeepOf(depth));
    ExpectParts({helium.sums, helium.rows, helium.bytes});
    for (const bool fp16 : {false, true}) {
      const ConvParts tile = TilePartsOf(9, channels, depth, fp16);
      ExpectParts({tile.padding, tile.packed, tile.bytes});
      const MatMulParts product = MatMulPartsOf(depth, fp16 ? 4 : 2);
      ExpectParts({product.tile, product.bytes});
    }
    const DepthwiseParts depthwise = DepthwisePartsOf(9, channels, false);
    ExpectParts({depthwise.padding, depthwise.bytes});
    const WinogradParts winograd = WinogradPartsOf(4, (channels + 7) / 8 * 8, 20, 20);
    ExpectParts({winograd.v, winograd.products, winograd.bytes});
    for (const Isa level : {Isa::kAvx2, Isa::kNeon}) {
      const WinogradPartsF16 half = WinogradPartsOfF16(level, channels + 16, 20, 20);
      ExpectParts({half.v, half.sums, half.lines, half.weights});
      EXPECT_EQ(half.bytes - half.weights,
                level == Isa::kAvx2 ? half.blocks * (channels + 16) * 64 : 0);
    }
  }
}

TEST(ConvScratch, ALayerTakesTheEndOfItsLastPart) {
  const ConvGeometry g = Square(20, 64, 32);
  const uint64_t tile = 9 * 32 * 8 + 128 + 32 * 576;
  EXPECT_EQ(ConvScratchS8(Isa::kNeon, g, 0), tile);
  EXPECT_EQ(ConvScratchS8(Isa::kAmx, g, 0), tile);
  EXPECT_EQ(ConvScratchS8(Isa::kAvx2, g, 0), 9 * 32 * 8 + 128 + 52 * 576);
  EXPECT_EQ(ConvScratchS8(Isa::kAvx2, Pointwise(9, 9, 1024, 8), 0), 256 + 1088 + 52 * 1024);
  EXPECT_EQ(ConvScratchS8(Isa::kAvx2, Pointwise(9, 9, 1040, 8), 0), 256 + 1152 + 42 * 1040);
  EXPECT_EQ(ConvScratchS8(Isa::kNeon, g, 4), 64 + 36 * 25 * (64 * 2 + 64));
  EXPECT_EQ(ConvScratchS8(Isa::kReference, g, 4), 576u);
  EXPECT_EQ(ConvScratchF16(Isa::kReference, g, true), 16u * 64 * 4);
  EXPECT_EQ(ConvScratchF16(Isa::kNeon, g, false), 9 * 32 * 8 + 512 + 16 * 576 * 4);
  EXPECT_EQ(ConvScratchF16(Isa::kAvxVnni, g, false), (4096 + (177 + 32) * 576) * 4u);
  EXPECT_EQ(ConvScratchF16(Isa::kAvxVnni, Pointwise(1, 11, 64, 8), false), (4096 + 11 * 64) * 4u);
}

// Lists of groups of 4 inputs, of each 8 outputs, by AVX2's kernel alone.
TEST(ConvKept, EveryEightOutputsHaveAList) {
  const ConvGeometry g = Square(20, 64, 32);
  EXPECT_EQ(ConvKeptS8(Isa::kAvx2, g, 0), 8u + 4 * (4 + 2 * 144 + 4));
  EXPECT_EQ(ConvKeptS8(Isa::kAvx2, g, 2), 0u);  // taken by Winograd's method
  EXPECT_EQ(ConvKeptS8(Isa::kAvx2, Square(20, 512, 512), 4), 8u + 64 * (4 + 2 * 1152 + 4));
  for (const Isa level : {Isa::kReference, Isa::kAvxVnni, Isa::kAmx, Isa::kNeon, Isa::kHelium}) {
    EXPECT_EQ(ConvKeptS8(level, g, 0), 0u);
  }
  EXPECT_EQ(ConvKeptS8(Isa::kAvx2, Pointwise(1, 1, 64, 8), 0), 0u);  // a single pixel
  EXPECT_EQ(ConvKeptS8(Isa::kAvx2, Pointwise(1, 2, 64, 8), 0), 8u + 2 * (4 + 2 * 16 + 4));
  EXPECT_EQ(ConvKeptS8(Isa::kAvx2, Pointwise(1, 2, 44, 8), 0), 0u);
  EXPECT_EQ(ConvKeptS8(Isa::kAvx2, Pointwise(1, 2, 45, 8), 0), 8u + 2 * (4 + 2 * 12 + 4));
  EXPECT_EQ(ConvKeptS8(Isa::kAvx2, Pointwise(1, 2, 32768, 8), 0), 8u + 2 * (4 + 2 * 8192 + 4));
  EXPECT_EQ(ConvKeptS8(Isa::kAvx2, Pointwise(1, 2, 32769, 8), 0), 0u);
  ConvGeometry grouped = g;
  grouped.groups = 2;
  EXPECT_EQ(ConvKeptS8(Isa::kAvx2, grouped, 0), 8u + 4 * (4 + 2 * 72 + 4));
  grouped.groups = 4;  // of 8 outputs: the reference kernel takes the layer
  EXPECT_EQ(ConvKeptS8(Isa::kAvx2, grouped, 0), 0u);
}

// Strips of lines beside the widened weights of a panel, for windows, strides and widths that leave
// other remainders.
TEST(ConvScratch, WideStripsFitBesideTheirWeights) {
  size_t strips = 0, cut = 0;
  for (const uint32_t window : {3u, 5u}) {
    for (const uint32_t stride : {1u, 2u}) {
      for (const uint32_t in_c : {16u, 24u, 40u, 64u, 100u, 150u}) {
        for (uint32_t side = 8; side <= 136; side += 4) {
          const ConvGeometry g = {
              side * stride, side * stride, in_c, side, side, 32, window, window,
              stride,        stride,        1,    1,    1,    1,  1};
          std::vector<uint8_t> scratch(static_cast<size_t>(ConvScratchF16(Isa::kAvx2, g, false)));
          ConvPlan plan = PlanLayer(g, kRulesF16Avx2, 2, scratch.data());
          CutWide(&plan);
          if (plan.wide.columns == 0) continue;
          ++strips;
          cut += plan.wide.columns < side;
          const uint64_t pixels = (uint64_t{plan.wide.columns} - 1) * stride + window;
          const uint64_t weights = plan.depth * plan.wide.blocks * 16;
          EXPECT_LE((window * pixels * in_c + weights) * sizeof(float), scratch.size())
              << window << " " << stride << " " << in_c << " " << side;
        }
      }
    }
  }
  EXPECT_GT(strips, 100u);
  EXPECT_GT(cut, 50u);
}

TEST(ConvScratch, DepthwiseLayersTakeWhatTheirKernelWrites) {
  ConvGeometry g = Square(20, 40, 40);
  g.groups = 40;
  EXPECT_EQ(DepthwiseScratch(Isa::kNeon, g, true), 128u + 64);
  EXPECT_EQ(DepthwiseScratch(Isa::kI8mm, g, false), 128u);
  EXPECT_EQ(DepthwiseScratch(Isa::kReference, g, true), 0u);
  EXPECT_EQ(DepthwiseScratch(Isa::kAvx2, g, true), 0u);
  EXPECT_EQ(DepthwiseScratch(Isa::kAmx, g, false), 0u);
  // Nine taps and a ring of three rows of 22 pixels, 8 bytes each.
  EXPECT_EQ(DepthwiseScratch(Isa::kCm4, g, true), (3u + 22) * 3 * 8 + 40);
}

}  // namespace
}  // namespace octet::kernels_test
