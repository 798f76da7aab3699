#include "converter/convert/constant_parts.h"

#include <random>
#include <string>
#include <utility>
#include <vector>

#include <gtest/gtest.h>

#include "converter/operators/offset_function.h"
#include "converter/operators/operator.h"

namespace octet::convert {
namespace {

const graph::Shape kPicture = {1, 3, 8, 8};

class RandomPictures : public images::Dataset {
 public:
  int64_t size() const override { return 16; }
  graph::Tensor Load(int64_t i) const override {
    std::mt19937 random(static_cast<unsigned>(i));
    std::uniform_real_distribution<float> numbers(-1, 1);
    graph::Tensor tensor = graph::Tensor::Floats(kPicture, std::vector<float>(192));
    for (float& number : tensor.floats) number = numbers(random);
    return tensor;
  }
};

class Chain {
 public:
  Chain() {
    graph.opsets[""] = 13;
    graph::Value x;
    x.name = "x";
    x.shape = kPicture;
    last_ = graph.AddValue(x);
    graph.inputs = {last_};
  }
  // What follows is another output, of the input.
  void Restart() {
    last_ = graph.inputs[0];
    first_outputs_ = graph.outputs;
  }
  void Then(const std::string& op) {
    graph::Node node;
    node.op = op;
    node.name = op + std::to_string(graph.nodes.size());
    node.inputs = {last_};
    if (op == "Mul") node.inputs.push_back(graph.AddConstant("k", graph::Tensor::Floats({}, {3})));
    graph::Value y;
    y.name = node.name + "_y";
    last_ = graph.AddValue(y);
    node.outputs = {last_};
    graph.nodes.push_back(std::move(node));
    graph.outputs = first_outputs_;
    graph.outputs.push_back(last_);
  }
  std::string Ops() const {
    std::string ops;
    for (const graph::Node& node : graph.nodes) ops += node.op + " ";
    return ops;
  }

  graph::Graph graph;

 private:
  graph::ValueId last_;
  std::vector<graph::ValueId> first_outputs_;
};

// What is taken out of a mean lies behind a factor of the function in front of it: one table.
TEST(ConstantParts, EndInOneFunctionWithItsNeighbours) {
  Chain chain;
  for (const char* op : {"Sigmoid", "Mul", "GlobalAveragePool"}) chain.Then(op);
  operators::InferShapes(chain.graph);
  const RandomPictures pictures;
  EXPECT_EQ(TakeConstantParts({&pictures}, {}, &chain.graph), 1);
  EXPECT_EQ(chain.Ops(), "OffsetFunction GlobalAveragePool Add ");
  EXPECT_EQ(operators::OffsetFunctionOf(chain.graph.nodes[0]).steps.size(), 3u);
}

TEST(ConstantParts, OfTwoOutputs) {
  Chain chain;
  for (const char* op : {"Sigmoid", "GlobalAveragePool"}) chain.Then(op);
  chain.Restart();
  for (const char* op : {"Sigmoid", "GlobalAveragePool"}) chain.Then(op);
  operators::InferShapes(chain.graph);
  const RandomPictures pictures;
  EXPECT_EQ(TakeConstantParts({&pictures}, {}, &chain.graph), 2);
}

// No table where no constant is taken out: FP16 has kernels for both.
TEST(ConstantParts, LeaveOtherFunctionsAlone) {
  Chain chain;
  for (const char* op : {"Sigmoid", "Mul", "Abs"}) chain.Then(op);
  operators::InferShapes(chain.graph);
  const RandomPictures pictures;
  EXPECT_EQ(TakeConstantParts({&pictures}, {}, &chain.graph), 0);
  EXPECT_EQ(chain.Ops(), "Sigmoid Mul Abs ");
}

}  // namespace
}  // namespace octet::convert
