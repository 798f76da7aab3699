// Tables and functions of one variable: every instruction set against the reference.
#include <gtest/gtest.h>

#include "runtime/core/half.h"
#include "tests/runtime/kernels/compare.h"
#include "tests/runtime/kernels/kernel_list.h"
#include "tests/runtime/kernels/random.h"

namespace octet::kernels_test {
namespace {

OCTET_KERNEL_SUITE(TableS8, "table_s8");
TEST_P(TableS8, EqualsReference) {
  for (uint32_t count = 1; count < 300; ++count) {
    Random random(TestSeed() + 7000 + count);
    SCOPED_TRACE("seed " + std::to_string(TestSeed()) + " count " + std::to_string(count));
    const GuardedBuffer::Place place = random.Place();
    const GuardedBuffer input(count, 1, place), output(count, 1, place), table(256, 1, place);
    FillActivations(random, input, false);
    FillActivations(random, table, false);
    std::vector<uint8_t> expected(count);
    TableS8Args args = {input.data(), expected.data(), count, table.As<int8_t>(), 0};
    table_s8_reference(args, Share{0, 1});

    const bool in_place = random.OneIn(3);
    const GuardedBuffer& result = in_place ? input : output;
    args.sign = GetParam().isa == Isa::kReference ? 0x80 : IsaSignByte(GetParam().isa);
    args.output = result.data();
    ApplySign(input, args.sign);
    if (!in_place) output.Poison(0x3C);
    const uint32_t threads = random.UInt(1, 3);
    for (uint32_t t = 0; t < threads; ++t) GetParam().As<TableS8Fn>()(args, Share{t, threads});
    ApplySign(result, args.sign);
    ASSERT_EQ(DifferenceS8(expected, {result.data(), result.data() + count}), "");
    ASSERT_TRUE(result.GuardsIntact());
  }
}

// Channels in runs of one table and mixed, of every count around a vector's, with one, few and many
// tables; the table of the last channels lies at the very end.
OCTET_KERNEL_SUITE(ChannelTableS8, "channel_table_s8");
TEST_P(ChannelTableS8, EqualsReference) {
  for (uint32_t round = 0; round < 400; ++round) {
    Random random(TestSeed() + 7500 + round);
    const uint32_t channels = random.OneIn(3) ? random.UInt(1, 260) : 8 * random.UInt(1, 16);
    const uint32_t pixels = random.OneIn(4) ? random.UInt(60, 500) : random.UInt(1, 40);
    const uint32_t tables_count = random.OneIn(2) ? random.UInt(1, 5) : random.UInt(1, 9);
    SCOPED_TRACE("seed " + std::to_string(TestSeed()) + " round " + std::to_string(round) +
                 " channels " + std::to_string(channels) + " pixels " + std::to_string(pixels) +
                 " tables " + std::to_string(tables_count));
    const GuardedBuffer::Place place = random.Place();
    const uint32_t count = pixels * channels;
    const GuardedBuffer input(count, 1, place), output(count, 1, place),
        tables(256 * tables_count, 1, place), index(channels, 1, place);
    FillActivations(random, input, false);
    FillActivations(random, tables, false);
    uint8_t table = 0;
    for (uint32_t c = 0; c < channels; ++c) {
      if (c == 0 || random.OneIn(round % 2 == 0 ? 2 : 20)) {
        table = static_cast<uint8_t>(random.UInt(0, tables_count - 1));
      }
      index.data()[c] = table;
    }
    std::vector<uint8_t> expected(count);
    ChannelTableS8Args args = {input.data(),        expected.data(), pixels, channels,
                               tables.As<int8_t>(), index.data(),    0};
    channel_table_s8_reference(args, Share{0, 1});

    const bool in_place = random.OneIn(3);
    const GuardedBuffer& result = in_place ? input : output;
    args.sign = GetParam().isa == Isa::kReference ? 0x80 : IsaSignByte(GetParam().isa);
    args.output = result.data();
    ApplySign(input, args.sign);
    if (!in_place) output.Poison(0x3C);
    const uint32_t threads = random.UInt(1, 3);
    for (uint32_t t = 0; t < threads; ++t) {
      GetParam().As<ChannelTableS8Fn>()(args, Share{t, threads});
    }
    ApplySign(result, args.sign);
    ASSERT_EQ(DifferenceS8(expected, {result.data(), result.data() + count}), "");
    ASSERT_TRUE(result.GuardsIntact());
  }
}

// Parameters and a range of arguments that suit the function.
struct FunctionCase {
  float alpha, beta, lo, hi;
};
FunctionCase CaseOf(blob::Function function) {
  using blob::Function;
  switch (function) {
    case Function::kClamp:
      return {0.0f, 6.0f, -8, 8};
    case Function::kHardSigmoid:
      return {0.2f, 0.5f, -8, 8};
    case Function::kReciprocal:
      return {0, 0, 0.25f, 4};
    case Function::kSqrt:
    case Function::kLog:
      return {0, 0, 0.01f, 60};
    case Function::kPower:
      return {1.5f, 0, 0.01f, 20};
    case Function::kExp:
      return {0, 0, -8, 4};
    default:
      return {0.125f, 0.5f, -8, 8};
  }
}

OCTET_KERNEL_SUITE(UnaryF16, "unary_f16");
TEST_P(UnaryF16, AgreesWithReference) {
  for (uint8_t code = 0; code < blob::kFunctionCount; ++code) {
    const auto function = static_cast<blob::Function>(code);
    const FunctionCase c = CaseOf(function);
    for (uint32_t count : {1u, 7u, 8u, 9u, 31u, 64u, 257u, 1000u}) {
      Random random(TestSeed() + 8000 + count);
      SCOPED_TRACE("seed " + std::to_string(TestSeed()) + " function " + std::to_string(code) +
                   " count " + std::to_string(count));
      const GuardedBuffer::Place place = random.Place();
      const GuardedBuffer input(2 * count, 2, place), output(2 * count, 2, place);
      for (uint32_t i = 0; i < count; ++i) {
        input.As<uint16_t>()[i] = FloatToHalf(random.Float(c.lo, c.hi));
      }
      std::vector<uint16_t> expected(count);
      UnaryF16Args args = {input.As<uint16_t>(), expected.data(), count, function, c.alpha, c.beta};
      unary_f16_reference(args, Share{0, 1});
      const bool in_place = random.OneIn(3);
      const GuardedBuffer& result = in_place ? input : output;
      args.output = result.As<uint16_t>();
      if (!in_place) output.Poison(0x3C);
      const uint32_t threads = random.UInt(1, 3);
      for (uint32_t t = 0; t < threads; ++t) GetParam().As<UnaryF16Fn>()(args, Share{t, threads});
      ASSERT_EQ(DifferenceF16(expected, {result.As<uint16_t>(), result.As<uint16_t>() + count}),
                "");
      ASSERT_TRUE(result.GuardsIntact());
    }
  }
}

}  // namespace
}  // namespace octet::kernels_test
