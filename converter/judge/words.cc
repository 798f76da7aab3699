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
                               : fmt::format(", {} of the plan's {} right", answers.plan_found,
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
  return fmt::format("{} of '{}' equal by {:.1f} %", NameOf(output.kind), output.name,
                     plan.outputs[worst].likeness.Percent());
}

std::string AnswerWords(blob::Task task, const AnswerAgreement& answers) {
  switch (task) {
    case blob::Task::kDetect:
      return fmt::format(
          "finds {} of {} confident FP32 boxes; has {} confident boxes, {} of them FP32's (F1 "
          "{:.1f} %)",
          answers.found, answers.boxes, answers.plan_boxes, answers.plan_found, answers.F1());
    case blob::Task::kSegment:
      return fmt::format("gives masks that overlap FP32's by {:.1f} % (mean IoU)",
                         answers.MeanIou());
    default:
      return fmt::format("gives FP32's first class in {} of {} samples", answers.same_top1,
                         answers.samples);
  }
}

}  // namespace octet::judge
