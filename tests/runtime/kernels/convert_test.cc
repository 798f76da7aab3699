// int8 <-> FP16: every instruction set gives the bits of the reference.
#include <gtest/gtest.h>

#include "tests/runtime/kernels/compare.h"
#include "tests/runtime/kernels/kernel_list.h"
#include "tests/runtime/kernels/random.h"

namespace octet::kernels_test {
namespace {

// `bytes` of the output as the reference and the kernel under test write them.
template <typename Kernel>
void ExpectSame(ConvertArgs args, ConvertFn reference, Kernel kernel, uint32_t threads,
                const GuardedBuffer& output) {
  std::vector<uint8_t> expected(output.size());
  args.output = expected.data();
  reference(args, Share{0, 1});
  args.output = output.data();
  output.Poison(0x3C);
  for (uint32_t t = 0; t < threads; ++t) kernel(args, Share{t, threads});
  for (size_t i = 0; i < output.size(); ++i) {
    ASSERT_EQ(expected[i], output.data()[i]) << "byte " << i << " of " << output.size();
  }
  ASSERT_TRUE(output.GuardsIntact());
}

ConvertArgs RandomArgs(Random& random, uint32_t count) {
  ConvertArgs args = {};
  args.count = count;
  args.zero_point = static_cast<int32_t>(random.Int(-128, 127));
  args.sign = random.OneIn(2) ? 0x80 : 0;
  // Scales from subnormal halves to those that overflow.
  const float scales[] = {1e-9f, 3e-7f, 0.0123f, 1.0f / 255, 1.0f, 37.5f, 400.0f, 1e6f};
  args.factor = scales[random.UInt(0, 7)] * random.Float(0.5f, 2.0f);
  return args;
}

OCTET_KERNEL_SUITE(ConvertToHalves, "convert_f16");
TEST_P(ConvertToHalves, EqualsReference) {
  for (uint32_t round = 0; round < 200; ++round) {
    Random random(TestSeed() + 12100 + round);
    const uint32_t count = round < 70 ? round + 1 : random.UInt(1, 3000);
    SCOPED_TRACE("seed " + std::to_string(TestSeed()) + " round " + std::to_string(round));
    const GuardedBuffer::Place place = random.Place();
    const GuardedBuffer input(count, 1, place), output(2 * size_t{count}, 2, place);
    FillActivations(random, input, false);
    ConvertArgs args = RandomArgs(random, count);
    args.input = input.data();
    ExpectSame(args, convert_f16_reference, GetParam().As<ConvertFn>(), random.UInt(1, 3), output);
  }
}

OCTET_KERNEL_SUITE(ConvertToInt8, "convert_s8");
TEST_P(ConvertToInt8, EqualsReference) {
  for (uint32_t round = 0; round < 200; ++round) {
    Random random(TestSeed() + 12400 + round);
    const uint32_t count = round < 70 ? round + 1 : random.UInt(1, 3000);
    SCOPED_TRACE("seed " + std::to_string(TestSeed()) + " round " + std::to_string(round));
    const GuardedBuffer::Place place = random.Place();
    const GuardedBuffer input(2 * size_t{count}, 2, place), output(count, 1, place);
    ConvertArgs args = RandomArgs(random, count);
    for (uint32_t i = 0; i < count; ++i) {
      // Numbers near ties, and any bits: NaN, infinities, subnormals.
      const float step = static_cast<float>(random.Int(-300, 300)) * 0.5f / args.factor;
      input.As<uint16_t>()[i] =
          random.OneIn(3) ? static_cast<uint16_t>(random.UInt(0, 65535)) : FloatToHalf(step);
    }
    args.input = input.data();
    ExpectSame(args, convert_s8_reference, GetParam().As<ConvertFn>(), random.UInt(1, 3), output);
  }
}

}  // namespace
}  // namespace octet::kernels_test
