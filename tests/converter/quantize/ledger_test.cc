#include "converter/quantize/ledger.h"

#include <cmath>
#include <set>

#include <gtest/gtest.h>

#include "converter/quantize/reasons.h"
#include "tests/converter/graph/given_by_test.h"
#include "tests/converter/quantize/quantize_support.h"

namespace octet::quantize {
namespace {

using blob::Precision;

std::vector<Reason> AllReasons() {
  std::vector<Reason> all;
  for (size_t i = 0; i < kReasonCount; ++i) all.push_back(static_cast<Reason>(i));
  return all;
}

// The order is a promise: what it says in words is written down here once more.
TEST(Ledger, TheOrderOfPriority) {
  const std::vector<std::pair<std::string, Precision>> order = {
      {"requested-fp16", Precision::kFp16},
      {"assigned", Precision::kFp16},
      {"follows", Precision::kFp16},
      {"integers", Precision::kFp16},
      {"no-int8-kernel", Precision::kFp16},
      {"masked", Precision::kFp16},
      {"too-many-products", Precision::kFp16},
      {"asymmetric-only", Precision::kFp16},
      {"not-finite", Precision::kFp16},
      {"fill", Precision::kFp16},
      {"overflow", Precision::kInt8},
      {"int8-everywhere", Precision::kInt8},
      {"requested-int8", Precision::kInt8},
      {"finer-result", Precision::kFp16},
      {"float-output", Precision::kFp16},
      {"given", Precision::kInt8},
      {"before-infinity", Precision::kFp16},
      {"before-finer-result", Precision::kFp16},
      {"wide-input", Precision::kFp16},
      {"position", Precision::kFp16},
      {"state", Precision::kFp16},
      {"query", Precision::kFp16},
      {"noisy", Precision::kFp16},
      {"stretch-too-dear", Precision::kInt8},
      {"stretch", Precision::kFp16},
      {"tail-gains-too-little", Precision::kInt8},
      {"tail", Precision::kFp16}};
  ASSERT_EQ(order.size(), kReasonCount);
  for (size_t i = 0; i < order.size(); ++i) {
    const ReasonFacts& facts = FactsOf(static_cast<Reason>(i));
    EXPECT_EQ(facts.word, order[i].first);
    EXPECT_EQ(facts.wants, order[i].second) << facts.word;
    EXPECT_NE(std::string(facts.text), "");
  }
}

TEST(Ledger, TheStrongestEntryDecidesWhateverCameFirst) {
  for (const Reason strong : AllReasons()) {
    for (const Reason weak : AllReasons()) {
      if (weak <= strong) continue;
      for (const bool strong_first : {true, false}) {
        Ledger ledger;
        ledger.Add({.node = 3, .reason = strong_first ? strong : weak});
        ledger.Add({.node = 3, .reason = strong_first ? weak : strong});
        ASSERT_NE(ledger.Deciding(3), nullptr);
        EXPECT_EQ(ledger.Deciding(3)->reason, strong);
        EXPECT_EQ(ledger.Decide(3), FactsOf(strong).wants);
        EXPECT_EQ(ledger.Of(3).size(), 2u);
      }
    }
  }
}

TEST(Ledger, Int8WhereNobodyWantsAnything) {
  Ledger ledger;
  ledger.Add({.node = 1, .reason = Reason::kTail});
  for (const size_t node : {0, 2}) {
    EXPECT_EQ(ledger.Deciding(node), nullptr);
    EXPECT_EQ(ledger.Decide(node), Precision::kInt8);
  }
}

TEST(Ledger, WhatIsForEveryNodeIsWeighedAgainstItsOwn) {
  Ledger ledger;
  ledger.Add({.node = 0, .reason = Reason::kTail});
  ledger.Add({.node = 1, .reason = Reason::kNoInt8Kernel});
  ledger.AddEverywhere({.reason = Reason::kInt8Everywhere});
  EXPECT_EQ(ledger.Decide(0), Precision::kInt8);
  EXPECT_EQ(ledger.Decide(1), Precision::kFp16);
  EXPECT_EQ(ledger.Deciding(2)->reason, Reason::kInt8Everywhere);
}

TEST(Ledger, AnEntryReplacesTheOneWithItsReason) {
  Ledger ledger;
  ledger.Add({.node = 0, .reason = Reason::kStretch});
  ledger.Add({.node = 0, .reason = Reason::kStretch, .gain_db = 2.5});
  ASSERT_EQ(ledger.Of(0).size(), 1u);
  EXPECT_EQ(ledger.Deciding(0)->gain_db, 2.5);
}

TEST(Ledger, ADetailStandsForTheText) {
  EXPECT_EQ((Entry{.reason = Reason::kIntegers}).Text(), "it computes integers");
  EXPECT_EQ((Entry{.reason = Reason::kIntegers, .detail = "so"}).Text(), "so");
}

// x -> Conv -> y -> Sigmoid -> z.
struct Layer : Net {
  Layer() {
    const auto x = Input("x", -1, 1);
    y = Value("y", -1, 1);
    const auto z = Value("z", 0, 1);
    Conv(x, y);
    Op("Sigmoid", {y}, z);
    Output(z);
  }
  graph::ValueId y;
};

// x -> Conv -> real -> Sin -> y, whose steps the model gives.
struct Coarse : Net {
  explicit Coarse(float steps) {
    const auto x = Input("x", -1, 1), real = Value("real", -8, 8), y = Value("y", -8, 8);
    graph::GivenByTest::Give(graph, x, {1.0f / 128, 0});
    graph::GivenByTest::Give(graph, y, {steps, 0});
    Conv(x, real);
    Op("Sin", {real}, y);
    Output(y);
  }
};

// x -> one operator -> y.
struct One : Net {
  One(const std::string& op, float low, float high, const graph::Shape& shape = {1, 4, 4, 4}) {
    const auto x = Input("x", low, high);
    const auto y = Value("y", 0, 1, shape);
    Op(op, {x}, y);
    Output(y);
  }
};

// Conv -> Conv -> Mul by a constant, cheap beside the first.
struct HeadNet : Net {
  HeadNet() {
    const auto x = Input("x", -1, 1), a = Value("a", -1, 1), y = Value("y", -1, 1);
    Op("Conv", {x, Constant({4, 4, 31, 31}, 0.5f)}, a);
    Op("Mul", {a, Constant({1, 4, 1, 1}, 8)}, y);
    Output(y);
  }
};

// The reasons that are written of a graph, whether they decide or not.
void Collect(const Net& net, const Config& config, std::set<Reason>* reasons,
             std::set<Reason>* deciding) {
  const Scheme scheme = AssignScheme(net.graph, net.statistics, config);
  for (size_t n = 0; n < net.graph.nodes.size(); ++n) {
    for (const Entry* entry : scheme.ledger.Of(n)) reasons->insert(entry->reason);
    if (const Entry* entry = scheme.ledger.Deciding(n)) deciding->insert(entry->reason);
    EXPECT_EQ(scheme.precision[n], scheme.ledger.Decide(n)) << net.graph.nodes[n].name;
  }
}

TEST(Ledger, EveryReasonIsReached) {
  std::set<Reason> written, deciding;
  const auto collect = [&](const Net& net, const Config& config) {
    Collect(net, config, &written, &deciding);
  };
  Config config = Net::MinMax();
  config.layers = {{"Conv_y", Precision::kFp16}};  // the Sigmoid follows
  collect(Layer(), config);
  config.layers = {{"Conv_y", Precision::kInt8}};
  collect(Layer(), config);
  config = Net::MinMax();
  config.int8_everywhere = true;
  collect(Layer(), config);
  config = Net::MinMax();
  config.overflow = "layer 'a': tensor 'b' holds 1e5";
  collect(Layer(), config);
  config = Net::MinMax();
  config.measured = {{.node = 0, .reason = Reason::kFloatOutput},
                     {.node = 1, .reason = Reason::kStretch}};
  collect(Layer(), config);
  config.measured[0].reason = Reason::kStretchTooDear;
  collect(Layer(), config);
  config.measured[0].reason = Reason::kQuery;
  collect(Layer(), config);
  config.measured[0].reason = Reason::kNoisy;
  collect(Layer(), config);
  collect(Coarse(0.03f), Net::MinMax());  // finer than 8 bits of what it reads
  collect(Coarse(0.07f), Net::MinMax());
  config = Net::MinMax();
  collect(HeadNet(), config);
  config.fp16_tail = false;
  config.tail = Entry{.gain_db = 0.5};
  collect(HeadNet(), config);
  config = Net::MinMax();
  config.symmetric_only = true;
  collect(One("Softmax", -1, 1), config);

  One integers("Cast", 0, 1);
  integers.graph.values[1].type = graph::DataType::kInt64;
  integers.statistics[1].reset();
  collect(integers, Net::MinMax());
  collect(One("CumSum", 0, 1), Net::MinMax());

  One state("Sigmoid", -1, 1);
  state.graph.states.resize(1);
  collect(state, Net::MinMax());

  Net sampled;
  const auto picture = sampled.Input("x", -1, 1), places = sampled.Value("places", -1, 1),
             samples = sampled.Value("samples", -1, 1);
  sampled.Op("Mul", {picture, sampled.Constant({1}, 0.5f)}, places);
  sampled.Op("GridSample", {picture, places}, samples);
  sampled.Output(samples);
  collect(sampled, Net::MinMax());

  Layer infinite;
  infinite.statistics[static_cast<size_t>(infinite.y)]->max = INFINITY;
  collect(infinite, Net::MinMax());

  Net log;
  const auto x = log.Input("x", -1, 1), y = log.Value("y", 0, 1),
             z = log.Seen("z", {-INFINITY, -1, 0});
  log.Conv(x, y);
  log.Op("Log", {y}, z);
  log.Output(z);
  collect(log, Net::MinMax());

  Net deep;
  const auto in = deep.Input("x", -1, 1), out = deep.Value("y", -1, 1, {1, 1});
  deep.Op("Gemm", {in, deep.Constant({28001, 1}, 0.1f)}, out);
  deep.Output(out);
  collect(deep, Net::MinMax());

  Net masked;
  const auto scores = masked.Input("x", -1, 1), shares = masked.Value("y", 0, 1);
  calibrate::Observation seen;
  seen.Add(std::vector<float>{-1, 0, 1, -INFINITY}, 1, true);
  masked.statistics[static_cast<size_t>(scores)] = seen.Finish();
  masked.Op("Softmax", {scores}, shares);
  masked.Output(shares);
  collect(masked, Net::MinMax());

  Net padded;
  const auto a = padded.Input("x", -1, 1), b = padded.Value("b", -1, 1),
             c = padded.Value("c", -1, 1000, {1, 4, 6, 6});
  padded.Conv(a, b);
  padded.Op("Pad", {b, padded.Constant({8}, 1), padded.Constant({}, 1000)}, c);
  padded.Output(c);
  collect(padded, Net::MinMax());

  Net wide;
  std::vector<float> reflectances(2000);
  for (size_t i = 0; i < reflectances.size(); ++i) {
    reflectances[i] = i < 2 ? 1e4f : static_cast<float>(i) / 2000;
  }
  wide.graph.inputs.push_back(wide.Seen("x", reflectances));
  const auto layer = wide.Value("y", -1, 1);
  wide.Conv(wide.graph.inputs[0], layer);
  wide.Output(layer);
  collect(wide, Config());

  for (const Reason reason : AllReasons()) {
    EXPECT_EQ(written.count(reason), 1u) << FactsOf(reason).word;
    EXPECT_EQ(deciding.count(reason), 1u) << FactsOf(reason).word;
  }
}

// The tail keeps what was measured of it where that was too little, and who vetoed.
TEST(Ledger, WhatWasOverruledKeepsItsFigures) {
  const HeadNet net;
  Config config = Net::MinMax();
  config.fp16_tail = false;
  config.tail = Entry{.gain_db = 0.5, .proposal = "behind the last weights"};
  const Scheme scheme = AssignScheme(net.graph, net.statistics, config);
  EXPECT_EQ(scheme.precision[1], Precision::kInt8);
  const auto entries = scheme.ledger.Of(1);
  ASSERT_EQ(entries.size(), 2u);
  EXPECT_EQ(entries[0]->reason, Reason::kTailGainsTooLittle);
  EXPECT_EQ(entries[1]->reason, Reason::kTail);
  EXPECT_EQ(entries[1]->gain_db, 0.5);
  EXPECT_EQ(entries[1]->proposal, "behind the last weights");
  EXPECT_EQ(entries[1]->measured_with, 1u);
}

// FP16 that cannot hold the numbers is no reason to refuse what only FP16 can run.
TEST(Ledger, OverflowLeavesWhatOnlyFp16CanRun) {
  Layer net;
  net.statistics[static_cast<size_t>(net.y)]->max = INFINITY;
  Config config = Net::MinMax();
  config.overflow = "too large";
  const Scheme scheme = AssignScheme(net.graph, net.statistics, config);
  EXPECT_EQ(scheme.precision, (std::vector<Precision>{Precision::kFp16, Precision::kFp16}));
  config.overflow.clear();
  config.int8_everywhere = true;
  EXPECT_NE(Refusal([&] { net.Assign(config); }), "");
}

}  // namespace
}  // namespace octet::quantize
