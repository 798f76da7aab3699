#include "tests/converter/lower/first_far_layer.h"

#include <gtest/gtest.h>

namespace octet::test {
namespace {

TEST(FirstFarLayer, IsTheOneThatIsWrong) {
  OnnxBuilder model;
  const ConvOptions options{.channels = 6, .kernel = 3, .pad = 1};
  model.Input("x", {1, 3, 8, 8})
      .WithChannels(3)
      .Conv(options)
      .Relu()
      .Conv(options)
      .Relu()
      .Conv(options)
      .Output("y");
  Converted converted = ConvertInProcess(model, 1, 4);
  const std::vector<graph::Tensor> inputs{converted.data[0].Load(0)};
  const graph::Graph right = converted.graph;
  for (const uint32_t plan : {0u, 1u}) {
    EXPECT_EQ(FirstFarLayer(converted, plan, inputs, 20), "");
    for (const graph::Node& node : right.nodes) {
      SCOPED_TRACE(node.name);
      converted.graph = right;
      graph::Value& weights = converted.graph.At(node.inputs[1]);
      graph::Tensor others = *weights.constant;
      for (float& value : others.floats) value = -value;
      weights.constant = graph::Constant::Real(std::move(others));
      const std::string found = FirstFarLayer(converted, plan, inputs, 20);
      EXPECT_EQ(found.rfind("from layer '" + node.name + "' on (", 0), 0u) << found;
    }
    converted.graph = right;
  }
}

}  // namespace
}  // namespace octet::test
