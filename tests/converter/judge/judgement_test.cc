// The rule of docs/verdict.md for the word at the end of octet convert.
#include "converter/judge/judgement.h"

#include <gtest/gtest.h>

#include "converter/judge/words.h"
#include "tests/support/facts.h"

namespace octet::judge {
namespace {

PlanFindings Plan(const std::string& name, double db) {
  PlanFindings plan;
  plan.name = name;
  plan.outputs.resize(1);
  plan.outputs[0].whole.about_mean_db = db;
  plan.outputs[0].whole.cosine = 1;
  return plan;
}

Verdict Of(size_t samples, double int8_db, double fp16_db) {
  Verdict verdict;
  verdict.findings.samples.resize(samples);
  verdict.findings.outputs.resize(1);
  verdict.findings.outputs[0].name = "y";
  verdict.findings.plans = {Plan("int8", int8_db), Plan("fp16", fp16_db)};
  return verdict;
}

TEST(JudgementRule, ByTheOutputsOfTheInt8Plan) {
  EXPECT_EQ(JudgementOf(Of(16, 25, 60)), Judgement::kGood);
  EXPECT_EQ(JudgementOf(Of(16, 19, 60)), Judgement::kCheck);
  Verdict differs = Of(16, 5, 60);
  differs.findings.plans[0].outputs[0].agrees = false;
  EXPECT_EQ(JudgementOf(differs), Judgement::kBad);
  Verdict constant = Of(16, 25, 60);
  constant.findings.plans[0].outputs[0].fault = Fault::kConstant;
  EXPECT_EQ(JudgementOf(constant), Judgement::kBad);
  Verdict no_int8 = Of(16, 25, 60);
  no_int8.findings.plans.erase(no_int8.findings.plans.begin());
  EXPECT_EQ(JudgementOf(no_int8), Judgement::kBad);
}

TEST(JudgementRule, ByTheAnswersWhereThereAreSome) {
  Verdict verdict = Of(100, 15, 60);
  verdict.findings.task = blob::Task::kClassify;
  for (PlanFindings& plan : verdict.findings.plans) {
    plan.answers.samples = 100;
    plan.answers.same_top1 = 95;
  }
  EXPECT_EQ(JudgementOf(verdict), Judgement::kGood) << "15 dB do not count";
  verdict.findings.plans[0].answers.same_top1 = 94;
  EXPECT_EQ(JudgementOf(verdict), Judgement::kCheck);
}

TEST(JudgementRule, BySamplesAndOtherPlans) {
  EXPECT_EQ(JudgementOf(Of(0, 25, 60)), Judgement::kCheck);
  EXPECT_EQ(JudgementOf(Of(7, 25, 60)), Judgement::kCheck);
  EXPECT_EQ(JudgementOf(Of(8, 25, 60)), Judgement::kGood);
  Verdict fp16 = Of(16, 25, 20);
  fp16.findings.plans[1].outputs[0].agrees = false;
  EXPECT_EQ(JudgementOf(fp16), Judgement::kCheck);
}

TEST(JudgementRule, FewBoxesAreToBeChecked) {
  Verdict verdict = Of(16, 25, 60);
  verdict.findings.task = blob::Task::kDetect;
  AnswerAgreement& answers = verdict.findings.plans[0].answers;
  answers.boxes = answers.found = answers.plan_boxes = answers.plan_found = 5;
  EXPECT_EQ(JudgementOf(verdict), Judgement::kGood);
  EXPECT_TRUE(AdviceLines(verdict).empty());
  answers.boxes = answers.found = answers.plan_boxes = answers.plan_found = 4;
  EXPECT_EQ(JudgementOf(verdict), Judgement::kCheck);
  const std::vector<std::string> lines = AdviceLines(verdict);
  ASSERT_EQ(lines.size(), 1u);
  octet::test::ExpectFacts(lines[0], {"4", "boxes", "too few"});
}

TEST(JudgementRule, SamplesThatAreAllEqualAreOne) {
  Verdict verdict = Of(16, 25, 60);
  verdict.alike = true;
  EXPECT_EQ(JudgementOf(verdict), Judgement::kCheck);
  const std::vector<std::string> lines = AdviceLines(verdict);
  ASSERT_EQ(lines.size(), 1u);
  octet::test::ExpectFacts(lines[0], {"equal", "--calibrate"});
}

// Decibels of an output that is no numbers say little: the least percentage stands in the table.
TEST(AgreementWords, NameTheOutputThatIsLeastAlike) {
  Verdict verdict = Of(16, 25, 60);
  verdict.findings.outputs.resize(3);
  PlanFindings& plan = verdict.findings.plans[0];
  plan.outputs.resize(3);
  const std::vector<float> exact = {1, 2, 3, 4};
  const std::vector<std::vector<float>> actual = {{1, 2, 3, 0}, {1, 0, 0, 0}, {1, 2, 0, 0}};
  for (size_t o = 0; o < 3; ++o) {
    Output& output = verdict.findings.outputs[o];
    output.name = std::string(1, static_cast<char>('a' + o));
    output.kind = Kind::kClasses;
    plan.outputs[o].likeness.Add(output, exact, actual[o]);
  }
  octet::test::ExpectFacts(AgreementWords(verdict.findings, plan), {"'b'", "25.0 %"});
}

TEST(JudgementRule, AtMostThreeLinesOfAdvice) {
  EXPECT_TRUE(AdviceLines(Of(16, 25, 60)).empty());
  Verdict verdict = Of(4, 25, 60);
  for (PlanFindings& plan : verdict.findings.plans) {
    plan.outputs[0].fault = Fault::kConstant;
    plan.outputs[0].first_layer = "conv";
  }
  verdict.tried = true;
  const std::vector<std::string> lines = AdviceLines(verdict);
  ASSERT_EQ(lines.size(), kMostAdvice);
  octet::test::ExpectFacts(lines[0], {"int8", "fails", "'y'", "'conv'"});
  octet::test::ExpectFacts(lines[1], {"fp16", "fails", "'y'", "'conv'"});
}

}  // namespace
}  // namespace octet::judge
