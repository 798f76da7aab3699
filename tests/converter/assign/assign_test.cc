#include "converter/assign/assign.h"

#include <gtest/gtest.h>

#include <algorithm>

#include "converter/assign/units.h"
#include "converter/quantize/reasons.h"
#include "converter/support/error.h"
#include "tests/converter/assign/assign_support.h"

namespace octet::assign {
namespace {

using Names = std::vector<std::string>;

const Candidate& Named(const Result& result, const std::string& name) {
  return *std::find_if(result.candidates.begin(), result.candidates.end(),
                       [&name](const Candidate& candidate) { return candidate.name == name; });
}

TEST(Assign, TheLayerThatInt8SpoilsRunsInFp16AndNoOther) {
  const Result result = Chain(true).Assign({});
  EXPECT_EQ(result.fp16, Names{"c"});
  EXPECT_TRUE(result.table.units[2].sensitive);
  EXPECT_GT(Named(result, "int8").measured.value, 0.5);
  const Candidate& chosen = result.candidates[result.chosen];
  EXPECT_LT(chosen.measured.value, 0.01);
  EXPECT_EQ(result.scheme.precision[2], blob::Precision::kFp16);
  EXPECT_EQ(result.scheme.ledger.Deciding(2)->reason, quantize::Reason::kAssigned);
  EXPECT_EQ(std::count(result.scheme.precision.begin(), result.scheme.precision.end(),
                       blob::Precision::kFp16),
            1);
}

TEST(Assign, WithinABudgetItIsTheFirstToGo) {
  Settings settings;
  settings.budget.percent = 100;
  const Result result = Chain(true).Assign(settings);
  for (const char* solver : {"exact", "greedy", "qlearning"}) {
    const Candidate& candidate = Named(result, solver);
    EXPECT_TRUE(candidate.assignment[2]) << solver;
    EXPECT_LE(candidate.plan_ns, *result.budget_ns) << solver;
    EXPECT_LT(candidate.measured.value, Named(result, "int8").measured.value) << solver;
    EXPECT_GE(candidate.accepted, result.candidates[result.chosen].accepted) << solver;
  }
  EXPECT_EQ(*result.budget_ns, 2 * result.int8_ns);
}

// Also where what only moves values is in the way: conversions around it are in no table.
TEST(Assign, NoBudgetOfTimeIsExceeded) {
  Network net;
  graph::ValueId x = net.graph.inputs[0];
  for (const char* name : {"a", "b", "c"}) {
    const graph::ValueId left = net.Conv(name, x, name[0] == 'b');
    const graph::ValueId moved =
        net.Op("Concat", std::string("join_") + name, {left, x}, 2 * kChannels);
    net.graph.nodes.back().attributes["axis"] = int64_t{1};
    net.Op("Relu", std::string("relu_") + name, {moved}, 2 * kChannels);
    x = net.Conv(std::string("next_") + name, left);
  }
  std::vector<graph::ValueId> outputs{x};
  for (const graph::Node& node : net.graph.nodes) {
    if (node.op == "Relu") outputs.push_back(node.outputs[0]);
  }
  net.Finish(outputs);
  const int64_t int8_ns = net.Assign({}).int8_ns;
  for (const double percent : {1, 3, 5, 8, 12, 16, 20, 25, 30, 35, 40, 50, 60, 80}) {
    Settings by_percent, by_ms;
    by_percent.budget.percent = percent;
    by_ms.budget.ms = static_cast<double>(int8_ns) * (1 + percent / 100) / 1e6;
    for (const Settings& settings : {by_percent, by_ms}) {
      const Result result = net.Assign(settings);
      for (const Candidate& candidate : result.candidates) {
        EXPECT_LE(candidate.plan_ns, *result.budget_ns) << candidate.name << " " << percent << " %";
      }
    }
  }
}

TEST(Assign, ZeroPercentIsTheInt8Plan) {
  Settings settings;
  settings.budget.percent = 0;
  const Result result = Chain(true).Assign(settings);
  EXPECT_EQ(result.fp16, Names{});
  EXPECT_EQ(result.candidates[result.chosen].plan_ns, result.int8_ns);
}

TEST(Assign, ABudgetOfLossIsTheFastestThatKeepsIt) {
  Settings settings;
  settings.budget.max_loss = 0.05;
  const Result some = Chain(true).Assign(settings);
  EXPECT_EQ(some.fp16, Names{"c"});
  settings.budget.max_loss = 0;
  EXPECT_EQ(Chain(true).Assign(settings).fp16, (Names{"a", "b", "c", "d", "e"}));
  settings.budget.max_loss = 1;
  EXPECT_EQ(Chain(false).Assign(settings).fp16, Names{});
}

TEST(Assign, TheFrontFallsFromInt8ToFp16) {
  const Result result = Chain(true).Assign({});
  ASSERT_GE(result.front.size(), 3u);
  EXPECT_EQ(result.front.front().plan_ns, result.int8_ns);
  EXPECT_EQ(result.front.back().plan_ns, result.fp16_ns);
  EXPECT_EQ(result.front.back().measured.value, 0);
  for (size_t i = 1; i < result.front.size(); ++i) {
    EXPECT_GT(result.front[i].table.ns, result.front[i - 1].table.ns);
    EXPECT_LT(result.front[i].table.loss, result.front[i - 1].table.loss);
  }
}

TEST(Assign, TheTableAddsUpToWhatIsMeasured) {
  // Small independent errors: the sum of the units' losses against the plan's own.
  const Result result = Chain(false).Assign({});
  const Candidate& int8 = Named(result, "int8");
  EXPECT_GT(int8.measured.value, 0.4 * int8.table.loss);
  EXPECT_LT(int8.measured.value, 2.5 * int8.table.loss);
}

TEST(Assign, ThreadsChangeNothing) {
  Settings settings;
  settings.budget.percent = 60;
  const Result one = Chain(true).Assign(settings, 1), two = Chain(true).Assign(settings, 2);
  EXPECT_EQ(one.fp16, two.fp16);
  ASSERT_EQ(one.candidates.size(), two.candidates.size());
  for (size_t i = 0; i < one.candidates.size(); ++i) {
    EXPECT_EQ(one.candidates[i].assignment, two.candidates[i].assignment);
    EXPECT_EQ(one.candidates[i].measured.value, two.candidates[i].measured.value);
  }
  for (size_t u = 0; u < one.table.units.size(); ++u) {
    EXPECT_EQ(one.table.units[u].loss, two.table.units[u].loss);
    EXPECT_EQ(one.table.units[u].gradient, two.table.units[u].gradient);
  }
}

TEST(Assign, ASolverThatIsNamedIsTaken) {
  Settings settings;
  settings.budget.percent = 60;
  settings.solver = Solver::kGreedy;
  const Result result = Chain(true).Assign(settings);
  EXPECT_EQ(result.candidates[result.chosen].name, "greedy");
}

TEST(Assign, WishesOfTheConfigurationStay) {
  Chain chain(true);
  chain.config.layers.push_back({"c", blob::Precision::kInt8});
  chain.config.layers.push_back({"a", blob::Precision::kFp16});
  chain.scheme = quantize::AssignScheme(chain.graph, chain.statistics, chain.config);
  Settings settings;
  settings.budget.percent = 200;
  const Result result = chain.Assign(settings);
  EXPECT_EQ(result.table.units[2].fixed, blob::Precision::kInt8);
  EXPECT_EQ(result.table.units[0].fixed, blob::Precision::kFp16);
  EXPECT_EQ(result.scheme.precision[2], blob::Precision::kInt8);
  EXPECT_EQ(result.scheme.precision[0], blob::Precision::kFp16);
  EXPECT_EQ(std::count(result.fp16.begin(), result.fp16.end(), "a"), 0) << "it did so anyway";
}

TEST(Assign, RangesThatRecoveryChoseStay) {
  Chain chain(true);
  const auto e = static_cast<size_t>(chain.graph.nodes.back().outputs[0]);
  const float chosen = chain.scheme.tensors[e]->scale * 0.75f;
  chain.scheme.tensors[e]->scale = chosen;
  const Result result = chain.Assign({});
  ASSERT_EQ(result.fp16, Names{"c"});
  EXPECT_EQ(result.scheme.tensors[e]->scale, chosen);
}

TEST(Assign, ABudgetBelowInt8IsRefused) {
  Settings settings;
  settings.budget.ms = 1e-6;
  try {
    Chain(false).Assign(settings);
    FAIL();
  } catch (const UserError& error) {
    const std::string line = error.what();
    EXPECT_EQ(line.find("a budget of 1e-06 ms is less than the "), 0u) << line;
    EXPECT_NE(line.find("give a larger budget, or a smaller model"), std::string::npos);
  }
}

// x -> a -> b -> boxes, and a -> c -> scores.
TEST(Assign, TheHeadIsWhatLeadsToSomeOutputsOnly) {
  Network net;
  const auto a = net.Conv("a", net.graph.inputs[0]);
  const auto b = net.Conv("b", a), c = net.Conv("c", a);
  net.Finish({b, c});
  Settings settings;
  settings.preset = Preset::kBackboneInt8HeadFp16;
  EXPECT_EQ(net.Assign(settings).fp16, (Names{"b", "c"}));
  // One output: the last layer.
  EXPECT_EQ(Chain(false).Assign(settings).fp16, Names{"e"});
  settings.preset = Preset::kInt8;
  EXPECT_EQ(Chain(true).Assign(settings).fp16, Names{});
}

TEST(Assign, WhatOnlyMovesFollowsWhatItReads) {
  Network net;
  const auto a = net.Conv("a", net.graph.inputs[0]), b = net.Conv("b", net.graph.inputs[0]);
  const auto moved = net.Op("Concat", "join", {a, b}, 2 * kChannels);
  net.graph.nodes.back().attributes["axis"] = int64_t{1};
  const auto pool = net.Op("Relu", "relu", {moved}, 2 * kChannels);
  net.Finish({pool});
  const Table table = FindUnits(net.graph, net.scheme, net.config);
  ASSERT_EQ(table.units.size(), 3u) << "a, b, relu";
  EXPECT_EQ(table.units[2].name, "relu");
  ASSERT_EQ(table.borders.size(), 2u);
  EXPECT_EQ(table.borders[0].to, 2u);
  const auto precisions = [&](const Assignment& assignment) {
    std::string word;
    for (const auto p : PrecisionsOf(net.graph, net.scheme, table, assignment)) {
      word += p == blob::Precision::kFp16 ? 'h' : '8';
    }
    return word;
  };
  EXPECT_EQ(precisions({true, false, false}), "h888");
  EXPECT_EQ(precisions({true, true, false}), "hhh8");
  EXPECT_EQ(precisions({false, false, true}), "888h");
}

TEST(Sensitivity, AScaledOutputFollowsItsLayerAsItIs) {
  // Without biases the outputs of linear layers change in proportion, whatever their weights: along
  // the one direction that a single layer leaves, exactly so.
  Network net;
  net.Finish({net.Conv("a", net.graph.inputs[0])});
  const Result result = net.Assign({});
  EXPECT_NEAR(result.table.units[0].gradient, 1, 1e-3);
  EXPECT_GT(result.table.units[0].loss, 0);
  EXPECT_GT(result.table.units[0].standard_error, 0);
  EXPECT_LT(result.table.units[0].standard_error, result.table.units[0].loss);
}

}  // namespace
}  // namespace octet::assign
