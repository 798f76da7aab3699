#include "converter/cli/assignment.h"

#include <gtest/gtest.h>

#include <nlohmann/json.hpp>

#include "converter/support/error.h"
#include "tests/support/facts.h"

namespace octet::cli {
namespace {

using test::ExpectFacts;

assign::Result Measured(assign::Mean int8, assign::Mean mixed, size_t samples) {
  assign::Result result;
  result.candidates.resize(2);
  result.candidates[0].name = "int8";
  result.candidates[0].measured = int8;
  result.candidates[1].name = "exact";
  result.candidates[1].measured = mixed;
  result.chosen = 1;
  result.reported = samples;
  return result;
}

TEST(Assignment, AGainWithinItsErrorIsDoubted) {
  // Standard errors of 3 and 4 are one of 5.
  EXPECT_EQ(DoubtOf(Measured({0.20, 0.03}, {0.14, 0.04}, 8)), "");
  EXPECT_NE(DoubtOf(Measured({0.20, 0.03}, {0.16, 0.04}, 8)), "");
  const std::string worse = DoubtOf(Measured({0.15, 0}, {0.16, 0}, 8));
  for (const char* part : {"'exact'", "0.15 +-", "0.16 +-", "8 samples"}) {
    EXPECT_NE(worse.find(part), std::string::npos) << part << ": " << worse;
  }
}

TEST(Assignment, ASingleSampleTellsNothing) {
  EXPECT_NE(DoubtOf(Measured({0.2, 0}, {0.1, 0}, 1)), "");
  EXPECT_EQ(DoubtOf(Measured({0.2, 0}, {0.1, 0}, 2)), "");
}

TEST(Assignment, AllInt8IsNoGain) {
  assign::Result result = Measured({0.2, 0.1}, {0.2, 0.1}, 8);
  result.chosen = 0;
  EXPECT_EQ(DoubtOf(result), "");
}

// Three units of 100, 200 and 700 MACs, of which the first runs in FP16 anyway; 'exact' adds the
// last.
assign::Result Mixed() {
  assign::Result result = Measured({0.25, 0}, {0.125, 0}, 8);
  const uint64_t macs[] = {100, 200, 700};
  const double losses[] = {0.125, 0.5, 0.25};
  for (size_t u = 0; u < 3; ++u) {
    assign::Unit& unit = result.table.units.emplace_back();
    unit.name = "unit" + std::to_string(u);
    unit.macs = macs[u];
    unit.loss = losses[u];
    unit.int8_ns = 1000000;
    unit.fp16_ns = 3000000;
  }
  result.table.units[0].fixed = blob::Precision::kFp16;
  result.table.units[1].fixed = blob::Precision::kInt8;
  result.candidates[0].assignment = {true, false, false};
  result.candidates[0].plan_ns = result.int8_ns = 8000000;
  result.candidates[1].assignment = {true, false, true};
  result.candidates[1].plan_ns = 10000000;
  result.fp16_ns = 16000000;
  result.budget_ns = 12000000;
  return result;
}

TEST(Assignment, JsonOfTimesAndShares) {
  const nlohmann::json json = AssignmentJson(Mixed());
  EXPECT_EQ(json["int8_ms"], 8);
  EXPECT_EQ(json["fp16_ms"], 16);
  EXPECT_EQ(json["budget_ms"], 12);
  EXPECT_EQ(json["chosen"], "exact");
  EXPECT_EQ(json["candidates"][0]["fp16_units"], (std::vector<std::string>{"unit0"}));
  EXPECT_EQ(json["candidates"][0]["fp16_macs_share"], 0.1);
  EXPECT_EQ(json["candidates"][1]["fp16_macs_share"], 0.8);
  EXPECT_EQ(json["candidates"][1]["ms"], 10);
  EXPECT_EQ(json["units"][0]["fixed"], "fp16");
  EXPECT_EQ(json["units"][1]["fixed"], "int8");
  EXPECT_EQ(json["units"][2]["fixed"], nullptr);
  EXPECT_EQ(json["units"][2]["int8_ms"], 1);
  EXPECT_EQ(json["units"][2]["fp16_ms"], 3);
  assign::Result none = Mixed();
  none.budget_ns.reset();
  for (assign::Unit& unit : none.table.units) unit.macs = 0;
  EXPECT_EQ(AssignmentJson(none)["budget_ms"], nullptr);
  EXPECT_EQ(AssignmentJson(none)["candidates"][1]["fp16_macs_share"], 0);
}

// A row says how many units are added, the time, and how much more that is; units with the largest
// loss come first.
TEST(Assignment, TextOfRows) {
  const std::string text = AssignmentText(Mixed());
  const auto line_of = [&text](const std::string& start) {
    const size_t at = text.find("\n" + start) + 1;
    return text.substr(at, text.find('\n', at) - at);
  };
  ExpectFacts(text, {"8.000 ms", "16.000 ms", "12.000 ms", "8 others"});
  ExpectFacts(line_of("exact"), {" 1 ", "10.000", " 25.0 ", "0.125"});
  ExpectFacts(line_of("int8"), {" 0 ", "8.000", " 0.0 ", "0.25"});
  EXPECT_LT(text.find("unit1"), text.find("unit2"));
  EXPECT_LT(text.find("unit2"), text.find("unit0"));
  ExpectFacts(line_of("unit2"), {"1.000", "3.000", "0.25", "-> FP16"});
  ExpectFacts(line_of("unit0"), {"0.125", "FP16 anyway"});
  EXPECT_EQ(line_of("unit1").find("FP16"), std::string::npos);
}

TEST(Assignment, TenUnitsAreShown) {
  const auto rows = [](size_t units) {
    assign::Result result = Mixed();
    result.table.units.resize(units, result.table.units[2]);
    for (assign::Unit& unit : result.table.units) unit.name = "a_unit";
    for (assign::Candidate& candidate : result.candidates) candidate.assignment.resize(units);
    const std::string text = AssignmentText(result);
    size_t count = 0;
    for (size_t at = 0; (at = text.find("\na_unit", at)) != std::string::npos; ++at) ++count;
    return count;
  };
  EXPECT_EQ(rows(9), 9u);
  EXPECT_EQ(rows(10), 10u);
  EXPECT_EQ(rows(11), 10u);
}

std::string Refusal(const MixedArguments& arguments) {
  try {
    arguments.Read();
  } catch (const UserError& error) {
    return error.what();
  }
  return "";
}

TEST(MixedArguments, NumbersWithinTheirBounds) {
  MixedArguments arguments;
  EXPECT_FALSE(arguments.Read().settings.budget.ms);
  arguments.budget_ms = "2.5";
  EXPECT_EQ(arguments.Read().settings.budget.ms, 2.5);
  for (const char* good : {"0", "1e6"}) {
    arguments.budget_ms = good;
    EXPECT_EQ(Refusal(arguments), "") << good;
  }
  for (const char* wrong : {"-1", "1000001", "x", "2ms", "nan", "inf", "-0.001"}) {
    arguments.budget_ms = wrong;
    ExpectFacts(Refusal(arguments),
                {"--budget-ms", std::string("'") + wrong + "'", "0", "1000000"});
  }
  arguments = {};
  arguments.budget_loss = "1";
  EXPECT_EQ(arguments.Read().settings.budget.max_loss, 1);
  arguments.budget_loss = "1.5";
  ExpectFacts(Refusal(arguments), {"--budget-loss", "1.5"});
  arguments = {};
  arguments.percent_option = "--mixed-budget-percent";
  arguments.budget_percent = "1000001";
  ExpectFacts(Refusal(arguments), {"--mixed-budget-percent"});
}

TEST(MixedArguments, OneBudgetAndNoneBesideAPreset) {
  MixedArguments arguments;
  arguments.budget_ms = "1";
  arguments.budget_loss = "0";
  ExpectFacts(Refusal(arguments), {"--budget-ms", "--budget-percent", "--budget-loss"});
  arguments.budget_ms = "";
  EXPECT_EQ(Refusal(arguments), "");
  for (const char* preset : {"int8", "backbone-int8-head-fp16"}) {
    MixedArguments fixed;
    fixed.preset = preset;
    EXPECT_EQ(Refusal(fixed), "");
    fixed.solver = "greedy";
    ExpectFacts(Refusal(fixed), {"--preset", preset});
    fixed.solver = "best";
    fixed.budget_percent = "0";
    ExpectFacts(Refusal(fixed), {"--preset", preset});
  }
  arguments = {};
  arguments.profile = "a.json,b.json";
  EXPECT_EQ(arguments.Read().profiles, (std::vector<std::string>{"a.json", "b.json"}));
  arguments.profile = "a.json";
  EXPECT_EQ(arguments.Read().profiles, std::vector<std::string>{"a.json"});
  arguments.solver = "qlearning";
  EXPECT_EQ(arguments.Read().settings.solver, assign::Solver::kQLearning);
  arguments.solver = "exact";
  EXPECT_EQ(arguments.Read().settings.solver, assign::Solver::kExact);
}

}  // namespace
}  // namespace octet::cli
