// Rows of elementwise layers: every instruction set gives the bytes of the reference.
#include <gtest/gtest.h>

#include "runtime/quant/requantize.h"
#include "tests/runtime/kernels/compare.h"
#include "tests/runtime/kernels/kernel_list.h"
#include "tests/runtime/kernels/random.h"

namespace octet::kernels_test {
namespace {

using blob::Elementwise;

uint32_t RandomCount(Random& random) {
  return random.OneIn(4) ? random.UInt(1, 700) : random.UInt(1, 40);
}

// Every pattern of 16 bits, often the ones that functions treat apart.
uint16_t RandomHalf(Random& random) {
  if (random.OneIn(3)) return static_cast<uint16_t>(random.Next());
  if (random.OneIn(2)) return FloatToHalf(random.Float(-4, 4));
  return random.Pick<uint16_t>({0x0000, 0x8000, 0x0001, 0x8001, 0x3C00, 0xBC00, 0x7BFF, 0x7C00,
                                0xFC00, 0x7C01, 0xFE37, 0x7E00});
}

OCTET_KERNEL_SUITE(ElementwiseF16, "elementwise_f16");
TEST_P(ElementwiseF16, EqualsReferenceToTheBit) {
  for (uint32_t round = 0; round < 3000; ++round) {
    Random random(TestSeed() + 20000 + round);
    blob::ElementwiseParams p = {};
    do {
      p.function = static_cast<Elementwise>(random.UInt(0, blob::kElementwiseCount - 1));
    } while (!TraitsOf(p.function).on_halves && p.function != Elementwise::kWhere);
    SCOPED_TRACE("seed " + std::to_string(TestSeed()) + " round " + std::to_string(round) +
                 " function " + std::to_string(static_cast<int>(p.function)));
    const ElementwiseTraits& traits = TraitsOf(p.function);
    if (!traits.is_test && p.function != Elementwise::kWhere && random.OneIn(2)) {
      p.activation = random.Pick({blob::Function::kClamp, blob::Function::kLeakyRelu,
                                  blob::Function::kSilu, blob::Function::kHardSwish});
      p.alpha = p.activation == blob::Function::kClamp ? 0.0f : 0.125f;
      p.beta = 6.0f;
    }
    const uint32_t count = RandomCount(random);
    const GuardedBuffer::Place place = random.Place();
    ElementwiseArgs args = {};
    args.params = &p;
    args.count = count;
    const GuardedBuffer one(4, 4), row(size_t{4} * count, 4, place);
    const GuardedBuffer halves[3] = {GuardedBuffer(size_t{2} * count, 2, place),
                                     GuardedBuffer(size_t{2} * count, 2, place),
                                     GuardedBuffer(2, 2)};
    for (const GuardedBuffer& buffer : halves) {
      for (size_t i = 0; i < buffer.size() / 2; ++i) buffer.As<uint16_t>()[i] = RandomHalf(random);
    }
    for (uint32_t i = 0; i < count; ++i) row.As<int32_t>()[i] = random.OneIn(2) ? 0 : 7;
    *one.As<int32_t>() = random.OneIn(2) ? 1 : 0;
    for (uint32_t k = 0; k < traits.operands; ++k) {
      args.step[k] = random.OneIn(3) ? 0 : 1;
      if (p.function == Elementwise::kWhere && k == 0) {
        args.operand[k] = args.step[k] == 0 ? one.data() : row.data();
      } else {
        args.operand[k] = args.step[k] == 0 ? halves[2].data() : halves[k % 2].data();
      }
    }
    // An operand that the function does not have stays null: nobody reads it.
    const size_t bytes = size_t{count} * (traits.is_test ? 4 : 2);
    std::vector<uint8_t> expected(bytes);
    const GuardedBuffer output(bytes, traits.is_test ? 4 : 2, place);
    args.output = expected.data();
    elementwise_f16_reference(args, Share{0, 1});
    args.output = output.data();
    output.Poison(0x3C);
    GetParam().As<ElementwiseFn>()(args, Share{0, 1});
    ASSERT_EQ(expected, std::vector<uint8_t>(output.data(), output.data() + bytes));
    ASSERT_TRUE(output.GuardsIntact());
  }
}

// Factors as the writer makes them, and the ends of what the check lets pass.
void SetFactors(Random& random, blob::ElementwiseParams* p) {
  if (p->function == Elementwise::kAdd) {
    const int32_t most = random.OneIn(4) ? (1 << 15) - 1 : (1 << 30) - 1;
    const bool is_extreme = random.OneIn(4);
    p->multiplier_a = is_extreme ? most : static_cast<int32_t>(random.Int(-most, most));
    p->multiplier_b =
        is_extreme ? random.Pick({most, -most}) : static_cast<int32_t>(random.Int(-most, most));
    p->shift =
        static_cast<int32_t>(random.OneIn(2) ? random.Int(1, kMaxSumShift) : random.Int(28, 33));
    return;
  }
  p->multiplier_a = random.OneIn(20) ? 0 : static_cast<int32_t>(random.Int(1 << 30, INT32_MAX));
  p->shift = p->multiplier_a == 0
                 ? 1
                 : static_cast<int32_t>(random.OneIn(4) ? random.Int(1, 31) : random.Int(5, 12));
  p->pre_shift = static_cast<uint8_t>(random.OneIn(3) ? random.Int(1, kMaxPreShift) : 0);
}

OCTET_KERNEL_SUITE(ElementwiseS8, "elementwise_s8");
TEST_P(ElementwiseS8, EqualsReference) {
  for (uint32_t round = 0; round < 3000; ++round) {
    Random random(TestSeed() + 30000 + round);
    blob::ElementwiseParams p = {};
    p.function =
        random.Pick({Elementwise::kAdd, Elementwise::kAdd, Elementwise::kMul, Elementwise::kPRelu,
                     Elementwise::kDiv, Elementwise::kMin, Elementwise::kMax, Elementwise::kWhere});
    SCOPED_TRACE("seed " + std::to_string(TestSeed()) + " round " + std::to_string(round) +
                 " function " + std::to_string(static_cast<int>(p.function)));
    SetFactors(random, &p);
    p.clamp_lo = static_cast<int8_t>(random.OneIn(2) ? -128 : random.Int(-128, 0));
    p.clamp_hi = static_cast<int8_t>(random.OneIn(2) ? 127 : random.Int(1, 127));
    const uint32_t count = RandomCount(random);
    const GuardedBuffer::Place place = random.Place();
    ElementwiseArgs args = {};
    args.params = &p;
    args.count = count;
    int8_t tables[512];
    for (int8_t& entry : tables) entry = static_cast<int8_t>(random.Next());
    args.table = tables;
    args.zero_point_a = static_cast<int32_t>(random.Int(-128, 127));
    args.zero_point_b = static_cast<int32_t>(random.Int(-128, 127));
    args.out_zero_point = static_cast<int32_t>(random.Int(-128, 127));
    const GuardedBuffer condition(size_t{4} * count, 4, place);
    for (uint32_t i = 0; i < count; ++i) condition.As<int32_t>()[i] = random.OneIn(2) ? 0 : -3;
    const uint32_t first = p.function == Elementwise::kWhere ? 1 : 0;
    args.operand[0] = condition.data();
    args.step[0] = random.OneIn(3) ? 0 : 1;
    const uint32_t steps[2] = {random.OneIn(3) ? 0u : 1u, random.OneIn(3) ? 0u : 1u};
    const GuardedBuffer a(steps[0] == 0 ? 1 : count, 1, place);
    const GuardedBuffer b(steps[1] == 0 ? 1 : count, 1, place);
    const GuardedBuffer* operands[2] = {&a, &b};
    for (uint32_t k = 0; k < 2; ++k) {
      FillActivations(random, *operands[k], random.OneIn(4));
      args.operand[first + k] = operands[k]->data();
      args.step[first + k] = steps[k];
    }
    std::vector<uint8_t> expected(count);
    args.output = expected.data();
    elementwise_s8_reference(args, Share{0, 1});
    args.sign = GetParam().isa == Isa::kReference ? 0x80 : IsaSignByte(GetParam().isa);
    ApplySign(a, args.sign);
    ApplySign(b, args.sign);
    const GuardedBuffer output(count, 1, place);
    args.output = output.data();
    output.Poison(0x3C);
    GetParam().As<ElementwiseFn>()(args, Share{0, 1});
    ApplySign(output, args.sign);
    ASSERT_EQ(DifferenceS8(expected, {output.data(), output.data() + count}), "");
    ASSERT_TRUE(output.GuardsIntact());
  }
}

}  // namespace
}  // namespace octet::kernels_test
