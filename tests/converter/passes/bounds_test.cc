// Bounds of values, from the bounds of what makes them.
#include "converter/passes/bounds.h"

#include <gtest/gtest.h>

#include <cmath>
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

// Any interval: Softmax is 0 to 1, ReLU has one end.
ValueId Between(Net& net, float low, float high) {
  if (low == -kInfinity && high == kInfinity) return net.Input({2});
  ValueId x = low == -kInfinity || high == kInfinity ? net.Op("Relu", {net.Input({2})})
                                                     : net.Op("Softmax", {net.Input({2})});
  if (low == -kInfinity) {
    return net.Op("Sub", {net.Floats({1}, {high}), x});
  }
  if (high != kInfinity) x = net.Op("Mul", {x, net.Floats({1}, {high - low})});
  return net.Op("Add", {x, net.Floats({1}, {low})});
}

TEST(Bounds, OfFunctions) {
  constexpr float kHalfPi = 1.5707964f;
  const struct {
    const char* op;
    float low, high;
    Expected expected;
  } kCases[] = {
      {"Neg", -kInfinity, kInfinity, {-kInfinity, kInfinity}},
      {"Neg", -3, kInfinity, {-kInfinity, 3}},
      {"Neg", -kInfinity, 2, {-2, kInfinity}},
      {"Neg", -3, 2, {-2, 3}},
      {"Abs", -kInfinity, kInfinity, {0, kInfinity}},
      {"Abs", -3, 2, {0, 3}},
      {"Abs", 1, 2, {1, 2}},
      {"Abs", -kInfinity, -2, {2, kInfinity}},
      {"Relu", -kInfinity, kInfinity, {0, kInfinity}},
      {"Relu", -kInfinity, 5, {0, 5}},
      {"Relu", -2, -1, {0, 0}},
      {"Exp", -kInfinity, 0, {0, 1}},
      {"Exp", 0, kInfinity, {1, kInfinity}},
      {"Sqrt", 4, kInfinity, {2, kInfinity}},
      {"Sqrt", 0, 9, {0, 3}},
      {"Sqrt", -1, 9, {-kInfinity, kInfinity}},
      {"Sigmoid", -kInfinity, kInfinity, {0, 1}},
      {"Sigmoid", 0, kInfinity, {0.5f, 1}},
      {"Tanh", -kInfinity, kInfinity, {-1, 1}},
      {"Tanh", -kInfinity, 0, {-1, 0}},
      {"Erf", 0, kInfinity, {0, 1}},
      {"Atan", 0, 1, {0, kHalfPi / 2}},
      {"Sin", -kInfinity, kInfinity, {-1, 1}},
      {"Sin", 0, kHalfPi, {0, 1}},
      {"Cos", 0, 1, {0.54030231f, 1}},
      {"Floor", -1.5f, 2.5f, {-2, 2}},
      {"Ceil", -1.5f, 2.5f, {-1, 3}},
      {"Round", -1.75f, 2.25f, {-2, 2}},
      {"Sign", -4, 0.5f, {-1, 1}},
      {"Sign", 2, kInfinity, {1, 1}},
      {"HardSwish", -kInfinity, kInfinity, {-0.375f, kInfinity}},
      {"Elu", -kInfinity, kInfinity, {-1, kInfinity}},
      {"Softplus", -kInfinity, 0, {0, 0.69314718f}},
      {"LeakyRelu", -kInfinity, kInfinity, {-kInfinity, kInfinity}},
      {"LeakyRelu", -kInfinity, 1, {-kInfinity, 1}},
      {"Reciprocal", 1, 2, {-kInfinity, kInfinity}},  // not smooth on the whole axis
  };
  for (const auto& c : kCases) {
    SCOPED_TRACE(::testing::Message() << c.op << " of " << c.low << " to " << c.high);
    Net net;
    const ValueId id = net.Op(c.op, {Between(net, c.low, c.high)});
    net.Output(id);
    const Editor editor(net.graph);
    const Bounds found = BoundsOf(editor, id);
    const auto near = [](float value, float expected) {
      if (std::isinf(expected)) {
        EXPECT_EQ(value, expected);
      } else {
        EXPECT_NEAR(value, expected, 2e-3);
      }
    };
    near(found.low, c.expected.low);
    near(found.high, c.expected.high);
  }
}

// 200^6 ways to the input.
TEST(Bounds, OfAValueThatIsReadManyTimes) {
  Net net;
  ValueId x = net.Input({1, 2});
  for (int i = 0; i < 6; ++i) x = net.Op("Max", std::vector<ValueId>(200, x));
  Expect(net, x, {-kInfinity, kInfinity}, "an input has no bounds");
}

// The largest and the least number of a function may lie between the ends, on either side of 0.
TEST(Bounds, OfWavesBetweenTheEnds) {
  const struct {
    float low, high;
    Expected expected;
  } kCases[] = {{0, 2, {0, 1}}, {-2, 0, {-1, 0}}, {0, 6, {-1, 1}}};
  for (const auto& c : kCases) {
    Net net;
    const ValueId x = net.Op("Clip", {net.Input({2}), net.Scalar(c.low), net.Scalar(c.high)});
    net.Output(net.Op("Sin", {x}));
    const Editor editor(net.graph);
    const Bounds found = BoundsOf(editor, net.graph.outputs[0]);
    EXPECT_NEAR(found.low, c.expected.low, 0.01) << c.low;
    EXPECT_NEAR(found.high, c.expected.high, 0.01) << c.high;
  }
}

}  // namespace
}  // namespace octet::passes::testing
