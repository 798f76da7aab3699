#include "converter/cli/verdict.h"

#include <charconv>

#include <fmt/format.h>

#include "converter/cli/remedy.h"
#include "converter/support/error.h"

namespace octet::cli {
namespace {

constexpr size_t kNamedLayers = 3;
// Noise that a layer adds below 40 dB under its signal is what 8 bits cost anywhere.
constexpr double kNothingAdded = 1e-4;

// One in so many that goes wrong is seen with as much luck as not.
constexpr int64_t kFewPictures = 8;

// Two digits, and no exponent for whole tens.
std::string Percent(double value) {
  return value < 10 ? fmt::format("{:.2g}", value) : fmt::format("{:.0f}", value);
}

}  // namespace

Requirement ReadRequirement(const std::string& word) {
  Requirement requirement;
  std::string_view number = word;
  if (number.ends_with("dB")) {
    requirement.in_db = true;
    number.remove_suffix(2);
  } else if (number.ends_with("%")) {
    number.remove_suffix(1);
  }
  const auto [end, error] =
      std::from_chars(number.data(), number.data() + number.size(), requirement.least);
  if (error != std::errc() || end != number.data() + number.size() || !(requirement.least >= 0) ||
      !(requirement.in_db || requirement.least <= 100)) {
    Fail(
        "--require {}: a bound in dB (20dB) for the outputs, or in percent (95%) for the answers "
        "is expected",
        word);
  }
  return requirement;
}

double Verdict::Agreement() const {
  switch (task) {
    case blob::Task::kDetect:
      return answers.F1();
    case blob::Task::kSegment:
      return answers.MeanIou();
    default:
      return answers.Top1();
  }
}

bool Verdict::IsDoubtful() const {
  if (Speaks()) return !answers.Agrees(task, kInt8Limits);
  return pictures > 0 && (output_db < kInt8Limits.snr_db || output_cosine < kInt8Limits.cosine);
}

bool Verdict::Meets(const Requirement& requirement) const {
  if (pictures == 0) return false;
  if (requirement.in_db) return output_db >= requirement.least;
  return Speaks() && Agreement() >= requirement.least;
}

std::string Verdict::Summary() const {
  if (pictures == 0) return "no pictures, nothing is known";
  std::string line = fmt::format("on {} {}{} ", pictures, held_out ? "held-out " : "",
                                 pictures == 1 ? "sample" : "samples");
  if (Speaks()) {
    switch (task) {
      case blob::Task::kDetect:
        line += fmt::format(
            "the int8 plan finds {} of FP32's {} sure boxes, is sure of {}, {} of "
            "them FP32's (F1 {:.1f} %)",
            answers.found, answers.boxes, answers.plan_boxes, answers.plan_found, answers.F1());
        break;
      case blob::Task::kSegment:
        line += fmt::format("the int8 plan's masks overlap FP32's by {:.1f} % (mean IoU)",
                            answers.MeanIou());
        break;
      default:
        line += fmt::format("the int8 plan gives FP32's first class in {} of {}", answers.same_top1,
                            answers.samples);
    }
    line += "; ";
  }
  line += fmt::format("output '{}' stands {:.1f} dB above its error (cosine {:.3f})", output,
                      output_db, output_cosine);
  if (pictures < kFewPictures) {
    line +=
        fmt::format("; {} are few to go by: give more pictures, with --effort default", pictures);
  }
  return line;
}

std::vector<std::string> Verdict::Lines() const {
  std::vector<std::string> lines{Summary()};
  for (const Layer& layer : layers) {
    lines.push_back(fmt::format("'{}' ({}) adds noise of {} % of its signal: {}; {}{}", layer.name,
                                layer.op, Percent(100 * layer.added), layer.cause,
                                IsDoubtful() ? "" : "to gain more, ", layer.remedy));
  }
  return lines;
}

nlohmann::json Verdict::Json() const {
  nlohmann::json worst = nlohmann::json::array();
  for (const Layer& layer : layers) {
    worst.push_back({{"layer", layer.name},
                     {"op", layer.op},
                     {"added_noise", layer.added},
                     {"cause", layer.cause},
                     {"remedy", layer.remedy}});
  }
  nlohmann::json json = {{"samples", pictures},          {"held_out", held_out},
                         {"summary", Summary()},         {"output", output},
                         {"snr_db", output_db},          {"cosine", output_cosine},
                         {"agreement_percent", nullptr}, {"doubtful", IsDoubtful()},
                         {"worst_layers", worst}};
  if (Speaks()) json["agreement_percent"] = Agreement();
  return json;
}

Verdict Judged(const simulate::Simulator& simulator, const simulate::Samples& samples,
               const quantize::Config& config, const quantize::Scheme& scheme,
               const analyze::Analysis& analysis, TaskJudge* judge) {
  Verdict verdict;
  verdict.pictures = static_cast<int64_t>(samples.report.size());
  verdict.held_out = samples.CanCorrect();
  if (verdict.pictures == 0) return verdict;
  if (judge != nullptr) {
    judge->Count();
    simulator.Run(scheme, samples.report);
    verdict.task = judge->task();
    verdict.answers = judge->counts();
  }
  const analyze::OutputFigures* worst = nullptr;
  for (const analyze::OutputFigures& output : analysis.outputs) {
    if (worst == nullptr || output.snr_db < worst->snr_db) worst = &output;
  }
  if (worst != nullptr) {
    verdict.output = worst->name;
    verdict.output_db = worst->snr_db;
    verdict.output_cosine = worst->cosine;
  }
  for (const size_t i : analyze::WorstFirst(analysis)) {
    const analyze::LayerFigures& layer = analysis.layers[i];
    if (verdict.layers.size() == kNamedLayers || !(layer.added > kNothingAdded)) break;
    if (!layer.int8 || layer.cause.empty()) continue;
    verdict.layers.push_back(
        {layer.name, layer.op, layer.cause, RemedyOf(layer, config, scheme), layer.added});
  }
  return verdict;
}

}  // namespace octet::cli
