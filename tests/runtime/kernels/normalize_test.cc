// FP16 normalizations: every instruction set gives the bits of the reference.
#include <gtest/gtest.h>

#include "tests/runtime/kernels/compare.h"
#include "tests/runtime/kernels/kernel_list.h"
#include "tests/runtime/kernels/random.h"

namespace octet::kernels_test {
namespace {

OCTET_KERNEL_SUITE(NormalizeF16, "normalize_f16");
TEST_P(NormalizeF16, EqualsReferenceToTheBit) {
  for (uint32_t round = 0; round < 250; ++round) {
    Random random(TestSeed() + 9700 + round);
    SCOPED_TRACE("seed " + std::to_string(TestSeed()) + " round " + std::to_string(round));
    blob::NormalizeParams p = {};
    p.view.rank = random.UInt(1, 4);
    uint32_t count = 1, parameters = 1;
    for (uint32_t d = 0; d < p.view.rank; ++d) {
      p.view.dims[d] = random.OneIn(3) ? random.UInt(1, 70) : random.UInt(1, 6);
      count *= p.view.dims[d];
    }
    p.view.reduced = random.UInt(0, (1u << p.view.rank) - 1);
    p.affine = random.UInt(0, (1u << p.view.rank) - 1);
    for (uint32_t d = 0; d < p.view.rank; ++d) {
      if (((p.affine >> d) & 1u) != 0) parameters *= p.view.dims[d];
    }
    p.kind = static_cast<blob::NormalizeKind>(random.UInt(0, blob::kNormalizeKindCount - 1));
    p.epsilon = 1e-3f;
    const GuardedBuffer::Place place = random.Place();
    const GuardedBuffer input(2 * size_t{count}, 2, place), output(2 * size_t{count}, 2, place);
    const GuardedBuffer table(8 * size_t{parameters}, 4, place);
    for (uint32_t i = 0; i < count; ++i) {
      input.As<uint16_t>()[i] = FloatToHalf(random.Float(-3, 5));
    }
    for (uint32_t i = 0; i < 2 * parameters; ++i) table.As<float>()[i] = random.Float(-1, 1);
    std::vector<uint16_t> expected(count);
    const bool has_table = !random.OneIn(3);
    NormalizeF16Args args = {&p, input.As<uint16_t>(), expected.data(),
                             has_table ? table.As<float>() : nullptr,
                             has_table ? table.As<float>() + parameters : nullptr};
    normalize_f16_reference(args, Share{0, 1});
    args.output = output.As<uint16_t>();
    output.Poison(0x3C);
    const uint32_t threads = random.UInt(1, 3);
    for (uint32_t t = 0; t < threads; ++t) {
      GetParam().As<NormalizeF16Fn>()(args, Share{t, threads});
    }
    for (uint32_t i = 0; i < count; ++i) {
      const uint16_t actual = output.As<uint16_t>()[i];
      ASSERT_EQ(expected[i], actual) << "element " << i << " of " << count;
    }
    ASSERT_TRUE(output.GuardsIntact());
  }
}

}  // namespace
}  // namespace octet::kernels_test
