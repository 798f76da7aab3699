#include "converter/judge/judgement.h"

#include <algorithm>
#include <cmath>

#include <fmt/format.h>

#include "converter/judge/words.h"

namespace octet::judge {
namespace {

// Whether the int8 plan, which agrees, may lose more than the limit nevertheless.
bool IsNearLimit(const Verdict& verdict) {
  const PlanFindings& int8 = *verdict.int8();
  const Limits& limits = verdict.findings.LimitsOf(int8);
  if (int8.Speaks()) {
    return int8.certain.high > int8.answers->LimitOf(limits.losses) || int8.answers->Shifts() ||
           int8.answers->PartsAreNear(limits.losses);
  }
  return std::any_of(int8.outputs.begin(), int8.outputs.end(), [&](const auto& found) {
    const auto o = static_cast<size_t>(&found - int8.outputs.data());
    if (verdict.findings.outputs[o].kind == Kind::kNumbers) {
      return !found.whole.reference_is_constant && found.whole.certain_db.low < kGoodDb;
    }
    return found.likeness.Percent() < kGoodPercent;
  });
}

// How many pictures more would tell on which side of the limit a plan is: the width of an interval
// falls with the root of their number. 0: the estimate is the limit, or nobody has so many.
int64_t MorePictures(const Verdict& verdict) {
  const auto decides = verdict.Decides();
  // On the side of the limit.
  const double half = decides->limit > decides->value ? decides->certain.high - decides->value
                                                      : decides->value - decides->certain.low;
  const double apart = std::fabs(decides->limit - decides->value);
  const auto now = static_cast<double>(verdict.pictures());
  constexpr double kMost = 10000;
  if (!(apart > 0) || !(half > apart)) return 0;
  const double more = now * (half / apart) * (half / apart) - now;
  return more > kMost ? 0 : static_cast<int64_t>(std::ceil(more));
}

// Why a plan that agrees is not good.
std::string WhyNear(const Verdict& verdict) {
  const PlanFindings& int8 = *verdict.int8();
  if (!int8.Speaks()) {
    return fmt::format(
        "good needs {} % (numbers: {} dB); try: --decode or --task if the outputs have a meaning, "
        "or octet analyze for the loss by layer",
        kGoodPercent, kGoodDb);
  }
  const LossLimits& limits = verdict.findings.LimitsOf(int8).losses;
  if (int8.certain.high > int8.answers->LimitOf(limits)) {
    const int64_t more = MorePictures(verdict);
    return fmt::format("the int8 plan {}; {}", LossWords(verdict.findings, int8),
                       more > 0 ? fmt::format("about {} more pictures would decide", more)
                                : "try: a higher --fp16-budget, or octet analyze");
  }
  // What a threshold sees, masks, points.
  return fmt::format("the int8 plan {}; try: a higher --fp16-budget", int8.answers->Words());
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
  const bool luck = verdict.halves && verdict.halves->disagree;
  return verdict.random || verdict.alike || !others_agree || few || luck || IsNearLimit(verdict)
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
  const PlanFindings* int8 = verdict.int8();
  if (int8 != nullptr && !int8->Fails() && verdict.IsDoubtful()) {
    lines.push_back("the int8 plan: " + MissWords(verdict.findings, *int8));
    const PlanFindings* fp16 = verdict.findings.Find(PlanId::kFp16);
    lines.emplace_back(fp16 != nullptr && !fp16->Fails() && fp16->Agrees()
                           ? "no FP16 layers within the budget mend it; try: the fp16 plan, or a "
                             "higher --fp16-budget"
                           : "no FP16 layers within the budget mend it; try: octet analyze");
  }
  if (verdict.halves && verdict.halves->disagree) lines.push_back(verdict.halves->words);
  if (verdict.pictures() > 0 && verdict.pictures() < kFewPictures) {
    lines.push_back(
        fmt::format("{} {} too few for a judgement; try: {} or more", verdict.pictures(),
                    verdict.pictures() == 1 ? "sample is" : "samples are", kFewPictures));
  }
  if (verdict.HasFewBoxes()) {
    lines.emplace_back(
        "the pictures have too few confident boxes for a judgement; try: more pictures");
  }
  if (lines.empty() && int8 != nullptr && JudgementOf(verdict) == Judgement::kCheck &&
      IsNearLimit(verdict)) {
    lines.push_back(WhyNear(verdict));
  }
  if (lines.empty() && JudgementOf(verdict) == Judgement::kCheck) {
    for (const PlanFindings& plan : verdict.findings.plans) {
      const std::string miss = MissWords(verdict.findings, plan);
      if (!miss.empty()) lines.push_back(fmt::format("the {} plan: {}", plan.name, miss));
    }
  }
  if (lines.size() >= kMostAdvice) lines.resize(kMostAdvice - (verdict.decoder.empty() ? 0 : 1));
  if (!verdict.decoder.empty()) {
    lines.push_back(
        fmt::format("the outputs have the shapes of decoder {}, so boxes were judged; "
                    "--task detect --decode {} puts it into the blob",
                    verdict.decoder, verdict.decoder));
  }
  return lines;
}

}  // namespace octet::judge
