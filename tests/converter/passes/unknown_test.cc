// Operators of whose operands nothing is known, neither shape nor value: a pass leaves them as they
// are, unless the operator alone is enough for it.
#include <gtest/gtest.h>

#include <set>

#include "converter/passes/passes.h"
#include "tests/converter/passes/net.h"

namespace octet::passes::testing {
namespace {

struct Operator {
  const char* name;
  size_t operands;
};
constexpr Operator kOperators[] = {{"AveragePool", 1},
                                   {"BatchNormalization", 5},
                                   {"Cast", 1},
                                   {"Clip", 3},
                                   {"Concat", 2},
                                   {"Conv", 3},
                                   {"ConvTranspose", 2},
                                   {"DepthToSpace", 1},
                                   {"DequantizeLinear", 3},
                                   {"Div", 2},
                                   {"Dropout", 1},
                                   {"Einsum", 2},
                                   {"Expand", 2},
                                   {"EyeLike", 1},
                                   {"Flatten", 1},
                                   {"GatherElements", 2},
                                   {"Gemm", 3},
                                   {"GlobalAveragePool", 1},
                                   {"GlobalLpPool", 1},
                                   {"GlobalMaxPool", 1},
                                   {"Identity", 1},
                                   {"LayerNormalization", 3},
                                   {"LpPool", 1},
                                   {"MatMul", 2},
                                   {"Max", 2},
                                   {"MaxPool", 1},
                                   {"MaxUnpool", 2},
                                   {"Mean", 3},
                                   {"Min", 3},
                                   {"Mul", 2},
                                   {"OneHot", 3},
                                   {"PRelu", 2},
                                   {"Pad", 2},
                                   {"QuantizeLinear", 3},
                                   {"RMSNormalization", 2},
                                   {"ReduceMean", 1},
                                   {"Relu", 1},
                                   {"Reshape", 2},
                                   {"Resize", 4},
                                   {"Shape", 1},
                                   {"Size", 1},
                                   {"Slice", 4},
                                   {"SpaceToDepth", 1},
                                   {"Split", 2},
                                   {"Squeeze", 1},
                                   {"Sub", 2},
                                   {"Sum", 3},
                                   {"Tile", 2},
                                   {"Transpose", 1},
                                   {"Unsqueeze", 2},
                                   {"Upsample", 2}};

TEST(Passes, LeaveWhatTheyKnowNothingOf) {
  std::set<std::string> rewritten;
  for (const Operator& op : kOperators) {
    for (const Pass& pass : AllPasses()) {
      Graph graph;
      const auto unknown = [&](const std::string& name) {
        return graph.AddValue({name, graph::DataType::kFloat, {}, {}, {}});
      };
      const auto add = [&](const char* name, const std::vector<ValueId>& inputs) {
        Node node;
        node.name = name;
        node.op = name;
        node.inputs = inputs;
        node.outputs = {unknown(node.name + "_y")};
        graph.nodes.push_back(node);
        return node.outputs[0];
      };
      for (size_t i = 0; i < op.operands; ++i) {
        graph.inputs.push_back(unknown("x" + std::to_string(i)));
      }
      graph.outputs = {add("Softsign", {add(op.name, graph.inputs)})};
      if (pass.run(graph) != 0) {
        rewritten.insert(std::string(op.name) + " " + std::string(pass.name));
      }
    }
  }
  EXPECT_EQ(rewritten, (std::set<std::string>{"Cast remove_cast", "Dropout remove_dropout",
                                              "Identity remove_identity"}));
}

}  // namespace
}  // namespace octet::passes::testing
