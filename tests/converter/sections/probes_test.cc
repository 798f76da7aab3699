// Which tensors a guard watches, and what it knows of them.
#include "converter/sections/guard/probes.h"

#include <gtest/gtest.h>

#include <cstdio>
#include <initializer_list>
#include <iterator>
#include <optional>
#include <string>
#include <vector>

#include "runtime/format/guard_record.h"

namespace octet::sections {
namespace {

std::string NameOf(int k) {
  char name[8];
  std::snprintf(name, sizeof(name), "t%02d", k);
  return name;
}

// `count` int8 tensors t00, t01, ...: written in this order by the first plan, in FP16 and the
// other way round by the second.
struct Ladder {
  graph::Graph graph;
  std::vector<std::optional<calibrate::Statistics>> statistics;
  std::vector<write::Plan> plans;

  explicit Ladder(int count) : plans(2) {
    for (int k = 0; k < count; ++k) {
      graph.AddValue({NameOf(k), graph::DataType::kFloat, graph::Shape{1}, {}, {}});
      calibrate::Statistics seen;
      seen.variance = 1;
      seen.histogram_min = -4;
      seen.histogram_max = 4;
      seen.histogram = {1, 2, 3, 4, 5, 6, 7, 12};
      statistics.emplace_back(seen);
      Write(0, NameOf(k), blob::ElementType::kInt8);
      Write(1, NameOf(count - 1 - k), blob::ElementType::kFp16);
    }
  }
  void Write(size_t plan, const std::string& name, blob::ElementType type) {
    lower::Program& program = plans[plan].program;
    lower::Tensor tensor;
    tensor.name = name;
    tensor.type = type;
    tensor.dims[3] = 5;
    lower::Layer layer;
    layer.output = static_cast<int>(program.tensors.size());
    program.tensors.push_back(tensor);
    program.layers.push_back(layer);
  }
  lower::Tensor& Int8(size_t k) { return plans[0].program.tensors[k]; }
  std::vector<Probe> Choose() const { return ChooseProbes(graph, statistics, plans); }
  std::vector<std::string> Names() const {
    std::vector<std::string> names;
    for (const Probe& probe : Choose()) names.push_back(probe.name);
    return names;
  }
};

std::vector<std::string> NamesOf(std::initializer_list<int> numbers) {
  std::vector<std::string> names;
  for (const int k : numbers) names.push_back(NameOf(k));
  return names;
}

TEST(Probes, AreLayersOfEveryPlan) {
  const std::vector<Probe> probes = Ladder(3).Choose();
  ASSERT_EQ(probes.size(), 3u);
  for (uint32_t k = 0; k < 3; ++k) {
    EXPECT_EQ(probes[k].name, NameOf(static_cast<int>(k)));
    EXPECT_EQ(probes[k].layers[0], k);
    EXPECT_EQ(probes[k].layers[1], 2 - k);
    for (size_t p = 2; p < std::size(probes[k].layers); ++p) {
      EXPECT_EQ(probes[k].layers[p], blob::kNone);
    }
  }
}

// The square of values over that of a rounding: 8 of the smallest, smallest first; of the 12 others
// 8 at even distances along the network.
TEST(Probes, TheSensitiveThenAlongTheNetwork) {
  Ladder ladder(20);
  for (size_t k = 0; k < 20; ++k) {
    ladder.statistics[k]->variance = 1 + static_cast<double>(k * 7 % 20);
  }
  ladder.statistics[19]->variance = 0;  // 13.69 and so between 13 and 15, by its mean alone
  ladder.statistics[19]->mean = -3.7;
  EXPECT_EQ(ladder.Names(), NamesOf({0, 3, 6, 9, 12, 15, 18, 1, 2, 4, 7, 8, 11, 13, 16, 17}));
  // A coarser step is more sensitive, as its square: 14 / 16 is below 1.
  ladder.Int8(2).scale = 4;
  EXPECT_EQ(ladder.Names()[0], NameOf(2));
}

TEST(Probes, NotOfWhatCannotBeCompared) {
  Ladder ladder(8);
  ladder.Int8(0).type = blob::ElementType::kFp16;
  ladder.Int8(1).channels.resize(2);
  ladder.statistics[2].reset();
  ladder.statistics[3]->histogram.clear();
  ladder.plans[1].program.tensors[7 - 4].name = "another";
  ladder.plans[1].program.tensors[7 - 5].dims[2] = 2;
  ladder.graph.values[6].name = "renamed";
  EXPECT_EQ(ladder.Names(), NamesOf({7}));
  ladder.statistics.resize(7);
  EXPECT_TRUE(ladder.Names().empty());
}

// Bins with middles -3.5, -2.5, ... 3.5 and 1, 2, 3, 4, 5, 6, 7, 12 values.
TEST(Probes, SharesOfValuesAtTheEnds) {
  const struct {
    float scale;
    int zero_point;
    uint32_t per_mille;
  } kCases[] = {
      {1, 0, 0},           // -127.5 to 126.5
      {0.02f, 0, 325},     // -2.55 to 2.53: the first bin and the last
      {0.0195f, 0, 550},   // -2.49 to 2.47: two at each end
      {0.01f, -128, 300},  // from 0 on: what ReLU makes 0 is not cut; to 2.545
      {1, 127, 850},       // to -0.5, which counts
      {1, -127, 250},      // from -0.5, which counts
  };
  for (const auto& c : kCases) {
    SCOPED_TRACE(testing::Message() << "scale " << c.scale << " zero point " << c.zero_point);
    Ladder ladder(1);
    ladder.Int8(0).scale = c.scale;
    ladder.Int8(0).zero_point = c.zero_point;
    EXPECT_EQ(ladder.Choose().at(0).baseline, c.per_mille);
  }
  Ladder nothing(1);
  nothing.statistics[0]->histogram.assign(8, 0);
  EXPECT_EQ(nothing.Choose().at(0).baseline, 0u);
}

// An input is worth watching where pixels can lie beyond its range: those of 0 to 255 / 255 here.
TEST(Probes, TheInputWhereACameraGivesMoreThanCalibrationSaw) {
  const struct {
    float scale;
    int zero_point;
    bool watched;
  } kCases[] = {{1.0f / 255, -128, false},                             // all of it
                {0.99f / 255, -128, true},                             // the brightest are cut
                {1.02f / 255, -128, false},                            // more than all
                {0.5f / 255, -128, true},   {1.0f / 255, -127, true},  // 254 of 255
                {1.0f / 127, 0, false}};
  for (const auto& c : kCases) {
    Ladder ladder(1);
    ladder.Int8(0).scale = c.scale;
    ladder.Int8(0).zero_point = c.zero_point;
    ladder.graph.inputs = {0};
    for (auto& plan : ladder.plans) plan.program.inputs.push_back({0, {}});
    const auto probe = ProbeInput(ladder.graph, ladder.statistics, ladder.plans, {});
    ASSERT_EQ(probe.has_value(), c.watched) << c.scale << " " << c.zero_point;
    if (!probe) continue;
    EXPECT_EQ(probe->name, "t00");
    EXPECT_EQ(probe->layers[0], blob::kProbedInput);
    EXPECT_EQ(probe->layers[1], blob::kProbedInput);
    EXPECT_EQ(probe->layers[2], blob::kNone);
  }
  Ladder ladder(1);
  ladder.Int8(0).scale = 0.5f / 255;
  ladder.Int8(0).zero_point = -128;
  ladder.graph.inputs = {0};
  ladder.plans[0].program.inputs.push_back({0, {}});
  ladder.Int8(0).type = blob::ElementType::kFp16;
  EXPECT_FALSE(ProbeInput(ladder.graph, ladder.statistics, ladder.plans, {})) << "nothing is cut";
}

}  // namespace
}  // namespace octet::sections
