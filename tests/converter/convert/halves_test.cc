// Halves of the calibration samples that are alike, and halves of which one never sees the large
// values.
#include "converter/convert/halves.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <cmath>

#include "converter/judge/judgement.h"
#include "converter/support/error.h"

namespace octet::convert {
namespace {

// Eight values from -1 to 1; in the second half of the samples `loud` times as large.
class Pictures : public images::Dataset {
 public:
  explicit Pictures(float loud) : loud_(loud) {}
  int64_t size() const override { return 32; }
  graph::Tensor Load(int64_t i) const override {
    std::vector<float> values(8);
    for (size_t k = 0; k < values.size(); ++k) {
      const auto at = static_cast<float>((static_cast<int64_t>(k) * 37 + i * 11) % 101);
      values[k] = (at / 50 - 1) *
                  (static_cast<size_t>(i) / calibrate::kSamplesTogether % 2 == 1 ? loud_ : 1);
    }
    return graph::Tensor::Floats({1, 8}, std::move(values));
  }

 private:
  float loud_;
};

graph::Graph ReluGraph() {
  graph::Graph graph;
  graph.inputs = {graph.AddValue({"x", graph::DataType::kFloat, graph::Shape{1, 8}, {}, {}})};
  graph.outputs = {graph.AddValue({"y", graph::DataType::kFloat, graph::Shape{1, 8}, {}, {}})};
  graph::Node node;
  node.name = node.op = "Relu";
  node.since_opset = 13;
  node.inputs = graph.inputs;
  node.outputs = graph.outputs;
  graph.nodes.push_back(node);
  return graph;
}

using Samples = std::array<std::vector<int64_t>, 2>;
const Samples kAll = {{{0, 1, 2, 3, 8, 9, 10, 11, 16, 17}, {4, 5, 6, 7, 12, 13, 14, 15, 20, 21}}};

std::optional<HalvesFindings> Compare(const Pictures& pictures, int threads = 1,
                                      const Samples& samples = kAll) {
  const graph::Graph graph = ReluGraph();
  calibrate::Options options;
  options.threads = threads;
  calibrate::Halves halves;
  calibrate::Collect(graph, {&pictures}, options, &halves);
  const simulate::Simulator simulator(graph, {&pictures}, {});
  return CompareHalves(simulator, halves, {}, samples);
}

TEST(Halves, ThatAreAlikeAgree) {
  const auto found = Compare(Pictures(1));
  ASSERT_TRUE(found.has_value());
  EXPECT_EQ(found->samples, 4) << "nothing is to be asked";
  EXPECT_LT(std::fabs(found->difference.mean), kHalvesLookDb);
  EXPECT_FALSE(found->Differ());
  EXPECT_LT(found->scale_ratio, 1.1);
  EXPECT_FALSE(found->Disagree());
}

TEST(Halves, OfWhichOneCutsTheOthersValuesOffDisagree) {
  const auto found = Compare(Pictures(4));
  ASSERT_TRUE(found.has_value());
  EXPECT_TRUE(found->Disagree());
  EXPECT_EQ(found->samples, 16) << "others than the first are asked";
  EXPECT_GT(found->own[0].mean, 3) << "too coarse";
  EXPECT_GT(found->own[1].mean, 3) << "cut off";
  EXPECT_EQ(found->tensor, "y");
  EXPECT_GT(found->scale_ratio, 3);
  EXPECT_EQ(found->Json()["disagree"], true);
  judge::Verdict verdict;
  verdict.halves = judge::Halves{found->Disagree(), found->Words(), found->Json()};
  EXPECT_EQ(verdict.Json()["halves"]["tensor"], "y");
  const std::vector<std::string> lines = judge::AdviceLines(verdict);
  EXPECT_NE(std::find(lines.begin(), lines.end(), found->Words()), lines.end());
}

// Of four samples each would be luck in one case of a hundred: no number is far enough.
TEST(Halves, AFewSamplesMayDifferByLuck) {
  HalvesFindings found;
  found.difference = {3.5, 1.2, 4};
  found.own = {simulate::Gain{-1, 1, 2}, simulate::Gain{6, 3, 2}};
  EXPECT_TRUE(found.Differ());
  EXPECT_FALSE(found.Disagree());
  found.own[1] = {6, 1, 8};
  EXPECT_TRUE(found.Disagree());
  found.own[1] = {2.9, 0.01, 8};
  EXPECT_FALSE(found.Disagree()) << "certain, and little";
  found.difference = {-3.1, 0.1, 16};
  EXPECT_TRUE(found.Disagree()) << "the first plan is better everywhere";
}

TEST(Halves, WithoutOthersToAskTheFirstHaveToDo) {
  const auto found = Compare(Pictures(4), 1, {{{0, 1}, {4, 5}}});
  ASSERT_TRUE(found.has_value());
  EXPECT_EQ(found->samples, 4);
  EXPECT_TRUE(found->Differ());
  EXPECT_FALSE(Compare(Pictures(4), 1, {{{0, 1}, {4}}}).has_value());
}

TEST(Halves, ThreadsDoNotMatter) {
  const Pictures pictures(4);
  const auto one = Compare(pictures, 1), three = Compare(pictures, 3);
  EXPECT_EQ(one->first_db, three->first_db);
  EXPECT_EQ(one->second_db, three->second_db);
}

TEST(Halves, ThatNobodyTookApartAreNotCompared) {
  const Pictures pictures(4);
  const graph::Graph graph = ReluGraph();
  const simulate::Simulator simulator(graph, {&pictures}, {});
  EXPECT_FALSE(CompareHalves(simulator, {}, {}, {{{0, 1}, {4, 5}}}).has_value());
}

class Unreadable : public Pictures {
 public:
  using Pictures::Pictures;
  graph::Tensor Load(int64_t i) const override {
    if (is_gone) Fail("sample {} is gone; bring it back", i);
    return Pictures::Load(i);
  }
  bool is_gone = false;
};

// What makes one half's plan impossible is no answer; what goes wrong else ends the conversion.
TEST(Halves, OnlyAPlanThatIsNotPossibleIsLeftOut) {
  Unreadable pictures(4);
  const graph::Graph graph = ReluGraph();
  calibrate::Halves halves;
  calibrate::Collect(graph, {&pictures}, {}, &halves);
  const simulate::Simulator simulator(graph, {&pictures}, {});
  pictures.is_gone = true;
  EXPECT_THROW(CompareHalves(simulator, halves, {}, kAll), UserError);
  halves[1][static_cast<size_t>(graph.outputs[0])].reset();
  EXPECT_FALSE(CompareHalves(simulator, halves, {}, kAll).has_value());
}

}  // namespace
}  // namespace octet::convert
