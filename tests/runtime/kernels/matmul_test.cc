// Batched matrix products: every instruction set gives the bytes of the reference, FP16 too.
#include <gtest/gtest.h>

#include "runtime/kernels/matmul/scratch.h"
#include "tests/runtime/kernels/compare.h"
#include "tests/runtime/kernels/kernel_list.h"
#include "tests/runtime/kernels/random.h"

namespace octet::kernels_test {
namespace {

struct Case {
  blob::MatMulParams params = {};
  uint32_t a_count, b_count, out_count;
};

Case RandomCase(Random& random) {
  Case c;
  blob::MatMulParams& p = c.params;
  p.rows = random.UInt(1, random.OneIn(4) ? 150 : 11);
  p.columns = random.UInt(1, 80);
  p.depth = random.UInt(1, random.OneIn(4) ? 300 : 40);
  p.batch[0] = p.batch[1] = 1;
  p.batch[2] = random.UInt(1, 3);
  const auto strides = [&](uint32_t(&s)[5], uint32_t rows, uint32_t columns) {
    const bool turned = random.OneIn(2);
    // A batch dimension innermost is what images keep.
    const bool interleaved = random.OneIn(4);
    const uint32_t step = interleaved ? p.batch[2] : 1;
    s[2] = interleaved ? 1 : rows * columns;
    s[3] = (turned ? 1 : columns) * step;
    s[4] = (turned ? rows : 1) * step;
    return rows * columns * p.batch[2];
  };
  c.a_count = strides(p.a_strides, p.rows, p.depth);
  c.b_count = strides(p.b_strides, p.depth, p.columns);
  c.out_count = p.rows * p.columns * p.batch[2];
  p.multiplier = static_cast<int32_t>(random.Int(1 << 30, INT32_MAX));
  p.shift = static_cast<int32_t>(random.Int(8, 13));
  p.pre_shift = random.OneIn(4) ? 2 : 0;
  p.clamp_lo = -128;
  p.clamp_hi = random.OneIn(3) ? 90 : 127;
  return c;
}

OCTET_KERNEL_SUITE(MatMulS8, "matmul_s8");
TEST_P(MatMulS8, EqualsReference) {
  for (uint32_t round = 0; round < 150; ++round) {
    Random random(TestSeed() + 9000 + round);
    SCOPED_TRACE("seed " + std::to_string(TestSeed()) + " round " + std::to_string(round));
    const Case c = RandomCase(random);
    const GuardedBuffer::Place place = random.Place();
    const GuardedBuffer a(c.a_count, 1, place), b(c.b_count, 1, place);
    const GuardedBuffer output(c.out_count, 1, place);
    const GuardedBuffer scratch(MatMulPartsOf(c.params.depth, sizeof(int16_t)).bytes, 64);
    const bool extreme = random.OneIn(4);
    FillActivations(random, a, extreme);
    FillActivations(random, b, extreme);
    std::vector<uint8_t> expected(c.out_count);
    MatMulS8Args args = {&c.params,
                         a.data(),
                         b.data(),
                         expected.data(),
                         scratch.data(),
                         static_cast<int32_t>(random.Int(-128, 127)),
                         static_cast<int32_t>(random.Int(-128, 127)),
                         static_cast<int32_t>(random.Int(-128, 127)),
                         0};
    matmul_s8_reference(args, Share{0, 1});
    args.sign = GetParam().isa == Isa::kReference ? 0x80 : IsaSignByte(GetParam().isa);
    args.output = output.data();
    ApplySign(a, args.sign);
    ApplySign(b, args.sign);
    output.Poison(0x3C);
    const uint32_t threads = random.UInt(1, 3);
    for (uint32_t t = 0; t < threads; ++t) {
      scratch.Poison(0x7F);
      GetParam().As<MatMulS8Fn>()(args, Share{t, threads});
    }
    ApplySign(output, args.sign);
    ASSERT_EQ(DifferenceS8(expected, {output.data(), output.data() + c.out_count}), "");
    ASSERT_TRUE(output.GuardsIntact() && scratch.GuardsIntact());
  }
}

OCTET_KERNEL_SUITE(MatMulF16, "matmul_f16");
TEST_P(MatMulF16, EqualsReferenceToTheBit) {
  for (uint32_t round = 0; round < 150; ++round) {
    Random random(TestSeed() + 9500 + round);
    SCOPED_TRACE("seed " + std::to_string(TestSeed()) + " round " + std::to_string(round));
    const Case c = RandomCase(random);
    const GuardedBuffer::Place place = random.Place();
    const GuardedBuffer a(2 * c.a_count, 2, place), b(2 * c.b_count, 2, place);
    const GuardedBuffer output(2 * c.out_count, 2, place);
    const GuardedBuffer scratch(MatMulPartsOf(c.params.depth, sizeof(float)).bytes, 64);
    for (uint32_t i = 0; i < c.a_count; ++i) a.As<uint16_t>()[i] = FloatToHalf(random.Float(-2, 2));
    for (uint32_t i = 0; i < c.b_count; ++i) b.As<uint16_t>()[i] = FloatToHalf(random.Float(-2, 2));
    std::vector<uint16_t> expected(c.out_count);
    MatMulF16Args args = {&c.params, a.As<uint16_t>(), b.As<uint16_t>(), expected.data(),
                          scratch.data()};
    matmul_f16_reference(args, Share{0, 1});
    args.output = output.As<uint16_t>();
    output.Poison(0x3C);
    const uint32_t threads = random.UInt(1, 3);
    for (uint32_t t = 0; t < threads; ++t) {
      scratch.Poison(0x7F);
      GetParam().As<MatMulF16Fn>()(args, Share{t, threads});
    }
    const uint16_t* actual = output.As<uint16_t>();
    for (uint32_t i = 0; i < c.out_count; ++i) ASSERT_EQ(expected[i], actual[i]) << "element " << i;
    ASSERT_TRUE(output.GuardsIntact() && scratch.GuardsIntact());
  }
}

}  // namespace
}  // namespace octet::kernels_test
