#include "converter/cli/assignment.h"

#include <yaml-cpp/yaml.h>

#include <algorithm>
#include <cmath>
#include <cstdlib>
#include <functional>

#include "converter/support/error.h"
#include "converter/support/functions.h"

namespace octet::cli {
namespace {

double Ms(int64_t ns) {
  return static_cast<double>(ns) / 1e6;
}

std::optional<double> NumberOf(const std::string& option, const std::string& text, double most) {
  if (text.empty()) return std::nullopt;
  char* end = nullptr;
  const double value = std::strtod(text.c_str(), &end);
  if (end != text.c_str() + text.size() || !std::isfinite(value) || value < 0 || value > most) {
    Fail("{}: '{}' is not a number from 0 to {}", option, text, most);
  }
  return value;
}

nlohmann::json CandidateJson(const assign::Result& result, const assign::Candidate& candidate) {
  uint64_t macs = 0, fp16_macs = 0;
  nlohmann::json fp16 = nlohmann::json::array();
  for (size_t u = 0; u < candidate.assignment.size(); ++u) {
    const assign::Unit& unit = result.table.units[u];
    macs += unit.macs;
    if (!candidate.assignment[u]) continue;
    fp16_macs += unit.macs;
    fp16.push_back(unit.name);
  }
  return {{"name", candidate.name},
          {"fp16_units", fp16},
          {"fp16_macs_share",
           macs == 0 ? 0 : static_cast<double>(fp16_macs) / static_cast<double>(macs)},
          {"ms", Ms(candidate.plan_ns)},
          {"table_ms", Ms(candidate.table.ns)},
          {"table_loss", candidate.table.loss},
          {"deciding_loss", candidate.accepted},
          {"loss", candidate.measured.value},
          {"loss_standard_error", candidate.measured.standard_error},
          {"agreement", candidate.agreement}};
}

nlohmann::json UnitJson(const assign::Unit& unit) {
  nlohmann::json json = {{"name", unit.name},
                         {"macs", unit.macs},
                         {"int8_ms", Ms(unit.int8_ns)},
                         {"fp16_ms", Ms(unit.fp16_ns)},
                         {"loss", unit.loss},
                         {"loss_standard_error", unit.standard_error},
                         {"gradient", unit.gradient},
                         {"sensitive", unit.sensitive},
                         {"sensitive_by_gradient", unit.steep},
                         {"fixed", nullptr}};
  if (unit.fixed) json["fixed"] = *unit.fixed == blob::Precision::kFp16 ? "fp16" : "int8";
  return json;
}

std::string Row(const assign::Result& result, const assign::Candidate& candidate) {
  const auto fp16_units = [](const assign::Assignment& assignment) {
    return std::count(assignment.begin(), assignment.end(), true);
  };
  // Beside those that run in FP16 anyway.
  const auto count = fp16_units(candidate.assignment) - fp16_units(assign::AllInt8(result.table));
  return fmt::format("{:<24} {:>5} {:>10.3f} {:>9.1f} {:>12.3g} {:>12.3g} {:>12.3g} +- {:.2g}\n",
                     candidate.name, count, Ms(candidate.plan_ns),
                     100.0 * static_cast<double>(candidate.plan_ns - result.int8_ns) /
                         static_cast<double>(std::max<int64_t>(1, result.int8_ns)),
                     candidate.table.loss, candidate.accepted, candidate.measured.value,
                     candidate.measured.standard_error);
}

}  // namespace

convert::MixedOptions MixedArguments::Read() const {
  constexpr double kMostMs = 1e6, kMostPercent = 1e6;
  convert::MixedOptions mixed;
  assign::Budget& budget = mixed.settings.budget;
  budget.ms = NumberOf("--budget-ms", budget_ms, kMostMs);
  budget.percent = NumberOf(percent_option, budget_percent, kMostPercent);
  budget.max_loss = NumberOf("--budget-loss", budget_loss, 1);
  if (budget.ms.has_value() + budget.percent.has_value() + budget.max_loss.has_value() > 1) {
    Fail("--budget-ms, --budget-percent, --budget-loss: only one is allowed; remove the others");
  }
  if (!profile.empty()) {
    size_t first = 0;
    for (size_t comma = profile.find(','); comma != std::string::npos;
         comma = profile.find(',', first)) {
      mixed.profiles.push_back(profile.substr(first, comma - first));
      first = comma + 1;
    }
    mixed.profiles.push_back(profile.substr(first));
  }
  using assign::Preset, assign::Solver;
  if (solver == "exact") mixed.settings.solver = Solver::kExact;
  if (solver == "greedy") mixed.settings.solver = Solver::kGreedy;
  if (solver == "qlearning") mixed.settings.solver = Solver::kQLearning;
  if (preset == "int8") mixed.settings.preset = Preset::kInt8;
  if (preset == "backbone-int8-head-fp16") mixed.settings.preset = Preset::kBackboneInt8HeadFp16;
  const bool budgeted = budget.ms || budget.percent || budget.max_loss;
  if (mixed.settings.preset != Preset::kMixed &&
      (budgeted || mixed.settings.solver != Solver::kBest)) {
    Fail("--preset {} fixes the FP16 layers; remove budget and solver", preset);
  }
  return mixed;
}

nlohmann::json AssignmentJson(const assign::Result& result) {
  nlohmann::json units = nlohmann::json::array(), candidates = units, front = units;
  for (const assign::Unit& unit : result.table.units) units.push_back(UnitJson(unit));
  for (const auto& candidate : result.candidates) {
    candidates.push_back(CandidateJson(result, candidate));
  }
  for (const auto& point : result.front) front.push_back(CandidateJson(result, point));
  nlohmann::json json = {{"time_source", result.time_source},
                         {"int8_ms", Ms(result.int8_ns)},
                         {"fp16_ms", Ms(result.fp16_ns)},
                         {"budget_ms", nullptr},
                         {"optimal", result.optimal},
                         {"chosen", result.candidates[result.chosen].name},
                         {"fp16_layers", result.fp16},
                         {"samples_fit", result.fitted},
                         {"samples_report", result.reported},
                         {"candidates", candidates},
                         {"front", front},
                         {"units", units}};
  if (result.budget_ns) json["budget_ms"] = Ms(*result.budget_ns);
  return json;
}

std::string AssignmentText(const assign::Result& result) {
  std::string text = fmt::format(
      "times: {}; int8 plan {:.3f} ms, FP16 plan {:.3f} ms{}\nloss: share of the outputs' energy; "
      "table: on {} samples; deciding: on others, which choose the best; measured: on {} others "
      "again\n",
      result.time_source, Ms(result.int8_ns), Ms(result.fp16_ns),
      result.budget_ns ? fmt::format(", budget {:.3f} ms", Ms(*result.budget_ns)) : "",
      result.fitted, result.reported);
  constexpr const char* kHead = "{:<24} {:>5} {:>10} {:>9} {:>12} {:>12} {:>12}\n";
  text += fmt::format(fmt::runtime(kHead), "assignment", "FP16", "ms", "% more", "table loss",
                      "deciding", "measured");
  for (const auto& candidate : result.candidates) text += Row(result, candidate);
  text += "front:\n";
  for (const auto& point : result.front) text += Row(result, point);
  // Most lost first; the units beyond these are all alike for those who decide.
  constexpr size_t kShown = 10;
  std::vector<const assign::Unit*> units;
  for (const assign::Unit& unit : result.table.units) units.push_back(&unit);
  std::ranges::stable_sort(units, std::greater{}, &assign::Unit::loss);
  if (units.size() > kShown) units.resize(kShown);
  text += fmt::format("{:<44} {:>9} {:>9} {:>10} {:>9}\n", "units with the largest int8 loss",
                      "int8 ms", "FP16 ms", "loss", "gradient");
  const assign::Assignment& chosen = result.candidates[result.chosen].assignment;
  for (const assign::Unit* unit : units) {
    const auto at = static_cast<size_t>(unit - result.table.units.data());
    text += fmt::format("{:<44.44} {:>9.3f} {:>9.3f} {:>10.3g} {:>9.3g}{}{}{}\n", unit->name,
                        Ms(unit->int8_ns), Ms(unit->fp16_ns), unit->loss, unit->gradient,
                        unit->sensitive ? " sensitive" : "", unit->steep ? " steep" : "",
                        unit->fixed == blob::Precision::kFp16 ? " FP16 anyway"
                        : chosen[at]                          ? " -> FP16"
                                                              : "");
  }
  return text;
}

std::string DoubtOf(const assign::Result& result) {
  if (result.chosen == 0) return "";
  const assign::Candidate& chosen = result.candidates[result.chosen];
  const assign::Mean &int8 = result.candidates[0].measured, &mixed = chosen.measured;
  const double error = math::Hypot(int8.standard_error, mixed.standard_error);
  if (result.reported > 1 && int8.value - mixed.value > error) return "";
  return fmt::format(
      "'{}' may be no better than int8: on {} samples that did not decide it loses {:.3g} +- "
      "{:.2g} of the outputs' energy, int8 loses {:.3g} +- {:.2g}; convert with and without it, "
      "and compare the verdicts",
      chosen.name, result.reported, mixed.value, mixed.standard_error, int8.value,
      int8.standard_error);
}

std::string PlanYaml(const std::string& config, const std::vector<std::string>& fp16,
                     bool int8_everywhere, std::optional<bool> fp16_tail) {
  YAML::Node root = config.empty() ? YAML::Node(YAML::NodeType::Map) : YAML::LoadFile(config);
  if (root.IsNull()) root = YAML::Node(YAML::NodeType::Map);
  if (int8_everywhere) root["int8_everywhere"] = true;
  // The plan is what was measured, and nothing beside it.
  root["fp16_stretches"] = false;
  if (fp16_tail) root["fp16_tail"] = *fp16_tail;
  // Beside a file whose own wishes are to be ignored.
  const bool ignored =
      root["precision_constraints"].IsDefined() && root["precision_constraints"].Scalar() == "none";
  for (const std::string& name : fp16) {
    root["layers"][name]["precision"] = "fp16";
    if (ignored) root["layers"][name]["constraint"] = "prefer";
    root["layers"][name].SetStyle(YAML::EmitterStyle::Flow);
  }
  YAML::Emitter out;
  out << root;
  return std::string(out.c_str()) + "\n";
}

}  // namespace octet::cli
