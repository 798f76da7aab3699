// Convolution and depthwise convolution: every instruction set against the reference, the reference
// against the equation.
#include <gtest/gtest.h>

#include <iterator>

#include "runtime/kernels/conv/winograd_portable.inl.h"
#include "tests/runtime/kernels/compare.h"
#include "tests/runtime/kernels/conv_case.h"
#include "tests/runtime/kernels/kernel_list.h"

namespace octet::kernels_test {
namespace {

constexpr int kCases = 250;

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

void CheckF16(const Kernel& kernel, ConvF16Fn reference, bool depthwise) {
  for (int i = 0; i < kCases; ++i) {
    Random random(TestSeed() + 1000 + static_cast<uint64_t>(i));
    const ConvGeometry g = RandomConvGeometry(random, depthwise);
    const ConvF16Case layer(random, g, depthwise);
    SCOPED_TRACE("seed " + std::to_string(TestSeed()) + " case " + std::to_string(i) + ": " +
                 Describe(g));
    const auto run = [&](uint32_t threads) {
      return layer.Run(kernel.As<ConvF16Fn>(), kernel.isa, threads);
    };
    const std::vector<uint16_t> one = run(1);
    EXPECT_EQ(layer.Run(reference, Isa::kReference, 1), one) << "other bits than the reference";
    EXPECT_EQ(one, run(random.UInt(2, 3))) << "threads change bits";
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
};

void CheckWinogradShapes(ConvS8Fn kernel, uint8_t sign, const WinogradTiles& tiles = {}) {
  int checked = 0;
  for (int i = 0; i < kCases; ++i) {
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
  EXPECT_GT(checked, kCases / 4);
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
  CheckWinogradShapes(kernel, sign);
  CheckWinogradBounds(kernel, sign);
  CheckWinogradManyTiles(kernel, sign);
}

OCTET_SUITE_OF(ConvS8Winograd, Kernel, WinogradKernels());
GTEST_ALLOW_UNINSTANTIATED_PARAMETERIZED_TEST(ConvS8Winograd);  // ARM has none

// Small layers as well, in which the level itself takes the direct way.
TEST_P(ConvS8Winograd, EqualsReference) {
  const auto kernel = GetParam().As<ConvS8Fn>();
  const uint8_t sign = IsaSignByte(GetParam().isa);
  const WinogradTiles tiles = {{4}, 2};
  CheckWinogradShapes(kernel, sign, tiles);
  CheckWinogradBounds(kernel, sign, tiles);
  CheckWinogradManyTiles(kernel, sign, tiles);
}

TEST(WinogradPortable, EqualsReference) {
  for (const uint8_t sign : {uint8_t{0}, uint8_t{0x80}}) {
    CheckWinogradShapes(&RunWinograd<WinogradPortable>, sign);
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

// Shapes by which kernels choose how to read activations and how to cut sums: whole rows in place,
// images narrower than a tile, copies with padding of whole rows and of parts of rows, packed
// windows, depths with and without a remainder, strides and dilations, one to many blocks of
// outputs.
struct TileShape {
  uint32_t in_h, in_w, in_c, kernel, stride, dilation, pad, out_c;
};
constexpr TileShape kTileShapes[] = {
    {9, 11, 64, 1, 1, 1, 0, 144}, {5, 29, 96, 1, 1, 1, 0, 80},  {7, 7, 160, 1, 1, 1, 0, 112},
    {5, 9, 136, 1, 1, 1, 0, 72},  {3, 17, 67, 1, 1, 1, 0, 40},  {6, 6, 516, 1, 1, 1, 0, 33},
    {13, 13, 64, 1, 2, 1, 0, 64}, {7, 7, 64, 3, 1, 1, 1, 48},   {4, 4, 32, 3, 1, 1, 1, 64},
    {5, 5, 128, 3, 1, 1, 0, 32},  {14, 14, 16, 3, 1, 1, 1, 96}, {15, 15, 24, 3, 2, 1, 1, 64},
    {3, 130, 64, 3, 1, 1, 1, 16}, {4, 220, 32, 3, 2, 1, 1, 20}, {21, 21, 3, 7, 2, 1, 3, 64},
    {19, 23, 3, 3, 2, 1, 1, 32},  {33, 10, 1, 5, 2, 1, 2, 64},  {9, 12, 11, 3, 1, 1, 1, 24},
    {12, 12, 20, 3, 1, 2, 2, 32}, {11, 11, 64, 3, 1, 3, 3, 17}, {9, 9, 22, 5, 1, 1, 2, 16},
    {2, 2, 64, 1, 1, 1, 0, 64},   {1, 40, 48, 3, 1, 1, 1, 128}, {8, 8, 256, 3, 1, 1, 1, 32},
    {6, 7, 64, 3, 3, 1, 2, 130},  {3, 40, 48, 3, 1, 1, 1, 40},  {7, 20, 80, 3, 1, 1, 1, 32},
    {4, 10, 112, 3, 1, 1, 1, 16}, {5, 16, 64, 3, 1, 1, 1, 48},  {3, 62, 32, 3, 1, 1, 0, 33},
};

ConvGeometry GeometryOf(const TileShape& shape) {
  ConvGeometry g{};
  g.in_h = shape.in_h;
  g.in_w = shape.in_w;
  g.in_c = shape.in_c;
  g.out_c = shape.out_c;
  g.kernel_h = g.kernel_w = shape.kernel;
  g.stride_h = g.stride_w = shape.stride;
  g.dilation_h = g.dilation_w = shape.dilation;
  g.pad_top = g.pad_left = shape.pad;
  g.groups = 1;
  const uint32_t extent = (shape.kernel - 1) * shape.dilation + 1;
  g.out_h = (g.in_h + 2 * shape.pad - extent) / shape.stride + 1;
  g.out_w = (g.in_w + 2 * shape.pad - extent) / shape.stride + 1;
  return g;
}

TEST_P(ConvS8, EqualsReferenceForEveryTile) {
  for (size_t i = 0; i < std::size(kTileShapes); ++i) {
    const ConvGeometry g = GeometryOf(kTileShapes[i]);
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

TEST_P(DepthwiseConvS8, EqualsReferenceOnWideImages) {
  CheckWideS8(GetParam(), &depthwise_conv_s8_reference, true);
}

// Strips of whole blocks, of a last block that overlaps the one before, and of part of one block.
TEST_P(DepthwiseConvS8, EqualsReferenceOnStrips) {
  CheckWindow3(GetParam(), &depthwise_conv_s8_reference, true, {8, 12, 16, 23, 40, 64});
}

OCTET_KERNEL_SUITE(ConvF16, "conv_f16");
TEST_P(ConvF16, AgreesWithReference) {
  CheckF16(GetParam(), &conv_f16_reference, false);
}

// Layers that may add in FP16: to the bits that FORMAT.md writes down where the level does, else to
// those of every level.
TEST_P(ConvF16, HalfSumsAreThoseOfTheFormat) {
  const auto kernel = GetParam().As<ConvF16Fn>();
  const bool half = GetParam().isa == Isa::kDotprod;
  for (int i = 0; i < (half ? kCases : 20); ++i) {
    Random random(TestSeed() + 6000 + static_cast<uint64_t>(i));
    const ConvGeometry g = RandomConvGeometry(random, false);
    ConvF16Case layer(random, g, false);
    layer.AllowHalfSums();
    SCOPED_TRACE("seed " + std::to_string(TestSeed()) + " case " + std::to_string(i) + ": " +
                 Describe(g));
    const bool fits = GroupsFitKernels(g.groups, g.in_c, g.out_c, true);
    const std::vector<uint16_t> expected =
        half && fits ? layer.HalfEquation() : layer.Run(&conv_f16_reference, Isa::kReference, 1);
    for (const uint32_t threads : {1u, 2u, 3u}) {
      EXPECT_EQ(layer.Run(kernel, GetParam().isa, threads), expected) << threads << " threads";
    }
    if (::testing::Test::HasFailure()) return;
  }
}

// Several tiles and panels, strips down wide and narrow images and windows across lines, strided
// and dilated; few pixels over a deep window.
constexpr TileShape kTileShapesF16[] = {
    {40, 50, 24, 3, 1, 1, 1, 80}, {33, 21, 40, 3, 1, 1, 1, 64},  {23, 47, 8, 3, 2, 1, 1, 40},
    {15, 29, 16, 5, 1, 1, 2, 33}, {20, 13, 48, 3, 1, 1, 1, 112}, {9, 60, 7, 1, 1, 1, 0, 52},
    {17, 19, 64, 1, 1, 1, 0, 96}, {21, 26, 12, 3, 1, 2, 2, 48},  {7, 7, 160, 3, 1, 1, 1, 48},
    {3, 3, 512, 3, 1, 1, 0, 35},  {14, 62, 6, 2, 3, 1, 0, 20},   {1, 50, 300, 1, 1, 1, 0, 64},
    {30, 31, 5, 3, 1, 2, 1, 16},  {2, 66, 2, 1, 2, 1, 0, 9},     {5, 130, 3, 1, 2, 1, 0, 30},
};

// The reference by one thread is what all others are compared with.
std::vector<uint32_t> SharesOf(const Kernel& kernel) {
  if (kernel.isa == Isa::kReference) return {5};
  return {1, 2, 5};
}

TEST_P(ConvF16, EqualsReferenceForEveryTile) {
  std::vector<TileShape> shapes(std::begin(kTileShapes), std::end(kTileShapes));
  shapes.insert(shapes.end(), std::begin(kTileShapesF16), std::end(kTileShapesF16));
  for (size_t i = 0; i < shapes.size(); ++i) {
    const ConvGeometry g = GeometryOf(shapes[i]);
    Random random(TestSeed() + 7000 + i);
    ConvF16Case layer(random, g, false);
    SCOPED_TRACE("seed " + std::to_string(TestSeed()) + ": " + Describe(g));
    for (const bool half : {false, true}) {
      // The levels that do not take half sums show that on a few shapes.
      if (half && GetParam().isa != Isa::kDotprod && i % 4 != 0) continue;
      if (half) layer.AllowHalfSums();
      const std::vector<uint16_t> expected =
          half && GetParam().isa == Isa::kDotprod
              ? layer.HalfEquation()
              : layer.Run(&conv_f16_reference, Isa::kReference, 1);
      for (const uint32_t threads : SharesOf(GetParam())) {
        EXPECT_EQ(layer.Run(GetParam().As<ConvF16Fn>(), GetParam().isa, threads), expected)
            << threads << " threads";
      }
    }
    if (::testing::Test::HasFailure()) return;
  }
}

void CheckTransformed(const Kernel& kernel, Random& random, const ConvGeometry& g) {
  ConvF16Case layer(random, g, false);
  layer.TransformRandomly(random);
  SCOPED_TRACE("seed " + std::to_string(TestSeed()) + ": " + Describe(g));
  const std::vector<uint16_t> expected = layer.Run(&conv_f16_reference, Isa::kReference, 1);
  for (const uint32_t threads : SharesOf(kernel)) {
    EXPECT_EQ(layer.Run(kernel.As<ConvF16Fn>(), kernel.isa, threads), expected)
        << threads << " threads";
  }
}

// Of lines in one part, parts in one line, edges that halve a tile, last channels met twice; 1, 2,
// 3 and more blocks of outputs.
TEST_P(ConvF16, WinogradEqualsReference) {
  for (int i = 0; i < kCases; ++i) {
    Random random(TestSeed() + 11000 + static_cast<uint64_t>(i));
    ConvGeometry g = RandomWinogradGeometry(random);
    g.in_c = g.in_c / 2 + random.UInt(16, 24);
    CheckTransformed(GetParam(), random, g);
    if (::testing::Test::HasFailure()) return;
  }
  constexpr TileShape kShapes[] = {{9, 131, 16, 3, 1, 1, 1, 35}, {40, 40, 64, 3, 1, 1, 1, 80},
                                   {7, 7, 512, 3, 1, 1, 1, 64},  {14, 13, 200, 3, 1, 1, 0, 112},
                                   {3, 3, 1100, 3, 1, 1, 2, 16}, {30, 2, 33, 3, 1, 1, 1, 130}};
  for (const TileShape& shape : kShapes) {
    Random random(TestSeed() + 12000);
    CheckTransformed(GetParam(), random, GeometryOf(shape));
  }
}

// Pixels as lanes: tails of pixels and channels, and shares of a few.
TEST_P(ConvF16, EqualsReferenceOnFewOutputs) {
  Random random(TestSeed() + 14000);
  for (uint32_t out_c = 1; out_c <= 5; ++out_c) {
    for (const uint32_t in_c : {1u, 7u, 8u, 16u, 21u, 40u}) {
      for (const uint32_t pixels : {1u, 12u, 16u, 33u, 70u}) {
        ConvGeometry g{};
        g.kernel_h = g.kernel_w = g.stride_h = g.stride_w = g.dilation_h = g.dilation_w = 1;
        g.groups = 1;
        g.in_h = g.out_h = random.OneIn(2) ? 1 : 2;
        g.in_w = g.out_w = pixels;
        if (random.OneIn(4)) g.pad_left = 1;  // cropped on the right: a pixel further
        g.in_c = in_c;
        g.out_c = out_c;
        const ConvF16Case layer(random, g, false);
        SCOPED_TRACE("seed " + std::to_string(TestSeed()) + ": " + Describe(g));
        EXPECT_EQ(layer.Run(GetParam().As<ConvF16Fn>(), GetParam().isa, random.UInt(1, 3)),
                  layer.Run(&conv_f16_reference, Isa::kReference, 1));
        if (::testing::Test::HasFailure()) return;
      }
    }
  }
}

OCTET_KERNEL_SUITE(DepthwiseConvF16, "depthwise_conv_f16");
TEST_P(DepthwiseConvF16, AgreesWithReference) {
  CheckF16(GetParam(), &depthwise_conv_f16_reference, true);
}

// Rows of 1 .. 18 outputs, padded by less than the window, left and right: those that slide along
// the row and their edges.
TEST_P(DepthwiseConvF16, EqualsReferenceOnRows) {
  Random random(TestSeed() + 13000);
  for (const uint32_t kernel : {3u, 5u}) {
    for (const uint32_t stride : {1u, 2u}) {
      for (uint32_t width = 1; width <= 18; ++width) {
        ConvGeometry g{};
        g.kernel_h = g.kernel_w = kernel;
        g.stride_h = g.stride_w = stride;
        g.dilation_h = g.dilation_w = 1;
        g.pad_top = random.UInt(0, kernel / 2);
        g.pad_left = random.UInt(0, kernel / 2);
        const uint32_t right = random.UInt(0, kernel / 2);
        const uint32_t needed = (width - 1) * stride + kernel;
        if (needed <= g.pad_left + right) continue;
        g.in_w = needed - g.pad_left - right;
        g.in_h = random.UInt(kernel, 7);
        g.out_w = width;
        g.out_h = (g.in_h + g.pad_top - kernel) / stride + 1;
        g.in_c = g.out_c = g.groups = random.Pick<uint32_t>({16, 32, 50, 91});
        ConvF16Case layer(random, g, true);
        SCOPED_TRACE("seed " + std::to_string(TestSeed()) + ": " + Describe(g));
        EXPECT_EQ(layer.Run(GetParam().As<ConvF16Fn>(), GetParam().isa, random.UInt(1, 3)),
                  layer.Run(&depthwise_conv_f16_reference, Isa::kReference, 1));
        if (::testing::Test::HasFailure()) return;
      }
    }
  }
}

TEST(ConvReference, EqualsEquation) {
  CheckEquation(&conv_s8_reference, false);
}
TEST(DepthwiseConvReference, EqualsEquation) {
  CheckEquation(&depthwise_conv_s8_reference, true);
}

}  // namespace
}  // namespace octet::kernels_test
