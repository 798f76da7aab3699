#include "converter/graph/graph.h"

#include <gtest/gtest.h>

#include "converter/support/error.h"

namespace octet::graph {
namespace {

ValueId AddNamed(Graph& graph, const std::string& name) {
  Value value;
  value.name = name;
  return graph.AddValue(value);
}

Node MakeNode(const std::string& name, std::vector<ValueId> inputs, std::vector<ValueId> outputs) {
  Node node;
  node.name = name;
  node.op = "Add";
  node.inputs = std::move(inputs);
  node.outputs = std::move(outputs);
  return node;
}

std::vector<std::string> Order(const Graph& graph) {
  std::vector<std::string> names;
  for (const Node& node : graph.nodes) names.push_back(node.name);
  return names;
}

// x -> a -> p -> b -> q, with a second use of p in c -> r.
struct Chain {
  Graph graph;
  ValueId x, p, q, r;
  Chain() {
    x = AddNamed(graph, "x");
    p = AddNamed(graph, "p");
    q = AddNamed(graph, "q");
    r = AddNamed(graph, "r");
    graph.inputs = {x};
    graph.outputs = {q, r};
    graph.nodes = {MakeNode("a", {x, kNoValue}, {p}), MakeNode("b", {p, p}, {q}),
                   MakeNode("c", {p}, {r})};
  }
};

TEST(Graph, ElementCountAndText) {
  EXPECT_EQ(ElementCount({}), 1);
  EXPECT_EQ(ElementCount({2, 3, 4}), 24);
  EXPECT_EQ(ElementCount({2, 0}), 0);
  EXPECT_EQ(ToString(Shape{1, kUnknownDim, 3}), "[1,?,3]");
  EXPECT_EQ(Name(DataType::kUInt8), "uint8");
}

TEST(Graph, AttributesGiveFallbackValueOrAnError) {
  Node node = MakeNode("n", {}, {});
  node.attributes["axis"] = int64_t{2};
  EXPECT_EQ(node.Int("axis", 7), 2);
  EXPECT_EQ(node.Int("other", 7), 7);
  EXPECT_EQ(node.Ints("none", {1, 2}), (std::vector<int64_t>{1, 2}));
  try {
    node.Float("axis", 0);
    FAIL() << "a wrong type was accepted";
  } catch (const UserError& error) {
    EXPECT_NE(std::string(error.what()).find("node 'n' (Add): attribute 'axis'"),
              std::string::npos);
  }
}

TEST(Graph, QueriesProducersConsumersOutputs) {
  Chain chain;
  EXPECT_EQ(chain.graph.Producer(chain.x), -1);
  EXPECT_EQ(chain.graph.Producer(chain.q), 1);
  EXPECT_EQ(chain.graph.Consumers(chain.p), (std::vector<int>{1, 2}));
  EXPECT_TRUE(chain.graph.IsOutput(chain.r));
  EXPECT_FALSE(chain.graph.IsOutput(chain.p));

  const Links links(chain.graph);
  EXPECT_EQ(links.producer[static_cast<size_t>(chain.p)], 0);
  EXPECT_EQ(links.consumers[static_cast<size_t>(chain.p)], (std::vector<int>{1, 1, 2}));
  EXPECT_TRUE(links.is_output[static_cast<size_t>(chain.q)]);
}

TEST(Graph, SortKeepsAnOrderThatIsRight) {
  Chain chain;
  chain.graph.SortTopologically();
  EXPECT_EQ(Order(chain.graph), (std::vector<std::string>{"a", "b", "c"}));
}

TEST(Graph, SortRepairsAWrongOrder) {
  Chain chain;
  std::swap(chain.graph.nodes[0], chain.graph.nodes[2]);
  chain.graph.SortTopologically();
  EXPECT_EQ(Order(chain.graph), (std::vector<std::string>{"a", "c", "b"}));
}

TEST(Graph, SortNamesANodeOnTheCycleNotOneBehindIt) {
  Graph graph;
  const ValueId p = AddNamed(graph, "p"), q = AddNamed(graph, "q"), r = AddNamed(graph, "r");
  graph.nodes = {MakeNode("behind", {q}, {r}), MakeNode("loop_a", {q}, {p}),
                 MakeNode("loop_b", {p}, {q})};
  try {
    graph.SortTopologically();
    FAIL() << "a cycle was accepted";
  } catch (const UserError& error) {
    EXPECT_NE(std::string(error.what()).find("cyclic: node 'loop_"), std::string::npos)
        << error.what();
  }
  EXPECT_EQ(graph.nodes.size(), 3u);
}

TEST(Graph, SortFindsANodeThatFeedsItself) {
  Graph graph;
  const ValueId p = AddNamed(graph, "p");
  graph.nodes = {MakeNode("self", {p}, {p})};
  EXPECT_THROW(graph.SortTopologically(), UserError);
}

TEST(Graph, ReplaceUsesCoversInputsAndOutputs) {
  Chain chain;
  chain.graph.ReplaceUses(chain.p, chain.x);
  EXPECT_EQ(chain.graph.nodes[1].inputs, (std::vector<ValueId>{chain.x, chain.x}));
  chain.graph.ReplaceUses(chain.r, chain.q);
  EXPECT_EQ(chain.graph.outputs, (std::vector<ValueId>{chain.q, chain.q}));
}

TEST(Graph, RemoveAndCompactDropWhatIsNotUsed) {
  Chain chain;
  const ValueId constant = chain.graph.AddConstant("k", Tensor::Floats({2}, {1, 2}));
  EXPECT_EQ(chain.graph.Constant(constant)->Count(), 2);
  EXPECT_EQ(chain.graph.Constant(kNoValue), nullptr);
  chain.graph.outputs = {chain.r};
  chain.graph.RemoveNodes({false, true, false});
  chain.graph.Compact();
  EXPECT_EQ(Order(chain.graph), (std::vector<std::string>{"a", "c"}));
  ASSERT_EQ(chain.graph.values.size(), 3u);
  EXPECT_EQ(chain.graph.At(chain.graph.outputs[0]).name, "r");
  EXPECT_EQ(chain.graph.nodes[0].inputs[1], kNoValue);
  EXPECT_EQ(chain.graph.At(chain.graph.nodes[1].inputs[0]).name, "p");
}

}  // namespace
}  // namespace octet::graph
