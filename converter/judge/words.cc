#include "converter/judge/words.h"

#include <algorithm>
#include <map>
#include <utility>
#include <vector>

#include <fmt/format.h>
#include <fmt/ranges.h>

namespace octet::judge {
namespace {

bool HasAmounts(const Output& output) {
  return std::any_of(output.pieces.begin(), output.pieces.end(),
                     [](const Piece& piece) { return !piece.exact; });
}

constexpr double kSeenInCosine = 0.0005;  // smaller differences vanish in three decimals

}  // namespace

std::string OutputWords(const Output& output, const OutputFindings& found) {
  switch (output.kind) {
    case Kind::kRows:
      return fmt::format(
          "{:.1f} % of the rows of output '{}' equal FP32's{}", found.likeness.Percent(),
          output.name,
          HasAmounts(output)
              ? fmt::format(" (signal over error by position {:.1f} dB)", found.whole.Db())
              : "");
    case Kind::kClasses:
      return fmt::format("{:.1f} % of the classes in output '{}' equal FP32's",
                         found.likeness.Percent(), output.name);
    case Kind::kMask:
      return fmt::format("the mask in output '{}' overlaps FP32's by {:.1f} %", output.name,
                         found.likeness.Percent());
    case Kind::kCounts:
      return fmt::format("the counts in output '{}' agree with FP32's by {:.1f} %", output.name,
                         found.likeness.Percent());
    case Kind::kNumbers:
      break;
  }
  std::string words = fmt::format("signal over error of output '{}' is {:.1f} dB (cosine {:.3f})",
                                  output.name, found.whole.Db(), found.whole.cosine);
  const int worst = found.WorstPiece();
  if (worst >= 0 && found.pieces[static_cast<size_t>(worst)].Db() < found.whole.Db()) {
    words +=
        fmt::format(", of its piece '{}' {:.1f} dB", output.pieces[static_cast<size_t>(worst)].name,
                    found.pieces[static_cast<size_t>(worst)].Db());
  }
  // Each piece has to reach the limit of the cosine, not the output as a whole alone.
  const auto least =
      std::min_element(found.pieces.begin(), found.pieces.end(),
                       [](const Figures& a, const Figures& b) { return a.cosine < b.cosine; });
  if (least != found.pieces.end() && least->cosine < found.whole.cosine - kSeenInCosine) {
    const auto piece = static_cast<size_t>(least - found.pieces.begin());
    words += fmt::format(", the least cosine is {:.4f}, of its piece '{}'", least->cosine,
                         output.pieces[piece].name);
  }
  return words;
}

namespace {

std::string NameWords(const Output& output, const OutputFindings& found) {
  return found.faulty_piece.empty()
             ? fmt::format("'{}'", output.name)
             : fmt::format("'{}' (its piece '{}')", output.name, found.faulty_piece);
}

std::string FaultWords(const std::vector<std::string>& names, Fault fault,
                       const std::string& layer) {
  const bool one = names.size() == 1;
  std::string words =
      fmt::format("{} {} {}", one ? "output" : "outputs", fmt::join(names, ", "),
                  fault == Fault::kNoNumber ? one ? "is NaN or infinite where FP32 is finite"
                                                  : "are NaN or infinite where FP32 is finite"
                  : one                     ? "is a constant where FP32 varies"
                                            : "are constants where FP32 varies");
  if (!layer.empty()) words += fmt::format("; layer '{}' is the first that does this", layer);
  return words;
}

}  // namespace

std::string FaultWords(const Output& output, const OutputFindings& found) {
  return FaultWords({NameWords(output, found)}, found.fault, found.first_layer);
}

std::string FaultsOf(const Findings& findings, const PlanFindings& plan) {
  std::map<std::pair<Fault, std::string>, std::vector<std::string>> groups;
  for (size_t o = 0; o < plan.outputs.size(); ++o) {
    const OutputFindings& found = plan.outputs[o];
    if (found.fault == Fault::kNone) continue;
    groups[{found.fault, found.first_layer}].push_back(NameWords(findings.outputs[o], found));
  }
  std::string words;
  for (const auto& [how, names] : groups) {
    words += words.empty() ? "" : "; ";
    words += FaultWords(names, how.first, how.second);
  }
  return words;
}

namespace {

// Of the outputs that are no numbers; `first` is one of them.
size_t LeastAlike(const Findings& findings, const PlanFindings& plan, size_t first) {
  size_t least = first;
  for (size_t o = 0; o < plan.outputs.size(); ++o) {
    if (findings.outputs[o].kind != Kind::kNumbers &&
        plan.outputs[o].likeness.Percent() < plan.outputs[least].likeness.Percent()) {
      least = o;
    }
  }
  return least;
}

}  // namespace

std::string AgreementWords(const Findings& findings, const PlanFindings& plan) {
  if (plan.Fails()) return "fails";
  const AnswerAgreement& answers = plan.answers;
  if (answers.Speaks(findings.task)) {
    switch (findings.task) {
      case blob::Task::kDetect:
        return fmt::format("boxes F1 {:.1f} % ({} of {} found{})", answers.F1(), answers.found,
                           answers.boxes,
                           answers.plan_boxes == answers.boxes
                               ? ""
                               : fmt::format("; FP32 finds {} of the plan's {}", answers.plan_found,
                                             answers.plan_boxes));
      case blob::Task::kSegment:
        return fmt::format("masks, mean IoU {:.1f} %", answers.MeanIou());
      default:
        return fmt::format("first class equal in {} of {}", answers.same_top1, answers.samples);
    }
  }
  const size_t worst = plan.Worst(findings.outputs);
  const Output& output = findings.outputs[worst];
  if (output.kind == Kind::kNumbers) return fmt::format("numbers of '{}'", output.name);
  // Decibels say little of these.
  const size_t least = LeastAlike(findings, plan, worst);
  return fmt::format("{} of '{}' equal by {:.1f} %", NameOf(findings.outputs[least].kind),
                     findings.outputs[least].name, plan.outputs[least].likeness.Percent());
}

std::string AnswerWords(blob::Task task, const AnswerAgreement& answers) {
  switch (task) {
    case blob::Task::kDetect:
      return fmt::format(
          "finds {} of FP32's {} confident boxes, and FP32 finds {} of the plan's {} (F1 {:.1f} %)",
          answers.found, answers.boxes, answers.plan_found, answers.plan_boxes, answers.F1());
    case blob::Task::kSegment:
      return fmt::format("gives masks that overlap FP32's by {:.1f} % (mean IoU)",
                         answers.MeanIou());
    default:
      return fmt::format("gives FP32's first class in {} of {} samples", answers.same_top1,
                         answers.samples);
  }
}

namespace {

std::string AnswersMiss(blob::Task task, const AnswerAgreement& answers, const Limits& limits) {
  switch (task) {
    case blob::Task::kDetect: {
      const int64_t all = answers.boxes + answers.plan_boxes;
      const int64_t misses = all - answers.found - answers.plan_found;
      if (misses > AllowedMisses(all, limits.f1)) {
        return fmt::format("F1 {:.1f} % is below the limit {} %", answers.F1(), limits.f1);
      }
      return fmt::format(
          "the plan has {} confident boxes, FP32 {}: the lower number must be {} % of the other",
          answers.plan_boxes, answers.boxes, limits.f1);
    }
    case blob::Task::kSegment:
      return fmt::format("mean IoU {:.1f} % is below the limit {} %", answers.MeanIou(),
                         limits.iou);
    default:
      return fmt::format("{:.1f} % with the same first class is below the limit {} %",
                         answers.Top1(), limits.top1);
  }
}

// Of numbers that do not reach the limits, the first that they miss (Findings::Reaches).
std::string NumbersMiss(const Figures& figures, const Limits& limits) {
  if (figures.about_mean_db < limits.snr_db) {
    return fmt::format("signal over error about the mean {:.2f} dB is below the limit {} dB",
                       figures.about_mean_db, limits.snr_db);
  }
  if (figures.cosine < limits.cosine) {
    return fmt::format("cosine {:.4f} is below the limit {}", figures.cosine, limits.cosine);
  }
  return fmt::format(
      "signal over error about each element's mean {:.2f} dB is below the limit {} dB",
      figures.about_elements_db.value_or(figures.about_mean_db),
      limits.snr_db - kElementsAllowanceDb);
}

double LimitOf(Kind kind, const Limits& limits) {
  if (kind == Kind::kMask) return limits.iou;
  return kind == Kind::kClasses ? limits.top1 : limits.f1;
}

}  // namespace

std::string MissWords(const Findings& findings, const PlanFindings& plan, size_t o) {
  const Output& output = findings.outputs[o];
  const OutputFindings& found = plan.outputs[o];
  if (found.agrees || found.fault != Fault::kNone) return "";
  const Limits& limits = findings.LimitsOf(plan);
  if (found.whole.changed > 0) {
    return fmt::format("{} numbers differ where FP32 is NaN or infinite", found.whole.changed);
  }
  if (found.by_answer) return AnswersMiss(findings.task, plan.answers, limits);
  if (output.kind != Kind::kNumbers) {
    return fmt::format("{} equal by {:.1f} %, below the limit {} %", NameOf(output.kind),
                       found.likeness.Percent(), LimitOf(output.kind, limits));
  }
  if (found.pieces.size() < 2) return NumbersMiss(found.whole, limits);
  for (size_t i = 0; i < found.pieces.size(); ++i) {
    if (findings.Reaches(plan, output.pieces[i], found.pieces[i])) continue;
    return fmt::format("{} (piece '{}')", NumbersMiss(found.pieces[i], limits),
                       output.pieces[i].name);
  }
  return "";
}

std::string MissWords(const Findings& findings, const PlanFindings& plan) {
  for (size_t o = 0; o < plan.outputs.size(); ++o) {
    const std::string words = MissWords(findings, plan, o);
    if (!words.empty()) return fmt::format("output '{}': {}", findings.outputs[o].name, words);
  }
  return "";
}

}  // namespace octet::judge
