// Normalizations: every instruction set gives the bits of the reference.
#include <gtest/gtest.h>

#include <algorithm>

#include "tests/runtime/kernels/compare.h"
#include "tests/runtime/kernels/kernel_list.h"
#include "tests/runtime/kernels/random.h"

namespace octet::kernels_test {
namespace {

// Dimensions around vectors' sizes, now and then a group large enough for tables.
void RandomView(Random& random, blob::NormalizeParams* p, uint32_t* count, uint32_t* parameters) {
  p->view.rank = random.UInt(1, 4);
  *count = *parameters = 1;
  for (uint32_t d = 0; d < p->view.rank; ++d) {
    p->view.dims[d] = random.OneIn(3) ? random.UInt(1, 70) : random.UInt(1, 6);
  }
  if (random.OneIn(4)) p->view.dims[random.UInt(0, p->view.rank - 1)] = random.UInt(1000, 3000);
  for (uint32_t d = 0; d < p->view.rank; ++d) {
    if (*count * p->view.dims[d] > 300000) p->view.dims[d] = 1;
    *count *= p->view.dims[d];
  }
  p->view.reduced = random.UInt(0, (1u << p->view.rank) - 1);
  p->affine = random.UInt(0, (1u << p->view.rank) - 1);
  if (random.OneIn(2)) p->affine &= ~p->view.reduced;
  for (uint32_t d = 0; d < p->view.rank; ++d) {
    if (((p->affine >> d) & 1u) != 0) *parameters *= p->view.dims[d];
  }
}

// Parameters as a model has them, and all that the check lets pass.
void FillChannels(Random& random, blob::NormalizeChannelS8* channels, uint32_t count) {
  const bool usual = !random.OneIn(3);
  const int32_t shift = random.OneIn(3) ? random.UInt(31, 33) : random.UInt(31, 50);
  for (uint32_t i = 0; i < count; ++i) {
    blob::NormalizeChannelS8& c = channels[i];
    c.shift = usual ? shift : static_cast<int32_t>(random.UInt(1, 62));
    c.factor = static_cast<int32_t>(random.Int(-INT32_MAX, INT32_MAX));
    const int64_t limit = usual ? int64_t{100} << shift : int64_t{1} << 60;
    const int64_t bounded = std::min(limit, int64_t{1} << 60);
    int64_t offset = random.Int(-bounded, bounded);
    if (!usual && random.OneIn(4)) {
      c.factor = random.Pick<int32_t>({INT32_MAX, -INT32_MAX, 0});
      offset = random.Pick<int64_t>({int64_t{1} << 60, -(int64_t{1} << 60)});
    }
    c.offset[0] = static_cast<uint32_t>(offset);
    c.offset[1] = static_cast<uint32_t>(static_cast<uint64_t>(offset) >> 32);
  }
}

OCTET_KERNEL_SUITE(NormalizeS8, "normalize_s8");
TEST_P(NormalizeS8, EqualsReference) {
  for (uint32_t round = 0; round < 400; ++round) {
    Random random(TestSeed() + 9300 + round);
    SCOPED_TRACE("seed " + std::to_string(TestSeed()) + " round " + std::to_string(round));
    blob::NormalizeParams p = {};
    uint32_t count, parameters;
    RandomView(random, &p, &count, &parameters);
    p.kind = random.Pick({blob::NormalizeKind::kVariance, blob::NormalizeKind::kMeanSquare});
    // The largest ratios come with the smallest epsilon.
    const uint64_t epsilon = random.OneIn(3) ? 1 : uint64_t{1} << random.UInt(0, 60);
    p.epsilon_q[0] = static_cast<uint32_t>(epsilon);
    p.epsilon_q[1] = static_cast<uint32_t>(epsilon >> 32);
    const GuardedBuffer::Place place = random.Place();
    const GuardedBuffer input(count, 1, place), output(count, 1, place);
    const GuardedBuffer table(sizeof(blob::NormalizeChannelS8) * size_t{parameters}, 4, place);
    FillActivations(random, input, random.OneIn(4));
    if (random.OneIn(4)) {  // all the same but one
      input.Poison(static_cast<uint8_t>(random.Int(0, 255)));
      input.data()[random.UInt(0, count - 1)] = random.Pick<uint8_t>({0x80, 0x7F});
    }
    FillChannels(random, table.As<blob::NormalizeChannelS8>(), parameters);
    const GuardedBuffer epsilons(8 * size_t{parameters}, 4, place);
    const bool one_set = (p.affine & p.view.reduced) == 0 &&
                         p.kind == blob::NormalizeKind::kVariance && random.OneIn(2);
    for (uint32_t i = 0; i < parameters; ++i) {
      const uint64_t own = uint64_t{1} << random.UInt(0, 60);
      epsilons.As<uint32_t>()[2 * size_t{i}] = static_cast<uint32_t>(own);
      epsilons.As<uint32_t>()[2 * size_t{i} + 1] = static_cast<uint32_t>(own >> 32);
    }
    std::vector<uint8_t> expected(count);
    NormalizeS8Args args = {&p,
                            input.data(),
                            expected.data(),
                            table.As<blob::NormalizeChannelS8>(),
                            one_set ? epsilons.As<uint32_t[2]>() : nullptr,
                            static_cast<int32_t>(random.Int(-128, 127)),
                            static_cast<int32_t>(random.Int(-128, 127)),
                            0};
    normalize_s8_reference(args, Share{0, 1});
    args.sign = GetParam().isa == Isa::kReference ? 0x80 : IsaSignByte(GetParam().isa);
    args.output = output.data();
    ApplySign(input, args.sign);
    output.Poison(0x3C);
    const uint32_t threads = random.UInt(1, 3);
    for (uint32_t t = 0; t < threads; ++t) {
      GetParam().As<NormalizeS8Fn>()(args, Share{t, threads});
    }
    ApplySign(output, args.sign);
    ASSERT_EQ(DifferenceS8(expected, {output.data(), output.data() + count}), "");
    ASSERT_TRUE(output.GuardsIntact());
  }
}

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
