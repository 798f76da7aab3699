// Halves of the calibration samples that are alike, and halves of which one never sees the large
// values.
#include "converter/judge/halves.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>

#include "converter/judge/judgement.h"

namespace octet::judge {
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

std::optional<HalvesFindings> Compare(const Pictures& pictures, int threads = 1) {
  const graph::Graph graph = ReluGraph();
  calibrate::Options options;
  options.threads = threads;
  calibrate::Halves halves;
  calibrate::Collect(graph, {&pictures}, options, &halves);
  const simulate::Simulator simulator(graph, {&pictures}, {});
  return CompareHalves(simulator, halves, {}, {{{0, 1, 8}, {4, 5, 12}}});
}

TEST(Halves, ThatAreAlikeAgree) {
  const auto found = Compare(Pictures(1));
  ASSERT_TRUE(found.has_value());
  EXPECT_EQ(found->samples, 6);
  EXPECT_LT(std::fabs(found->DifferenceDb()), kHalvesDifferDb);
  EXPECT_LT(found->own_db, kHalvesDifferDb);
  EXPECT_LT(found->scale_ratio, 1.1);
  EXPECT_FALSE(found->Disagree());
}

TEST(Halves, OfWhichOneCutsTheOthersValuesOffDisagree) {
  const auto found = Compare(Pictures(4));
  ASSERT_TRUE(found.has_value());
  EXPECT_TRUE(found->Disagree());
  EXPECT_GT(found->own_db, 3) << "cut off on one side, too coarse on the other";
  EXPECT_EQ(found->tensor, "y");
  EXPECT_GT(found->scale_ratio, 3);
  EXPECT_EQ(found->Json()["disagree"], true);
  Verdict verdict;
  verdict.halves = found;
  EXPECT_EQ(verdict.Json()["halves"]["tensor"], "y");
  const std::vector<std::string> lines = AdviceLines(verdict);
  EXPECT_NE(std::find(lines.begin(), lines.end(), found->Words()), lines.end());
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

}  // namespace
}  // namespace octet::judge
