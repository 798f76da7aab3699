// A function of one variable as steps, as attributes of a node, and as ONNX's operators.
#include "converter/operators/offset_function.h"

#include <gtest/gtest.h>

#include "tests/converter/operators/operator_support.h"

namespace octet::operators {
namespace {

const OffsetFunction kChain = {{{"Elu", 0.7f, 0},
                                {kScaleStep, 0.5f, 3},
                                {kPowerStep, 1.5f, 0},
                                {kQuotientStep, 2, 0},
                                {"Clip", 0.1f, 0.9f},
                                {"Shrink", 0.3f, 0.05f},
                                {kScaleStep, 1, 0},
                                {kScaleStep, -1, 0}},
                               0.25f,
                               -0.5f};

TEST(OffsetFunction, AttributesKeepEveryNumber) {
  graph::Node node;
  SetOffsetFunction(kChain, &node);
  const OffsetFunction read = OffsetFunctionOf(node);
  ASSERT_EQ(read.steps.size(), kChain.steps.size());
  for (size_t i = 0; i < read.steps.size(); ++i) {
    EXPECT_EQ(read.steps[i].name, kChain.steps[i].name);
    EXPECT_EQ(read.steps[i].alpha, kChain.steps[i].alpha);
    EXPECT_EQ(read.steps[i].beta, kChain.steps[i].beta);
  }
  EXPECT_EQ(read.from, kChain.from);
  EXPECT_EQ(read.by, kChain.by);
}

TEST(OffsetFunction, PartsComputeTheSame) {
  for (const bool offsets : {true, false}) {
    OffsetFunction function = kChain;
    if (!offsets) function.from = function.by = 0;
    graph::Node node;
    SetOffsetFunction(function, &node);
    const Tensor x = F({7}, {-3, -1, -0.25f, 0, 0.5f, 2, 4});
    Tensor y = x;
    const std::vector<FunctionPart> parts = PartsOf(function);
    EXPECT_EQ(parts.size(), offsets ? 10u : 8u);  // a scale of 1 by 0 is none
    for (const FunctionPart& part : parts) {
      Inputs inputs;
      for (const float number : part.front) inputs.emplace_back(F({}, {number}));
      inputs.emplace_back(y);
      for (const float number : part.behind) inputs.emplace_back(F({}, {number}));
      y = Apply(part.op, inputs, part.attributes);
    }
    const Tensor whole = Apply(kOffsetFunction, {x}, node.attributes);
    for (size_t i = 0; i < x.floats.size(); ++i) {
      EXPECT_NEAR(y.floats[i], whole.floats[i], 1e-6) << i;
      EXPECT_NEAR(function.Of(x.floats[i]), static_cast<double>(whole.floats[i]), 1e-6) << i;
    }
  }
}

TEST(OffsetFunction, OfNothingIsAnOperatorStill) {
  EXPECT_EQ(PartsOf({{{kScaleStep, 1, 0}}}).size(), 1u);
}

}  // namespace
}  // namespace octet::operators
