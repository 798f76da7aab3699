// Softmax of rows and along an axis: every instruction set gives the bits of the reference.
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>

#include "runtime/kernels/softmax/probability.h"
#include "tests/runtime/kernels/compare.h"
#include "tests/runtime/kernels/kernel_list.h"
#include "tests/runtime/kernels/random.h"

namespace octet::kernels_test {
namespace {

bool SameHalf(uint16_t a, uint16_t b) {
  return a == b || ((a & 0x7FFF) > 0x7C00 && (b & 0x7FFF) > 0x7C00);
}

// Exponentials of a scale, or any terms that the check lets pass.
void FillExponentials(Random& random, const GuardedBuffer& buffer) {
  uint32_t* table = buffer.As<uint32_t>();
  const bool any = random.OneIn(4);
  const double scale = random.OneIn(8) ? 0.0 : random.Float(0.001f, 0.3f);
  for (uint32_t d = 0; d < 256; ++d) {
    table[d] = any ? random.UInt(0, kSoftmaxOne)
                   : static_cast<uint32_t>(std::lround(kSoftmaxOne * std::exp(-scale * d)));
  }
  table[0] = kSoftmaxOne;
}

// Scales 1 / 256, powers of two, which meet ties, and any from 1 to 1 / 4096.
ProbabilityCodes RandomCodes(Random& random) {
  const uint32_t one = random.OneIn(2)   ? 1u << random.UInt(16, 28)
                       : random.OneIn(2) ? 1u << 24
                                         : random.UInt(1 << 16, 1 << 28);
  return {one, random.OneIn(2) ? -128 : static_cast<int32_t>(random.Int(-128, 127))};
}

// Activations far apart, near each other (large sums, ties) or extreme.
void FillLogits(Random& random, const GuardedBuffer& buffer) {
  FillActivations(random, buffer, random.OneIn(6));
  if (!random.OneIn(3)) return;
  const uint32_t mask = random.Pick({0u, 1u, 7u});
  for (size_t i = 0; i < buffer.size(); ++i) buffer.data()[i] &= static_cast<uint8_t>(mask);
}

OCTET_KERNEL_SUITE(SoftmaxS8, "softmax_s8");
TEST_P(SoftmaxS8, EqualsReference) {
  for (uint32_t round = 0; round < 300; ++round) {
    Random random(TestSeed() + 10100 + round);
    const uint32_t count = round < 70    ? round + 1
                           : round == 70 ? kMaxSoftmaxCountS8
                                         : random.UInt(1, random.OneIn(6) ? 3000 : 300);
    const uint32_t rows = random.UInt(1, count <= 200 ? random.Pick({5u, 40u, 150u}) : 5);
    SCOPED_TRACE("seed " + std::to_string(TestSeed()) + " round " + std::to_string(round) +
                 " count " + std::to_string(count));
    const GuardedBuffer::Place place = random.Place();
    const GuardedBuffer input(rows * count, 1, place), output(rows * count, 1, place);
    const GuardedBuffer table(1024, 4, place);
    FillLogits(random, input);
    FillExponentials(random, table);
    std::vector<uint8_t> expected(rows * count);
    SoftmaxS8Args args = {input.data(),         expected.data(),     rows, count,
                          table.As<uint32_t>(), RandomCodes(random), 0};
    softmax_s8_reference(args, Share{0, 1});
    args.sign = GetParam().isa == Isa::kReference ? 0x80 : IsaSignByte(GetParam().isa);
    args.output = output.data();
    ApplySign(input, args.sign);
    output.Poison(0x3C);
    const uint32_t threads = random.UInt(1, 3);
    for (uint32_t t = 0; t < threads; ++t) GetParam().As<SoftmaxS8Fn>()(args, Share{t, threads});
    ApplySign(output, args.sign);
    ASSERT_EQ(DifferenceS8(expected, {output.data(), output.data() + rows * count}), "");
    ASSERT_TRUE(output.GuardsIntact());
  }
}

// A row of 127 (the maximum) and smaller codes, each with a term of its own, where many terms lie
// next to the place at which the quotient grows by one or exactly there: float estimates are off by
// one in both directions.
struct NearBoundaries {
  explicit NearBoundaries(Random& random) {
    const uint64_t parts = random.UInt(4, 120);  // the sum in 2^23
    const uint64_t sum = (parts * kSoftmaxOne + random.UInt(0, kSoftmaxOne)) & ~uint64_t{511};
    codes = {random.OneIn(2) ? 1u << random.UInt(24, 28) : random.UInt(1 << 24, 1 << 28), -128};
    terms.push_back(kSoftmaxOne);
    uint64_t left = sum - kSoftmaxOne;
    // The largest quotient, and no code above 127.
    const uint64_t most = (uint64_t{codes.one} << 7) / sum;
    const uint32_t largest = static_cast<uint32_t>(std::clamp<uint64_t>(most, 1, 200));
    for (uint32_t i = 0; i < 90; ++i) {
      // Quotient k from the smallest t with one t >= (2 k - 1) 2^15 sum on.
      const uint64_t k = random.UInt(1, largest);
      const uint64_t t =
          ((2 * k - 1) * (sum << 15) + codes.one - 1) / codes.one - random.UInt(0, 1);
      if (t > kSoftmaxOne || t > left) continue;
      terms.push_back(static_cast<uint32_t>(t));
      left -= t;
    }
    for (; left != 0; left -= terms.back()) {
      terms.push_back(static_cast<uint32_t>(std::min<uint64_t>(left, kSoftmaxOne)));
    }
  }
  ProbabilityCodes codes;
  std::vector<uint32_t> terms;  // of 127, 126, ...
};

TEST_P(SoftmaxS8, CorrectsEveryEstimate) {
  for (uint32_t round = 0; round < 300; ++round) {
    Random random(TestSeed() + 11300 + round);
    SCOPED_TRACE("seed " + std::to_string(TestSeed()) + " round " + std::to_string(round));
    const NearBoundaries row(random);
    const uint32_t count = static_cast<uint32_t>(row.terms.size());
    const GuardedBuffer input(count), output(count), table(1024, 4);
    table.Poison(0);
    for (uint32_t d = 0; d < count; ++d) {
      table.As<uint32_t>()[d] = row.terms[d];
      input.data()[d] = static_cast<uint8_t>(127 - static_cast<int>(d));
    }
    std::vector<uint8_t> expected(count);
    SoftmaxS8Args args = {input.data(),         expected.data(), 1, count,
                          table.As<uint32_t>(), row.codes,       0};
    softmax_s8_reference(args, Share{0, 1});
    args.sign = IsaSignByte(GetParam().isa);
    args.output = output.data();
    ApplySign(input, args.sign);
    GetParam().As<SoftmaxS8Fn>()(args, Share{0, 1});
    ApplySign(output, args.sign);
    ASSERT_EQ(DifferenceS8(expected, {output.data(), output.data() + count}), "");
  }
}

OCTET_KERNEL_SUITE(AxisSoftmaxS8, "axis_softmax_s8");
TEST_P(AxisSoftmaxS8, EqualsReference) {
  for (uint32_t round = 0; round < 300; ++round) {
    Random random(TestSeed() + 10500 + round);
    const uint32_t inner = round < 70 ? round + 1 : random.UInt(1, random.OneIn(4) ? 4 : 90);
    const uint32_t length = random.UInt(1, random.OneIn(6) ? 400 : 40), outer = random.UInt(1, 3);
    const uint32_t count = outer * length * inner;
    SCOPED_TRACE("seed " + std::to_string(TestSeed()) + " round " + std::to_string(round));
    const GuardedBuffer::Place place = random.Place();
    const GuardedBuffer input(count, 1, place), output(count, 1, place), table(1024, 4, place);
    FillLogits(random, input);
    FillExponentials(random, table);
    std::vector<uint8_t> expected(count);
    AxisSoftmaxS8Args args = {input.data(),         expected.data(),     outer, length, inner,
                              table.As<uint32_t>(), RandomCodes(random), 0};
    axis_softmax_s8_reference(args, Share{0, 1});
    args.sign = GetParam().isa == Isa::kReference ? 0x80 : IsaSignByte(GetParam().isa);
    args.output = output.data();
    ApplySign(input, args.sign);
    output.Poison(0x3C);
    const uint32_t threads = random.UInt(1, 3);
    for (uint32_t t = 0; t < threads; ++t) {
      GetParam().As<AxisSoftmaxS8Fn>()(args, Share{t, threads});
    }
    ApplySign(output, args.sign);
    ASSERT_EQ(DifferenceS8(expected, {output.data(), output.data() + count}), "");
    ASSERT_TRUE(output.GuardsIntact());
  }
}

OCTET_KERNEL_SUITE(AxisSoftmaxF16, "axis_softmax_f16");
TEST_P(AxisSoftmaxF16, EqualsReferenceToTheBit) {
  for (uint32_t round = 0; round < 200; ++round) {
    Random random(TestSeed() + 10900 + round);
    const uint32_t inner = round < 70 ? round + 1 : random.UInt(1, random.OneIn(4) ? 4 : 90);
    const uint32_t length = random.UInt(1, 30), outer = random.UInt(1, 3);
    const uint32_t count = outer * length * inner;
    SCOPED_TRACE("seed " + std::to_string(TestSeed()) + " round " + std::to_string(round));
    const GuardedBuffer::Place place = random.Place();
    const GuardedBuffer input(2 * count, 2, place), output(2 * count, 2, place);
    for (uint32_t i = 0; i < count; ++i) {
      uint16_t half = FloatToHalf(random.OneIn(3) ? 1.0f : random.Float(-12, 12));
      if (random.OneIn(400)) half = random.Pick<uint16_t>({0x7C00, 0xFC00, 0x7E00, 0x8000});
      input.As<uint16_t>()[i] = half;
    }
    std::vector<uint16_t> expected(count);
    AxisSoftmaxF16Args args = {
        input.As<uint16_t>(),
        expected.data(),
        outer,
        length,
        inner,
        random.Pick({blob::SoftmaxKind::kSoftmax, blob::SoftmaxKind::kLogSoftmax,
                     blob::SoftmaxKind::kHardmax})};
    axis_softmax_f16_reference(args, Share{0, 1});
    args.output = output.As<uint16_t>();
    output.Poison(0x3C);
    const uint32_t threads = random.UInt(1, 3);
    for (uint32_t t = 0; t < threads; ++t) {
      GetParam().As<AxisSoftmaxF16Fn>()(args, Share{t, threads});
    }
    for (uint32_t i = 0; i < count; ++i) {
      const uint16_t actual = output.As<uint16_t>()[i];
      ASSERT_TRUE(SameHalf(expected[i], actual))
          << "element " << i << ": " << expected[i] << ", " << actual;
    }
    ASSERT_TRUE(output.GuardsIntact());
  }
}

OCTET_KERNEL_SUITE(SoftmaxF16, "softmax_f16");
TEST_P(SoftmaxF16, EqualsReferenceToTheBit) {
  for (uint32_t round = 0; round < 200; ++round) {
    Random random(TestSeed() + 9900 + round);
    const uint32_t count = round < 40 ? round + 1
                                      : random.UInt(1, random.OneIn(8)   ? 3000
                                                       : random.OneIn(3) ? 9
                                                                         : 200);
    const uint32_t rows = random.UInt(1, count <= 256 ? 20 : 11);  // past those side by side
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
      ASSERT_TRUE(SameHalf(expected[i], actual))
          << "element " << i << ": " << expected[i] << ", " << actual;
    }
    ASSERT_TRUE(output.GuardsIntact());
  }
}

}  // namespace
}  // namespace octet::kernels_test
