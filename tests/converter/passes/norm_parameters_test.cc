// Scales and biases of normalizations in the shapes that ONNX allows.
#include <gtest/gtest.h>

#include "converter/executor/executor.h"
#include "converter/operators/operator.h"
#include "tests/converter/passes/net.h"

namespace octet::passes::testing {
namespace {

struct Case {
  Shape data;
  int64_t axis;
  Shape scale, bias;  // bias empty and no_bias: none
  bool no_bias = false;
};

// What the operator means, written with others.
ValueId WrittenOut(Net& net, const std::string& op, ValueId x, const Case& c, ValueId scale,
                   ValueId bias) {
  Ints axes;
  for (auto d = c.axis < 0 ? c.axis + static_cast<int64_t>(c.data.size()) : c.axis;
       d < static_cast<int64_t>(c.data.size()); ++d) {
    axes.push_back(d);
  }
  const ValueId list = net.Integers(axes);
  const ValueId from =
      op == "RMSNormalization" ? x : net.Op("Sub", {x, net.Op("ReduceMean", {x, list})});
  const ValueId square = net.Op("ReduceMean", {net.Op("Mul", {from, from}), list});
  const ValueId root = net.Op("Sqrt", {net.Op("Add", {square, net.Scalar(1e-5f)})});
  const ValueId y = net.Op("Mul", {net.Op("Div", {from, root}), scale});
  return bias == kNoValue ? y : net.Op("Add", {y, bias});
}

TEST(NormParameters, AnyShapeThatBroadcasts) {
  const Case cases[] = {
      {{2, 5, 8}, -1, {}, {}},           {{2, 5, 8}, -1, {1}, {1}},
      {{2, 5, 8}, -1, {1}, {}, true},    {{2, 5, 8}, -1, {8}, {1, 1, 8}},
      {{2, 5, 8}, -1, {1, 8}, {}},       {{2, 3, 4, 6}, 2, {6}, {4, 1}},
      {{2, 3, 4, 6}, 1, {3, 1, 1}, {1}}, {{2, 3, 4, 6}, -2, {4, 6}, {}, true},
      {{2, 5, 8}, -1, {5, 8}, {5, 1}},   {{2, 5, 8}, -1, {5, 1}, {}, true},
      {{2, 5, 8}, 0, {8}, {5, 1}},
  };
  for (const char* op : {"LayerNormalization", "RMSNormalization"}) {
    for (const Case& c : cases) {
      SCOPED_TRACE(op + graph::ToString(c.data) + graph::ToString(c.scale));
      Net net;
      const bool has_bias = !c.no_bias && std::string(op) == "LayerNormalization";
      const ValueId x = net.Input(c.data);
      const ValueId scale = net.Random(c.scale, 0.5f, 1.5f);
      const ValueId bias = has_bias ? net.Random(c.bias) : kNoValue;
      std::vector<ValueId> inputs{x, scale};
      if (has_bias) inputs.push_back(bias);
      net.Output(net.Op(op, inputs, {{"axis", c.axis}}));
      net.Output(WrittenOut(net, op, x, c, scale, bias));
      operators::InferShapes(net.graph);
      const auto results = [&net] {
        return executor::Executor(net.graph).Run(RandomInputs(net.graph, 1, -1, 1));
      };
      const auto expect_equal = [&](const char* when) {
        const std::vector<Tensor> both = results();
        EXPECT_LT(RelativeDifference({both[0]}, {both[1]}), 1e-5) << when;
      };
      expect_equal("before");
      RunAll(net);
      expect_equal("behind the passes");
    }
  }
}

TEST(NormParameters, ConstantsAreRepeatedAndOthersSplitOff) {
  Net net;
  const ValueId x = net.Input({2, 5, 8});
  net.Output(net.Op("LayerNormalization", {x, net.Random({1}), net.Random({8})}));
  net.Output(net.Op("LayerNormalization", {x, net.Random({8}), net.Random({8})}));
  net.Output(net.Op("LayerNormalization", {x, net.Random({5, 1}), net.Random({8})}));
  EXPECT_EQ(RunPass(net, "norm_parameters", 2),
            "LayerNormalization LayerNormalization LayerNormalization Mul Add");
  EXPECT_EQ(net.graph.Constant(net.graph.nodes[0].inputs[1])->Count(), 8);
}

TEST(NormParameters, ComputedOnesOfChannels) {
  for (const char* op : {"InstanceNormalization", "GroupNormalization"}) {
    SCOPED_TRACE(op);
    Net net;
    const ValueId x = net.Input({1, 6, 4, 4});
    const ValueId scale = net.Op("Abs", {net.Input({6}, "s")});
    Attributes attributes;
    if (std::string(op) == "GroupNormalization") attributes["num_groups"] = int64_t{2};
    net.Output(net.Op(op, {x, scale, net.Random({6})}, attributes));
    EXPECT_EQ(RunPass(net, "norm_parameters", 1),
              std::string("Abs ") + op + " Reshape Reshape Mul Add");
  }
}

}  // namespace
}  // namespace octet::passes::testing
