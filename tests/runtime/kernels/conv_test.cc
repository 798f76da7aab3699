// Int8 convolution and depthwise convolution: every instruction set against the reference, the
// reference against the equation.
#include <fenv.h>
#include <gtest/gtest.h>

#include "runtime/kernels/conv/winograd_portable.inl.h"
#include "tests/runtime/kernels/compare.h"
#include "tests/runtime/kernels/conv_case.h"
#include "tests/runtime/kernels/kernel_list.h"

namespace octet::kernels_test {
namespace {

constexpr int kCases = 250;
// Of portable code alone, which is the same on every processor: all of them where nothing is
// emulated.
#if OCTET_ARCH_X86
constexpr int kPortableCases = kCases;
#else
constexpr int kPortableCases = 50;
#endif

void CheckS8(const Kernel& kernel, ConvS8Fn reference, bool depthwise) {
  for (int i = 0; i < kCases; ++i) {
    Random random(TestSeed() + static_cast<uint64_t>(i));
    const ConvGeometry g = RandomConvGeometry(random, depthwise);
    const ConvS8Case layer(random, g, depthwise);
    const std::vector<uint8_t> expected = layer.Run(reference, 0, 1);
    const uint8_t sign = kernel.isa == Isa::kReference ? 0x80 : IsaSignByte(kernel.isa);
    const uint32_t threads = random.UInt(1, 3);
    SCOPED_TRACE("seed " + std::to_string(TestSeed()) + " case " + std::to_string(i) + ", " +
                 std::to_string(threads) + " shares: " + Describe(g));
    const std::string difference =
        DifferenceS8(expected, layer.Run(kernel.As<ConvS8Fn>(), sign, threads));
    EXPECT_EQ(difference, "");
    if (::testing::Test::HasFailure()) return;
  }
}

// Few pixels of many channels: one sum in a hundred shows a rounding that is not the rule's.
void CheckLimitsS8(const Kernel& kernel, ConvS8Fn reference, bool depthwise) {
  for (int i = 0; i < kCases; ++i) {
    Random random(TestSeed() + 6000 + static_cast<uint64_t>(i));
    const uint32_t kernel_size = random.Pick<uint32_t>({1, 3, 5});
    TileShape shape = {2, 5, random.UInt(1, 4), kernel_size, 1, 1, kernel_size / 2, 400};
    if (depthwise) shape.in_c = shape.out_c;
    ConvGeometry g = GeometryOf(shape);
    if (depthwise) g.groups = g.in_c;
    ConvS8Case layer(random, g, depthwise);
    layer.StandAtLimits(random);
    const uint8_t sign = kernel.isa == Isa::kReference ? 0x80 : IsaSignByte(kernel.isa);
    SCOPED_TRACE("seed " + std::to_string(TestSeed()) + " case " + std::to_string(i) + ": " +
                 Describe(g));
    EXPECT_EQ(DifferenceS8(layer.Run(reference, 0, 1), layer.Run(kernel.As<ConvS8Fn>(), sign, 1)),
              "");
    if (::testing::Test::HasFailure()) return;
  }
}

// A thread may round otherwise, or trap where a float is not exact: the bytes stay the same.
void CheckModesS8(const Kernel& kernel, ConvS8Fn reference, bool depthwise) {
  const int modes[] = {FE_TONEAREST, FE_UPWARD, FE_DOWNWARD, FE_TOWARDZERO};
  for (int i = 0; i < 40; ++i) {
    Random random(TestSeed() + 7000 + static_cast<uint64_t>(i));
    const ConvGeometry g = RandomConvGeometry(random, depthwise);
    const ConvS8Case layer(random, g, depthwise);
    const uint8_t sign = kernel.isa == Isa::kReference ? 0x80 : IsaSignByte(kernel.isa);
    const std::vector<uint8_t> expected = layer.Run(reference, 0, 1);
    for (const int mode : modes) {
      fesetround(mode);
      if (mode == FE_TONEAREST) feenableexcept(FE_INEXACT);
      const std::vector<uint8_t> output = layer.Run(kernel.As<ConvS8Fn>(), sign, 1);
      fedisableexcept(FE_INEXACT);
      fesetround(FE_TONEAREST);
      ASSERT_EQ(DifferenceS8(expected, output), "")
          << "mode " << mode << ", seed " << TestSeed() << " case " << i << ": " << Describe(g);
    }
  }
}

// Images wider than the rows that a kernel copies or interleaves at once.
void CheckWideS8(const Kernel& kernel, ConvS8Fn reference, bool depthwise) {
  for (int i = 0; i < 40; ++i) {
    Random random(TestSeed() + 3000 + static_cast<uint64_t>(i));
    ConvGeometry g = RandomConvGeometry(random, depthwise);
    g.in_c = random.Pick<uint32_t>({1, 3, 4, 8, 16, 32});
    g.out_c = depthwise ? g.in_c : random.UInt(1, 40);
    g.groups = depthwise ? g.in_c : 1;
    g.in_h = g.kernel_h * g.dilation_h;
    g.out_h = g.pad_top == 0 ? 1 : random.UInt(1, 2);
    g.in_w = random.UInt(100, 700);
    g.out_w = g.in_w / g.stride_w - g.kernel_w * g.dilation_w;
    const ConvS8Case layer(random, g, depthwise);
    const uint8_t sign = kernel.isa == Isa::kReference ? 0x80 : IsaSignByte(kernel.isa);
    SCOPED_TRACE("seed " + std::to_string(TestSeed()) + " case " + std::to_string(i) + ": " +
                 Describe(g));
    EXPECT_EQ(DifferenceS8(layer.Run(reference, 0, 1),
                           layer.Run(kernel.As<ConvS8Fn>(), sign, random.UInt(1, 2))),
              "");
    if (::testing::Test::HasFailure()) return;
  }
}

void CheckEquation(ConvS8Fn reference, bool depthwise) {
  for (int i = 0; i < 60; ++i) {
    Random random(TestSeed() + 2000 + static_cast<uint64_t>(i));
    const ConvGeometry g = RandomConvGeometry(random, depthwise);
    const ConvS8Case layer(random, g, depthwise);
    SCOPED_TRACE("seed " + std::to_string(TestSeed()) + " case " + std::to_string(i) + ": " +
                 Describe(g));
    EXPECT_EQ(DifferenceS8(layer.Equation(), layer.Run(reference, 0, 1)), "");
    if (::testing::Test::HasFailure()) return;
  }
}

OCTET_KERNEL_SUITE(ConvS8, "conv_s8");
TEST_P(ConvS8, EqualsReference) {
  CheckS8(GetParam(), &conv_s8_reference, false);
}

TEST_P(ConvS8, EqualsReferenceAtTheLimitsOfSums) {
  CheckLimitsS8(GetParam(), &conv_s8_reference, false);
}
TEST_P(ConvS8, EqualsReferenceInEveryModeOfFloats) {
  CheckModesS8(GetParam(), &conv_s8_reference, false);
}

// More weights than a level 2 cache holds, so that kernels change the order of their loops; and one
// pixel, as in a fully connected layer, so that threads share the outputs.
TEST_P(ConvS8, EqualsReferenceWithManyWeights) {
  for (const uint32_t width : {1u, 7u}) {
    Random random(TestSeed() + width);
    ConvGeometry g{};
    g.in_h = g.out_h = width == 1 ? 1 : 5;
    g.in_w = g.out_w = width;
    g.in_c = 1028;
    g.out_c = 1050;
    g.kernel_h = g.kernel_w = g.stride_h = g.stride_w = g.dilation_h = g.dilation_w = g.groups = 1;
    const ConvS8Case layer(random, g, false);
    SCOPED_TRACE("seed " + std::to_string(TestSeed()) + ": " + Describe(g));
    const uint8_t sign = GetParam().isa == Isa::kReference ? 0x80 : IsaSignByte(GetParam().isa);
    const std::vector<uint8_t> expected = layer.Run(&conv_s8_reference, 0, 1);
    for (const uint32_t threads : {1u, 3u}) {
      EXPECT_EQ(DifferenceS8(expected, layer.Run(GetParam().As<ConvS8Fn>(), sign, threads)), "");
    }
  }
}

// Windows that reach over every edge of an image of several tiles, `channels` in and out.
ConvGeometry Window3(uint32_t height, uint32_t width, uint32_t channels, bool depthwise) {
  ConvGeometry g{};
  g.in_h = g.out_h = height;
  g.in_w = g.out_w = width;
  g.in_c = g.out_c = channels;
  g.kernel_h = g.kernel_w = 3;
  g.pad_top = g.pad_left = g.stride_h = g.stride_w = g.dilation_h = g.dilation_w = 1;
  g.groups = depthwise ? channels : 1;
  return g;
}

void CheckWindow3(const Kernel& kernel, ConvS8Fn reference, bool depthwise,
                  const std::vector<uint32_t>& all_channels) {
  const uint8_t sign = kernel.isa == Isa::kReference ? 0x80 : IsaSignByte(kernel.isa);
  for (const uint32_t channels : all_channels) {
    for (const uint32_t width : {3u, 8u, 13u, 34u}) {
      Random random(TestSeed() + channels + width);
      const ConvGeometry g = Window3(width > 13 ? 3 : 6, width, channels, depthwise);
      const ConvS8Case layer(random, g, depthwise);
      SCOPED_TRACE("seed " + std::to_string(TestSeed()) + ": " + Describe(g));
      const std::vector<uint8_t> expected = layer.Run(reference, 0, 1);
      for (const uint32_t threads : {1u, 2u}) {
        EXPECT_EQ(DifferenceS8(expected, layer.Run(kernel.As<ConvS8Fn>(), sign, threads)), "");
      }
    }
  }
}

// Deep enough that kernels which take the channels in chunks need several.
TEST_P(ConvS8, EqualsReferenceOnDeepWindows) {
  CheckWindow3(GetParam(), &conv_s8_reference, false, {24, 72, 131});
}

// Both the direct and, where the kernel has one, Winograd's way of a layer with transformed
// weights.
void CheckWinograd(ConvS8Fn kernel, uint8_t sign, Random& random, const ConvS8Case& layer) {
  const std::vector<uint8_t> expected = layer.Run(&conv_s8_reference, 0, 1);
  EXPECT_EQ(DifferenceS8(expected, layer.Run(kernel, sign, random.UInt(1, 3))), "");
}

// Tiles of an output, and as many of them as a layer has to have.
struct WinogradTiles {
  std::vector<int> sizes = {2, 4};
  uint64_t least = 1;
  int cases = kCases;
};

void CheckWinogradShapes(ConvS8Fn kernel, uint8_t sign, const WinogradTiles& tiles = {}) {
  int checked = 0;
  for (int i = 0; i < tiles.cases; ++i) {
    Random random(TestSeed() + 3000 + static_cast<uint64_t>(i));
    const ConvGeometry g = RandomWinogradGeometry(random);
    ConvS8Case layer(random, g, false);
    const int m = tiles.sizes[random.UInt(0, static_cast<uint32_t>(tiles.sizes.size()) - 1)];
    if (WinogradTileBlock(static_cast<uint64_t>(m), g.in_c, g.out_h, g.out_w) < tiles.least) {
      continue;
    }
    ++checked;
    layer.AddTransformed(m);
    SCOPED_TRACE("seed " + std::to_string(TestSeed()) + " case " + std::to_string(i) + " tile " +
                 std::to_string(m) + ": " + Describe(g));
    CheckWinograd(kernel, sign, random, layer);
    if (::testing::Test::HasFailure()) return;
  }
  EXPECT_GT(checked, tiles.cases / 4);
}

// The largest sum of |w| for which the method is exact, and the activations that make the most of
// it; and more tiles than are taken at once.
void CheckWinogradBounds(ConvS8Fn kernel, uint8_t sign, const WinogradTiles& tiles = {}) {
  for (const int m : tiles.sizes) {
    Random random(TestSeed() + 4000 + static_cast<uint64_t>(m));
    ConvGeometry g{};
    g.groups = g.stride_h = g.stride_w = g.dilation_h = g.dilation_w = 1;
    g.kernel_h = g.kernel_w = 3;
    g.pad_top = g.pad_left = 1;
    g.in_h = g.out_h = 5;
    g.in_w = g.out_w = 6;
    g.in_c = m == 2 ? 3672 : 232;
    g.out_c = 19;
    ConvS8Case layer(random, g, false);
    layer.ReachSum(random, (m == 2 ? 1 << 22 : 1 << 18) - 1);
    layer.AddTransformed(m);
    SCOPED_TRACE("seed " + std::to_string(TestSeed()) + " tile " + std::to_string(m));
    CheckWinograd(kernel, sign, random, layer);
  }
}

void CheckWinogradManyTiles(ConvS8Fn kernel, uint8_t sign, const WinogradTiles& tiles = {}) {
  for (const int m : tiles.sizes) {
    Random random(TestSeed() + 5000 + static_cast<uint64_t>(m));
    ConvGeometry g{};
    g.groups = g.stride_h = g.stride_w = g.dilation_h = g.dilation_w = 1;
    g.kernel_h = g.kernel_w = 3;
    g.pad_top = g.pad_left = 1;
    g.in_h = g.out_h = 23;
    g.in_w = g.out_w = 29;
    g.in_c = 104;
    g.out_c = 40;
    ConvS8Case layer(random, g, false);
    layer.AddTransformed(m);
    SCOPED_TRACE("seed " + std::to_string(TestSeed()) + " tile " + std::to_string(m));
    CheckWinograd(kernel, sign, random, layer);
  }
}

TEST_P(ConvS8, EqualsReferenceWithTransformedWeights) {
  const auto kernel = GetParam().As<ConvS8Fn>();
  const uint8_t sign = GetParam().isa == Isa::kReference ? 0x80 : IsaSignByte(GetParam().isa);
  const bool is_reference = GetParam().isa == Isa::kReference;
  CheckWinogradShapes(kernel, sign, {{2, 4}, 1, is_reference ? kPortableCases : kCases});
  CheckWinogradBounds(kernel, sign);
  CheckWinogradManyTiles(kernel, sign);
}

OCTET_SUITE_OF(ConvS8Winograd, Kernel, WinogradKernels());
GTEST_ALLOW_UNINSTANTIATED_PARAMETERIZED_TEST(ConvS8Winograd);  // ARM has none

// Small layers as well, in which the level itself takes the direct way.
TEST_P(ConvS8Winograd, EqualsReference) {
  const auto kernel = GetParam().As<ConvS8Fn>();
  const uint8_t sign = IsaSignByte(GetParam().isa);
  const WinogradTiles tiles = {{4}, 2, kCases};
  CheckWinogradShapes(kernel, sign, tiles);
  CheckWinogradBounds(kernel, sign, tiles);
  CheckWinogradManyTiles(kernel, sign, tiles);
}

TEST(WinogradPortable, EqualsReference) {
  for (const uint8_t sign : {uint8_t{0}, uint8_t{0x80}}) {
    CheckWinogradShapes(&RunWinograd<WinogradPortable>, sign, {{2, 4}, 1, kPortableCases});
    CheckWinogradBounds(&RunWinograd<WinogradPortable>, sign);
    CheckWinogradManyTiles(&RunWinograd<WinogradPortable>, sign);
  }
}

TEST_P(ConvS8, EqualsReferenceOnWideImages) {
  CheckWideS8(GetParam(), &conv_s8_reference, false);
}

// Sums near the longest that 2^30 allows.
TEST_P(ConvS8, EqualsReferenceWithLongSums) {
  Random random(TestSeed());
  ConvGeometry g{};
  g.in_h = g.out_h = 1;
  g.in_w = g.out_w = 5;
  g.in_c = 40004;
  g.out_c = 9;
  g.kernel_h = g.kernel_w = g.stride_h = g.stride_w = g.dilation_h = g.dilation_w = g.groups = 1;
  const ConvS8Case layer(random, g, false);
  SCOPED_TRACE("seed " + std::to_string(TestSeed()) + ": " + Describe(g));
  const uint8_t sign = GetParam().isa == Isa::kReference ? 0x80 : IsaSignByte(GetParam().isa);
  EXPECT_EQ(DifferenceS8(layer.Run(&conv_s8_reference, 0, 1),
                         layer.Run(GetParam().As<ConvS8Fn>(), sign, 1)),
            "");
}

TEST_P(ConvS8, EqualsReferenceForEveryTile) {
  for (size_t i = 0; i < TileShapes().size(); ++i) {
    const ConvGeometry g = GeometryOf(TileShapes()[i]);
    for (uint64_t turn = 0; turn < 3; ++turn) {  // with and without table, pre-shift, clamp
      Random random(TestSeed() + 5000 + 10 * i + turn);
      const ConvS8Case layer(random, g, false);
      SCOPED_TRACE("seed " + std::to_string(TestSeed()) + " shape " + std::to_string(i) + ": " +
                   Describe(g));
      const uint8_t sign = GetParam().isa == Isa::kReference ? 0x80 : IsaSignByte(GetParam().isa);
      const std::vector<uint8_t> expected = layer.Run(&conv_s8_reference, 0, 1);
      for (const uint32_t threads : {1u, 2u, 5u}) {
        EXPECT_EQ(DifferenceS8(expected, layer.Run(GetParam().As<ConvS8Fn>(), sign, threads)), "")
            << threads << " shares";
      }
      if (::testing::Test::HasFailure()) return;
    }
  }
}

OCTET_KERNEL_SUITE(DepthwiseConvS8, "depthwise_conv_s8");
TEST_P(DepthwiseConvS8, EqualsReference) {
  CheckS8(GetParam(), &depthwise_conv_s8_reference, true);
}
TEST_P(DepthwiseConvS8, EqualsReferenceAtTheLimitsOfSums) {
  CheckLimitsS8(GetParam(), &depthwise_conv_s8_reference, true);
}
TEST_P(DepthwiseConvS8, EqualsReferenceInEveryModeOfFloats) {
  CheckModesS8(GetParam(), &depthwise_conv_s8_reference, true);
}

TEST_P(DepthwiseConvS8, EqualsReferenceOnWideImages) {
  CheckWideS8(GetParam(), &depthwise_conv_s8_reference, true);
}

// Strips of whole blocks, of a last block that overlaps the one before, and of part of one block.
TEST_P(DepthwiseConvS8, EqualsReferenceOnStrips) {
  CheckWindow3(GetParam(), &depthwise_conv_s8_reference, true, {8, 12, 16, 23, 40, 64});
}

TEST(ConvReference, EqualsEquation) {
  CheckEquation(&conv_s8_reference, false);
}
TEST(DepthwiseConvReference, EqualsEquation) {
  CheckEquation(&depthwise_conv_s8_reference, true);
}

}  // namespace
}  // namespace octet::kernels_test
