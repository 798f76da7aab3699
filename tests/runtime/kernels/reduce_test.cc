// Reductions: every instruction set gives the bits of the reference.
#include <gtest/gtest.h>

#include "tests/runtime/kernels/compare.h"
#include "tests/runtime/kernels/kernel_list.h"
#include "tests/runtime/kernels/random.h"

namespace octet::kernels_test {
namespace {

OCTET_KERNEL_SUITE(ReduceF16, "reduce_f16");
TEST_P(ReduceF16, EqualsReferenceToTheBit) {
  for (uint32_t round = 0; round < 400; ++round) {
    Random random(TestSeed() + 12700 + round);
    SCOPED_TRACE("seed " + std::to_string(TestSeed()) + " round " + std::to_string(round));
    blob::ReduceParams p = {};
    p.view.rank = random.UInt(1, 4);
    p.view.reduced = random.UInt(0, (1u << p.view.rank) - 1);
    uint32_t count = 1, results = 1;
    for (uint32_t d = 0; d < p.view.rank; ++d) {
      p.view.dims[d] = random.OneIn(3) ? random.UInt(1, 70) : random.UInt(1, 6);
      count *= p.view.dims[d];
      if (((p.view.reduced >> d) & 1u) == 0) results *= p.view.dims[d];
    }
    p.kind = static_cast<blob::ReduceKind>(
        random.UInt(0, static_cast<uint32_t>(blob::ReduceKind::kLogSumExp)));
    const GuardedBuffer::Place place = random.Place();
    const GuardedBuffer input(2 * size_t{count}, 2, place), output(2 * size_t{results}, 2, place);
    const bool odd = random.OneIn(4);
    for (uint32_t i = 0; i < count; ++i) {
      input.As<uint16_t>()[i] = odd && random.OneIn(20)
                                    ? static_cast<uint16_t>(random.UInt(0, 65535))
                                    : FloatToHalf(random.Float(-2, 3));
    }
    std::vector<uint16_t> expected(results);
    ReduceF16Args args = {&p, input.As<uint16_t>(), expected.data()};
    reduce_f16_reference(args, Share{0, 1});
    args.output = output.As<uint16_t>();
    output.Poison(0x3C);
    const uint32_t threads = random.UInt(1, 3);
    for (uint32_t t = 0; t < threads; ++t) GetParam().As<ReduceF16Fn>()(args, Share{t, threads});
    for (uint32_t i = 0; i < results; ++i) {
      const uint16_t actual = output.As<uint16_t>()[i];
      const bool both_nan = (expected[i] & 0x7FFF) > 0x7C00 && (actual & 0x7FFF) > 0x7C00;
      ASSERT_TRUE(both_nan || expected[i] == actual) << "result " << i << " of " << results;
    }
    ASSERT_TRUE(output.GuardsIntact());
  }
}

OCTET_KERNEL_SUITE(ReduceS8, "reduce_s8");
// Any axes; runs and columns of every length up to 70; sums that saturate; factors of a half and
// more, which have a pre-shift.
TEST_P(ReduceS8, EqualsReference) {
  constexpr blob::ReduceKind kKinds[] = {blob::ReduceKind::kSum, blob::ReduceKind::kMean,
                                         blob::ReduceKind::kMax, blob::ReduceKind::kMin};
  for (uint32_t round = 0; round < 840; ++round) {
    Random random(TestSeed() + 14200 + round);
    SCOPED_TRACE("seed " + std::to_string(TestSeed()) + " round " + std::to_string(round));
    blob::ReduceParams p = {};
    p.view.rank = random.UInt(1, 5);
    p.view.reduced = random.UInt(0, (1u << p.view.rank) - 1);
    uint32_t count = 1, results = 1;
    for (uint32_t d = 0; d < p.view.rank; ++d) {
      const bool is_last = d + 1 == p.view.rank;
      p.view.dims[d] = is_last                              ? round % 70 + 1
                       : random.OneIn(3) && p.view.rank < 4 ? random.UInt(1, 70)
                                                            : random.UInt(1, 5);
      count *= p.view.dims[d];
      if (((p.view.reduced >> d) & 1u) == 0) results *= p.view.dims[d];
    }
    p.kind = kKinds[random.UInt(0, 3)];
    p.pre_shift = static_cast<uint8_t>(random.OneIn(4) ? random.UInt(0, 15) : 0);
    p.multiplier = random.OneIn(20) ? 0 : static_cast<int32_t>(random.Int(1 << 30, INT32_MAX));
    p.shift = static_cast<int32_t>(random.UInt(1, random.OneIn(3) ? 31 : 8));
    const GuardedBuffer::Place place = random.Place();
    const GuardedBuffer input(count, 1, place), output(results, 1, place);
    FillActivations(random, input, random.OneIn(4));
    std::vector<uint8_t> expected(results);
    ReduceS8Args args = {&p, input.data(), expected.data(), 0, 0, 0};
    args.zero_point =
        random.OneIn(3) ? random.Pick({-128, 127}) : static_cast<int32_t>(random.Int(-128, 127));
    args.out_zero_point =
        random.OneIn(3) ? random.Pick({-128, 127}) : static_cast<int32_t>(random.Int(-128, 127));
    reduce_s8_reference(args, Share{0, 1});
    args.sign = GetParam().isa == Isa::kReference ? 0x80 : IsaSignByte(GetParam().isa);
    ApplySign(input, args.sign);
    args.output = output.data();
    output.Poison(0x3C);
    const uint32_t threads = random.UInt(1, 3);
    for (uint32_t t = 0; t < threads; ++t) GetParam().As<ReduceS8Fn>()(args, Share{t, threads});
    ApplySign(output, args.sign);
    ASSERT_EQ(DifferenceS8(expected, {output.data(), output.data() + results}), "");
    ASSERT_TRUE(output.GuardsIntact());
  }
}

}  // namespace
}  // namespace octet::kernels_test
