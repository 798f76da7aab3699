#include "converter/recover/tail_choice.h"

#include <gtest/gtest.h>

#include <random>

#include "converter/operators/operator.h"

namespace octet::recover {
namespace {

using graph::Tensor;

// Channel 0 is always 0.
class Pictures : public images::Dataset {
 public:
  int64_t size() const override { return 16; }
  Tensor Load(int64_t i) const override {
    std::mt19937 random(static_cast<uint32_t>(i) + 1);
    std::vector<float> values(4 * 64);
    for (size_t at = 64; at < values.size(); ++at) {
      values[at] = static_cast<float>(random() % 1001) / 1000;
    }
    return Tensor::Floats({1, 4, 8, 8}, std::move(values));
  }
};

// x -> conv -> offsets + places -> y. A weight so large that 127 steps leave little of the others
// multiplies what is always 0: what reaches the sum is noise already.
struct Head {
  Pictures pictures;
  graph::Graph graph;
  std::vector<std::optional<calibrate::Statistics>> statistics;
  quantize::Config config;
  simulate::Samples samples = simulate::SplitSamples(16, 16);

  Head(float place, float large_weight) {
    const auto value = [&](const char* name) {
      return graph.AddValue({name, graph::DataType::kFloat, graph::Shape{1, 4, 8, 8}, {}, {}});
    };
    const auto x = value("x"), a = value("a"), y = value("y");
    std::mt19937 random(3);
    std::vector<float> weights(4 * 4 * 15 * 15), places(4 * 64);
    for (float& weight : weights) weight = static_cast<float>(random() % 2001) / 1e5f - 0.01f;
    for (size_t out = 0; out < 4; ++out) weights[out * 4 * 225] = large_weight;
    for (float& at : places) at = place * static_cast<float>(random() % 1001) / 1000;
    graph::Node conv;
    conv.op = conv.name = "Conv";
    conv.attributes["pads"] = std::vector<int64_t>{7, 7, 7, 7};
    conv.inputs = {x, graph.AddConstant("w", Tensor::Floats({4, 4, 15, 15}, weights))};
    conv.outputs = {a};
    graph::Node add;
    add.op = add.name = "Add";
    add.inputs = {a, graph.AddConstant("p", Tensor::Floats({1, 4, 8, 8}, places))};
    add.outputs = {y};
    graph.nodes = {conv, add};
    graph.inputs = {x};
    graph.outputs = {y};
    operators::InferShapes(graph);
    statistics = calibrate::Collect(graph, {&pictures}, {});
  }

  // The plan with the tail in FP16, or in int8.
  quantize::Scheme Tail(bool fp16) const {
    quantize::Config chosen = config;
    chosen.fp16_tail = fp16;
    return quantize::AssignScheme(graph, statistics, chosen);
  }
  std::optional<double> Gain(int threads = 1) const {
    simulate::Options options;
    options.threads = threads;
    return TailGain(simulate::Simulator(graph, {&pictures}, options), samples, Tail(false),
                    Tail(true));
  }
};

TEST(TailGain, CoordinatesAreCoarserThanWhatReachesThem) {
  const std::optional<double> gain = Head(600, 0).Gain();
  ASSERT_TRUE(gain);
  EXPECT_GT(*gain, 10);
}

TEST(TailGain, NoiseThatReachesTheTailStays) {
  // No places at all, as much noise as before: the sum adds no rounding that counts.
  const std::optional<double> gain = Head(0.1f, 10).Gain();
  ASSERT_TRUE(gain);
  EXPECT_LT(*gain, kHalfOfNoiseDb);
}

// There is nothing to choose where both plans are the same.
TEST(TailGain, IsNothingWhereTheTailCannotMove) {
  Head head(600, 0);
  EXPECT_NE(head.Tail(true).precision, head.Tail(false).precision);
  head.config.int8_everywhere = true;
  EXPECT_EQ(head.Tail(true).precision, head.Tail(false).precision);
  EXPECT_EQ(head.Gain(), 0);
  head.config.int8_everywhere = false;
  head.config.layers.push_back({"Add", blob::Precision::kInt8});
  EXPECT_EQ(head.Tail(true).precision, head.Tail(false).precision);
  EXPECT_EQ(head.Gain(), 0);
}

TEST(TailGain, SamplesThatAcceptTellItElseThoseThatReport) {
  Head head(600, 0);
  head.samples = {{}, {0, 1}, {2, 3}};
  const auto accepted = head.Gain();
  head.samples = {{}, {}, {0, 1}};
  EXPECT_EQ(head.Gain(), accepted);
  head.samples = {{}, {}, {2, 3}};
  EXPECT_NE(head.Gain(), accepted);
  head.samples = {{0, 1}, {}, {}};
  EXPECT_FALSE(head.Gain());
}

TEST(TailGain, SameForAnyThreadCount) {
  const Head head(600, 10);
  EXPECT_EQ(head.Gain(1), head.Gain(3));
}

TEST(TailGain, TheTailIsInt8WhereTheConfigurationSaysSo) {
  Head head(600, 0);
  const auto precision = [&] {
    return quantize::AssignScheme(head.graph, head.statistics, head.config).precision[1];
  };
  EXPECT_EQ(precision(), blob::Precision::kFp16);
  head.config.fp16_tail = false;
  EXPECT_EQ(precision(), blob::Precision::kInt8);
}

}  // namespace
}  // namespace octet::recover
