// Copies of short runs: every length, at distances of their own, by every instruction set.
#include <gtest/gtest.h>

#include "tests/runtime/kernels/kernel_list.h"
#include "tests/runtime/kernels/random.h"

namespace octet::kernels_test {
namespace {

OCTET_KERNEL_SUITE(CopyRunsKernel, "copy_runs");
TEST_P(CopyRunsKernel, CopiesWhatItIsToldAndNothingElse) {
  Random random(TestSeed() + 15100);
  for (uint32_t bytes = 1; bytes <= 300; ++bytes) {
    SCOPED_TRACE("seed " + std::to_string(TestSeed()) + " bytes " + std::to_string(bytes));
    const uint32_t count = random.UInt(1, 11);
    const uint32_t to_step = bytes + (random.OneIn(3) ? 0 : random.UInt(1, 40));
    const uint32_t from_step = bytes + (random.OneIn(3) ? 0 : random.UInt(1, 40));
    const GuardedBuffer::Place place = random.Place();
    const GuardedBuffer from((count - 1) * from_step + bytes, 1, place);
    const GuardedBuffer to((count - 1) * to_step + bytes, 1, place);
    FillActivations(random, from, false);
    to.Poison(0x3C);
    const CopyRunsArgs args = {to.data(), from.data(), to_step, from_step, count, bytes};
    GetParam().As<CopyRunsFn>()(args, Share{0, 1});
    for (uint32_t i = 0; i < to.size(); ++i) {
      const uint32_t run = i / to_step, at = i % to_step;
      ASSERT_EQ(to.data()[i], at < bytes ? from.data()[run * from_step + at] : 0x3C)
          << "byte " << i;
    }
    ASSERT_TRUE(to.GuardsIntact());
  }
}

}  // namespace
}  // namespace octet::kernels_test
