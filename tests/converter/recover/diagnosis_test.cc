// What convert says of the int8 plan: which output, which layer, why; and which last layers leave
// it in float.
#include "converter/recover/diagnosis.h"

#include <cmath>

#include <gtest/gtest.h>

#include <random>

#include "converter/recover/float_outputs.h"

namespace octet::recover {
namespace {

using graph::Shape;
using graph::Tensor;
using graph::ValueId;

constexpr int64_t kChannels = 4, kSide = 16;

// Channel 0 is 1 at nine places of ten, the others anywhere in [0, 1].
class Pictures : public images::Dataset {
 public:
  int64_t size() const override { return 8; }
  Tensor Load(int64_t i) const override {
    std::mt19937 random(static_cast<uint32_t>(i) + 1);
    std::vector<float> values(kChannels * kSide * kSide);
    for (size_t k = 0; k < values.size(); ++k) {
      const bool flag = k < kSide * kSide;
      values[k] =
          flag ? (random() % 10 == 0 ? 0.0f : 1.0f) : static_cast<float>(random() % 256) / 255;
    }
    return Tensor::Floats({1, kChannels, kSide, kSide}, std::move(values));
  }
};

struct Model {
  graph::Graph graph;
  std::vector<std::optional<calibrate::Statistics>> statistics;
  quantize::Config config;

  Model() {
    graph.inputs.push_back(Value("x"));
    config.method = calibrate::Method::kMinMax;
  }
  ValueId Value(const std::string& name) {
    return graph.AddValue(
        {name, graph::DataType::kFloat, Shape{1, kChannels, kSide, kSide}, {}, {}});
  }
  // 1x1 with weights [out][in].
  ValueId Conv(const std::string& name, ValueId x, std::vector<float> weights) {
    const ValueId out = Value(name);
    graph::Node node;
    node.name = "conv_" + name;
    node.op = "Conv";
    node.inputs = {x, graph.AddConstant("w_" + name, Tensor::Floats({kChannels, kChannels, 1, 1},
                                                                    std::move(weights)))};
    node.outputs = {out};
    graph.nodes.push_back(std::move(node));
    return out;
  }
  // `middle` layers that only mix, so that the last one has few of the products.
  ValueId Mixed(int count) {
    ValueId x = graph.inputs[0];
    for (int i = 0; i < count; ++i) {
      x = Conv("mix" + std::to_string(i), x, {1, 0, 0, 0, 0, 1, 0, 0, 0, 0, 1, 0, 0, 0, 0, 1});
    }
    return x;
  }
  quantize::Scheme Assign() {
    const Pictures pictures;
    statistics = calibrate::Collect(graph, {&pictures}, {});
    return quantize::AssignScheme(graph, statistics, config);
  }
  Diagnosis Look(const quantize::Scheme& scheme) const {
    const Pictures pictures;
    const simulate::Simulator simulator(graph, {&pictures}, {});
    return Diagnose(simulator, scheme, {0, 2, 4, 6});
  }
};

const std::vector<float> kPlain = {0.5f, -0.2f, 0.3f, 0.4f,  0.1f, 0.6f, -0.3f, 0.2f,
                                   0.4f, 0.2f,  0.7f, -0.1f, 0.3f, 0.3f, 0.2f,  0.5f};

TEST(Diagnosis, NoneOfAGoodNet) {
  Model model;
  model.graph.outputs = {model.Conv("y", model.Conv("a", model.graph.inputs[0], kPlain), kPlain)};
  const quantize::Scheme scheme = model.Assign();
  const Diagnosis diagnosis = model.Look(scheme);
  EXPECT_GE(diagnosis.outputs[0].Db(), kDoubtfulDb);
  EXPECT_GE(diagnosis.outputs[0].Cosine(), kDoubtfulCosine);
}

TEST(Diagnosis, OneWideChannel) {
  Model model;
  std::vector<float> wide = kPlain, undone = kPlain;
  for (size_t i = 0; i < 4; ++i) wide[12 + i] *= 4000;
  for (size_t i = 0; i < 4; ++i) undone[4 * i + 3] *= 1.0f / 4000;
  const ValueId a = model.Conv("a", model.graph.inputs[0], wide);
  model.graph.outputs = {model.Conv("y", a, undone)};
  const quantize::Scheme scheme = model.Assign();
  const Diagnosis diagnosis = model.Look(scheme);
  EXPECT_LT(diagnosis.outputs[0].Db(), kDoubtfulDb);
  const Cause cause = CauseAt(model.graph, model.statistics, scheme, diagnosis, 1);
  EXPECT_EQ(cause.kind, CauseKind::kWideChannel);
  EXPECT_NE(cause.text.find("channel 3 "), std::string::npos) << cause.text;
}

TEST(Diagnosis, ARangeThatIsCut) {
  Model model;
  const ValueId a = model.Conv("a", model.graph.inputs[0], kPlain);
  model.graph.outputs = {model.Conv("y", a, kPlain)};
  quantize::TensorOverride narrow;
  narrow.name = "a";
  narrow.min = -0.1f;
  narrow.max = 0.1f;
  model.config.tensors.push_back(narrow);
  const quantize::Scheme scheme = model.Assign();
  const Diagnosis diagnosis = model.Look(scheme);
  EXPECT_LT(diagnosis.outputs[0].Db(), kDoubtfulDb);
  const Cause cause = CauseAt(model.graph, model.statistics, scheme, diagnosis, 0);
  EXPECT_EQ(cause.kind, CauseKind::kCutRange);
  EXPECT_NE(cause.text.find("range is clipped"), std::string::npos) << cause.text;
}

// Rows in the order of another tensor's numbers: two of them that change places are no error.
TEST(Diagnosis, NoneOfWhatIsPickedInAnotherOrder) {
  Model model;
  graph::Graph& graph = model.graph;
  constexpr int64_t kAll = kChannels * kSide * kSide;
  const auto add = [&](const char* op, std::vector<ValueId> inputs, const graph::DataType type) {
    const ValueId out =
        graph.AddValue({graph.nodes.back().name + op, type, Shape{1, kAll}, {}, {}});
    graph::Node node;
    node.name = graph.nodes.back().name + "_" + op;
    node.op = op;
    node.inputs = std::move(inputs);
    node.outputs = {out};
    graph.nodes.push_back(std::move(node));
    return out;
  };
  const ValueId shape = graph.AddConstant("shape", Tensor::Integers({2}, {1, kAll}));
  const ValueId keys = model.Conv("keys", graph.inputs[0], kPlain);
  const ValueId key_row = add("Reshape", {keys, shape}, graph::DataType::kFloat);
  const ValueId rows = model.Conv("rows", keys, kPlain);
  const ValueId row = add("Reshape", {rows, shape}, graph::DataType::kFloat);
  const ValueId count = graph.AddConstant("count", Tensor::Integers({1}, {kAll}));
  const ValueId values = add("TopK", {key_row, count}, graph::DataType::kFloat);
  const ValueId order = graph.AddValue({"order", graph::DataType::kInt64, Shape{1, kAll}, {}, {}});
  graph.nodes.back().outputs = {values, order};
  graph.nodes.back().attributes["axis"] = int64_t{1};
  const ValueId picked = add("GatherElements", {row, order}, graph::DataType::kFloat);
  graph.nodes.back().attributes["axis"] = int64_t{1};
  graph.outputs = {picked};
  const quantize::Scheme scheme = model.Assign();
  const Diagnosis diagnosis = model.Look(scheme);
  EXPECT_GE(diagnosis.outputs[0].Db(), 25);
}

TEST(Diagnosis, CauseOfOneWideChannelIsNamed) {
  Model model;
  std::vector<float> wide = kPlain;
  for (size_t i = 0; i < 4; ++i) wide[8 + i] *= 4000;
  const ValueId a = model.Conv("a", model.graph.inputs[0], wide);
  model.graph.outputs = {model.Conv("y", a, kPlain)};
  const quantize::Scheme scheme = model.Assign();
  const std::string cause =
      CauseAt(model.graph, model.statistics, scheme, model.Look(scheme), 0).text;
  EXPECT_NE(cause.find("channel 2 is"), std::string::npos) << cause;
}

std::vector<float> FourTimes(const std::vector<float>& row) {
  std::vector<float> weights;
  for (int i = 0; i < 4; ++i) weights.insert(weights.end(), row.begin(), row.end());
  return weights;
}

TEST(Diagnosis, CauseOfSumsThatCancel) {
  Model model;
  const ValueId a = model.Conv("a", model.graph.inputs[0],
                               {0.5f, 0.2f, 0, 0, 0.5f, 0.2f, 0.05f, 0, 0, 0, 1, 0, 0, 0, 0, 1});
  model.graph.outputs = {model.Conv("y", a, FourTimes({100, -100, 0, 0}))};
  const quantize::Scheme scheme = model.Assign();
  const std::string cause =
      CauseAt(model.graph, model.statistics, scheme, model.Look(scheme), 1).text;
  EXPECT_EQ(cause.rfind("its sums nearly cancel: they are ", 0), 0u) << cause;
}

TEST(Diagnosis, CauseOfWeightsThatOneDrowns) {
  Model model;
  model.graph.outputs = {
      model.Conv("y", model.graph.inputs[0], FourTimes({100, 0.3f, 0.3f, 0.3f}))};
  const quantize::Scheme scheme = model.Assign();
  // Of 100^2 + 3 * 0.3^2 the latter are lost, for steps are 100 / 127.
  EXPECT_EQ(CauseAt(model.graph, model.statistics, scheme, model.Look(scheme), 0).text,
            "its weights are 45.7 dB above their rounding error in 8 bits");
  // Told of the layer, not of the function behind it.
  Model behind;
  const ValueId a = behind.Conv("a", behind.graph.inputs[0], FourTimes({100, 0.3f, 0.3f, 0.3f}));
  graph::Node relu;
  relu.name = "relu";
  relu.op = "Relu";
  relu.inputs = {a};
  relu.outputs = {behind.Value("r")};
  behind.graph.nodes.push_back(relu);
  behind.graph.outputs = {behind.Conv("y", relu.outputs[0], kPlain)};
  const quantize::Scheme its = behind.Assign();
  const std::string cause = CauseAt(behind.graph, behind.statistics, its, behind.Look(its), 1).text;
  EXPECT_EQ(cause, "its weights are 45.7 dB above their rounding error in 8 bits");
}

// Weights of powers of two lose nothing.
TEST(Diagnosis, CauseOfSumsThatAreNotToBlame) {
  Model model;
  const ValueId a = model.Conv("a", model.graph.inputs[0], FourTimes({100, 0.3f, 0.3f, 0.3f}));
  model.graph.outputs = {model.Conv("y", a, {1, 0, 0, 0, 0, 1, 0, 0, 0, 0, 1, 0, 0, 0, 0, 1})};
  const quantize::Scheme scheme = model.Assign();
  Diagnosis diagnosis = model.Look(scheme);
  // As if the range were no matter.
  ValueFigure& y = diagnosis.values[static_cast<size_t>(model.graph.outputs[0])];
  y.before = y.error = diagnosis.values[static_cast<size_t>(a)].error;
  EXPECT_EQ(CauseAt(model.graph, model.statistics, scheme, diagnosis, 1).text,
            "its inputs have this error already");
  y.before = y.error = 2 * y.error;
  EXPECT_EQ(CauseAt(model.graph, model.statistics, scheme, diagnosis, 1).text,
            "the error of its inputs grows by 3.0 dB in its sums");
}

// Logits of -400 wherever the flag stands, and a few near 0.
TEST(FloatOutputs, LogitsOfLargeRange) {
  Model model;
  std::vector<float> logits = kPlain;
  for (size_t o = 0; o < 4; ++o) logits[4 * o] = -400;
  model.graph.outputs = {model.Conv("y", model.Mixed(30), logits)};
  const quantize::Scheme scheme = model.Assign();
  const Diagnosis before = model.Look(scheme);
  const std::vector<FloatOutput> worth = WorthFloat(model.graph, scheme, before);
  ASSERT_EQ(worth.size(), 1u);
  EXPECT_EQ(worth[0].node, 30u);
  EXPECT_EQ(worth[0].measured_with, 1u);
  EXPECT_GE(worth[0].gain_db, 10 * std::log10(kWorthRatio));
  // Signal over noise never saw them.
  EXPECT_GT(before.outputs[0].Db(), 30);
  // A model of little else keeps its int8.
  Model small;
  small.graph.outputs = {small.Conv("y", small.Mixed(2), logits)};
  const quantize::Scheme its = small.Assign();
  EXPECT_TRUE(WorthFloat(small.graph, its, small.Look(its)).empty());
}

TEST(FloatOutputs, NothingToGain) {
  Model model;
  model.graph.outputs = {
      model.Conv("y", model.Mixed(30), {100, 0, 0, 0, 100, 1, 0, 0, 100, 0, 1, 0, 100, 0, 0, 1})};
  const quantize::Scheme scheme = model.Assign();
  Diagnosis diagnosis = model.Look(scheme);
  // The sums are no better than their 8 bits.
  for (auto& [id, magnitudes] : diagnosis.pieces) {
    for (MagnitudeFigure& figure : magnitudes) figure.sums = figure.error;
  }
  EXPECT_TRUE(WorthFloat(model.graph, scheme, diagnosis).empty());
}

}  // namespace
}  // namespace octet::recover
