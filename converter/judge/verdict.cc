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

json ProposalJson(const Proposal& proposal) {
  return {{"name", proposal.name},
          {"nodes", proposal.nodes},
          {"loss_before", proposal.before},
          {"loss_after", proposal.after},
          {"gain_interval", {proposal.gain.low, proposal.gain.high}},
          {"time_share", proposal.time_share},
          {"kept", proposal.kept},
          {"why", proposal.why}};
}

std::string WordsOf(const Proposal& proposal, const std::string& unit) {
  const std::string what = proposal.nodes == 0
                               ? proposal.name
                               : fmt::format("FP16 in {} ({} {})", proposal.name, proposal.nodes,
                                             proposal.nodes == 1 ? "node" : "nodes");
  return fmt::format("{}: {} changes the loss from {:.2f} to {:.2f}{} for {:.1f} % more time; {}",
                     proposal.kept ? "used" : "not used", what, proposal.before, proposal.after,
                     unit, 100 * proposal.time_share, proposal.why);
}

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

std::vector<std::string> NamesOf(const std::vector<Output>& outputs) {
  std::vector<std::string> names;
  for (const Output& output : outputs) names.push_back(output.name);
  return names;
}

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

bool Verdict::Speaks() const {
  return int8() != nullptr && int8()->Speaks();
}

bool Verdict::HasFewBoxes() const {
  return Speaks() && int8()->answers->IsFew();
}

double Verdict::Agreement() const {
  return int8()->answers->Agreement();
}

std::optional<Verdict::Deciding> Verdict::Decides() const {
  const PlanFindings* plan = int8();
  if (pictures() == 0 || plan == nullptr || plan->outputs.empty()) return std::nullopt;
  if (plan->Speaks()) {
    return Deciding{plan->answers->Figure(), plan->loss,
                    plan->answers->LimitOf(findings.LimitsOf(*plan).losses), plan->certain};
  }
  const size_t worst = plan->Worst(findings.outputs);
  const OutputFindings& found = plan->outputs[worst];
  if (findings.outputs[worst].kind == Kind::kNumbers) {
    return Deciding{"signal_over_error_db", found.whole.Db(), kGoodDb, found.whole.certain_db};
  }
  const double percent = found.likeness.Percent();
  return Deciding{"same_percent", percent, kGoodPercent, {percent, percent}};
}

std::optional<double> Verdict::SnrDb(PlanId plan) const {
  const PlanFindings* found = findings.Find(plan);
  if (found == nullptr || pictures() == 0 || found->outputs.empty()) return std::nullopt;
  return found->outputs[found->Worst(findings.outputs)].whole.Db();
}

bool Verdict::IsDoubtful() const {
  return pictures() > 0 && int8() != nullptr && !int8()->Agrees();
}

bool Verdict::Meets(const Requirement& requirement) const {
  if (pictures() == 0 || int8() == nullptr || int8()->Fails()) return false;
  if (requirement.in_db) return *SnrDb(PlanId::kInt8) >= requirement.least;
  return Speaks() && Agreement() >= requirement.least;
}

std::string Verdict::Basis() const {
  const char* samples = pictures() == 1 ? "sample" : "samples";
  if (random) {
    return fmt::format("on {} {} of random data (ranges come from noise, not from real inputs)",
                       pictures(), samples);
  }
  if (unseen == 0) {
    return fmt::format("on {} calibration {} (ranges have seen these pictures)", pictures(),
                       samples);
  }
  if (unseen >= pictures()) {
    return fmt::format("on {} {} that calibration has not seen", pictures(), samples);
  }
  return fmt::format("on {} {}, of which calibration has not seen {}", pictures(), samples, unseen);
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
    line += plan.Speaks()
                ? fmt::format("{}, {}, ", LossWords(findings, plan), plan.answers->Words())
                : "runs, ";
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
  if (halves && halves->disagree) lines.push_back(halves->words);
  for (const Proposal& proposal : proposals) lines.push_back(WordsOf(proposal, unit));
  for (const NoisyLayer& layer : noisy) {
    lines.push_back(fmt::format("'{}' ({}) adds noise of {:.2g} % of its signal: {}", layer.name,
                                layer.op, 100 * layer.added, layer.cause));
  }
  return lines;
}

json Verdict::Json() const {
  json plans = json::array();
  for (const PlanFindings& plan : findings.plans) {
    json outputs = json::array();
    for (size_t o = 0; o < plan.outputs.size(); ++o) {
      outputs.push_back(OutputJson(findings.outputs[o], plan.outputs[o]));
    }
    const bool kept = std::find(removed.begin(), removed.end(), plan.name) == removed.end();
    json row = {
        {"plan", plan.name}, {"fails", plan.Fails()}, {"in_blob", kept}, {"outputs", outputs}};
    if (plan.Speaks()) {
      row["loss"] = plan.loss;
      row["interval"] = {plan.certain.low, plan.certain.high};
      row["limit"] = plan.answers->LimitOf(findings.LimitsOf(plan).losses);
      plan.answers->AddJson(&row);
    }
    row["over_time"] =
        plan.over_time.IsEmpty() ? json() : plan.over_time.Json(NamesOf(findings.outputs));
    plans.push_back(std::move(row));
  }
  const auto number = [](const std::optional<double>& db) { return db ? json(*db) : json(); };
  json document = {{"samples", pictures()},
                   {"sample_indices", findings.samples},
                   {"held_out", pictures() > 0 && unseen >= pictures()},
                   {"random_data", random},
                   {"summary", Summary()},
                   {"output", ""},
                   {"snr_db", number(SnrDb(PlanId::kInt8))},
                   {"fp16_snr_db", number(SnrDb(PlanId::kFp16))},
                   {"cosine", nullptr},
                   {"agreement_percent", nullptr},
                   {"judgement", WordOf(JudgementOf(*this))},
                   {"advice_lines", AdviceLines(*this)},
                   {"doubtful", IsDoubtful()},
                   {"decoder", nullptr},
                   {"figure_name", nullptr},
                   {"figure", nullptr},
                   {"interval", nullptr},
                   {"limit", nullptr},
                   {"proposals", json::array()},
                   {"worst_layers", json::array()},
                   {"halves", halves ? halves->facts : json()},
                   {"notes", notes},
                   {"plans", plans}};
  if (const PlanFindings* plan = int8(); plan != nullptr && !plan->outputs.empty()) {
    const size_t o = plan->Worst(findings.outputs);
    document["output"] = findings.outputs[o].name;
    document["cosine"] = plan->outputs[o].whole.cosine;
  }
  if (Speaks()) document["agreement_percent"] = Agreement();
  if (!decoder.empty()) document["decoder"] = decoder;
  if (const auto decides = Decides()) {
    document["figure_name"] = decides->name;
    document["figure"] = decides->value;
    document["interval"] = {decides->certain.low, decides->certain.high};
    document["limit"] = decides->limit;
  }
  for (const Proposal& proposal : proposals) {
    document["proposals"].push_back(ProposalJson(proposal));
  }
  for (const NoisyLayer& layer : noisy) {
    document["worst_layers"].push_back({{"layer", layer.name},
                                        {"op", layer.op},
                                        {"added_noise", layer.added},
                                        {"cause", layer.cause}});
  }
  return document;
}

}  // namespace octet::judge
