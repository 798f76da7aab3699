// FP32 as the judge runs it: which nodes, with which inputs, and where it is not finite itself.
#include "converter/judge/reference.h"

#include <gtest/gtest.h>

#include <cmath>

#include "converter/operators/operator.h"

namespace octet::judge {
namespace {

using graph::Tensor;
using graph::ValueId;

// x and y -> sum = x + y -> root = sqrt(sum), and beside it lonely = -sum.
struct Sums {
  graph::Graph graph;

  Sums() {
    const ValueId x = Value("x"), y = Value("y"), sum = Value("sum"), root = Value("root"),
                  lonely = Value("lonely");
    graph.inputs = {x, y};
    Node("Add", {x, y}, sum);
    Node("Neg", {sum}, lonely);
    Node("Sqrt", {sum}, root);
    graph.outputs = {root};
  }
  ValueId Value(const char* name) {
    return graph.AddValue({name, graph::DataType::kFloat, graph::Shape{2}, {}, {}});
  }
  void Node(const char* op, std::vector<ValueId> inputs, ValueId output) {
    graph::Node node;
    node.op = node.name = op;
    node.since_opset = 13;
    node.inputs = std::move(inputs);
    node.outputs = {output};
    graph.nodes.push_back(std::move(node));
  }
};

TEST(OfOutputs, OnlyNodesThatOutputsAreMadeOf) {
  const graph::Graph graph = OfOutputs(Sums().graph);
  ASSERT_EQ(graph.nodes.size(), 2u);
  EXPECT_EQ(graph.nodes[0].op, "Add");
  EXPECT_EQ(graph.nodes[1].op, "Sqrt");
}

TEST(Reference, TakesInputsByNameAndZerosForOthers) {
  const graph::Graph graph = OfOutputs(Sums().graph);
  const Tensor nine = Tensor::Floats({2}, {9, 4}), seven = Tensor::Floats({2}, {7, 12});
  EXPECT_EQ(Reference(graph, {"y", "x"}).Run({nine, seven})[0], (std::vector<float>{4, 4}));
  EXPECT_EQ(Reference(graph, {"y"}).Run({nine})[0], (std::vector<float>{3, 2}));
  EXPECT_EQ(Reference(graph, {"z", "x"}).Run({seven, nine})[0], (std::vector<float>{3, 2}));
}

TEST(Reference, NamesNodesThatAreNotFinite) {
  const graph::Graph graph = OfOutputs(Sums().graph);
  Reference reference(graph, {"x"});
  EXPECT_TRUE(reference.InfiniteNodes({Tensor::Floats({2}, {1, 4})}).empty());
  EXPECT_EQ(reference.InfiniteNodes({Tensor::Floats({2}, {1, -4})}),
            (std::set<std::string>{"Sqrt"}));
  EXPECT_EQ(reference.InfiniteNodes({Tensor::Floats({2}, {INFINITY, 4})}),
            (std::set<std::string>{"Add", "Sqrt"}));
}

TEST(Reference, IntegersAreRounded) {
  graph::Graph graph;
  const ValueId x = graph.AddValue({"x", graph::DataType::kInt64, graph::Shape{3}, {}, {}});
  const ValueId y = graph.AddValue({"y", graph::DataType::kInt64, graph::Shape{3}, {}, {}});
  graph::Node node;
  node.op = node.name = "Neg";
  node.since_opset = 13;
  node.inputs = {x};
  node.outputs = {y};
  graph.nodes.push_back(node);
  graph.inputs = {x};
  graph.outputs = {y};
  EXPECT_EQ(Reference(graph, {"x"}).Run({Tensor::Floats({3}, {1.4f, -2.6f, 3})})[0],
            (std::vector<float>{-1, 3, -3}));
}

}  // namespace
}  // namespace octet::judge
