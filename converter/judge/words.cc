#include "converter/judge/words.h"

#include <algorithm>
#include <cmath>
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
  const auto least = std::ranges::min_element(found.pieces, {}, &Figures::cosine);
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
  if (plan.Speaks()) return plan.answers->TableWords();
  const size_t worst = plan.Worst(findings.outputs);
  const Output& output = findings.outputs[worst];
  if (output.kind == Kind::kNumbers) return fmt::format("numbers of '{}'", output.name);
  // Decibels say little of these.
  const size_t least = LeastAlike(findings, plan, worst);
  return fmt::format("{} of '{}' equal by {:.1f} %", NameOf(findings.outputs[least].kind),
                     findings.outputs[least].name, plan.outputs[least].likeness.Percent());
}

std::string LossWords(const Findings& findings, const PlanFindings& plan) {
  // 0 has no sign.
  const auto number = [](double x) { return fmt::format("{:.1f}", std::fabs(x) < 0.05 ? 0 : x); };
  return fmt::format("loses {}{} (95 % certain: {} to {}, limit {})", number(plan.loss),
                     plan.answers->Unit(), number(plan.certain.low), number(plan.certain.high),
                     plan.answers->LimitOf(findings.LimitsOf(plan).losses));
}

namespace {

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
  if (found.by_answer) {
    return fmt::format(
        "it {}{}", LossWords(findings, plan),
        plan.answers->PartsMiss(limits.losses) ? "; it " + plan.answers->Words() : "");
  }
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
