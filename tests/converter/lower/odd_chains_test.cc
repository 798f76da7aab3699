// Short chains of any operators with odd constants through all passes: a graph that can be lowered
// or not, or one UserError; a sanitizer sees the rest.
#include "tests/converter/operators/odd_inputs.h"

#include "converter/lower/lower.h"
#include "converter/passes/passes.h"

namespace octet::lower {
namespace {

constexpr int kChains = 20000;

graph::Graph OddChain(operators::Random& random) {
  const std::vector<std::string_view> names = operators::Names();
  graph::Graph graph;
  graph::Value input;
  input.name = "x";
  input.shape = graph::Shape{1, 4, 4, 4};
  graph.inputs.push_back(graph.AddValue(std::move(input)));
  graph::ValueId last = graph.inputs[0];
  for (uint32_t n = 1 + random() % 3; n > 0; --n) {
    graph::Node node;
    node.name = "n" + std::to_string(n);
    node.op = operators::Pick(random, names);
    node.since_opset = 13;
    node.attributes = operators::OddAttributes(random);
    node.inputs.push_back(last);
    for (uint32_t i = random() % 3; i > 0; --i) {
      node.inputs.push_back(
          random() % 4 == 0 ? last : graph.AddConstant("c", operators::OddTensor(random)));
    }
    if (random() % 4 == 0) std::swap(node.inputs.front(), node.inputs.back());
    graph::Value output;
    output.name = "v" + std::to_string(n);
    last = graph.AddValue(std::move(output));
    node.outputs.push_back(last);
    graph.nodes.push_back(std::move(node));
  }
  graph.outputs.push_back(last);
  return graph;
}

TEST(OddChains, AreTakenOrRefused) {
  operators::Random random(1);
  int taken = 0, refused = 0;
  for (int chain = 0; chain < kChains; ++chain) {
    graph::Graph graph = OddChain(random);
    SCOPED_TRACE(chain);
    try {
      passes::Canonicalise(graph, nullptr);
      ++taken;
      CheckLowerable(graph);
    } catch (const UserError&) {
      ++refused;
    }
  }
  std::printf("%d taken, %d refused\n", taken, refused);
  EXPECT_GT(taken, kChains / 40);
}

}  // namespace
}  // namespace octet::lower
