// Softmax of FP16 rows: every instruction set gives the bits of the reference.
#include <gtest/gtest.h>

#include "tests/runtime/kernels/compare.h"
#include "tests/runtime/kernels/kernel_list.h"
#include "tests/runtime/kernels/random.h"

namespace octet::kernels_test {
namespace {

OCTET_KERNEL_SUITE(SoftmaxF16, "softmax_f16");
TEST_P(SoftmaxF16, EqualsReferenceToTheBit) {
  for (uint32_t round = 0; round < 200; ++round) {
    Random random(TestSeed() + 9900 + round);
    const uint32_t count = round < 40 ? round + 1 : random.UInt(1, random.OneIn(8) ? 3000 : 200);
    const uint32_t rows = random.UInt(1, 5);
    SCOPED_TRACE("seed " + std::to_string(TestSeed()) + " round " + std::to_string(round) +
                 " count " + std::to_string(count));
    const GuardedBuffer::Place place = random.Place();
    const GuardedBuffer input(2 * rows * count, 2, place), output(2 * rows * count, 2, place);
    for (uint32_t i = 0; i < rows * count; ++i) {
      uint16_t half = FloatToHalf(random.Float(-12, 12));
      if (random.OneIn(400)) half = random.Pick<uint16_t>({0x7C00, 0xFC00, 0x7E00, 0x8000});
      input.As<uint16_t>()[i] = half;
    }
    std::vector<uint16_t> expected(rows * count);
    SoftmaxF16Args args = {input.As<uint16_t>(), expected.data(), rows, count};
    softmax_f16_reference(args, Share{0, 1});
    args.output = output.As<uint16_t>();
    output.Poison(0x3C);
    const uint32_t threads = random.UInt(1, 3);
    for (uint32_t t = 0; t < threads; ++t) GetParam().As<SoftmaxF16Fn>()(args, Share{t, threads});
    for (uint32_t i = 0; i < rows * count; ++i) {
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
