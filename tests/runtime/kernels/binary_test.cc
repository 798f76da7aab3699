// Add, Mul and Div: every instruction set against the reference, in place and with every broadcast.
#include <gtest/gtest.h>

#include <cstring>

#include "runtime/quant/requantize.h"
#include "tests/runtime/kernels/compare.h"
#include "tests/runtime/kernels/kernel_list.h"
#include "tests/runtime/kernels/random.h"

namespace octet::kernels_test {
namespace {

using blob::Broadcast;
using blob::Function;

constexpr int kCases = 200;

struct Sizes {
  uint32_t pixels, channels, b_count;
  Broadcast broadcast;
};

Sizes RandomSizes(Random& random) {
  Sizes s;
  s.pixels = random.UInt(1, random.OneIn(3) ? 200 : 9);
  s.channels = random.OneIn(4) ? 16 * random.UInt(1, 6) : random.UInt(1, 70);
  s.broadcast = random.Pick<Broadcast>({Broadcast::kNone, Broadcast::kNone, Broadcast::kChannel,
                                        Broadcast::kScalar, Broadcast::kSpatial});
  s.b_count = s.broadcast == Broadcast::kNone      ? s.pixels * s.channels
              : s.broadcast == Broadcast::kChannel ? s.channels
              : s.broadcast == Broadcast::kScalar  ? 1
                                                   : s.pixels;
  return s;
}

std::string Describe(const Sizes& s, int i) {
  return "seed " + std::to_string(TestSeed()) + " case " + std::to_string(i) + ": pixels " +
         std::to_string(s.pixels) + " channels " + std::to_string(s.channels) + " broadcast " +
         std::to_string(static_cast<int>(s.broadcast));
}

// As the writer makes them: Add takes two 16-bit factors, Mul and Div a factor of 31 bits.
BinaryS8Args RandomArgs(Random& random, const std::string& name, const Sizes& s) {
  BinaryS8Args args{};
  args.pixels = s.pixels;
  args.channels = s.channels;
  args.broadcast = s.broadcast;
  args.zero_point_a = static_cast<int32_t>(random.Int(-128, 127));
  args.zero_point_b = static_cast<int32_t>(random.Int(-128, 127));
  args.out_zero_point = static_cast<int32_t>(random.Int(-128, 127));
  args.clamp_lo = random.OneIn(2) ? -128 : static_cast<int32_t>(random.Int(-128, 0));
  args.clamp_hi = random.OneIn(2) ? 127 : static_cast<int32_t>(random.Int(1, 127));
  if (name == "add_s8") {
    args.multiplier_a = static_cast<int32_t>(random.Int(-32767, 32767));
    args.multiplier_b = static_cast<int32_t>(random.Int(-32767, 32767));
    args.shift = static_cast<int32_t>(random.OneIn(8) ? random.Int(1, 30) : random.Int(13, 17));
  } else if (name == "mul_s8") {
    args.multiplier_a = static_cast<int32_t>(random.Int(1 << 30, INT32_MAX));
    args.pre_shift = random.OneIn(3) ? static_cast<int32_t>(random.Int(1, kMaxPreShift)) : 0;
    args.shift = static_cast<int32_t>(random.OneIn(8) ? random.Int(1, 31) : random.Int(4, 9));
  } else {
    args.multiplier_a = static_cast<int32_t>(random.Int(1, INT32_MAX));
    args.shift = static_cast<int32_t>(random.Int(0, 40));
    args.swap = random.OneIn(2) ? 1 : 0;
  }
  return args;
}

void CheckS8(const Kernel& kernel, BinaryS8Fn reference) {
  for (int i = 0; i < kCases; ++i) {
    Random random(TestSeed() + 3000 + static_cast<uint64_t>(i));
    const Sizes s = RandomSizes(random);
    SCOPED_TRACE(Describe(s, i));
    const GuardedBuffer::Place place = random.Place();
    const size_t count = size_t{1} * s.pixels * s.channels;
    const GuardedBuffer a(count, 1, place), b(s.b_count, 1, place), output(count, 1, place);
    const bool extreme = random.OneIn(4);
    FillActivations(random, a, extreme);
    FillActivations(random, b, extreme);
    BinaryS8Args args = RandomArgs(random, kernel.name, s);
    args.a = a.data();
    args.b = b.data();
    std::vector<uint8_t> expected(count);
    args.output = expected.data();
    reference(args, Share{0, 1});

    const bool in_place = random.OneIn(3);
    args.sign = kernel.isa == Isa::kReference ? 0x80 : IsaSignByte(kernel.isa);
    args.output = in_place ? a.data() : output.data();
    ApplySign(a, args.sign);
    ApplySign(b, args.sign);
    output.Poison(0x3C);
    const uint32_t threads = random.UInt(1, 3);
    for (uint32_t t = 0; t < threads; ++t) kernel.As<BinaryS8Fn>()(args, Share{t, threads});
    const GuardedBuffer& result = in_place ? a : output;
    ApplySign(result, args.sign);
    EXPECT_EQ(DifferenceS8(expected, {result.data(), result.data() + count}), "");
    EXPECT_TRUE(result.GuardsIntact());
    if (::testing::Test::HasFailure()) return;
  }
}

void CheckF16(const Kernel& kernel, BinaryF16Fn reference) {
  for (int i = 0; i < kCases; ++i) {
    Random random(TestSeed() + 4000 + static_cast<uint64_t>(i));
    const Sizes s = RandomSizes(random);
    SCOPED_TRACE(Describe(s, i));
    const GuardedBuffer::Place place = random.Place();
    const size_t count = size_t{1} * s.pixels * s.channels;
    const GuardedBuffer a(2 * count, 2, place), b(2 * s.b_count, 2, place);
    const GuardedBuffer output(2 * count, 2, place);
    for (size_t k = 0; k < count; ++k) a.As<uint16_t>()[k] = FloatToHalf(random.Float(-3, 3));
    for (size_t k = 0; k < s.b_count; ++k) {  // apart from 0, for Div
      const float x = random.Float(0.25f, 3);
      b.As<uint16_t>()[k] = FloatToHalf(random.OneIn(2) ? x : -x);
    }
    BinaryF16Args args{};
    args.a = a.As<uint16_t>();
    args.b = b.As<uint16_t>();
    args.pixels = s.pixels;
    args.channels = s.channels;
    args.broadcast = s.broadcast;
    args.function = random.Pick<Function>({Function::kIdentity, Function::kClamp, Function::kSilu,
                                           Function::kHardSwish, Function::kLeakyRelu});
    args.alpha = args.function == Function::kClamp ? 0.0f : 0.125f;
    args.beta = 6.0f;
    args.negate_b = random.OneIn(2) ? 1 : 0;
    std::vector<uint16_t> expected(count);
    args.output = expected.data();
    reference(args, Share{0, 1});

    const bool in_place = random.OneIn(3);
    args.output = in_place ? a.As<uint16_t>() : output.As<uint16_t>();
    const uint32_t threads = random.UInt(1, 3);
    for (uint32_t t = 0; t < threads; ++t) kernel.As<BinaryF16Fn>()(args, Share{t, threads});
    const GuardedBuffer& result = in_place ? a : output;
    EXPECT_EQ(DifferenceF16(expected, {result.As<uint16_t>(), result.As<uint16_t>() + count}), "");
    EXPECT_TRUE(result.GuardsIntact());
    if (::testing::Test::HasFailure()) return;
  }
}

OCTET_KERNEL_SUITE(AddS8, "add_s8");
TEST_P(AddS8, EqualsReference) {
  CheckS8(GetParam(), &add_s8_reference);
}
OCTET_KERNEL_SUITE(MulS8, "mul_s8");
TEST_P(MulS8, EqualsReference) {
  CheckS8(GetParam(), &mul_s8_reference);
}
OCTET_KERNEL_SUITE(DivS8, "div_s8");
TEST_P(DivS8, EqualsReference) {
  CheckS8(GetParam(), &div_s8_reference);
}
OCTET_KERNEL_SUITE(AddF16, "add_f16");
TEST_P(AddF16, AgreesWithReference) {
  CheckF16(GetParam(), &add_f16_reference);
}
OCTET_KERNEL_SUITE(MulF16, "mul_f16");
TEST_P(MulF16, AgreesWithReference) {
  CheckF16(GetParam(), &mul_f16_reference);
}
OCTET_KERNEL_SUITE(DivF16, "div_f16");
TEST_P(DivF16, AgreesWithReference) {
  CheckF16(GetParam(), &div_f16_reference);
}

}  // namespace
}  // namespace octet::kernels_test
