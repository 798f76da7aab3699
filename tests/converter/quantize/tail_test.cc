#include "converter/quantize/tail.h"

#include <gtest/gtest.h>

#include "converter/quantize/reasons.h"
#include "tests/converter/quantize/quantize_support.h"

namespace octet::quantize {
namespace {

using blob::Precision;

// conv -> relu -> conv -> slice -> mul -> add: only what follows the last weights, and only where
// it computes.
struct TailNet : Net {
  explicit TailNet(bool with_arithmetic, const graph::Shape& shape = {1, 4, 4, 4}) {
    const auto x = Input("x", -1, 1);
    const auto a = Value("a", -1, 1), sum = Value("sum", -1, 1), b = Value("b", -1, 1, shape);
    // Large enough for what is behind to be cheap beside it.
    const auto conv = [&](graph::ValueId in, graph::ValueId out) {
      Op("Conv", {in, Constant({4, 4, 31, 31}, 0.5f)}, out);
    };
    conv(x, a);
    Op("Add", {a, x}, sum);
    conv(sum, b);
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
  EXPECT_EQ(ArithmeticTail(TailNet(true).graph),
            (std::vector<bool>{false, false, false, true, true}));
  EXPECT_EQ(ArithmeticTail(TailNet(false).graph), (std::vector<bool>{false, false, false, false}));
}

// The distributions of 8,400 boxes: x -> conv -> conv -> softmax -> weights 0 to 15 -> sub -> mul.
struct Distribution : Net {
  explicit Distribution(int64_t anchors) {
    const graph::Shape boxes{1, 64, 1, anchors}, means{1, 1, 4, anchors};
    const auto x = Input("x", -1, 1);
    const auto a = Value("a", -1, 1, {1, 64, 1, anchors}), b = Value("b", -1, 1, boxes),
               c = Value("c", -1, 1, {1, 16, 4, anchors}),
               d = Value("d", 0, 1, {1, 16, 4, anchors}), e = Value("e", 0, 15, means),
               f = Value("f", 0, 15, means), y = Value("y", 0, 640, means);
    Op("Conv", {x, Constant({64, 64, 9, 9}, 0.5f)}, a);
    Op("Conv", {a, Constant({64, 64, 1, 1}, 0.5f)}, b);
    Op("Reshape", {b}, c);
    Op("Softmax", {c}, d);
    Op("Conv", {d, Constant({1, 16, 1, 1}, 0.5f)}, e);
    Op("Sub", {e, Constant({1, 1, 1, 1}, 3)}, f);
    Op("Mul", {f, Constant({1, 1, 1, 1}, 8)}, y);
    Output(y);
  }
};

// Whatever the size; with the weights of the mean, and the last layer with weights before it.
TEST(Tail, ReachesBehindWeightsThatCostNothing) {
  for (int64_t anchors : {2100, 8400, 100000}) {
    EXPECT_EQ(ArithmeticTail(Distribution(anchors).graph),
              (std::vector<bool>{false, true, true, true, true, true, true}))
        << anchors;
  }
}

// conv -> conv -> add its input, of as many elements: no head but the picture itself.
TEST(Tail, NotWhereItWouldCost) {
  Net net;
  const auto x = net.Input("x", -1, 1);
  const auto a = net.Value("a", -1, 1), b = net.Value("b", -1, 1), y = net.Value("y", -1, 1);
  net.Conv(x, a);
  net.Conv(a, b);
  net.Op("Add", {b, x}, y);
  net.Output(y);
  EXPECT_EQ(ArithmeticTail(net.graph), (std::vector<bool>{false, false, false}));
}

TEST(Tail, RunsInFp16UnlessAskedOtherwise) {
  TailNet net(true);
  const Scheme scheme = net.Assign();
  EXPECT_EQ(scheme.precision[2], Precision::kInt8);
  EXPECT_EQ(scheme.precision[4], Precision::kFp16);
  // A choice, of which the ledger has the reason; nothing to warn of.
  EXPECT_TRUE(scheme.warnings.empty());
  ASSERT_NE(scheme.ledger.Deciding(4), nullptr);
  EXPECT_EQ(scheme.ledger.Deciding(4)->reason, Reason::kTail);
  Config config = Net::MinMax();
  config.layers.push_back({"Mul_d", Precision::kInt8});
  EXPECT_EQ(net.Assign(config).precision[4], Precision::kInt8);
  config = Net::MinMax();
  config.int8_everywhere = true;
  EXPECT_EQ(net.Assign(config).precision[3], Precision::kInt8);
}

// Behind the first layer of all, too.
TEST(Precision, AnActivationFollowsItsLayer) {
  Net first;
  const auto x = first.Input("x", -1, 1), a = first.Value("a", -1, 1), b = first.Value("b", 0, 1);
  first.Conv(x, a);
  first.Op("Sigmoid", {a}, b);
  first.Output(b);
  Config ask = Net::MinMax();
  ask.int8_everywhere = true;
  EXPECT_EQ(first.Assign(ask).precision[1], Precision::kInt8);
  ask.layers.push_back({"Conv_a", Precision::kFp16});
  EXPECT_EQ(first.Assign(ask).precision[1], Precision::kFp16);
  TailNet net(false);
  Config config = Net::MinMax();
  config.layers.push_back({"Conv_b", Precision::kFp16});
  EXPECT_EQ(net.Assign(config).precision[3], Precision::kFp16);
  config.layers.push_back({"Sigmoid_c", Precision::kInt8});
  EXPECT_EQ(net.Assign(config).precision[3], Precision::kInt8);
}

}  // namespace
}  // namespace octet::quantize
