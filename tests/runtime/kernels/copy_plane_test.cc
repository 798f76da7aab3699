// Strided planes: every instruction set moves the same elements to the same places.
#include <gtest/gtest.h>

#include "tests/runtime/kernels/kernel_list.h"
#include "tests/runtime/kernels/random.h"

namespace octet::kernels_test {
namespace {

struct Plane {
  uint32_t rows, count;
  int64_t row_step, step;
  uint32_t inner;
  int64_t inner_step;
  int64_t At(int64_t r, int64_t c) const {
    return r * row_step + c / inner * step + c % inner * inner_step;
  }
};

// Most often a transposition, whole or of a part of a wider input.
Plane RandomPlane(Random& random) {
  Plane p;
  p.rows = random.OneIn(2) ? random.UInt(1, 20) : random.UInt(1, 90);
  p.count = random.OneIn(2) ? random.UInt(1, 20) : random.UInt(1, 90);
  p.row_step = random.OneIn(8) ? random.Int(-3, 3) : 1;
  p.step = random.OneIn(8)   ? random.Int(-5, 5)
           : random.OneIn(3) ? random.Int(2, 100)
                             : static_cast<int64_t>(p.rows);
  p.inner = random.OneIn(3) ? random.UInt(2, 6) : 1;
  p.inner_step = random.Int(-100, 200);
  p.count *= p.inner;
  return p;
}

OCTET_KERNEL_SUITE(CopyPlane, "copy_plane");
TEST_P(CopyPlane, EqualsItsEquation) {
  for (uint32_t round = 0; round < 4000; ++round) {
    Random random(TestSeed() + 40000 + round);
    const Plane p = RandomPlane(random);
    const uint32_t bytes = random.Pick({1u, 2u, 4u});
    SCOPED_TRACE("seed " + std::to_string(TestSeed()) + " round " + std::to_string(round) +
                 ": rows " + std::to_string(p.rows) + " apart " + std::to_string(p.row_step) +
                 ", columns " + std::to_string(p.count) + " apart " + std::to_string(p.step) +
                 ", inner " + std::to_string(p.inner) + " apart " + std::to_string(p.inner_step) +
                 ", bytes " + std::to_string(bytes));
    int64_t lowest = 0, highest = 0;
    for (int64_t r : {int64_t{0}, int64_t{p.rows} - 1}) {
      for (int64_t c = 0; c < p.count; ++c) {
        lowest = std::min(lowest, p.At(r, c));
        highest = std::max(highest, p.At(r, c));
      }
    }
    const GuardedBuffer::Place place = random.Place();
    const GuardedBuffer input(static_cast<size_t>(highest - lowest + 1) * bytes, bytes, place);
    const GuardedBuffer output(size_t{p.rows} * p.count * bytes, bytes, place);
    for (size_t i = 0; i < input.size(); ++i) input.data()[i] = static_cast<uint8_t>(random.Next());
    const uint8_t* from = input.data() - lowest * bytes;
    std::vector<uint8_t> expected;
    for (int64_t r = 0; r < p.rows; ++r) {
      for (int64_t c = 0; c < p.count; ++c) {
        const uint8_t* element = from + p.At(r, c) * bytes;
        expected.insert(expected.end(), element, element + bytes);
      }
    }
    output.Poison(0x3C);
    const CopyPlaneArgs args = {output.data(), from,    p.rows,       p.count, p.row_step,
                                p.step,        p.inner, p.inner_step, bytes};
    GetParam().As<CopyPlaneFn>()(args, Share{0, 1});
    ASSERT_EQ(expected, std::vector<uint8_t>(output.data(), output.data() + output.size()));
    ASSERT_TRUE(output.GuardsIntact());
  }
}

}  // namespace
}  // namespace octet::kernels_test
