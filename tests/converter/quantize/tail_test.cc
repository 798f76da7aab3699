#include "converter/quantize/tail.h"

#include <gtest/gtest.h>

#include "tests/converter/quantize/quantize_support.h"

namespace octet::quantize {
namespace {

using blob::Precision;

// conv -> relu -> conv -> slice -> mul -> add: only what follows the last weights, and only where
// it computes.
struct Head : Net {
  explicit Head(bool with_arithmetic, const graph::Shape& shape = {1, 4, 4, 4}) {
    const auto x = Input("x", -1, 1);
    const auto a = Value("a", -1, 1), sum = Value("sum", -1, 1), b = Value("b", -1, 1, shape);
    Conv(x, a);
    Op("Add", {a, x}, sum);
    Conv(sum, b);
    const auto c = Value("c", -1, 1, shape);
    Op("Sigmoid", {b}, c);
    if (with_arithmetic) {
      const auto d = Value("d", -1, 1, shape);
      Op("Mul", {c, Constant({1, 4, 1, 1}, 8)}, d);
      Output(d);
    } else {
      Output(c);
    }
  }
};

TEST(Tail, NodesBehindTheLastWeightsThatCompute) {
  EXPECT_EQ(ArithmeticTail(Head(true).graph), (std::vector<bool>{false, false, false, true, true}));
  EXPECT_EQ(ArithmeticTail(Head(false).graph), (std::vector<bool>{false, false, false, false}));
  // A picture, not a head.
  EXPECT_EQ(ArithmeticTail(Head(true, {1, 4, 512, 512}).graph),
            (std::vector<bool>{false, false, false, false, false}));
}

TEST(Tail, RunsInFp16UnlessAskedOtherwise) {
  Head net(true);
  const Scheme scheme = net.Assign();
  EXPECT_EQ(scheme.precision[2], Precision::kInt8);
  EXPECT_EQ(scheme.precision[4], Precision::kFp16);
  ASSERT_FALSE(scheme.warnings.empty());
  EXPECT_NE(scheme.warnings[0].find("from 'Sigmoid_c' on"), std::string::npos);
  Config config = Net::MinMax();
  config.layers.push_back({"Mul_d", Precision::kInt8});
  EXPECT_EQ(net.Assign(config).precision[4], Precision::kInt8);
  config = Net::MinMax();
  config.int8_everywhere = true;
  EXPECT_EQ(net.Assign(config).precision[3], Precision::kInt8);
}

TEST(Precision, AnActivationFollowsItsLayer) {
  Head net(false);
  Config config = Net::MinMax();
  config.layers.push_back({"Conv_b", Precision::kFp16});
  EXPECT_EQ(net.Assign(config).precision[3], Precision::kFp16);
  config.layers.push_back({"Sigmoid_c", Precision::kInt8});
  EXPECT_EQ(net.Assign(config).precision[3], Precision::kInt8);
}

}  // namespace
}  // namespace octet::quantize
