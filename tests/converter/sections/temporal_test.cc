// Which layers are filtered from frame to frame, and by what.
#include "converter/sections/temporal/temporal.h"

#include <gtest/gtest.h>

#include <cmath>
#include <cstdio>
#include <cstring>
#include <string>
#include <vector>

#include "runtime/format/temporal_record.h"

namespace octet::sections {
namespace {

using blob::TemporalLayerRecord;

// Layers l0, l1, ... with weights, each with a tensor of 100 bytes in int8 and its own sigma; a
// second plan has the same in FP16.
struct Layers {
  graph::Graph graph;
  std::vector<NoiseFigure> noise;
  std::vector<write::Plan> plans;

  explicit Layers(const std::vector<double>& sigmas) : plans(2) {
    for (size_t k = 0; k < sigmas.size(); ++k) {
      const std::string name = "l" + std::to_string(k);
      graph.AddValue({name, graph::DataType::kFloat, graph::Shape{1}, {}, {}});
      NoiseFigure figure;
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
    choice = ChooseTemporal(graph, noise, plans, {kind, lambda});
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
  TemporalChoice choice;
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

}  // namespace
}  // namespace octet::sections
