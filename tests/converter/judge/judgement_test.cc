// The rule of docs/verdict.md for the word at the end of octet convert.
#include "converter/judge/judgement.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <string>
#include <vector>

#include "converter/judge/words.h"
#include "tests/converter/judge/judge_support.h"
#include "tests/support/facts.h"

namespace octet::judge {
namespace {

using octet::judge::given::GiveAnswers;
using octet::test::ExpectFacts;

PlanFindings Plan(const std::string& name, double db) {
  PlanFindings plan;
  plan.name = name;
  plan.outputs.resize(1);
  plan.outputs[0].whole.about_mean_db = db;
  plan.outputs[0].whole.certain_db = {db - 2, db + 2};
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

// Whose int8 plan loses this, certainly between low and high; it may lose 2.
Verdict OfLoss(double loss, double low, double high, size_t samples = 16) {
  Verdict verdict = Of(samples, 15, 60);
  GiveAnswers(verdict.findings, &verdict.findings.plans[0], loss, low, high);
  return verdict;
}

TEST(JudgementRule, ByTheOutputsOfTheInt8Plan) {
  // It is certain of two decibels.
  EXPECT_EQ(JudgementOf(Of(16, kGoodDb + 2.01, 60)), Judgement::kGood);
  EXPECT_EQ(JudgementOf(Of(16, kGoodDb + 1.99, 60)), Judgement::kCheck);
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

TEST(JudgementRule, ByWhatIsCertainOfTheAnswers) {
  struct Row {
    double loss, low, high;
    Judgement word;
  };
  // 15 dB do not count.
  for (const Row& row : {Row{0.5, 0, 1.99, Judgement::kGood}, Row{0.5, 0, 2, Judgement::kGood},
                         Row{0.5, 0, 2.01, Judgement::kCheck}, Row{3, 2, 4, Judgement::kCheck},
                         Row{3, 1.99, 4, Judgement::kCheck}, Row{3, 2.01, 4, Judgement::kBad},
                         Row{-1, -2, 0, Judgement::kGood}}) {
    EXPECT_EQ(JudgementOf(OfLoss(row.loss, row.low, row.high)), row.word)
        << row.low << " to " << row.high;
  }
  // What says nothing decides nothing.
  Verdict silent = OfLoss(3, 1, 4);
  GiveAnswers(silent.findings, &silent.findings.plans[0], 3, 1, 4)->speaks = false;
  silent.findings.plans[0].outputs[0].by_answer = false;
  EXPECT_EQ(JudgementOf(silent), Judgement::kCheck) << "15 dB count now";
}

TEST(JudgementRule, OfClassesMasksAndRows) {
  Verdict verdict = Of(16, 25, 60);
  Output& output = verdict.findings.outputs[0];
  output.kind = Kind::kClasses;
  std::vector<float> exact(100, 1), actual = exact;
  for (const int64_t wrong : {5, 6}) {
    std::fill(actual.begin(), actual.begin() + wrong, 2.0f);
    Likeness likeness;
    likeness.Add(output, exact, actual);
    verdict.findings.plans[0].outputs[0].likeness = likeness;
    EXPECT_EQ(JudgementOf(verdict), wrong == 5 ? Judgement::kGood : Judgement::kCheck) << wrong;
  }
}

TEST(JudgementRule, BySamplesAndOtherPlans) {
  EXPECT_EQ(JudgementOf(Of(0, 25, 60)), Judgement::kCheck);
  EXPECT_EQ(JudgementOf(Of(7, 25, 60)), Judgement::kCheck);
  EXPECT_EQ(JudgementOf(Of(8, 25, 60)), Judgement::kGood);
  Verdict fp16 = Of(16, 25, 20);
  fp16.findings.plans[1].outputs[0].agrees = false;
  EXPECT_EQ(JudgementOf(fp16), Judgement::kCheck);
}

TEST(JudgementRule, SaysOfWhichSamplesThereAreTooFew) {
  const auto says_few = [](size_t samples) {
    const std::vector<std::string> lines = AdviceLines(Of(samples, 25, 60));
    return std::count_if(lines.begin(), lines.end(), [](const std::string& line) {
      return line.find("too few for a judgement") != std::string::npos;
    });
  };
  EXPECT_EQ(says_few(0), 0) << "random data are no samples";
  EXPECT_EQ(says_few(1), 1);
  EXPECT_EQ(says_few(7), 1);
  EXPECT_EQ(says_few(8), 0);
}

TEST(JudgementRule, FewBoxesAreToBeChecked) {
  Verdict verdict = OfLoss(0.5, 0, 1);
  EXPECT_EQ(JudgementOf(verdict), Judgement::kGood);
  EXPECT_TRUE(AdviceLines(verdict).empty());
  GiveAnswers(verdict.findings, &verdict.findings.plans[0], 0.5, 0, 1)->few = true;
  EXPECT_EQ(JudgementOf(verdict), Judgement::kCheck);
  const std::vector<std::string> lines = AdviceLines(verdict);
  ASSERT_EQ(lines.size(), 1u);
  ExpectFacts(lines[0], {"too few", "boxes", "more pictures"});
}

TEST(JudgementRule, SaysHowManyMorePicturesWouldDecide) {
  // The limit is 1 away, half of the interval is 2: four times as many pictures.
  const std::vector<std::string> lines = AdviceLines(OfLoss(1, -1, 3, 100));
  ASSERT_EQ(lines.size(), 1u);
  ExpectFacts(lines[0], {"1.0 points", "-1.0 to 3.0", "limit 2", "300 more pictures"});
  // The estimate is the limit: nobody has so many.
  const std::vector<std::string> never = AdviceLines(OfLoss(2, 1, 3, 100));
  ASSERT_EQ(never.size(), 1u);
  EXPECT_EQ(never[0].find("more pictures"), std::string::npos) << never[0];
  ExpectFacts(never[0], {"2.0 points", "try: "});
  // Nothing was lost, and it is only the number of pictures that leaves doubt.
  const std::vector<std::string> few = AdviceLines(OfLoss(0, 0, 2.1, 100));
  ASSERT_EQ(few.size(), 1u);
  ExpectFacts(few[0], {"0.0 points", "0.0 to 2.1", "more pictures"});
}

TEST(JudgementRule, OfNumbersThatAreNearTheLimit) {
  const std::vector<std::string> lines = AdviceLines(Of(16, 19, 60));
  ASSERT_EQ(lines.size(), 1u);
  ExpectFacts(lines[0], {"95 %", "20 dB", "try: --decode or --task"});
}

// The last line is that of the decoder that nobody has named, whatever else there is to say.
TEST(JudgementRule, ADecoderThatWasFoundIsOffered) {
  Verdict verdict = OfLoss(0.5, 0, 1);
  verdict.decoder = "yolox";
  EXPECT_EQ(JudgementOf(verdict), Judgement::kGood);
  ASSERT_EQ(AdviceLines(verdict).size(), 1u);
  ExpectFacts(AdviceLines(verdict)[0], {"decoder yolox", "--decode yolox"});
  EXPECT_EQ(verdict.Json()["decoder"], "yolox");
  verdict = OfLoss(5, 3, 7, 4);
  verdict.decoder = "yolox";
  verdict.random = verdict.alike = true;
  ASSERT_EQ(AdviceLines(verdict).size(), kMostAdvice);
  ExpectFacts(AdviceLines(verdict)[kMostAdvice - 1], {"yolox"});
  EXPECT_TRUE(OfLoss(0.5, 0, 1).Json()["decoder"].is_null());
}

TEST(JudgementRule, BadPlansHaveTheirMissAndWhatIsLeft) {
  const Verdict bad = OfLoss(5, 3, 7);
  std::vector<std::string> lines = AdviceLines(bad);
  ASSERT_EQ(lines.size(), 2u);
  ExpectFacts(lines[0], {"int8", "'y'", "5.0 points", "3.0 to 7.0", "limit 2"});
  ExpectFacts(lines[1], {"budget", "try: ", "fp16 plan", "--fp16-budget"});
  Verdict alone = bad;
  alone.findings.plans.pop_back();
  lines = AdviceLines(alone);
  ASSERT_EQ(lines.size(), 2u);
  EXPECT_EQ(lines[1].find("fp16 plan"), std::string::npos) << "there is none: " << lines[1];
}

TEST(JudgementRule, SamplesThatAreAllEqualAreOne) {
  Verdict verdict = Of(16, 25, 60);
  verdict.alike = true;
  EXPECT_EQ(JudgementOf(verdict), Judgement::kCheck);
  const std::vector<std::string> lines = AdviceLines(verdict);
  ASSERT_EQ(lines.size(), 1u);
  ExpectFacts(lines[0], {"equal", "--calibrate"});
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
  ExpectFacts(AgreementWords(verdict.findings, plan), {"'b'", "25.0 %"});
}

TEST(JudgementRule, AtMostThreeLinesOfAdvice) {
  EXPECT_TRUE(AdviceLines(Of(16, 25, 60)).empty());
  Verdict verdict = Of(4, 25, 60);
  for (PlanFindings& plan : verdict.findings.plans) {
    plan.outputs[0].fault = Fault::kConstant;
    plan.outputs[0].first_layer = "conv";
  }
  verdict.random = true;
  const std::vector<std::string> all = AdviceLines(verdict);
  ASSERT_EQ(all.size(), kMostAdvice);
  ExpectFacts(all[0], {"noise", "--calibrate"});
  verdict.random = false;
  const std::vector<std::string> lines = AdviceLines(verdict);
  ASSERT_EQ(lines.size(), kMostAdvice);
  ExpectFacts(lines[0], {"int8", "fails", "'y'", "'conv'"});
  ExpectFacts(lines[1], {"fp16", "fails", "'y'", "'conv'"});
}

}  // namespace
}  // namespace octet::judge
