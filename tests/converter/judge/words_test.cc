// The figures that sentences about outputs name, and which of them are left out.
#include "converter/judge/words.h"

#include <gtest/gtest.h>

#include "tests/converter/judge/judge_support.h"
#include "tests/support/facts.h"

namespace octet::judge {
namespace {

using test::ExpectFacts;

// Three of four classes, or elements of a mask, are the same.
OutputFindings Found(const Output& output) {
  OutputFindings found;
  found.whole.about_mean_db = 25;
  found.whole.cosine = 0.75;
  found.likeness.Add(output, {1, 1, 1, 0}, {1, 1, 0, 0});
  return found;
}

TEST(OutputWords, EachKindByWhatCountsInIt) {
  Output output;
  output.name = "y";
  output.kind = Kind::kClasses;
  ExpectFacts(OutputWords(output, Found(output)), {"75.0 %", "'y'"});
  output.kind = Kind::kMask;
  ExpectFacts(OutputWords(output, Found(output)), {"'y'", "66.7 %"});
  output.kind = Kind::kCounts;
  ExpectFacts(OutputWords(output, Found(output)), {"'y'", "66.7 %"});
  output.kind = Kind::kRows;
  output.pieces.resize(1);
  output.pieces[0].exact = true;
  EXPECT_EQ(OutputWords(output, Found(output)).find("dB"), std::string::npos);
  output.pieces[0].exact = false;
  ExpectFacts(OutputWords(output, Found(output)), {"'y'", "25.0 dB"});
}

TEST(OutputWords, OfNumbersTheWorstPieceWhereItIsWorse) {
  Output output;
  output.name = "y";
  output.pieces.resize(2);
  output.pieces[0].name = "boxes";
  output.pieces[1].name = "scores";
  OutputFindings found = Found(output);
  const auto pieces = [&](double first_db, double second_db, double first_cosine,
                          double second_cosine) {
    found.pieces.assign(2, {});
    found.pieces[0].about_mean_db = first_db;
    found.pieces[1].about_mean_db = second_db;
    found.pieces[0].cosine = first_cosine;
    found.pieces[1].cosine = second_cosine;
    return OutputWords(output, found);
  };
  ExpectFacts(OutputWords(output, found), {"'y'", "25.0 dB", "0.750"});
  ExpectFacts(pieces(30, 20, 1, 1), {"25.0 dB", "'scores'", "20.0 dB"});
  EXPECT_EQ(pieces(30, 20, 1, 1).find("cosine is"), std::string::npos);
  EXPECT_EQ(pieces(30, 25, 1, 1).find("scores"), std::string::npos) << "no worse than all";
  EXPECT_EQ(pieces(30, 25, 0.7496, 1).find("boxes"), std::string::npos) << "not seen in 3 digits";
  ExpectFacts(pieces(30, 25, 0.7494, 1), {"25.0 dB", "0.7494", "'boxes'"});
}

TEST(FaultsOf, OutputsOfOneLayerAreOneSentence) {
  Findings findings;
  PlanFindings plan;
  findings.outputs.resize(4);
  plan.outputs.resize(4);
  for (size_t o = 0; o < 4; ++o)
    findings.outputs[o].name = std::string(1, static_cast<char>('a' + o));
  EXPECT_EQ(FaultsOf(findings, plan), "");
  for (const size_t o : {0, 2}) {
    plan.outputs[o].fault = Fault::kNoNumber;
    plan.outputs[o].first_layer = "exp";
  }
  plan.outputs[3].fault = Fault::kConstant;
  plan.outputs[3].faulty_piece = "scores";
  const std::string words = FaultsOf(findings, plan);
  ExpectFacts(words, {"'a', 'c'", "NaN", "'exp'", "'d'", "'scores'"});
  EXPECT_EQ(words.find("'b'"), std::string::npos);
  EXPECT_EQ(words.find("layer", words.find("'d'")), std::string::npos) << "none was found";
  ExpectFacts(FaultWords(findings.outputs[3], plan.outputs[3]), {"'d'", "'scores'", "constant"});
}

TEST(LossWords, FigureIntervalAndLimit) {
  Findings findings;
  PlanFindings plan;
  plan.name = "int8";
  given::GiveAnswers(findings, &plan, 0.44, -0.04, 1.25);
  ExpectFacts(LossWords(findings, plan), {"loses 0.4 points", "95 %", "0.0 to 1.2", "limit 2"});
  EXPECT_EQ(LossWords(findings, plan).find("-0"), std::string::npos) << "0 has no sign";
  plan.name = "fp16";
  ExpectFacts(LossWords(findings, plan), {"limit 0.5"});
}

TEST(AgreementWords, OfAPlanWithAnswersAndOfOneThatFails) {
  Findings findings;
  findings.outputs.resize(1);
  findings.outputs[0].name = "y";
  PlanFindings plan;
  plan.outputs.resize(1);
  EXPECT_EQ(AgreementWords(findings, plan), "numbers of 'y'");
  given::GivenMeasure* given = given::GiveAnswers(findings, &plan, 0, 0, 0);
  EXPECT_EQ(AgreementWords(findings, plan), "given in a table");
  given->speaks = false;
  EXPECT_EQ(AgreementWords(findings, plan), "numbers of 'y'");
  given->speaks = true;
  plan.outputs[0].fault = Fault::kConstant;
  EXPECT_EQ(AgreementWords(findings, plan), "fails");
}

TEST(MissWords, OfClassesMasksAndAnswers) {
  Findings findings;
  findings.outputs.resize(1);
  findings.outputs[0].name = "y";
  PlanFindings plan;
  plan.name = "int8";
  const auto words = [&](Kind kind) {
    findings.outputs[0].kind = kind;
    plan.outputs.assign(1, Found(findings.outputs[0]));
    plan.outputs[0].agrees = false;
    return MissWords(findings, plan, 0);
  };
  ExpectFacts(words(Kind::kClasses), {"75.0 %", "90 %"});
  ExpectFacts(words(Kind::kMask), {"66.7 %", "90 %"});
  plan.name = "fp16";
  ExpectFacts(words(Kind::kClasses), {"75.0 %", "99 %"});
  ExpectFacts(words(Kind::kCounts), {"66.7 %", "98 %"});
  given::GiveAnswers(findings, &plan, 1, 0.75, 2);
  ExpectFacts(MissWords(findings, plan, 0), {"1.0 points", "limit 0.5"});
  plan.outputs[0].whole.changed = 3;
  ExpectFacts(MissWords(findings, plan, 0), {"3 numbers"});
}

}  // namespace
}  // namespace octet::judge
