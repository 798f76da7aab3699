#include "converter/judge/judgement.h"

#include <algorithm>

#include <fmt/format.h>

#include "converter/judge/words.h"

namespace octet::judge {
namespace {

// Whether the outputs of the int8 plan are judged by numbers alone, and these are near the bound.
bool IsNearBound(const Verdict& verdict) {
  if (verdict.Speaks()) return verdict.Agreement() < kGoodPercent;
  const PlanFindings& int8 = *verdict.int8();
  return std::any_of(int8.outputs.begin(), int8.outputs.end(), [&](const auto& found) {
    const auto o = static_cast<size_t>(&found - int8.outputs.data());
    if (verdict.findings.outputs[o].kind == Kind::kNumbers) {
      return !found.whole.reference_is_constant && found.whole.Db() < kGoodDb;
    }
    return found.likeness.Percent() < kGoodPercent;
  });
}

}  // namespace

Judgement JudgementOf(const Verdict& verdict) {
  if (verdict.pictures() == 0) return Judgement::kCheck;
  if (verdict.int8() == nullptr || verdict.int8()->Fails() || verdict.IsDoubtful()) {
    return Judgement::kBad;
  }
  const bool others_agree =
      std::all_of(verdict.findings.plans.begin(), verdict.findings.plans.end(),
                  [](const PlanFindings& plan) { return !plan.Fails() && plan.Agrees(); });
  const bool few = verdict.pictures() < kFewPictures || verdict.HasFewBoxes();
  const bool luck = verdict.halves && verdict.halves->Disagree();
  return verdict.random || verdict.alike || !others_agree || few || luck || IsNearBound(verdict)
             ? Judgement::kCheck
             : Judgement::kGood;
}

const char* WordOf(Judgement judgement) {
  if (judgement == Judgement::kGood) return "good";
  return judgement == Judgement::kCheck ? "check" : "bad";
}

std::vector<std::string> AdviceLines(const Verdict& verdict) {
  std::vector<std::string> lines;
  if (verdict.random) {
    lines.emplace_back(
        "ranges come from noise: real inputs may differ; try: --calibrate with pictures");
  }
  if (verdict.alike) {
    lines.emplace_back("all samples are equal: one is judged; try: --calibrate with others");
  }
  const std::vector<std::string> faults = verdict.FaultLines();
  lines.insert(lines.end(), faults.begin(), faults.end());
  if (verdict.advice) {
    lines.push_back(fmt::format("try: --config with {}: output '{}' {:.1f} dB, now {:.1f} dB",
                                verdict.advice->Config(), verdict.advice->output,
                                verdict.advice->after_db, verdict.advice->before_db));
  } else if (verdict.tried) {
    const PlanFindings* fp16 = verdict.findings.Find("fp16");
    lines.emplace_back(
        fp16 != nullptr && fp16->Agrees()
            ? "try: the fp16 plan; FP16 in the noisiest layers alone gains less than 1 dB"
            : "FP16 in the noisiest layers gains less than 1 dB; try: octet analyze");
  }
  if (verdict.halves && verdict.halves->Disagree()) lines.push_back(verdict.halves->Words());
  const PlanFindings* int8 = verdict.int8();
  if (verdict.pictures() > 0 && verdict.pictures() < kFewPictures) {
    lines.push_back(
        fmt::format("{} {} too few for a judgement; try: {} or more", verdict.pictures(),
                    verdict.pictures() == 1 ? "sample is" : "samples are", kFewPictures));
  }
  if (verdict.HasFewBoxes()) {
    lines.push_back(fmt::format("{} confident {} too few for a judgement; try: more pictures",
                                int8->answers.boxes,
                                int8->answers.boxes == 1 ? "box is" : "boxes are"));
  }
  if (lines.empty() && int8 != nullptr && JudgementOf(verdict) == Judgement::kCheck) {
    lines.push_back(fmt::format(
        "{}try: --effort best, more calibration pictures, or octet analyze for the loss by layer",
        IsNearBound(verdict)
            ? fmt::format("good needs {} % (numbers: {} dB); ", kGoodPercent, kGoodDb)
            : ""));
  }
  if (lines.size() > kMostAdvice) lines.resize(kMostAdvice);
  return lines;
}

}  // namespace octet::judge
