// Bounds of --require, and what a verdict says of samples, plans and answers.
#include "converter/judge/verdict.h"

#include <gtest/gtest.h>

#include <optional>
#include <string>
#include <vector>

#include "converter/judge/words.h"
#include "converter/support/error.h"
#include "tests/converter/judge/judge_support.h"
#include "tests/support/facts.h"

namespace octet::judge {
namespace {

using nlohmann::json;
using octet::judge::given::GiveAnswers;
using octet::judge::given::GivenMeasure;
using octet::test::ExpectFacts;

OutputFindings NumbersAt(double db) {
  OutputFindings found;
  found.whole.about_mean_db = db;
  found.whole.cosine = 0.5;
  return found;
}

// Two outputs of numbers, of which the second is the worse one.
Verdict VerdictOf(size_t samples, double int8_db) {
  Verdict verdict;
  verdict.findings.samples.resize(samples);
  verdict.findings.outputs.resize(2);
  verdict.findings.outputs[0].name = "better";
  verdict.findings.outputs[1].name = "worse";
  for (const PlanId id : {PlanId::kInt8, PlanId::kFp16}) {
    PlanFindings& plan = verdict.findings.plans.emplace_back();
    plan.name = NameOf(id);
    const double db = id == PlanId::kInt8 ? int8_db : 70;
    plan.outputs = {NumbersAt(db + 5), NumbersAt(db)};
  }
  return verdict;
}

// Of an int8 plan that agrees by so many percent.
Verdict VerdictOfAnswers(double agreement) {
  Verdict verdict = VerdictOf(8, 30);
  GiveAnswers(verdict.findings, &verdict.findings.plans[0], 0.5, 0.1, 1.5)->agreement = agreement;
  return verdict;
}

TEST(OutputFindings, TheWorstPieceIsTheNearestToItsError) {
  const auto worst = [](const std::vector<double>& pieces) {
    OutputFindings found;
    for (const double db : pieces) found.pieces.push_back(NumbersAt(db).whole);
    return found.WorstPiece();
  };
  EXPECT_EQ(worst({}), -1);
  EXPECT_EQ(worst({5}), -1) << "one piece is the output";
  EXPECT_EQ(worst({5, 3}), 1);
  EXPECT_EQ(worst({5, 1, 3}), 1);
  EXPECT_EQ(worst({2, 2}), 0);
}

TEST(Requirement, WordsThatAreRead) {
  struct Row {
    const char* word;
    double least;
    bool in_db;
  };
  for (const Row& row : {Row{"20dB", 20, true}, Row{"0dB", 0, true}, Row{"150dB", 150, true},
                         Row{"95%", 95, false}, Row{"95", 95, false}, Row{"99.5%", 99.5, false},
                         Row{"100", 100, false}, Row{"0", 0, false}}) {
    const Requirement read = ReadRequirement(row.word);
    EXPECT_EQ(read.least, row.least) << row.word;
    EXPECT_EQ(read.in_db, row.in_db) << row.word;
  }
}

TEST(Requirement, OthersAreNamed) {
  for (const char* word : {"", "dB", "%", "x", "-1", "-1dB", "100.1", "101%", "20 dB", "20db",
                           "95%%", "nan", "20dBx", "2e"}) {
    try {
      ReadRequirement(word);
      ADD_FAILURE() << word;
    } catch (const UserError& error) {
      ExpectFacts(error.what(), {std::string("--require ") + word + ":", "20dB", "95%"});
    }
  }
}

TEST(Requirement, IsMetFromItsBoundOn) {
  EXPECT_TRUE(VerdictOf(8, 20).Meets({20, true}));
  EXPECT_FALSE(VerdictOf(8, 20).Meets({20.01, true}));
  EXPECT_FALSE(VerdictOf(8, 20).Meets({0, false})) << "there are no answers";
  EXPECT_TRUE(VerdictOfAnswers(95).Meets({95, false}));
  EXPECT_FALSE(VerdictOfAnswers(95).Meets({95.5, false}));
  EXPECT_FALSE(VerdictOf(0, 20).Meets({0, true})) << "nothing is known";
  Verdict fault = VerdictOf(8, 20);
  fault.findings.plans[0].outputs[1].fault = Fault::kConstant;
  EXPECT_FALSE(fault.Meets({0, true}));
  Verdict no_int8 = VerdictOf(8, 20);
  no_int8.findings.plans.erase(no_int8.findings.plans.begin());
  EXPECT_FALSE(no_int8.Meets({0, true}));
}

// The figure that is below a limit, and the limit.
TEST(MissWords, NameTheLimit) {
  Verdict verdict = VerdictOf(8, 20);
  Findings& findings = verdict.findings;
  PlanFindings& plan = findings.plans[0];
  const auto words = [&] { return MissWords(findings, plan); };
  EXPECT_EQ(words(), "") << "it agrees";
  plan.outputs[1].agrees = false;
  ExpectFacts(words(), {"'worse'", "cosine 0.5000", "0.99"});
  plan.outputs[1].whole.about_mean_db = 9.5;
  ExpectFacts(words(), {"'worse'", "9.50 dB", "10 dB"});
  plan.outputs[1].whole.about_mean_db = 20;
  plan.outputs[1].whole.cosine = 1;
  plan.outputs[1].whole.about_elements_db = 4.5;
  ExpectFacts(words(), {"'worse'", "4.50 dB", "5 dB"});
  // Only the piece that misses one.
  plan.outputs[1].pieces = {NumbersAt(30).whole, NumbersAt(30).whole};
  plan.outputs[1].pieces[0].cosine = 1;
  findings.outputs[1].pieces.resize(2);
  findings.outputs[1].pieces[1].name = "scores";
  for (Figures& piece : plan.outputs[1].pieces) piece.rms_error = piece.largest = 1;
  ExpectFacts(words(), {"'worse'", "cosine 0.5000", "0.99", "'scores'"});
  plan.outputs[1].fault = Fault::kConstant;
  EXPECT_EQ(words(), "") << "FaultWords says it";
}

TEST(MissWords, OfAnswers) {
  Verdict verdict = VerdictOf(8, 20);
  Findings& findings = verdict.findings;
  PlanFindings& plan = findings.plans[0];
  GiveAnswers(findings, &plan, 3.5, 2.25, 5);
  ExpectFacts(MissWords(findings, plan, 0), {"loses 3.5 points", "95 %", "2.2", "5.0", "limit 2"});
  plan.outputs[1].by_answer = false;
  plan.outputs[1].agrees = true;
  EXPECT_EQ(MissWords(findings, plan, 1), "");
  // FP16 may lose less, but not where the file rounds to codes.
  plan.name = "fp16";
  ExpectFacts(MissWords(findings, plan, 0), {"3.5 points", "limit 0.5"});
  findings.rounds_to_codes = true;
  ExpectFacts(MissWords(findings, plan, 0), {"3.5 points", "limit 2"});
}

TEST(Verdict, FiguresAreOfTheWorstOutput) {
  const Verdict verdict = VerdictOf(8, 20);
  EXPECT_EQ(verdict.SnrDb(PlanId::kInt8), 20);
  EXPECT_EQ(verdict.SnrDb(PlanId::kFp16), 70);
  EXPECT_EQ(verdict.SnrDb(PlanId::kMixed), std::nullopt) << "there is none";
  EXPECT_EQ(VerdictOf(0, 20).SnrDb(PlanId::kInt8), std::nullopt);
  const json document = verdict.Json();
  EXPECT_EQ(document["output"], "worse");
  EXPECT_EQ(document["snr_db"], 20);
  EXPECT_EQ(document["fp16_snr_db"], 70);
  EXPECT_EQ(document["cosine"], 0.5);
}

TEST(Verdict, DoubtNeedsSamplesAndAPlanThatDiffers) {
  EXPECT_FALSE(VerdictOf(8, 20).IsDoubtful());
  Verdict differs = VerdictOf(8, 20);
  differs.findings.plans[0].outputs[0].agrees = false;
  EXPECT_TRUE(differs.IsDoubtful());
  differs.findings.samples.clear();
  EXPECT_FALSE(differs.IsDoubtful());
}

TEST(Verdict, AnswersWhereTheyAreAndSpeak) {
  Verdict verdict = VerdictOfAnswers(90);
  EXPECT_TRUE(verdict.Speaks());
  EXPECT_FALSE(verdict.HasFewBoxes());
  EXPECT_EQ(verdict.Agreement(), 90);
  const json document = verdict.Json();
  EXPECT_EQ(document["agreement_percent"], 90);
  EXPECT_EQ(document["plans"][0]["loss"], 0.5);
  EXPECT_EQ(document["plans"][0]["interval"], json({0.1, 1.5}));
  EXPECT_EQ(document["plans"][0]["limit"], 2);
  EXPECT_EQ(document["plans"][0]["given"], 90) << "what the measure says itself";
  EXPECT_FALSE(document["plans"][1].contains("loss")) << "it has no answers";
  ExpectFacts(verdict.Summary(), {"int8", "loses 0.5 points", "0.1 to 1.5", "limit 2",
                                  "gives what is given", "'worse'", "30.0 dB", "fp16"});
  GivenMeasure* given = GiveAnswers(verdict.findings, &verdict.findings.plans[0], 0.5, 0.1, 1.5);
  given->few = true;
  EXPECT_TRUE(verdict.HasFewBoxes());
  given->speaks = false;
  EXPECT_FALSE(verdict.Speaks());
  EXPECT_FALSE(verdict.HasFewBoxes());
  EXPECT_EQ(verdict.Json()["agreement_percent"], json());
  EXPECT_FALSE(VerdictOf(8, 30).Speaks());
}

TEST(Verdict, NamesTheFigureThatDecides) {
  const auto expect = [](const Verdict& verdict, const char* name, double value, double limit,
                         double low, double high) {
    const auto decides = verdict.Decides();
    ASSERT_TRUE(decides) << name;
    EXPECT_EQ(decides->name, name);
    EXPECT_EQ(decides->value, value);
    EXPECT_EQ(decides->limit, limit);
    EXPECT_EQ(decides->certain.low, low);
    EXPECT_EQ(decides->certain.high, high);
    const json document = verdict.Json();
    EXPECT_EQ(document["figure_name"], name);
    EXPECT_EQ(document["figure"], value);
    EXPECT_EQ(document["limit"], limit);
    EXPECT_EQ(document["interval"], json({low, high}));
  };
  expect(VerdictOfAnswers(90), "given_points", 0.5, 2, 0.1, 1.5);
  Verdict numbers = VerdictOf(8, 25);
  numbers.findings.plans[0].outputs[1].whole.certain_db = {24, 26};
  expect(numbers, "signal_over_error_db", 25, kGoodDb, 24, 26);
  Verdict classes = VerdictOf(8, 25);
  for (size_t o = 0; o < 2; ++o) {
    classes.findings.outputs[o].kind = Kind::kClasses;
    classes.findings.plans[0].outputs[o].likeness.Add(classes.findings.outputs[o], {1, 2, 3, 4},
                                                      {1, 2, 3, 0});
  }
  expect(classes, "same_percent", 75, kGoodPercent, 75, 75);
  for (Verdict none : {VerdictOf(0, 25), VerdictOf(8, 25)}) {
    if (none.pictures() > 0) none.findings.plans.erase(none.findings.plans.begin());
    EXPECT_FALSE(none.Decides());
    EXPECT_EQ(none.Json()["figure"], json());
  }
}

TEST(Verdict, SaysWhichSamplesJudged) {
  Verdict verdict = VerdictOf(8, 20);
  verdict.unseen = 8;
  ExpectFacts(verdict.Basis(), {"8 samples", "not seen"});
  EXPECT_EQ(verdict.Json()["held_out"], true);
  verdict.unseen = 3;
  ExpectFacts(verdict.Basis(), {"8 samples", "of which", "not seen 3"});
  EXPECT_EQ(verdict.Json()["held_out"], false);
  verdict.unseen = 0;
  ExpectFacts(verdict.Basis(), {"8 calibration samples"});
  EXPECT_EQ(verdict.Json()["held_out"], false);
  verdict.random = true;
  ExpectFacts(verdict.Basis(), {"8 samples", "random data"});
  EXPECT_EQ(verdict.Json()["random_data"], true);
  ExpectFacts(VerdictOf(1, 20).Basis(), {"1 calibration sample "});
  EXPECT_EQ(VerdictOf(0, 20).Json()["held_out"], false);
  EXPECT_EQ(VerdictOf(8, 20).Summary().find("too few"), std::string::npos);
  ExpectFacts(VerdictOf(7, 20).Summary(),
              {"int8", "'worse'", "20.0 dB", "fp16", "70.0 dB", "7 ", "few"});
}

TEST(Verdict, PlansThatFailAreNamedAndMayHaveLeftTheBlob) {
  Verdict verdict = VerdictOf(8, 20);
  EXPECT_TRUE(verdict.FaultLines().empty());
  verdict.findings.plans[0].outputs[1].fault = Fault::kNoNumber;
  verdict.findings.plans[0].outputs[1].first_layer = "exp";
  ASSERT_EQ(verdict.FaultLines().size(), 1u);
  ExpectFacts(verdict.FaultLines()[0], {"int8", "kept", "'worse'", "'exp'"});
  EXPECT_EQ(verdict.Json()["plans"][0]["in_blob"], true);
  EXPECT_EQ(verdict.Json()["plans"][0]["fails"], true);
  EXPECT_EQ(verdict.Json()["plans"][1]["fails"], false);
  verdict.removed = {"int8"};
  ExpectFacts(verdict.FaultLines()[0], {"int8", "not in the blob"});
  EXPECT_EQ(verdict.Json()["plans"][0]["in_blob"], false);
  EXPECT_EQ(verdict.Json()["plans"][1]["in_blob"], true);
}

// Price, gain and why, whether it was used or not.
TEST(Verdict, ProposalsStandInTheDetails) {
  Verdict verdict = VerdictOf(8, 20);
  EXPECT_EQ(verdict.Lines().size(), 1u);
  EXPECT_TRUE(verdict.Json()["proposals"].empty());
  verdict.unit = " points";
  verdict.proposals = {{"the tail", 3, 2.5, 0.25, {1, 4}, 0.031, true, "both halves choose it"},
                       {"the neck", 1, 0.25, 0.2, {-1, 1}, 0.5, false, "it costs more"}};
  const auto lines = verdict.Lines();
  ASSERT_EQ(lines.size(), 3u);
  ExpectFacts(lines[1], {"used", "the tail", "3 nodes", "2.50", "0.25 points", "3.1 %",
                         "both halves choose it"});
  EXPECT_NE(lines[1].rfind("not", 0), 0u);
  ExpectFacts(lines[2],
              {"not used", "the neck", "1 node)", "0.25", "0.20", "50.0 %", "it costs more"});
  const json proposals = verdict.Json()["proposals"];
  ASSERT_EQ(proposals.size(), 2u);
  EXPECT_EQ(proposals[0]["name"], "the tail");
  EXPECT_EQ(proposals[0]["nodes"], 3);
  EXPECT_EQ(proposals[0]["loss_before"], 2.5);
  EXPECT_EQ(proposals[0]["loss_after"], 0.25);
  EXPECT_EQ(proposals[0]["gain_interval"], json({1, 4}));
  EXPECT_EQ(proposals[0]["time_share"], 0.031);
  EXPECT_EQ(proposals[0]["kept"], true);
  EXPECT_EQ(proposals[1]["kept"], false);
  EXPECT_EQ(proposals[1]["why"], "it costs more");
}

}  // namespace
}  // namespace octet::judge
