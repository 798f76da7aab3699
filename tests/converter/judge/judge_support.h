// Measures that say what a test wants, and a network small enough for a judge.
#ifndef OCTET_TESTS_CONVERTER_JUDGE_JUDGE_SUPPORT_H_
#define OCTET_TESTS_CONVERTER_JUDGE_JUDGE_SUPPORT_H_

#include <memory>
#include <string>

#include "converter/judge/judge.h"
#include "converter/judge/measure/measure.h"

namespace octet::judge::given {

// Points of which a plan may lose 2, as detectors have them.
struct GivenMeasure : Measure {
  bool speaks = true, few = false;
  double agreement = 100;

  void Add(int64_t, const Answer&, const Answer&) override {}
  size_t size() const override { return 0; }
  bool Speaks() const override { return speaks; }
  double LossOf(const Weights&) const override { return 0; }
  double LimitOf(const LossLimits& limits) const override { return limits.map_points; }
  double Agreement() const override { return agreement; }
  bool IsFew() const override { return few; }
  const char* Figure() const override { return "given_points"; }
  const char* Unit() const override { return " points"; }
  std::string TableWords() const override { return "given in a table"; }
  std::string Words() const override { return "gives what is given"; }
  void AddJson(nlohmann::json* row) const override { (*row)["given"] = agreement; }
};

// Answers of a plan that loses `loss`, certainly between `low` and `high`. As judge::Judge has it,
// outputs agree where no more is lost for certain than the limit allows.
inline GivenMeasure* GiveAnswers(const Findings& findings, PlanFindings* plan, double loss,
                                 double low, double high) {
  auto measure = std::make_shared<GivenMeasure>();
  GivenMeasure* given = measure.get();
  plan->answers = std::move(measure);
  plan->loss = loss;
  plan->certain = {low, high};
  for (OutputFindings& output : plan->outputs) {
    output.by_answer = true;
    output.agrees = !plan->LosesMore(findings.LimitsOf(*plan));
  }
  return given;
}

}  // namespace octet::judge::given

#endif  // OCTET_TESTS_CONVERTER_JUDGE_JUDGE_SUPPORT_H_
