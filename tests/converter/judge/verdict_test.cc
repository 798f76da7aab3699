// Bounds of --require, and what a verdict says of samples, plans and answers.
#include "converter/judge/verdict.h"

#include <gtest/gtest.h>

#include <optional>
#include <string>
#include <vector>

#include "converter/judge/words.h"
#include "converter/support/error.h"
#include "tests/support/facts.h"

namespace octet::judge {
namespace {

using nlohmann::json;
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
  for (const char* name : {"int8", "fp16"}) {
    PlanFindings& plan = verdict.findings.plans.emplace_back();
    plan.name = name;
    const double db = plan.name == "int8" ? int8_db : 70;
    plan.outputs = {NumbersAt(db + 5), NumbersAt(db)};
  }
  return verdict;
}

Verdict VerdictOfClasses(int64_t samples, int64_t same) {
  Verdict verdict = VerdictOf(static_cast<size_t>(samples), 30);
  verdict.findings.task = blob::Task::kClassify;
  verdict.findings.plans[0].answers.samples = samples;
  verdict.findings.plans[0].answers.same_top1 = same;
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
  EXPECT_TRUE(VerdictOfClasses(100, 95).Meets({95, false}));
  EXPECT_FALSE(VerdictOfClasses(100, 95).Meets({95.5, false}));
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

TEST(MissWords, OfBoxes) {
  Verdict verdict = VerdictOf(8, 20);
  Findings& findings = verdict.findings;
  findings.task = blob::Task::kDetect;
  PlanFindings& plan = findings.plans[0];
  plan.outputs[0].agrees = false;
  plan.outputs[0].by_answer = true;
  plan.answers.boxes = plan.answers.plan_boxes = 40;
  plan.answers.found = plan.answers.plan_found = 30;
  ExpectFacts(MissWords(findings, plan, 0), {"F1 75.0 %", "90 %"});
  // All are found, with other scores.
  plan.answers.found = 40;
  plan.answers.plan_boxes = plan.answers.plan_found = 30;
  ExpectFacts(MissWords(findings, plan, 0), {"30", "40", "90 %"});
  EXPECT_EQ(MissWords(findings, plan, 1), "");
}

TEST(Verdict, FiguresAreOfTheWorstOutput) {
  const Verdict verdict = VerdictOf(8, 20);
  EXPECT_EQ(verdict.SnrDb("int8"), 20);
  EXPECT_EQ(verdict.SnrDb("fp16"), 70);
  EXPECT_EQ(verdict.SnrDb("int4"), std::nullopt);
  EXPECT_EQ(VerdictOf(0, 20).SnrDb("int8"), std::nullopt);
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

TEST(Verdict, AnswersByTheTask) {
  Verdict verdict = VerdictOfClasses(10, 9);
  AnswerAgreement& answers = verdict.findings.plans[0].answers;
  answers.boxes = answers.plan_boxes = 4;
  answers.found = answers.plan_found = 3;
  answers.expected = {2}, answers.either = {4}, answers.both = {2};
  EXPECT_TRUE(verdict.Speaks());
  EXPECT_EQ(verdict.Agreement(), 90);
  verdict.findings.task = blob::Task::kDetect;
  EXPECT_EQ(verdict.Agreement(), 75);
  verdict.findings.task = blob::Task::kSegment;
  EXPECT_EQ(verdict.Agreement(), 50);
  EXPECT_EQ(verdict.Json()["agreement_percent"], 50);
  verdict.findings.task = blob::Task::kNone;
  EXPECT_FALSE(verdict.Speaks());
  EXPECT_EQ(verdict.Json()["agreement_percent"], json());
}

TEST(Verdict, SaysWhichSamplesJudged) {
  Verdict verdict = VerdictOf(8, 20);
  ExpectFacts(verdict.Basis(), {"8 samples", "not seen"});
  EXPECT_EQ(verdict.Json()["held_out"], true);
  verdict.seen = true;
  ExpectFacts(verdict.Basis(), {"8 calibration samples"});
  EXPECT_EQ(verdict.Json()["held_out"], false);
  verdict.random = true;
  ExpectFacts(verdict.Basis(), {"8 samples", "random data"});
  EXPECT_EQ(verdict.Json()["random_data"], true);
  ExpectFacts(VerdictOf(1, 20).Basis(), {"1 sample "});
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

TEST(Verdict, AdviceIsNamedWithItsGain) {
  Verdict verdict = VerdictOf(8, 20);
  EXPECT_EQ(verdict.Lines().size(), 1u);
  verdict.tried = true;
  EXPECT_EQ(verdict.Lines().size(), 2u);
  verdict.advice =
      Advice{{{"conv", "Conv", "coarse", 0.25}, {"add", "Add", "coarse", 0.5}}, "worse", 20, 26.5};
  const auto lines = verdict.Lines();
  ASSERT_EQ(lines.size(), 4u);
  ExpectFacts(lines[1],
              {"\"conv\": {precision: fp16}", "\"add\"", "'worse'", "20.0 dB", "26.5 dB"});
  ExpectFacts(lines[2], {"'conv'", "Conv", "25 %", "coarse"});
  const json document = verdict.Json();
  EXPECT_EQ(document["advice"]["gain_db"], 6.5);
  EXPECT_EQ(document["worst_layers"][1]["added_noise"], 0.5);
}

}  // namespace
}  // namespace octet::judge
