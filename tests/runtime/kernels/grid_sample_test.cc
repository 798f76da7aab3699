// GridSample: every instruction set gives the bits of the reference.
#include <gtest/gtest.h>

#include "tests/runtime/kernels/kernel_list.h"
#include "tests/runtime/kernels/random.h"

namespace octet::kernels_test {
namespace {

// Half of a place along an axis: inside, near the edges, far away, or any bits.
uint16_t PlaceBits(Random& random, bool any_bits) {
  if (any_bits && random.OneIn(4)) return static_cast<uint16_t>(random.UInt(0, 65535));
  if (random.OneIn(6)) return FloatToHalf(random.Pick({-1.0f, 0.0f, 1.0f, -0.5f, 3.0f}));
  return FloatToHalf(random.OneIn(4) ? random.Float(-4, 4) : random.Float(-1.1f, 1.1f));
}

OCTET_KERNEL_SUITE(GridSampleF16, "grid_sample_f16");
// Every number of channels up to 40 and some above, every mode and padding.
TEST_P(GridSampleF16, EqualsReferenceToTheBit) {
  for (uint32_t round = 0; round < 450; ++round) {
    Random random(TestSeed() + 13300 + round);
    SCOPED_TRACE("seed " + std::to_string(TestSeed()) + " round " + std::to_string(round));
    const uint32_t channels = round % 45 + 1 > 40 ? random.UInt(41, 150) : round % 45 + 1;
    const uint32_t out_pixels = random.OneIn(4) ? random.UInt(17, 40) : random.UInt(1, 16);
    GridSampleF16Args args = {};
    args.params = {static_cast<blob::GridSampling>(round / 45 % 3),
                   static_cast<blob::GridPadding>(random.UInt(0, 2)),
                   static_cast<uint8_t>(random.UInt(0, 1)), 0};
    args.batch = random.UInt(1, 3);
    args.in_h = random.OneIn(5) ? 1 : random.UInt(1, 9);
    args.in_w = random.OneIn(5) ? 1 : random.UInt(1, 9);
    args.channels = channels;
    args.out_pixels = out_pixels;
    const uint32_t in_count = args.batch * args.in_h * args.in_w * channels;
    const uint32_t place_count = args.batch * out_pixels, out_count = place_count * channels;
    const GuardedBuffer::Place place = random.Place();
    const GuardedBuffer input(2 * size_t{in_count}, 2, place),
        grid(4 * size_t{place_count}, 2, place);
    const GuardedBuffer output(2 * size_t{out_count}, 2, place);
    const bool any_bits = random.OneIn(3);  // small and infinite ones and NaN among them
    for (uint32_t i = 0; i < in_count; ++i) {
      input.As<uint16_t>()[i] = any_bits && random.OneIn(3)
                                    ? static_cast<uint16_t>(random.UInt(0, 65535))
                                    : FloatToHalf(random.Float(-2, 3));
    }
    for (uint32_t i = 0; i < 2 * place_count; ++i) {
      grid.As<uint16_t>()[i] = PlaceBits(random, any_bits);
    }
    std::vector<uint16_t> expected(out_count);
    args.input = input.As<uint16_t>();
    args.grid = grid.As<uint16_t>();
    args.output = expected.data();
    grid_sample_f16_reference(args, Share{0, 1});
    args.output = output.As<uint16_t>();
    output.Poison(0x3C);
    const uint32_t threads = random.UInt(1, 3);
    for (uint32_t t = 0; t < threads; ++t) {
      GetParam().As<GridSampleF16Fn>()(args, Share{t, threads});
    }
    for (uint32_t i = 0; i < out_count; ++i) {
      ASSERT_EQ(expected[i], output.As<uint16_t>()[i]) << "half " << i << " of " << out_count;
    }
    ASSERT_TRUE(output.GuardsIntact());
  }
}

}  // namespace
}  // namespace octet::kernels_test
