// FP16 convolution and depthwise convolution: every instruction set against the reference.
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <cstdio>
#include <iterator>

#include "tests/runtime/kernels/conv_case.h"
#include "tests/runtime/kernels/kernel_list.h"

namespace octet::kernels_test {
namespace {

// The reference is compared with itself, cut into shares: a few cases tell, and it is slow under
// emulation.
int CasesOf(const Kernel& kernel) {
  return kernel.isa == Isa::kReference ? 40 : 250;
}

// Of layers that add in float, which this level gives to the kernel of NEON: few cases, too, tell
// that. NEON has them all.
int CasesInFloat(const Kernel& kernel) {
  return kernel.isa == Isa::kDotprod ? 40 : CasesOf(kernel);
}

void CheckF16(const Kernel& kernel, ConvF16Fn reference, bool depthwise) {
  for (int i = 0; i < (depthwise ? CasesOf(kernel) : CasesInFloat(kernel)); ++i) {
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

OCTET_KERNEL_SUITE(ConvF16, "conv_f16");
TEST_P(ConvF16, AgreesWithReference) {
  CheckF16(GetParam(), &conv_f16_reference, false);
}

// Layers that may add in FP16: to the bits that FORMAT.md writes down where the level does, else to
// those of every level.
TEST_P(ConvF16, HalfSumsAreThoseOfTheFormat) {
  const auto kernel = GetParam().As<ConvF16Fn>();
  const bool half = GetParam().isa == Isa::kDotprod;
  for (int i = 0; i < (half ? CasesOf(GetParam()) : 20); ++i) {
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

// SiLU in halves, in blocks of 16 and of 8 outputs, against the true value.
TEST_P(ConvF16, SiluInHalvesIsNearTheTrueValue) {
  if (GetParam().isa != Isa::kDotprod) return;  // others: half_function_test.cc
  constexpr uint32_t kOutputs = 24;
  const ConvGeometry g = GeometryOf({256, 256, 1, 1, 1, 1, 0, kOutputs});
  Random random(TestSeed() + 8000);
  ConvF16Case layer(random, g, false);
  layer.AllowHalfSums();
  layer.ApplySiluToHalves();
  const std::vector<uint16_t> outputs = layer.Run(GetParam().As<ConvF16Fn>(), GetParam().isa, 1);
  double most_units = 0, most_below = 0;
  for (uint32_t half = 0; half < 65536; ++half) {
    const double x = HalfToFloat(static_cast<uint16_t>(half));
    const uint16_t bits = outputs[size_t{half} * kOutputs];
    for (uint32_t o = 1; o < kOutputs; ++o) {
      ASSERT_EQ(bits, outputs[size_t{half} * kOutputs + o]) << x << " output " << o;
    }
    const double y = HalfToFloat(bits);
    if (std::isnan(x)) {
      EXPECT_TRUE(std::isnan(y));
      continue;
    }
    if (std::isinf(x)) {
      EXPECT_EQ(x > 0 ? 0x7C00 : 0x8000, bits);
      continue;
    }
    ASSERT_TRUE(std::isfinite(y)) << x;
    const double exact = x < -700 ? 0 : x / (1 + std::exp(-x));
    const int exponent = exact == 0 ? -14 : std::max(std::ilogb(exact), -14);
    double* most = x < -10 ? &most_below : &most_units;
    *most = std::max(*most, std::fabs(y - exact) / (x < -10 ? 1 : std::ldexp(1.0, exponent - 10)));
  }
  printf("SiLU within %.3f units from -10 up, within %.3g below\n", most_units, most_below);
  EXPECT_LE(most_units, 3.2);
  EXPECT_LE(most_below, 1.8e-4);
}

// Several tiles and panels, strips down wide and narrow images and windows across lines, strided
// and dilated; few pixels over a deep window. The largest are as large as the x86 levels ask for,
// which choose by the room in scratch and in caches. ARM's choose by one line and one window:
// whether that fits, whether shares are of pixels (5 * 80 of them) and whether the weights are
// taken in parts (more than 512 KiB, for each of two shares of 80 pixels). Emulated, each product
// counts.
constexpr TileShape kTileShapesF16[] = {
#if OCTET_ARCH_X86
    {40, 50, 24, 3, 1, 1, 1, 80},    {33, 21, 40, 3, 1, 1, 1, 64},
#else
    {10, 50, 24, 3, 1, 1, 1, 80},  {20, 21, 40, 3, 1, 1, 1, 64},
#endif
    {23, 47, 8, 3, 2, 1, 1, 40},     {15, 29, 16, 5, 1, 1, 2, 33},
    {20, 13, 48, 3, 1, 1, 1, 112},   {9, 60, 7, 1, 1, 1, 0, 52},
    {17, 19, 64, 1, 1, 1, 0, 96},    {21, 26, 12, 3, 1, 2, 2, 48},
    {7, 7, 160, 3, 1, 1, 1, 48},     {3, 3, 512, 3, 1, 1, 0, 35},
    {14, 62, 6, 2, 3, 1, 0, 20},     {1, 50, 300, 1, 1, 1, 0, 64},
#if OCTET_ARCH_X86
    {1, 197, 384, 1, 1, 1, 0, 1536}, {1, 197, 1536, 1, 1, 1, 0, 384},
    {1, 49, 2048, 1, 1, 1, 0, 512},  {1, 49, 64, 1, 1, 1, 0, 1000},
    {1, 1, 512, 1, 1, 1, 0, 1000},   {7, 7, 512, 3, 1, 1, 1, 64},
    {56, 56, 64, 3, 1, 1, 1, 64},    {14, 14, 256, 3, 1, 1, 1, 64},
    {112, 112, 3, 3, 1, 2, 1, 64},   {30, 31, 5, 3, 1, 2, 1, 16},
#else
    {1, 197, 384, 1, 1, 1, 0, 96}, {1, 165, 1536, 1, 1, 1, 0, 176}, {1, 49, 2048, 1, 1, 1, 0, 144},
    {1, 49, 64, 1, 1, 1, 0, 1000}, {1, 1, 512, 1, 1, 1, 0, 1000},   {7, 7, 512, 3, 1, 1, 1, 64},
    {8, 56, 64, 3, 1, 1, 1, 48},   {14, 14, 256, 3, 1, 1, 1, 32},   {11, 112, 3, 3, 1, 2, 1, 64},
    {30, 31, 5, 3, 1, 2, 1, 16},
#endif
    {2, 66, 2, 1, 2, 1, 0, 9},       {5, 130, 3, 1, 2, 1, 0, 30},
    {1, 197, 384, 1, 1, 1, 0, 40},   {16, 29, 48, 3, 1, 1, 1, 33},
    {13, 70, 24, 3, 2, 1, 1, 48},    {31, 20, 16, 5, 2, 1, 2, 33},
};

// The reference by one thread is what all others are compared with.
std::vector<uint32_t> SharesOf(const Kernel& kernel) {
  if (kernel.isa == Isa::kReference) return {5};
  return {1, 2, 5};
}

TEST_P(ConvF16, EqualsReferenceForEveryTile) {
  std::vector<TileShape> shapes(TileShapes().begin(), TileShapes().end());
  shapes.insert(shapes.end(), std::begin(kTileShapesF16), std::end(kTileShapesF16));
  const size_t step = GetParam().isa == Isa::kReference ? 4 : 1;
  for (size_t i = 0; i < shapes.size(); i += step) {
    const ConvGeometry g = GeometryOf(shapes[i]);
    Random random(TestSeed() + 7000 + i);
    ConvF16Case layer(random, g, false);
    SCOPED_TRACE("seed " + std::to_string(TestSeed()) + ": " + Describe(g));
    for (const bool half : {false, true}) {
      // Levels that do not take half sums show that on a few shapes. The level that takes them has
      // the loops of the one below for the others.
      if (half != (GetParam().isa == Isa::kDotprod) && i % 4 != 0) continue;
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
  for (int i = 0; i < CasesInFloat(GetParam()); ++i) {
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
    if (GetParam().isa == Isa::kReference && &shape != kShapes) break;
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

}  // namespace
}  // namespace octet::kernels_test
