// Every panel of conv/kernels.inc by itself, on every tail of rows, outputs and depth: int8 against
// the equation of conv.h, FP16 against the reference kernel.
#include <gtest/gtest.h>

#include <functional>

#include "tests/runtime/kernels/compare.h"
#include "tests/runtime/kernels/conv_case.h"
#include "tests/runtime/kernels/kernel_list.h"

namespace octet::kernels_test {
namespace {

// One line of pixels under a window of kernel x kernel that keeps their number.
ConvGeometry Line(uint32_t pixels, uint32_t in_c, uint32_t out_c, uint32_t kernel) {
  ConvGeometry g{};
  g.in_h = g.out_h = 1;
  g.in_w = g.out_w = pixels;
  g.in_c = in_c;
  g.out_c = out_c;
  g.kernel_h = g.kernel_w = kernel;
  g.pad_top = g.pad_left = kernel / 2;
  g.stride_h = g.stride_w = g.dilation_h = g.dilation_w = g.groups = 1;
  return g;
}

// Fewer pixels are too few for the lists of exact weights that AVX2 makes.
constexpr uint32_t kFewPixels = 24;

// Every number of rows, below and above the pixels that change a level's ways, against every number
// of outputs in a panel's last block; the depths of 1x1 and 3x3 windows run along, prime in number
// so that all meet.
void ForEachTail(const ConvPanel& panel,
                 const std::function<void(Random&, const ConvGeometry&)>& check) {
  uint32_t count = 0;
  for (uint32_t pixels = 1; pixels <= kFewPixels + panel.rows; ++pixels) {
    for (uint32_t last = 1; last <= 16; ++last, ++count) {
      const uint32_t out_c = 16 * (panel.blocks - 1) + last;
      for (const uint32_t kernel : {1u, 3u}) {
        const ConvGeometry g = Line(pixels, 1 + count % (kernel == 1 ? 131 : 19), out_c, kernel);
        Random random(TestSeed() + 2 * count + kernel);
        SCOPED_TRACE("seed " + std::to_string(TestSeed()) + " case " + std::to_string(count) +
                     ": " + Describe(g));
        check(random, g);
        if (::testing::Test::HasFailure()) return;
      }
    }
  }
}

OCTET_SUITE_OF(ConvS8Panel, ConvPanel, ConvPanelsOf("conv_s8"));
GTEST_ALLOW_UNINSTANTIATED_PARAMETERIZED_TEST(ConvS8Panel);  // the reference alone has no panels
TEST_P(ConvS8Panel, EqualsEquationOnEveryTail) {
  ForEachTail(GetParam(), [](Random& random, const ConvGeometry& g) {
    const ConvS8Case layer(random, g, false);
    const uint8_t sign = IsaSignByte(GetParam().isa);
    EXPECT_EQ(DifferenceS8(layer.Equation(), layer.Run(GetParam().As<ConvS8Fn>(), sign, 1)), "");
  });
}

OCTET_SUITE_OF(ConvF16Panel, ConvPanel, ConvPanelsOf("conv_f16"));
GTEST_ALLOW_UNINSTANTIATED_PARAMETERIZED_TEST(ConvF16Panel);  // the reference alone has no panels
TEST_P(ConvF16Panel, AgreesWithReferenceOnEveryTail) {
  ForEachTail(GetParam(), [](Random& random, const ConvGeometry& g) {
    const ConvF16Case layer(random, g, false);
    EXPECT_EQ(DifferenceF16(layer.Run(&conv_f16_reference, Isa::kReference, 1),
                            layer.Run(GetParam().As<ConvF16Fn>(), GetParam().isa, 1)),
              "");
  });
}

}  // namespace
}  // namespace octet::kernels_test
