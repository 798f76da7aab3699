// Bounds of values, from the bounds of what makes them.
#include "converter/passes/bounds.h"

#include <gtest/gtest.h>

#include <limits>

#include "tests/converter/passes/net.h"

namespace octet::passes::testing {
namespace {

constexpr float kInfinity = std::numeric_limits<float>::infinity();

struct Expected {
  float low, high;
};

void Expect(Net& net, ValueId id, const Expected& expected, const char* what) {
  net.Output(id);
  const Editor editor(net.graph);
  const Bounds found = BoundsOf(editor, id);
  EXPECT_FLOAT_EQ(found.low, expected.low) << what;
  EXPECT_FLOAT_EQ(found.high, expected.high) << what;
}

TEST(Bounds, OfSumsAndProducts) {
  const struct {
    const char* op;
    float low, high;  // of the other operand
    Expected expected;
  } kCases[] = {
      // Softmax is 0 to 1.
      {"Add", -2, 3, {-2, 4}}, {"Sub", -2, 3, {-3, 3}},  {"Mul", -2, 3, {-2, 3}},
      {"Mul", 2, 5, {0, 5}},   {"Mul", -5, -2, {-5, 0}},
  };
  for (const auto& c : kCases) {
    Net net;
    const ValueId share = net.Op("Softmax", {net.Input({2})});
    Expect(net, net.Op(c.op, {share, net.Floats({2}, {c.low, c.high})}), c.expected, c.op);
  }
  Net unknown;
  const ValueId x = unknown.Input({2});
  Expect(unknown, unknown.Op("Mul", {x, unknown.Floats({2}, {-1, 2})}), {-kInfinity, kInfinity},
         "Mul of anything");
  Net zero;
  Expect(zero, zero.Op("Mul", {zero.Input({2}), zero.Floats({2}, {0, 0})}), {0, 0}, "Mul by 0");
}

TEST(Bounds, OfWhatPicksValuesAndOfPadding) {
  Net net;
  const ValueId share = net.Op("Softmax", {net.Input({2})});
  const ValueId far = net.Op("Add", {share, net.Floats({1}, {4})});  // 4 to 5
  Expect(net, net.Op("Max", {share, far}), {0, 5}, "Max");
  Net sum;
  const ValueId one = sum.Op("Softmax", {sum.Input({2})});
  Expect(sum, sum.Op("ReduceSum", {one}), {0, kInfinity}, "ReduceSum");
}

}  // namespace
}  // namespace octet::passes::testing
