// Lines about nodes that cannot run on the board.
#include <gtest/gtest.h>

#include <string>

#include "converter/lower/limits.h"
#include "converter/lower/lower.h"
#include "converter/operators/operator.h"
#include "converter/support/error.h"
#include "runtime/format/view.h"
#include "tests/support/graph_builder.h"

namespace octet::lower {
namespace {

std::string LineOf(graph::Graph graph) {
  operators::InferShapes(graph);
  try {
    CheckLowerable(graph);
  } catch (const UserError& error) {
    return error.what();
  }
  return "";
}

// Whatever the nodes' names hold: they are no part of the message.
TEST(Refusals, NamesOfNodesChangeNothing) {
  test::GraphBuilder net;
  const graph::ValueId x = net.Input({1, 4, 4, 4});
  const graph::ValueId y = net.Op("DepthToSpace", {x}, {{"blocksize", int64_t{2}}});
  net.graph.outputs = {y};
  net.graph.nodes[0].name = "a: b; c";
  EXPECT_EQ(
      LineOf(net.graph).find("node 'a: b; c' (DepthToSpace): the operator is not supported on "
                             "the board; change this node"),
      0u)
      << LineOf(net.graph);
  net.Op("DepthToSpace", {x}, {{"blocksize", int64_t{2}}});
  net.graph.outputs.push_back(net.graph.nodes[1].outputs[0]);
  net.graph.nodes[1].name = "d: e";
  EXPECT_NE(LineOf(net.graph).find("(and 1 more DepthToSpace)"), std::string::npos)
      << LineOf(net.graph);
}

TEST(Limits, AsManyInputsAsALayerCanHave) {
  Program program;
  program.layers.resize(1);
  program.layers[0].name = "join";
  program.layers[0].inputs.resize(kMaxLayerInputs);
  CheckLimits(program);
  program.layers[0].inputs.push_back(0);
  EXPECT_THROW(CheckLimits(program), UserError);
}

}  // namespace
}  // namespace octet::lower
