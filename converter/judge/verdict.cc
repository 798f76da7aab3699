#include "converter/judge/verdict.h"

#include <algorithm>
#include <charconv>
#include <cmath>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "converter/judge/judgement.h"
#include "converter/judge/words.h"
#include "converter/support/error.h"

namespace octet::judge {
namespace {

using nlohmann::json;

json FiguresJson(const Figures& figures) {
  json row = {
      {"snr_db", figures.Db()},         {"about_mean_db", figures.about_mean_db},
      {"about_elements_db", nullptr},   {"reference_is_constant", figures.reference_is_constant},
      {"cosine", figures.cosine},       {"range", figures.range},
      {"rms_error", figures.rms_error}, {"not_finite", figures.broken},
      {"largest_difference", nullptr}};
  if (figures.about_elements_db) row["about_elements_db"] = *figures.about_elements_db;
  if (std::isfinite(figures.largest)) row["largest_difference"] = figures.largest;
  return row;
}

}  // namespace

json OutputJson(const Output& output, const OutputFindings& found) {
  json row = FiguresJson(found.whole);
  row["output"] = output.name;
  row["kind"] = NameOf(output.kind);
  row["agrees"] = found.agrees;
  if (output.kind != Kind::kNumbers) row["same_percent"] = found.likeness.Percent();
  if (found.fault != Fault::kNone) row["fault"] = FaultWords(output, found);
  if (!found.first_layer.empty()) row["first_layer"] = found.first_layer;
  for (size_t i = 0; i < found.pieces.size(); ++i) {
    json piece = FiguresJson(found.pieces[i]);
    piece["piece"] = output.pieces[i].name;
    row["pieces"].push_back(std::move(piece));
  }
  return row;
}

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
        "--require {}: not a bound; give dB for the outputs (20dB), or percent for the answers "
        "(95%)",
        word);
  }
  return requirement;
}

std::string Advice::Config() const {
  std::vector<std::string> entries;
  for (const Layer& layer : layers) {
    entries.push_back(fmt::format("\"{}\": {{precision: fp16}}", layer.name));
  }
  return fmt::format("layers: {{{}}}", fmt::join(entries, ", "));
}

bool Verdict::Speaks() const {
  return findings.task != blob::Task::kNone && int8() != nullptr &&
         int8()->answers.Speaks(findings.task);
}

bool Verdict::HasFewBoxes() const {
  return int8() != nullptr && int8()->answers.AreFew(findings.task);
}

double Verdict::Agreement() const {
  switch (findings.task) {
    case blob::Task::kDetect:
      return int8()->answers.F1();
    case blob::Task::kSegment:
      return int8()->answers.MeanIou();
    default:
      return int8()->answers.Top1();
  }
}

std::optional<double> Verdict::SnrDb(const std::string& plan) const {
  const PlanFindings* found = findings.Find(plan);
  if (found == nullptr || pictures() == 0 || found->outputs.empty()) return std::nullopt;
  return found->outputs[found->Worst(findings.outputs)].whole.Db();
}

bool Verdict::IsDoubtful() const {
  return pictures() > 0 && int8() != nullptr && !int8()->Agrees();
}

bool Verdict::Meets(const Requirement& requirement) const {
  if (pictures() == 0 || int8() == nullptr || int8()->Fails()) return false;
  if (requirement.in_db) return *SnrDb("int8") >= requirement.least;
  return Speaks() && Agreement() >= requirement.least;
}

std::string Verdict::Basis() const {
  const char* samples = pictures() == 1 ? "sample" : "samples";
  if (random) {
    return fmt::format("on {} {} of random data (ranges come from noise, not from real inputs)",
                       pictures(), samples);
  }
  return seen ? fmt::format("on {} calibration {} (ranges have seen these pictures)", pictures(),
                            samples)
              : fmt::format("on {} {} that calibration has not seen", pictures(), samples);
}

std::string Verdict::Summary() const {
  if (pictures() == 0) return "no samples, nothing is known";
  std::string line = Basis();
  const char* between = ": ";
  for (const PlanFindings& plan : findings.plans) {
    line += fmt::format("{}the {} plan ", between, plan.name);
    between = "; ";
    if (plan.Fails()) {
      line += "fails";
      continue;
    }
    if (plan.answers.Speaks(findings.task)) {
      line += AnswerWords(findings.task, plan.answers) + ", ";
    } else {
      line += "runs, ";
    }
    const size_t worst = plan.Worst(findings.outputs);
    line += OutputWords(findings.outputs[worst], plan.outputs[worst]);
  }
  if (pictures() < kFewPictures) {
    line += fmt::format("; {} {} too few for a judgement", pictures(),
                        pictures() == 1 ? "sample is" : "samples are");
  }
  return line;
}

std::vector<std::string> Verdict::FaultLines() const {
  std::vector<std::string> lines;
  for (const PlanFindings& plan : findings.plans) {
    if (!plan.Fails()) continue;
    const bool kept = std::find(removed.begin(), removed.end(), plan.name) == removed.end();
    lines.push_back(fmt::format("the {} plan fails and {}: {}", plan.name,
                                kept ? "is kept" : "is not in the blob", FaultsOf(findings, plan)));
  }
  return lines;
}

std::vector<std::string> Verdict::Lines() const {
  std::vector<std::string> lines = FaultLines();
  lines.insert(lines.begin(), Summary());
  lines.insert(lines.end(), notes.begin(), notes.end());
  if (halves && halves->Disagree()) lines.push_back(halves->Words());
  if (advice) {
    lines.push_back(fmt::format(
        "tried on these samples: --config with {} raises output '{}' from {:.1f} dB to {:.1f} dB",
        advice->Config(), advice->output, advice->before_db, advice->after_db));
    for (const Advice::Layer& layer : advice->layers) {
      lines.push_back(fmt::format("'{}' ({}) adds noise of {:.2g} % of its signal: {}", layer.name,
                                  layer.op, 100 * layer.added, layer.cause));
    }
  } else if (tried) {
    lines.push_back(
        "tried on these samples: FP16 for the layers with most noise gains less than 1 dB");
  }
  return lines;
}

json Verdict::Json() const {
  json worst = json::array(), plans = json::array();
  if (advice) {
    for (const Advice::Layer& layer : advice->layers) {
      worst.push_back({{"layer", layer.name},
                       {"op", layer.op},
                       {"added_noise", layer.added},
                       {"cause", layer.cause}});
    }
  }
  for (const PlanFindings& plan : findings.plans) {
    json outputs = json::array();
    for (size_t o = 0; o < plan.outputs.size(); ++o) {
      outputs.push_back(OutputJson(findings.outputs[o], plan.outputs[o]));
    }
    const bool kept = std::find(removed.begin(), removed.end(), plan.name) == removed.end();
    plans.push_back(
        {{"plan", plan.name}, {"fails", plan.Fails()}, {"in_blob", kept}, {"outputs", outputs}});
  }
  const auto number = [](const std::optional<double>& db) { return db ? json(*db) : json(); };
  json document = {{"samples", pictures()},
                   {"sample_indices", findings.samples},
                   {"held_out", !seen && pictures() > 0},
                   {"random_data", random},
                   {"summary", Summary()},
                   {"output", ""},
                   {"snr_db", number(SnrDb("int8"))},
                   {"fp16_snr_db", number(SnrDb("fp16"))},
                   {"cosine", nullptr},
                   {"agreement_percent", nullptr},
                   {"judgement", WordOf(JudgementOf(*this))},
                   {"advice_lines", AdviceLines(*this)},
                   {"doubtful", IsDoubtful()},
                   {"worst_layers", worst},
                   {"advice", nullptr},
                   {"halves", halves ? halves->Json() : json()},
                   {"notes", notes},
                   {"plans", plans}};
  if (const PlanFindings* plan = int8(); plan != nullptr && !plan->outputs.empty()) {
    const size_t o = plan->Worst(findings.outputs);
    document["output"] = findings.outputs[o].name;
    document["cosine"] = plan->outputs[o].whole.cosine;
  }
  if (Speaks()) document["agreement_percent"] = Agreement();
  if (advice) {
    document["advice"] = {{"config", advice->Config()},
                          {"output", advice->output},
                          {"before_db", advice->before_db},
                          {"after_db", advice->after_db},
                          {"gain_db", advice->GainDb()}};
  }
  return document;
}

}  // namespace octet::judge
