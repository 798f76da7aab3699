// Max and average pooling: every instruction set against the reference.
#include <gtest/gtest.h>

#include "tests/runtime/kernels/compare.h"
#include "tests/runtime/kernels/conv_case.h"
#include "tests/runtime/kernels/kernel_list.h"

namespace octet::kernels_test {
namespace {

constexpr int kCases = 200;

// Windows of 2x2 over whole vectors of channels, which have a way of their own.
void MakeTwoByTwo(Random& random, ConvGeometry* g) {
  g->in_c = g->out_c = g->groups = 8 * random.UInt(1, 8);
  g->kernel_h = g->kernel_w = 2;
  g->stride_h = g->stride_w = random.UInt(1, 3);
  g->dilation_h = g->dilation_w = random.OneIn(4) ? 2 : 1;
  const uint32_t extent = g->dilation_h + 1;
  g->in_h += extent;
  g->in_w += extent;
  g->pad_top = random.UInt(0, 1);
  g->pad_left = random.UInt(0, 1);
  g->out_h = (g->in_h + g->pad_top + random.UInt(0, 1) - extent) / g->stride_h + 1;
  g->out_w = (g->in_w + g->pad_left + random.UInt(0, 1) - extent) / g->stride_w + 1;
}

// Windows that always hold at least one image pixel, as the validator demands; sometimes the whole
// image.
ConvGeometry RandomPoolGeometry(Random& random) {
  for (;;) {
    ConvGeometry g = RandomConvGeometry(random, true);
    if (random.OneIn(4)) g.in_c = g.out_c = random.UInt(90, 230);  // several vectors at once
    if (random.OneIn(4)) MakeTwoByTwo(random, &g);
    if (random.OneIn(4)) {  // global, with more taps than 16-bit sums hold
      if (random.OneIn(2)) g.in_h = g.in_w = random.UInt(17, 24);
      g.kernel_h = g.in_h;
      g.kernel_w = g.in_w;
      g.stride_h = g.stride_w = g.dilation_h = g.dilation_w = g.out_h = g.out_w = 1;
      g.pad_top = g.pad_left = 0;
      return g;
    }
    bool valid = true;
    for (uint32_t p = 0; p < g.out_h * g.out_w && valid; ++p) {
      valid = false;
      for (uint32_t t = 0; t < g.kernel_h * g.kernel_w; ++t) {
        const int64_t y =
            int64_t{p / g.out_w} * g.stride_h + t / g.kernel_w * g.dilation_h - int64_t{g.pad_top};
        const int64_t x =
            int64_t{p % g.out_w} * g.stride_w + t % g.kernel_w * g.dilation_w - int64_t{g.pad_left};
        valid = valid || (y >= 0 && y < g.in_h && x >= 0 && x < g.in_w);
      }
    }
    if (valid) return g;
  }
}

void CheckS8(const Kernel& kernel, PoolS8Fn reference) {
  for (int i = 0; i < kCases; ++i) {
    Random random(TestSeed() + 5000 + static_cast<uint64_t>(i));
    const ConvGeometry g = RandomPoolGeometry(random);
    SCOPED_TRACE("seed " + std::to_string(TestSeed()) + " case " + std::to_string(i) + ": " +
                 Describe(g));
    const GuardedBuffer::Place place = random.Place();
    const uint32_t taps = g.kernel_h * g.kernel_w;
    const GuardedBuffer input(size_t{1} * g.in_h * g.in_w * g.in_c, 1, place);
    const size_t count = size_t{1} * g.out_h * g.out_w * g.in_c;
    const GuardedBuffer output(count, 1, place);
    const uint32_t multiplier_count = random.OneIn(2) ? 1 : taps;
    const GuardedBuffer multipliers(multiplier_count * sizeof(Multiplier), 4, place);
    FillActivations(random, input, random.OneIn(4));
    if (random.OneIn(4)) input.Poison(0x7F);  // the largest sums
    for (uint32_t n = 0; n < multiplier_count; ++n) {
      int32_t shift = 1;
      while ((2u << shift) < n + 1 || (multiplier_count == 1 && (2u << shift) < taps)) ++shift;
      multipliers.As<Multiplier>()[n] = {static_cast<int32_t>(random.Int(1 << 30, INT32_MAX)),
                                         shift};
    }
    PoolS8Args args{};
    args.g = g;
    args.input = input.data();
    args.multipliers = multipliers.As<Multiplier>();
    args.multiplier_count = multiplier_count;
    args.count_include_pad = multiplier_count == 1 ? 1 : 0;
    args.in_zero_point = static_cast<int32_t>(random.Int(-128, 127));
    args.out_zero_point = static_cast<int32_t>(random.Int(-128, 127));
    args.clamp_lo = random.OneIn(2) ? -128 : static_cast<int32_t>(random.Int(-128, 0));
    args.clamp_hi = random.OneIn(2) ? 127 : static_cast<int32_t>(random.Int(1, 127));
    args.pre_shift = random.OneIn(4) ? static_cast<int32_t>(random.Int(1, kMaxPreShift)) : 0;
    std::vector<uint8_t> expected(count);
    args.output = expected.data();
    reference(args, Share{0, 1});

    args.sign = kernel.isa == Isa::kReference ? 0x80 : IsaSignByte(kernel.isa);
    args.output = output.data();
    ApplySign(input, args.sign);
    output.Poison(0x3C);
    const uint32_t threads = random.UInt(1, 3);
    for (uint32_t t = 0; t < threads; ++t) {
      kernel.As<PoolS8Fn>()(args, Share{t, threads});
    }
    ApplySign(output, args.sign);
    EXPECT_EQ(DifferenceS8(expected, {output.data(), output.data() + count}), "");
    EXPECT_TRUE(output.GuardsIntact());
    if (::testing::Test::HasFailure()) return;
  }
}

void CheckF16(const Kernel& kernel, PoolF16Fn reference) {
  for (int i = 0; i < kCases; ++i) {
    Random random(TestSeed() + 6000 + static_cast<uint64_t>(i));
    const ConvGeometry g = RandomPoolGeometry(random);
    SCOPED_TRACE("seed " + std::to_string(TestSeed()) + " case " + std::to_string(i) + ": " +
                 Describe(g));
    const GuardedBuffer::Place place = random.Place();
    const GuardedBuffer input(size_t{2} * g.in_h * g.in_w * g.in_c, 2, place);
    const size_t count = size_t{1} * g.out_h * g.out_w * g.in_c;
    const GuardedBuffer output(2 * count, 2, place);
    for (size_t k = 0; k < input.size() / 2; ++k) {
      input.As<uint16_t>()[k] = FloatToHalf(random.Float(-4, 4));
    }
    PoolF16Args args{};
    args.g = g;
    args.input = input.As<uint16_t>();
    args.count_include_pad = random.OneIn(2) ? 1 : 0;
    std::vector<uint16_t> expected(count);
    args.output = expected.data();
    reference(args, Share{0, 1});
    args.output = output.As<uint16_t>();
    output.Poison(0x3C);
    const uint32_t threads = random.UInt(1, 3);
    for (uint32_t t = 0; t < threads; ++t) {
      kernel.As<PoolF16Fn>()(args, Share{t, threads});
    }
    EXPECT_EQ(DifferenceF16(expected, {output.As<uint16_t>(), output.As<uint16_t>() + count}), "");
    EXPECT_TRUE(output.GuardsIntact());
    if (::testing::Test::HasFailure()) return;
  }
}

OCTET_KERNEL_SUITE(MaxPoolS8, "max_pool_s8");
TEST_P(MaxPoolS8, EqualsReference) {
  CheckS8(GetParam(), &max_pool_s8_reference);
}
OCTET_KERNEL_SUITE(AveragePoolS8, "average_pool_s8");
TEST_P(AveragePoolS8, EqualsReference) {
  CheckS8(GetParam(), &average_pool_s8_reference);
}
OCTET_KERNEL_SUITE(MaxPoolF16, "max_pool_f16");
TEST_P(MaxPoolF16, AgreesWithReference) {
  CheckF16(GetParam(), &max_pool_f16_reference);
}
OCTET_KERNEL_SUITE(AveragePoolF16, "average_pool_f16");
TEST_P(AveragePoolF16, AgreesWithReference) {
  CheckF16(GetParam(), &average_pool_f16_reference);
}

}  // namespace
}  // namespace octet::kernels_test
