// Which layers are filtered from frame to frame, and by what; convert --temporal and inspect.
#include "converter/cli/temporal_section.h"

#include <cmath>
#include <cstdio>
#include <cstring>
#include <map>
#include <nlohmann/json.hpp>

#include "octet/temporal.h"
#include "runtime/format/temporal_record.h"
#include "tests/converter/cli/cli_support.h"

namespace octet::test {
namespace {

using blob::TemporalLayerRecord;
using cli::TemporalKind;
using nlohmann::json;

// Layers l0, l1, ... with weights, each with a tensor of 100 bytes in int8 and its own sigma; a
// second plan has the same in FP16.
struct Layers {
  graph::Graph graph;
  std::vector<recover::NoiseFigure> noise;
  std::vector<write::Plan> plans;

  explicit Layers(const std::vector<double>& sigmas) : plans(2) {
    for (size_t k = 0; k < sigmas.size(); ++k) {
      const std::string name = "l" + std::to_string(k);
      graph.AddValue({name, graph::DataType::kFloat, graph::Shape{1}, {}, {}});
      recover::NoiseFigure figure;
      figure.signal = 4;
      figure.error = 4 * sigmas[k] * sigmas[k];
      figure.change = 30, figure.changes = 10;
      noise.push_back(figure);
      for (size_t p = 0; p < 2; ++p) {
        lower::Program& program = plans[p].program;
        lower::Tensor tensor;
        tensor.name = name;
        tensor.type = p == 0 ? blob::ElementType::kInt8 : blob::ElementType::kFp16;
        tensor.dims[3] = 100;
        lower::Layer layer;
        layer.output = static_cast<int>(k);
        layer.macs = 1;
        program.tensors.push_back(tensor);
        program.layers.push_back(layer);
      }
    }
    plans[0].memory.arena_bytes = 1 << 20;
  }
  std::vector<TemporalLayerRecord> Choose(TemporalKind kind, double lambda = 0.1) {
    choice = cli::ChooseTemporal(graph, noise, plans, {kind, lambda});
    std::vector<TemporalLayerRecord> records;
    if (choice.section.empty()) return records;
    blob::TemporalRecord head;
    std::memcpy(&head, choice.section.data(), sizeof(head));
    EXPECT_EQ(head.record_bytes, sizeof(head));
    records.resize(head.layer_count);
    EXPECT_EQ(choice.section.size(), head.layers_offset + records.size() * sizeof(records[0]));
    std::memcpy(records.data(), choice.section.data() + head.layers_offset,
                records.size() * sizeof(records[0]));
    return records;
  }
  std::vector<uint32_t> Numbers(TemporalKind kind, double lambda = 0.1) {
    std::vector<uint32_t> numbers;
    for (const TemporalLayerRecord& record : Choose(kind, lambda)) numbers.push_back(record.layer);
    return numbers;
  }
  cli::TemporalChoice choice;
};

TEST(TemporalSection, LayersAboveOneAndAHalfTimesTheMean) {
  // The mean is 0.2, the border 0.3; the noisiest comes first.
  Layers layers({0.1, 0.31, 0.1, 0.29, 0.1, 0.4, 0.1});
  EXPECT_EQ(layers.Numbers(TemporalKind::kFilter), (std::vector<uint32_t>{5, 1}));
  EXPECT_DOUBLE_EQ(layers.choice.mean_sigma, 0.2);
  EXPECT_EQ(layers.choice.noisy, 2u);
  EXPECT_EQ(layers.choice.filtered, 2u);
  EXPECT_TRUE(Layers({0.2, 0.2, 0.2}).Numbers(TemporalKind::kMean).empty());
  EXPECT_TRUE(Layers({}).Numbers(TemporalKind::kMean).empty());
}

TEST(TemporalSection, LambdaIsATenthOfSigma) {
  Layers layers({0.1, 0.1, 0.1, 0.5});
  std::vector<TemporalLayerRecord> records = layers.Choose(TemporalKind::kFilter);
  ASSERT_EQ(records.size(), 1u);
  EXPECT_EQ(records[0].plan, 0u);
  EXPECT_EQ(records[0].bytes, 100u);
  EXPECT_EQ(records[0].frames, 2u);
  EXPECT_EQ(records[0].weights[0], std::lround(32768 * 0.05 / 1.05));
  EXPECT_EQ(records[0].weights[1], 0u);
  EXPECT_EQ(records[0].gate, 255u);
  EXPECT_EQ(records[0].cut, 384u) << "half of three steps";
  EXPECT_FLOAT_EQ(records[0].noise, 0.5f);
  EXPECT_EQ(layers.Choose(TemporalKind::kFilter, 2)[0].weights[0], 16384u) << "lambda 1";
  EXPECT_EQ(layers.Choose(TemporalKind::kFilter, 1000)[0].weights[0], 16384u) << "no more";
  // 0.1 * 0.01 is a share that moves no byte.
  EXPECT_TRUE(Layers({0.001, 0.001, 0.01}).Choose(TemporalKind::kFilter).empty());
}

TEST(TemporalSection, TheMeanOfTenFrames) {
  for (const TemporalKind kind : {TemporalKind::kMean, TemporalKind::kGated}) {
    const std::vector<TemporalLayerRecord> records = Layers({0.1, 0.1, 0.1, 0.5}).Choose(kind);
    ASSERT_EQ(records.size(), 1u);
    EXPECT_EQ(records[0].frames, 10u);
    for (const uint16_t weight : records[0].weights) EXPECT_EQ(weight, 3276u);
    EXPECT_EQ(records[0].gate, kind == TemporalKind::kMean ? 255u : 2u);
  }
}

TEST(TemporalSection, SixteenAtMostAndNoMoreThanThePlansMemory) {
  std::vector<double> sigmas(60, 0.01);
  for (size_t k = 0; k < 20; ++k) sigmas[3 * k] = 0.5 + 0.01 * static_cast<double>(k);
  Layers layers(sigmas);
  const std::vector<uint32_t> numbers = layers.Numbers(TemporalKind::kMean);
  ASSERT_EQ(numbers.size(), 16u);
  EXPECT_EQ(numbers[0], 57u);
  EXPECT_EQ(numbers[15], 12u);
  EXPECT_EQ(layers.choice.noisy, 20u);
  layers.plans[0].memory.arena_bytes = 1799;  // 900 bytes each
  EXPECT_EQ(layers.Numbers(TemporalKind::kMean), (std::vector<uint32_t>{57}));
  layers.plans[1].memory.arena_bytes = 1800;  // of the largest plan, whose memory is there anyway
  EXPECT_EQ(layers.Numbers(TemporalKind::kMean), (std::vector<uint32_t>{57, 54}));
  // What does not fit leaves room to what does.
  layers.plans[0].program.tensors[57].dims[3] = 150;
  EXPECT_EQ(layers.Numbers(TemporalKind::kMean), (std::vector<uint32_t>{57}));
  layers.plans[0].program.tensors[54].dims[3] = 50;
  EXPECT_EQ(layers.Numbers(TemporalKind::kMean), (std::vector<uint32_t>{57, 54}));
}

TEST(TemporalSection, NotOfWhatHasNoWeightsOrNoInt8) {
  Layers layers({0.1, 0.5, 0.1, 0.5, 0.1, 0.5, 0.1, 0.5, 0.1, 0.1, 0.1, 0.1});
  layers.plans[0].program.layers[1].macs = 0;
  layers.plans[0].program.tensors[3].type = blob::ElementType::kFp16;
  layers.noise[5].signal = 0;
  EXPECT_EQ(layers.Numbers(TemporalKind::kMean), (std::vector<uint32_t>{7}));
  layers.noise[7].change = layers.noise[7].changes = 0;
  EXPECT_EQ(layers.Choose(TemporalKind::kMean)[0].cut, blob::kNone) << "one picture is no change";
}

class TemporalCommand : public Cli {};

// The section is there for those who ask, and nothing else of the blob is another.
TEST_F(TemporalCommand, OneSectionMore) {
  // Noise grows from layer to layer.
  OnnxBuilder model;
  auto chain = model.Input("image", {1, 3, 8, 8}).WithChannels(3);
  for (int k = 0; k < 8; ++k) {
    chain = chain.Conv({.channels = 8, .kernel = 3, .pad = 1}).Relu();
  }
  chain.GlobalAveragePool().Flatten().Gemm(4).Output("scores");
  model.Save(Path("m.onnx"));
  // FP16 takes from the noisiest.
  WriteText("int8.yaml", "fp16_stretches: false\n");
  const std::vector<std::string> int8 = {"--config", Path("int8.yaml")};
  ASSERT_EQ(Convert("m.onnx", int8).status, 0);
  const json plain = json::parse(Octet({"inspect", Path("out.octet"), "--json"}).out);
  EXPECT_FALSE(plain.contains("temporal"));
  const Result none = Convert("m.onnx", {int8[0], int8[1], "--temporal", "none"});
  ASSERT_EQ(none.status, 0) << none.err;
  EXPECT_EQ(none.out.find("temporal"), std::string::npos);
  EXPECT_EQ(json::parse(Octet({"inspect", Path("out.octet"), "--json"}).out)["digest"],
            plain["digest"]);
  const Result filter =
      Convert("m.onnx", {int8[0], int8[1], "--temporal", "filter", "--temporal-lambda", "10"});
  ASSERT_EQ(filter.status, 0) << filter.err;
  EXPECT_NE(filter.out.find("temporal: "), std::string::npos) << filter.out;
  const json with = json::parse(Octet({"inspect", Path("out.octet"), "--json"}).out);
  std::map<std::string, std::string> before, after;
  for (const json& s : plain["sections"]) {
    before[s["kind"].get<std::string>() + s["index"].dump()] = s["sha256"];
  }
  for (const json& s : with["sections"]) {
    after[s["kind"].get<std::string>() + s["index"].dump()] = s["sha256"];
  }
  ASSERT_TRUE(with.contains("temporal")) << filter.out;
  EXPECT_GT(with["temporal"]["memory_bytes"], 0);
  for (const json& layer : with["temporal"]["layers"]) {
    EXPECT_EQ(layer["plan"], "int8");
    EXPECT_EQ(layer["frames"], 2);
    EXPECT_GT(layer["sigma"], 0);
  }
  EXPECT_EQ(after.erase("temporal0"), 1u);
  EXPECT_EQ(after, before);
}

TEST_F(TemporalCommand, Refusals) {
  ExpectRefused(Convert("m.onnx", {"--temporal", "some"}), "--temporal");
  ExpectRefused(Convert("m.onnx", {"--temporal", "filter", "--temporal-lambda", "0"}),
                "--temporal-lambda: must be above 0 and at most 1000");
  ExpectRefused(Convert("m.onnx", {"--temporal", "filter", "--temporal-lambda", "nan"}),
                "--temporal-lambda: must be above 0 and at most 1000");
}

}  // namespace
}  // namespace octet::test
