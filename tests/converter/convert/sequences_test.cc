// Sequences of a model with states: where they lie, what is recorded, and who holds out what.
#include "converter/convert/sequences.h"

#include <gtest/gtest.h>

#include <algorithm>

#include "converter/operators/operator.h"
#include "converter/support/error.h"
#include "tests/support/graph_builder.h"

namespace octet::convert {
namespace {

// y = h + x is also the next h, which starts at 10.
graph::Graph Accumulator() {
  test::GraphBuilder builder;
  const graph::ValueId x = builder.Input({1}), h = builder.Input({1});
  const graph::ValueId sum = builder.Op("Add", {h, x});
  const graph::ValueId y = builder.Op("Relu", {sum});
  builder.graph.outputs = {y, sum};
  builder.graph.states = {graph::Tensor::Floats({1}, {10})};
  operators::InferShapes(builder.graph);
  return builder.graph;
}

class Ramp : public images::Dataset {
 public:
  Ramp(int64_t size, float step) : size_(size), step_(step) {}
  int64_t size() const override { return size_; }
  graph::Tensor Load(int64_t i) const override {
    return graph::Tensor::Floats({1}, {static_cast<float>(i) * step_});
  }

 private:
  int64_t size_;
  float step_;
};

std::string RefusalOf(const graph::Graph& graph, const std::vector<int64_t>& lengths,
                      int64_t samples) {
  try {
    SequencesOf(graph, lengths, samples);
  } catch (const UserError& error) {
    return error.what();
  }
  return "accepted";
}

TEST(Sequences, LengthsAreThoseOfTheData) {
  const graph::Graph graph = Accumulator();
  EXPECT_EQ(ParseSequences("3,4"), (std::vector<int64_t>{3, 4}));
  EXPECT_TRUE(ParseSequences("").empty());
  for (const char* bad : {"0", "-1", "x", "3,,4", "3x"}) {
    EXPECT_THROW(ParseSequences(bad), UserError) << bad;
  }
  const auto sequences = SequencesOf(graph, {3, 4}, 7);
  ASSERT_EQ(sequences.size(), 2u);
  EXPECT_EQ(sequences[1].first, 3);
  EXPECT_EQ(sequences[1].count, 4);
  EXPECT_EQ(StartsOf(sequences), (std::set<int64_t>{0, 3}));
  EXPECT_EQ(SequencesOf(graph, {}, 7).size(), 1u);
  EXPECT_NE(RefusalOf(graph, {3, 3}, 7).find("add up to 6"), std::string::npos);
  EXPECT_NE(RefusalOf(graph, {3, 5}, 7).find("the next length is 5"), std::string::npos);
  EXPECT_NE(RefusalOf(graph, {INT64_MAX, INT64_MAX}, 7).find("give the length"), std::string::npos);
  graph::Graph without = graph;
  without.states.clear();
  EXPECT_TRUE(SequencesOf(without, {}, 7).empty());
  EXPECT_NE(RefusalOf(without, {7}, 7).find("has no states"), std::string::npos);
}

TEST(Sequences, FP32RecordsTheStatesInClosedLoop) {
  const graph::Graph graph = Accumulator();
  std::vector<std::unique_ptr<images::Dataset>> inputs;
  inputs.push_back(std::make_unique<Ramp>(7, 1.0f));
  for (const int threads : {1, 2}) {
    const auto states = RecordStates(graph, inputs, {{0, 3}, {3, 4}}, threads, {});
    ASSERT_EQ(states.size(), 1u);
    const float expected[] = {10, 10, 11, 10, 13, 17, 22};
    for (int64_t i = 0; i < 7; ++i) EXPECT_EQ(states[0]->Load(i).floats[0], expected[i]) << i;
  }
}

TEST(Sequences, AStateBeyondFp16IsRefused) {
  const graph::Graph graph = Accumulator();
  std::vector<std::unique_ptr<images::Dataset>> inputs;
  inputs.push_back(std::make_unique<Ramp>(7, 40000.0f));
  EXPECT_THROW(RecordStates(graph, inputs, {{0, 7}}, 1, {}), UserError);
  inputs[0] = std::make_unique<Ramp>(3, 65494.0f);  // 10 + 65494 is the last one
  EXPECT_EQ(RecordStates(graph, inputs, {{0, 3}}, 1, {})[0]->Load(2).floats[0], 65504);
}

std::vector<Sequence> Equal(int64_t count, int64_t length) {
  std::vector<Sequence> sequences;
  for (int64_t i = 0; i < count; ++i) sequences.push_back({i * length, length});
  return sequences;
}

// By set, the sequences that its samples are of.
std::set<int64_t> Of(const std::vector<int64_t>& samples, int64_t length) {
  std::set<int64_t> sequences;
  for (const int64_t sample : samples) sequences.insert(sample / length);
  return sequences;
}

TEST(Sequences, HeldOutPartsAreWholeSequences) {
  for (const int64_t count : {3, 4, 6, 9}) {
    constexpr int64_t kLength = 50;
    const simulate::Samples sets = SplitSequences(Equal(count, kLength), 40);
    EXPECT_TRUE(sets.CanCorrect());
    EXPECT_EQ(sets.fit.size(), 20u);
    EXPECT_EQ(sets.accept.size(), 10u);
    EXPECT_EQ(sets.report.size(), 10u);
    for (const int64_t sequence : Of(sets.accept, kLength)) {
      EXPECT_EQ(Of(sets.fit, kLength).count(sequence), 0u) << count;
      EXPECT_EQ(Of(sets.report, kLength).count(sequence), 0u) << count;
    }
    for (const int64_t sequence : Of(sets.report, kLength)) {
      EXPECT_EQ(Of(sets.fit, kLength).count(sequence), 0u) << count;
    }
  }
  std::vector<int64_t> every_fifth;
  for (int64_t i = 0; i < 20; ++i) every_fifth.push_back(5 * i + (i < 10 ? 0 : 100));
  EXPECT_EQ(SplitSequences(Equal(4, 50), 40).fit, every_fifth);
  const simulate::Samples all = SplitSequences(Equal(4, 10), 1000);
  EXPECT_EQ(all.fit.size() + all.accept.size() + all.report.size(), 40u);
  EXPECT_TRUE(SplitSequences(Equal(1, simulate::kFewestToSplit), 1000).CanCorrect());
  const simulate::Samples one = SplitSequences(Equal(1, 80), 1000);
  EXPECT_EQ(Of(one.fit, 20), (std::set<int64_t>{0, 3}));
  EXPECT_EQ(Of(one.accept, 20), (std::set<int64_t>{1}));
  EXPECT_EQ(Of(one.report, 20), (std::set<int64_t>{2}));
  const simulate::Samples few = SplitSequences(Equal(1, 3), 1000);
  EXPECT_FALSE(few.CanCorrect());
  EXPECT_EQ(few.report.size(), 3u);
}

TEST(Sequences, OthersThanThoseThatCalibrateJudge) {
  EXPECT_EQ(CalibratingOf(Equal(3, 10)), 3u);
  EXPECT_EQ(CalibratingOf(Equal(4, 10)), 3u);
  EXPECT_EQ(CalibratingOf(Equal(9, 10)), 7u);
  const JudgeSamples unseen = JudgingOf(Equal(4, 10), 3);
  EXPECT_EQ(unseen.indices.size(), 10u);
  EXPECT_EQ(unseen.indices[0], 30);
  EXPECT_EQ(unseen.fresh, unseen.indices);
  const JudgeSamples seen = JudgingOf(Equal(2, 2000), 2);
  EXPECT_TRUE(seen.fresh.empty());
  EXPECT_EQ(seen.indices.size(), 1024u);
  EXPECT_EQ(seen.indices[511], 511) << "each from its start on";
  EXPECT_EQ(seen.indices[512], 2000);
}

}  // namespace
}  // namespace octet::convert
