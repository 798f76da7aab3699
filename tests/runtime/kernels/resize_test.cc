// Linear Resize: every instruction set gives the bits of the reference.
#include <gtest/gtest.h>

#include "tests/runtime/kernels/compare.h"
#include "tests/runtime/kernels/kernel_list.h"
#include "tests/runtime/kernels/random.h"

namespace octet::kernels_test {
namespace {

// Every number of channels up to 40 and some above; lines that fit a prepared one and longer ones;
// any taps, which need not be neighbours. The taps lie at the end of their own memory.
struct Case {
  Case(Random& random, uint32_t round)
      : channels(round % 45 + 1 > 40 ? random.UInt(41, 150) : round % 45 + 1),
        place(random.Place()),
        out_h(random.UInt(1, 9)),
        out_w(random.OneIn(6) ? random.UInt(40, 90) : random.UInt(1, 12)),
        taps(sizeof(blob::ResizeTap) * (out_h + out_w), 4, place) {
    const uint32_t in_w =
        random.OneIn(6) ? random.UInt(150, 1100 / channels + 160) : random.UInt(1, 9);
    const uint32_t in_h = random.UInt(1, 6);
    blob::ResizeTap* tap = taps.As<blob::ResizeTap>();
    for (uint32_t i = 0; i < out_h + out_w; ++i) {
      const uint32_t size = i < out_h ? in_h : in_w;
      const uint32_t weight = random.OneIn(5) ? random.Pick({0u, 2048u}) : random.UInt(0, 2048);
      tap[i] = {random.UInt(0, size - 1), random.UInt(0, size - 1), weight, 2048 - weight};
    }
    geometry = {random.UInt(1, 2), in_h, in_w, out_h, out_w, channels, tap, tap + out_h};
    in_count = geometry.batch * in_h * in_w * channels;
    out_count = geometry.batch * out_h * out_w * channels;
  }
  std::string Text() const {
    return "seed " + std::to_string(TestSeed()) + " channels " + std::to_string(channels) + " " +
           std::to_string(geometry.in_w) + " to " + std::to_string(out_w);
  }

  uint32_t channels;
  GuardedBuffer::Place place;
  uint32_t out_h, out_w;
  GuardedBuffer taps;
  ResizeGeometry geometry;
  uint32_t in_count, out_count;
};

OCTET_KERNEL_SUITE(ResizeLinearS8, "resize_linear_s8");
TEST_P(ResizeLinearS8, EqualsReference) {
  for (uint32_t round = 0; round < 270; ++round) {
    Random random(TestSeed() + 9500 + round);
    const Case c(random, round);
    SCOPED_TRACE(c.Text() + " round " + std::to_string(round));
    const GuardedBuffer input(c.in_count, 1, c.place), output(c.out_count, 1, c.place);
    FillActivations(random, input, random.OneIn(4));
    std::vector<uint8_t> expected(c.out_count);
    ResizeLinearS8Args args = {input.data(), expected.data(), c.geometry, 0};
    resize_linear_s8_reference(args, Share{0, 1});
    args.sign = GetParam().isa == Isa::kReference ? 0x80 : IsaSignByte(GetParam().isa);
    args.output = output.data();
    ApplySign(input, args.sign);
    output.Poison(0x3C);
    const uint32_t threads = random.UInt(1, 3);
    for (uint32_t t = 0; t < threads; ++t) {
      GetParam().As<ResizeLinearS8Fn>()(args, Share{t, threads});
    }
    ApplySign(output, args.sign);
    ASSERT_EQ(DifferenceS8(expected, {output.data(), output.data() + c.out_count}), "");
    ASSERT_TRUE(output.GuardsIntact());
  }
}

OCTET_KERNEL_SUITE(ResizeLinearF16, "resize_linear_f16");
TEST_P(ResizeLinearF16, EqualsReferenceToTheBit) {
  for (uint32_t round = 0; round < 270; ++round) {
    Random random(TestSeed() + 9600 + round);
    const Case c(random, round);
    SCOPED_TRACE(c.Text() + " round " + std::to_string(round));
    const GuardedBuffer input(2 * c.in_count, 2, c.place), output(2 * c.out_count, 2, c.place);
    const bool all_bits = random.OneIn(3);  // small and infinite ones and NaN among them
    for (uint32_t i = 0; i < c.in_count; ++i) {
      input.As<uint16_t>()[i] =
          all_bits ? static_cast<uint16_t>(random.Next()) : FloatToHalf(random.Float(-9, 9));
    }
    std::vector<uint16_t> expected(c.out_count);
    ResizeLinearF16Args args = {input.As<uint16_t>(), expected.data(), c.geometry};
    resize_linear_f16_reference(args, Share{0, 1});
    args.output = output.As<uint16_t>();
    output.Poison(0x3C);
    const uint32_t threads = random.UInt(1, 3);
    for (uint32_t t = 0; t < threads; ++t) {
      GetParam().As<ResizeLinearF16Fn>()(args, Share{t, threads});
    }
    for (uint32_t i = 0; i < c.out_count; ++i) {
      const uint16_t actual = output.As<uint16_t>()[i];
      const bool both_nan = (expected[i] & 0x7FFF) > 0x7C00 && (actual & 0x7FFF) > 0x7C00;
      ASSERT_TRUE(expected[i] == actual || both_nan)
          << "element " << i << ": " << expected[i] << ", " << actual;
    }
    ASSERT_TRUE(output.GuardsIntact());
  }
}

}  // namespace
}  // namespace octet::kernels_test
