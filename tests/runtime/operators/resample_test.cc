// Resample: weighted sums along any dimensions of a view, and what Check refuses.
#include <cmath>
#include <cstring>

#include "gtest/gtest.h"
#include "runtime/format/resample.h"
#include "tests/runtime/operators/mutations.h"
#include "tests/runtime/operators/repeat.h"

namespace octet::operators_test {
namespace {

using blob::ResampleParams;
using blob::ResampleTap;
constexpr uint32_t kRank = blob::kResampleRank;

uint32_t Bits(float value) {
  uint32_t bits = 0;
  std::memcpy(&bits, &value, sizeof(bits));
  return bits;
}

struct Case {
  LayerCase layer;
  ResampleParams params{};
  std::vector<ResampleTap> taps;
};

// A view of random dimensions; up to three of them weighed.
Case RandomCase(Random& random) {
  Case c{LayerCase(blob::Op::kResample,
                   random.OneIn(2) ? blob::ElementType::kInt8 : blob::ElementType::kFp16),
         {},
         {}};
  uint32_t in = 1, out = 1, weighed = 0;
  for (uint32_t d = 0; d < kRank; ++d) {
    const bool weighs = weighed < 3 && random.OneIn(3);
    c.params.in[d] = d + 1 == kRank && random.OneIn(2) ? random.UInt(60, 140) : random.UInt(1, 4);
    c.params.out[d] = weighs ? random.UInt(1, 5) : c.params.in[d];
    c.params.taps[d] = static_cast<uint16_t>(weighs ? random.UInt(1, 4) : 0);
    weighed += weighs;
    in *= c.params.in[d];
    out *= c.params.out[d];
    for (uint32_t o = 0; weighs && o < c.params.out[d]; ++o) {
      const bool outside = random.OneIn(8);
      for (uint32_t t = 0; t < c.params.taps[d]; ++t) {
        const auto fixed = static_cast<int32_t>(random.UInt(0, 20000)) - 6000;
        const int32_t weight = random.OneIn(6) ? 0 : fixed;
        c.taps.push_back({outside && t == 0 ? blob::kNone : random.UInt(0, c.params.in[d] - 1),
                          c.layer.IsInt8() ? static_cast<uint32_t>(weight)
                                           : Bits(static_cast<float>(weight) / 16384)});
      }
    }
  }
  c.layer.AddInput(random, {1, 1, 1, in}, 0.5f, 3);
  c.layer.SetOutput({1, 1, 1, out}, 0.25f, -7);
  c.params.multiplier = (1 << 30) + static_cast<int32_t>(random.UInt(0, 1u << 29));
  c.params.shift = static_cast<int32_t>(random.UInt(9, 13));
  c.params.pre_shift = static_cast<uint8_t>(random.UInt(0, 1));
  c.params.outside = 1.5f;
  c.params.outside_q = -1;
  c.layer.Params<ResampleParams>() = c.params;
  c.layer.layer.extra = c.layer.AddTable(c.taps);
  return c;
}

TEST(ResampleLayer, SumsWhatTheTapsSay) {
  Repeat(150, [](Random& random) {
    const Case c = RandomCase(random);
    const uint64_t count = c.layer.tensors[c.layer.layer.output].dims[3];
    std::vector<int> int8(count);
    std::vector<double> half(count);
    for (uint64_t i = 0; i < count; ++i) {
      // Every combination of one tap a dimension.
      uint64_t rest = i;
      uint32_t at[kRank];
      for (uint32_t d = kRank; d-- > 0; rest /= c.params.out[d]) {
        at[d] = static_cast<uint32_t>(rest % c.params.out[d]);
      }
      uint64_t combinations = 1;
      int weighed = 0;
      for (uint32_t d = 0; d < kRank; ++d) {
        if (c.params.taps[d] == 0) continue;
        combinations *= c.params.taps[d];
        ++weighed;
      }
      int64_t sum = 0;
      double real = 0;
      bool outside = false;
      for (uint64_t k = 0; k < combinations; ++k) {
        uint64_t left = k, element = 0, table = 0;
        int64_t weight = 1;
        double product = 1;
        for (uint32_t d = 0; d < kRank; ++d) {
          uint64_t index = at[d];
          if (c.params.taps[d] != 0) {
            const uint64_t first = table + uint64_t{at[d]} * c.params.taps[d];
            const ResampleTap& tap = c.taps[first + left % c.params.taps[d]];
            outside = outside || c.taps[first].index == blob::kNone;
            left /= c.params.taps[d];
            table += uint64_t{c.params.out[d]} * c.params.taps[d];
            index = outside ? 0 : tap.index;
            // FP16 layers have the bits of a float there.
            weight *= c.layer.IsInt8() ? static_cast<int32_t>(tap.weight) : 0;
            float value = 0;
            std::memcpy(&value, &tap.weight, sizeof(value));
            product *= static_cast<double>(value);
          }
          element = element * c.params.in[d] + index;
        }
        if (outside) break;
        sum += (c.layer.Q(0, element) - 3) * weight;
        real += c.layer.Input(0, element) * product;
      }
      half[i] = outside ? 1.5 : real;
      const int shift = weighed == 0 ? 0 : 14 * weighed - 12;
      const int64_t a = weighed == 0 ? sum : (sum + (int64_t{1} << (shift - 1))) >> shift;
      const int64_t bound = ((int64_t{1} << 30) - 1) >> c.params.pre_shift;
      const int64_t shifted =
          c.params.pre_shift == 0 ? a : std::min(std::max(a, -bound), bound) * 2;
      int8[i] = outside ? -1
                        : Clamp(RequantizeExactly(shifted, c.params.multiplier, c.params.shift) - 7,
                                -128, 127);
    }
    if (c.layer.IsInt8()) {
      ExpectInt8(c.layer.RunAll(), int8);
    } else {
      ExpectHalf(c.layer.RunAll(), half);
    }
  });
}

LayerCase Sound(blob::ElementType type) {
  Random random(1);
  LayerCase l(blob::Op::kResample, type);
  l.AddInput(random, {1, 2, 3, 4});
  l.SetOutput({1, 2, 5, 4});
  ResampleParams& p = l.Params<ResampleParams>();
  const ResampleParams sound = {
      {1, 1, 1, 2, 3, 4}, {1, 1, 1, 2, 5, 4}, {0, 0, 0, 0, 2, 0}, 0, 0, {}, 1 << 30, 11, 0};
  p = sound;
  const uint32_t half = type == blob::ElementType::kInt8 ? 8192 : Bits(0.5f);
  l.layer.extra = l.AddTable(std::vector<ResampleTap>(10, ResampleTap{1, half}));
  return l;
}

void SetTap(LayerCase& l, size_t tap, ResampleTap value) {
  std::memcpy(&l.tables[l.layer.extra.offset + tap * sizeof(value)], &value, sizeof(value));
}

TEST(ResampleLayer, CheckRefuses) {
  const auto params = [](LayerCase& l) -> ResampleParams& { return l.Params<ResampleParams>(); };
  const Mutations both = {
      {"dimension 0", [&](LayerCase& l) { params(l).in[3] = params(l).out[3] = 0; }},
      {"copied dimension changes", [&](LayerCase& l) { params(l).out[3] = 4; }},
      {"input elements", [&](LayerCase& l) { params(l).in[4] = 4; }},
      {"output elements", [&](LayerCase& l) { params(l).out[4] = 6; }},
      {"elements wrap",
       [&](LayerCase& l) {
         for (uint32_t d = 0; d < 3; ++d) params(l).in[d] = params(l).out[d] = 0x80000000u;
       }},
      {"four weighed",
       [&](LayerCase& l) {
         for (uint32_t d = 0; d < 3; ++d) params(l).taps[d] = 1;
         l.layer.extra = l.AddTable(std::vector<ResampleTap>(13, ResampleTap{0, 0}));
       }},
      {"no table",
       [](LayerCase& l) {
         l.layer.extra = {blob::kNone, 0};
       }},
      {"table size", [](LayerCase& l) { l.layer.extra.bytes -= 8; }},
      {"table misaligned", [](LayerCase& l) { l.layer.extra.offset += 2; }},
      {"source index",
       [](LayerCase& l) {
         SetTap(l, 9, {3, 0});
       }},
      {"outside at the second tap",
       [](LayerCase& l) {
         SetTap(l, 1, {blob::kNone, 0});
       }},
      {"outside value", [&](LayerCase& l) { params(l).outside = INFINITY; }},
  };
  ExpectRefused(Sound(blob::ElementType::kInt8),
                Join({Common(), both,
                      Mutations{{"weights",
                                 [](LayerCase& l) {
                                   SetTap(l, 0, {0, 65536});
                                 }},
                                {"negative weights",
                                 [](LayerCase& l) {
                                   SetTap(l, 0, {0, static_cast<uint32_t>(-65536)});
                                 }},
                                {"least weight",
                                 [](LayerCase& l) {
                                   SetTap(l, 0, {0, 0x80000000u});
                                 }},
                                {"multiplier", [&](LayerCase& l) { params(l).multiplier = 5; }},
                                {"shift", [&](LayerCase& l) { params(l).shift = 0; }},
                                {"pre-shift", [&](LayerCase& l) { params(l).pre_shift = 16; }}}}));
  ExpectRefused(Sound(blob::ElementType::kFp16),
                Join({Common(), both, Mutations{{"weight NaN", [](LayerCase& l) {
                                                   SetTap(l, 0, {0, Bits(NAN)});
                                                 }}}}));
}

}  // namespace
}  // namespace octet::operators_test
