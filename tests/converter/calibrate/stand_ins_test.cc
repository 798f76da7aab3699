// Masks of minus infinity and its stand-ins leave no trace in what calibration keeps.
#include "converter/calibrate/stand_ins.h"

#include <cmath>
#include <limits>
#include <string>
#include <utility>

#include <gtest/gtest.h>

#include "converter/calibrate/calibrate.h"
#include "converter/operators/operator.h"
#include "tests/support/graph_builder.h"

namespace octet::calibrate {
namespace {

using graph::Shape;
using graph::Tensor;
using graph::ValueId;

constexpr float kInfinity = std::numeric_limits<float>::infinity();
constexpr float kAllStandIns[] = {
    -kInfinity, -std::numeric_limits<float>::max(), -65504, -1e9f, -1e4f, -100};

class Fixed : public images::Dataset {
 public:
  explicit Fixed(Tensor tensor) : tensor_(std::move(tensor)) {}
  int64_t size() const override { return 1; }
  Tensor Load(int64_t) const override { return tensor_; }

 private:
  Tensor tensor_;
};

struct Net : test::GraphBuilder {
  std::vector<Fixed> data;

  ValueId Input(const Shape& shape, std::vector<float> values) {
    data.emplace_back(Tensor::Floats(shape, std::move(values)));
    return GraphBuilder::Input(shape);
  }
  ValueId Floats(const Shape& shape, std::vector<float> values) {
    return Constant(Tensor::Floats(shape, std::move(values)));
  }
  std::vector<std::optional<Statistics>> Run(ValueId output) {
    graph.outputs = {output};
    operators::InferShapes(graph);
    std::vector<const images::Dataset*> inputs;
    for (const Fixed& one : data) inputs.push_back(&one);
    return Collect(graph, inputs, {});
  }
};

Statistics At(const std::vector<std::optional<Statistics>>& all, ValueId id) {
  return all[static_cast<size_t>(id)].value_or(Statistics{});
}

void ExpectRange(const Statistics& seen, float min, float max, int64_t masked) {
  EXPECT_EQ(seen.min, min);
  EXPECT_EQ(seen.max, max);
  EXPECT_EQ(StandInCount(seen), masked);
}

TEST(StandIns, AMaskThatIsAddedInFrontOfASoftmax) {
  for (const float low : kAllStandIns) {
    SCOPED_TRACE(low);
    Net net;
    const ValueId x = net.Input({2, 3}, {1, -2, 3, 4, 0.5f, -6});
    const ValueId sum = net.Op("Add", {x, net.Floats({2, 3}, {0, low, 0, 0, 0, low})});
    const auto seen = net.Run(net.Op("Softmax", {sum}));
    ExpectRange(At(seen, sum), 0.5f, 4, 2);
    ExpectRange(At(seen, x), -6, 4, 0);
  }
}

// What is taken away from all numbers, and one factor of them, leave a mask a mask.
TEST(StandIns, AMaskInFrontOfSteps) {
  const std::pair<const char*, float> steps[] = {
      {"Sub", 0.25f}, {"Sub", -3}, {"Add", 2}, {"Mul", 0.5f}, {"Div", 4}};
  for (const auto& [op, number] : steps) {
    for (const float low : kAllStandIns) {
      SCOPED_TRACE(std::string(op) + " " + std::to_string(low));
      Net net;
      const ValueId x = net.Input({2, 3}, {1, -2, 3, 4, 0.5f, -6});
      const ValueId sum = net.Op("Add", {x, net.Floats({2, 3}, {0, low, 0, 0, 0, low})});
      const auto seen = net.Run(net.Op("Softmax", {net.Op(op, {sum, net.Floats({}, {number})})}));
      // Half of -100 and less is no nothing yet.
      const bool counts = low == -100 && (op[0] == 'M' || op[0] == 'D');
      ExpectRange(At(seen, sum), counts ? -106 : 0.5f, 4, counts ? 0 : 2);
    }
  }
}

TEST(StandIns, AMaskThatIsComputedOfAnInput) {
  for (const float low : {-3e38f, -65504.0f, -1e4f}) {
    SCOPED_TRACE(low);
    Net net;
    const ValueId x = net.Input({1, 4}, {1, 2, -3, 2});
    const ValueId keep = net.Input({1, 4}, {1, 1, 1, 0});
    const ValueId mask =
        net.Op("Mul", {net.Op("Sub", {net.Floats({}, {1}), keep}), net.Floats({}, {low})});
    const ValueId sum = net.Op("Add", {x, mask});
    const auto seen = net.Run(net.Op(
        "Softmax",
        {net.Op("Reshape", {sum, net.graph.AddConstant("shape", Tensor::Integers({2}, {1, 4}))})}));
    ExpectRange(At(seen, sum), -3, 2, 1);
    ExpectRange(At(seen, mask), 0, 0, 1);
    ExpectRange(At(seen, keep), 0, 1, 0);
  }
}

// As passes leave an Add behind a matrix product.
TEST(StandIns, AMaskThatIsABias) {
  for (const float low : kAllStandIns) {
    SCOPED_TRACE(low);
    Net net;
    const ValueId x = net.Input({1, 2}, {1, -1});
    const ValueId sum =
        net.Op("Gemm", {x, net.Floats({2, 3}, {3, 2, 1, 4, 5, 6}), net.Floats({3}, {0, 0, low})});
    const auto seen = net.Run(net.Op("Softmax", {sum}));
    ExpectRange(At(seen, sum), -3, -1, 1);
  }
}

// The same values without a reader to which they are nothing.
TEST(StandIns, AreNumbersWhereSomebodyReadsThem) {
  Net net;
  const ValueId x = net.Input({1, 4}, {1, 2, -3, 2});
  const ValueId sum = net.Op("Add", {x, net.Floats({1, 4}, {0, 0, 0, -1e4f})});
  const ValueId shares = net.Op("Softmax", {sum});
  const auto seen = net.Run(net.Op("Add", {shares, net.Op("Abs", {sum})}));
  ExpectRange(At(seen, sum), -9998, 2, 0);
}

TEST(StandIns, BelowTheResultsOfAMaximum) {
  Net net;
  const ValueId x = net.Input({1, 1, 2, 2}, {1, 2, -3, 2});
  const ValueId pads =
      net.graph.AddConstant("pads", Tensor::Integers({8}, {0, 0, 1, 1, 0, 0, 1, 1}));
  const ValueId padded = net.Op("Pad", {x, pads, net.Floats({}, {-1e4f})});
  const auto seen =
      net.Run(net.Op("MaxPool", {padded}, {{"kernel_shape", std::vector<int64_t>{2, 2}}}));
  ExpectRange(At(seen, padded), -3, 2, 12);
}

// Logits of an ordinary network, however far they spread.
// What is computed of a mask tells what of it counts: the largest result less what vanishes beside
// it, computed backwards. `other` is so large that its sign is seen.
TEST(StandIns, ThroughWhatIsComputedOfThem) {
  struct Row {
    const char* op;
    float other;
    bool second;  // the mask is operand 1
    float sign;   // of the mask in the result
  };
  for (const Row& row :
       {Row{"Neg", 0, false, -1}, Row{"Add", 200, false, 1}, Row{"Add", -200, true, 1},
        Row{"Sub", 200, false, 1}, Row{"Sub", -200, false, 1}, Row{"Sub", 200, true, -1},
        Row{"Sub", -200, true, -1}, Row{"Mul", 2, false, 1}, Row{"Mul", -2, false, -1},
        Row{"Mul", 4, true, 1}, Row{"Div", 2, false, 1}, Row{"Div", -0.5f, false, -1}}) {
    SCOPED_TRACE(row.op + std::to_string(row.other));
    Net net;
    std::vector<float> values = {1, -1e9f, 3, 4, 0.5f, -6};
    for (float& value : values) value *= row.sign;
    const ValueId x = net.Input({2, 3}, values);
    std::vector<ValueId> operands{x};
    if (row.op != std::string("Neg"))
      operands.push_back(net.Floats({2, 3}, std::vector<float>(6, row.other)));
    if (row.second) std::swap(operands[0], operands[1]);
    const auto seen = net.Run(net.Op("Softmax", {net.Op(row.op, operands)}));
    ExpectRange(At(seen, x), row.sign > 0 ? -6 : -4, row.sign > 0 ? 4 : 6, 1);
  }
}

TEST(StandIns, AreNoneWithoutAMask) {
  Net net;
  const ValueId x = net.Input({1, 3}, {1, -1, 0.5f});
  const ValueId logits = net.Op("MatMul", {x, net.Floats({3, 2}, {80, -80, 60, -60, 0, 0})});
  const auto seen = net.Run(net.Op("Softmax", {logits}));
  ExpectRange(At(seen, logits), -20, 20, 0);
}

}  // namespace
}  // namespace octet::calibrate
