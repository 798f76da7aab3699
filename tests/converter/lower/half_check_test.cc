// What FP16 can hold of the values that calibration saw.
#include "converter/lower/half_check.h"

#include <gtest/gtest.h>

#include <limits>
#include <string>

namespace octet::lower {
namespace {

using graph::ValueId;

constexpr float kInfinity = std::numeric_limits<float>::infinity();

// x -> Relu -> v -> readers; the tensor of v is layer "relu"'s.
struct Net {
  quantize::HalfPlan plan;
  Program program;
  std::vector<std::optional<calibrate::Statistics>> statistics;
  ValueId x, v;

  Net(float min, float max, const std::vector<std::string>& readers,
      const std::string& producer = "Relu") {
    x = Value("x"), v = Value("v");
    Node(producer, x, v);
    for (const std::string& op : readers) Node(op, v, Value(op));
    calibrate::Statistics seen;
    seen.min = min, seen.max = max;
    statistics.resize(plan.graph.values.size());
    statistics[static_cast<size_t>(v)] = seen;
    Tensor tensor;
    tensor.name = "v";
    tensor.type = blob::ElementType::kFp16;
    program.tensors.push_back(tensor);
    Layer layer;
    layer.name = "relu_layer";
    layer.output = 0;
    program.layers.push_back(layer);
  }
  ValueId Value(const std::string& name) {
    return plan.graph.AddValue({name, graph::DataType::kFloat, graph::Shape{1, 2}, {}, {}});
  }
  void Node(const std::string& op, ValueId from, ValueId to) {
    graph::Node node;
    node.name = op;
    node.op = op;
    node.inputs = {from};
    node.outputs = {to};
    plan.graph.nodes.push_back(node);
  }
  std::string Beyond() const { return BeyondHalves(plan, program, statistics); }
};

TEST(BeyondHalves, IsWhatLiesAboveTheLargestNumber) {
  const struct {
    float min, max;
    std::vector<std::string> readers;
    bool beyond;
  } kCases[] = {
      {-1, 1, {"Conv"}, false},
      {-65504, 65504, {"Conv"}, false},
      {-65504, 65536, {"Conv"}, true},
      {-65536, 65504, {"Conv"}, true},
      {-1e6f, 1, {"Softmax"}, false},  // may become minus infinity
      {-1e6f, 1, {"LogSoftmax", "Softmax"}, false},
      {-1e6f, 1, {"Softmax", "Conv"}, true},
      {-1e6f, 1, {}, true},
      {-1, 1e6f, {"Softmax"}, true},
      {-1e6f, 1e6f, {"Softmax"}, true},
  };
  for (const auto& c : kCases) {
    Net net(c.min, c.max, c.readers);
    const std::string found = net.Beyond();
    EXPECT_EQ(!found.empty(), c.beyond) << c.min << " " << c.max << ": " << found;
    if (c.beyond) {
      EXPECT_NE(found.find("'relu_layer'"), std::string::npos) << found;
      EXPECT_NE(found.find("'v'"), std::string::npos) << found;
    }
    net.program.tensors[0].type = blob::ElementType::kInt8;
    EXPECT_EQ(net.Beyond(), "") << "no FP16 tensor";
    net.program.tensors[0].type = blob::ElementType::kFp16;
    net.statistics[static_cast<size_t>(net.v)] = std::nullopt;
    EXPECT_EQ(net.Beyond(), "") << "not seen";
  }
  Net output(-1e6f, 1, {"Softmax"});
  output.plan.graph.outputs = {output.v};
  EXPECT_NE(output.Beyond(), "") << "who runs the model reads it too";
  Net weights(-1, 1, {});
  weights.plan.cannot_store = "weights of a layer";
  EXPECT_EQ(weights.Beyond(), weights.plan.cannot_store);
}

// Logarithms of shares that a mask leaves nothing of.
TEST(BeyondHalves, LogarithmsOfMaskedSharesMayBe) {
  for (const bool masked : {true, false}) {
    for (const char* op : {"LogSoftmax", "Log"}) {
      Net net(-1e6f, 0, {"Conv"}, op);
      calibrate::Statistics before;
      before.min = -9, before.max = 9, before.count = 10;
      before.histogram_min = -9, before.histogram_max = 9;
      before.histogram = {4, masked ? 5u : 6u};
      net.statistics[static_cast<size_t>(net.x)] = before;
      EXPECT_EQ(net.Beyond().empty(), masked && std::string(op) == "LogSoftmax") << op << masked;
    }
  }
}

// Values are kept over powers of two; infinities are what FP16 has too.
TEST(BeyondHalves, PowersOfTwoAndInfinities) {
  Net net(-100000, 1, {"Conv"});
  net.plan.scheme.half_exponents.resize(net.plan.graph.values.size());
  auto& exponents = net.plan.scheme.half_exponents[static_cast<size_t>(net.v)];
  exponents = {1};
  EXPECT_EQ(net.Beyond(), "");
  const auto ranges = StoredRanges(net.plan, net.program, net.statistics);
  ASSERT_TRUE(ranges.at(0).has_value());
  EXPECT_EQ(ranges[0]->low, -50000);
  EXPECT_EQ(ranges[0]->high, 0.5);
  exponents = {-1};
  EXPECT_NE(net.Beyond(), "");
  exponents = {2, 0};
  net.statistics[static_cast<size_t>(net.v)]->channels = {{-100000, 1}, {-3, 70000}};
  EXPECT_NE(net.Beyond(), "") << "the second channel";
  exponents = {2, 1};
  EXPECT_EQ(net.Beyond(), "");
  const auto both = StoredRanges(net.plan, net.program, net.statistics);
  EXPECT_EQ(both[0]->low, -25000);
  EXPECT_EQ(both[0]->high, 35000);

  Net infinite(-kInfinity, kInfinity, {"Conv"});
  EXPECT_EQ(infinite.Beyond(), "");
  calibrate::Statistics& seen = *infinite.statistics[static_cast<size_t>(infinite.v)];
  seen.histogram = {1};
  seen.histogram_min = -1, seen.histogram_max = 70000;
  EXPECT_NE(infinite.Beyond(), "") << "a finite one";
}

}  // namespace
}  // namespace octet::lower
