#include "converter/recover/code_choice.h"

#include <gtest/gtest.h>

#include <random>

#include "converter/operators/operator.h"
#include "tests/converter/graph/given_by_test.h"

namespace octet::recover {
namespace {

using graph::Tensor;

class Noise : public images::Dataset {
 public:
  int64_t size() const override { return 16; }
  Tensor Load(int64_t i) const override {
    std::mt19937 random(static_cast<uint32_t>(i) + 1);
    std::vector<float> values(4 * 64);
    for (float& value : values) value = static_cast<float>(random() % 2001) / 1000 - 1;
    return Tensor::Floats({1, 4, 8, 8}, std::move(values));
  }
};

// x -> Conv -> real -> Sin -> y -> Conv -> z, all of them with codes of the model but `real`. What
// 8 bits do to `real` moves y by less than half a step; z has steps finer than y by `gain`.
struct Chain {
  Noise noise;
  graph::Graph graph;
  std::vector<std::optional<calibrate::Statistics>> statistics;
  quantize::Config config;
  simulate::Samples samples = simulate::SplitSamples(16, 16);

  explicit Chain(float gain, bool output_has_codes = true) {
    const auto value = [&](const char* name) {
      return graph.AddValue({name, graph::DataType::kFloat, graph::Shape{1, 4, 8, 8}, {}, {}});
    };
    const auto x = value("x"), real = value("real"), y = value("y"), z = value("z");
    std::mt19937 random(3);
    const auto conv = [&](graph::ValueId from, graph::ValueId to, float largest) {
      std::vector<float> weights(4 * 4);
      for (float& weight : weights) {
        weight = largest * (static_cast<float>(random() % 255) - 127) / 127;
      }
      graph::Node node;
      node.op = "Conv";
      node.name = "conv_" + graph.At(to).name;
      node.inputs = {from,
                     graph.AddConstant("w" + node.name, Tensor::Floats({4, 4, 1, 1}, weights))};
      node.outputs = {to};
      graph::GivenByTest::Code(graph, node.inputs[1], largest / 127);
      graph.nodes.push_back(node);
    };
    conv(x, real, 1.5f);
    graph::Node sine;
    sine.op = sine.name = "Sin";
    sine.inputs = {real};
    sine.outputs = {y};
    graph.nodes.push_back(sine);
    conv(y, z, 0.3f);
    graph.inputs = {x};
    graph.outputs = {z};
    operators::InferShapes(graph);
    constexpr float kStep = 1.0f / 64;
    graph::GivenByTest::Give(graph, x, {1.0f / 128, 0});
    graph::GivenByTest::Give(graph, y, {kStep, 0});
    if (output_has_codes) graph::GivenByTest::Give(graph, z, {kStep / gain, 0});
    statistics = calibrate::Collect(graph, {&noise}, {});
  }

  double Choose() {
    const simulate::Simulator simulator(graph, {&noise}, {});
    return ChooseCoarseSteps(simulator, samples, statistics, config);
  }
};

TEST(CodeChoice, TriesFinerWhereOutputsAreTooFarOff) {
  Chain chain(4);
  const double chosen = chain.Choose();
  EXPECT_LT(chosen, chain.config.coarse_steps);
  const auto before = quantize::AssignScheme(chain.graph, chain.statistics, chain.config);
  chain.config.coarse_steps = chosen;
  const auto after = quantize::AssignScheme(chain.graph, chain.statistics, chain.config);
  EXPECT_EQ(before.precision[1], blob::Precision::kInt8);
  EXPECT_EQ(after.precision[1], blob::Precision::kFp16);
}

TEST(CodeChoice, LeavesWhatIsNearEnough) {
  Chain near(0.25f);
  EXPECT_EQ(near.Choose(), near.config.coarse_steps);
  Chain real(8, false);
  EXPECT_EQ(real.Choose(), real.config.coarse_steps) << "no codes to compare with";
  Chain int8(8);
  int8.config.int8_everywhere = true;
  EXPECT_EQ(int8.Choose(), int8.config.coarse_steps);
}

}  // namespace
}  // namespace octet::recover
