#include "converter/convert/recovery.h"

#include <algorithm>
#include <string>
#include <utility>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "converter/assign/stretches.h"
#include "converter/convert/mend.h"
#include "converter/convert/scores.h"
#include "converter/quantize/reasons.h"
#include "converter/recover/adaptive_rounding.h"
#include "converter/recover/bias_correction.h"
#include "converter/recover/choose_ranges.h"
#include "converter/recover/code_choice.h"
#include "converter/recover/diagnosis.h"
#include "converter/recover/float_outputs.h"
#include "converter/recover/query_choice.h"
#include "converter/recover/recalibration.h"
#include "converter/recover/rounding.h"
#include "converter/recover/tail_choice.h"

namespace octet::convert {
namespace {

// Stages, and what lets each of them run.
constexpr const char *kStretches = "choosing FP16 layers", *kRanges = "choosing ranges",
                     *kRounding = "rounding weights", *kAdapting = "adapting rounding",
                     *kBiases = "correcting biases", *kMeans = "setting means and variances";

bool MayChooseStretches(const quantize::Config& config, const assign::Clock* clock, Effort effort) {
  return config.fp16_stretches && !config.StaysInt8() && clock != nullptr &&
         effort != Effort::kFast;
}
bool MayChooseRanges(const quantize::Config& config, Effort effort) {
  return config.judged_ranges && effort != Effort::kFast;
}
bool MayRound(const quantize::Config& config, Effort effort) {
  return config.rounding && effort != Effort::kFast;
}
bool MayAdapt(const quantize::Config& config, Effort effort) {
  return config.rounding && effort == Effort::kBest;
}
bool MayCorrectBiases(const graph::Graph& graph, const quantize::Config& config) {
  return config.bias_correction && recover::IsWorthCorrecting(graph);
}
bool MayRecalibrate(const quantize::Config& config, Effort effort) {
  return config.bias_correction && effort == Effort::kBest;
}

// The first of a set, as many as a look at every single value takes.
std::vector<int64_t> Some(const std::vector<int64_t>& samples) {
  constexpr size_t kLookedAt = 4;
  return {samples.begin(),
          samples.begin() + static_cast<int64_t>(std::min(kLookedAt, samples.size()))};
}

// Arithmetic behind the last weights: by the answers, else by what it adds to the noise.
void ChooseTail(const Recovery& given, quantize::Config* config) {
  if (config->fp16_tail) return;
  const graph::Graph& graph = given.simulator.topology().graph;
  quantize::Config with = *config, without = *config;
  with.fp16_tail = true;
  without.fp16_tail = false;
  const quantize::Scheme fp16 = quantize::AssignScheme(graph, given.statistics, with);
  const quantize::Scheme int8 = quantize::AssignScheme(graph, given.statistics, without);
  if (int8.precision == fp16.precision) return;
  quantize::Entry entry;
  if (given.search->HasAnswers()) {
    entry.proposal = "arithmetic behind the last weights";
    config->fp16_tail = given.search->Choose(int8, {{entry.proposal, fp16}}).has_value();
  } else if (const auto gain = recover::TailGain(given.simulator, given.samples, int8, fp16)) {
    entry.gain_db = gain;
    config->fp16_tail = *gain >= recover::kHalfOfNoiseDb;
  } else {
    return;
  }
  config->tail = entry;
}

// What makes and refines queries: the same.
void ChooseQueries(const Recovery& given, RecoveredInt8* result) {
  const graph::Graph& graph = given.simulator.topology().graph;
  const quantize::Config& config = result->config;
  const std::vector<recover::QuerySet> sets =
      recover::QuerySets(graph, given.statistics, config, given.arena_of);
  if (sets.empty()) return;
  const quantize::Scheme int8 = quantize::AssignScheme(graph, given.statistics, config);
  std::vector<quantize::Entry> entries;
  if (given.search->HasAnswers()) {
    std::vector<Search::Candidate> candidates;
    for (const recover::QuerySet& set : sets) {
      candidates.push_back(
          {fmt::format("{} nodes that make and refine queries", set.entries.size()), set.scheme});
    }
    if (const auto chosen = given.search->Choose(int8, candidates)) {
      entries = sets[*chosen].entries;
      for (quantize::Entry& entry : entries) {
        entry.proposal = candidates[*chosen].name;
        entry.measured_with = entries.size();
      }
    }
  } else {
    entries = recover::QueriesWorthHalf(given.simulator, given.samples, int8, sets);
    if (!entries.empty()) {
      result->notes.push_back(
          fmt::format("FP16 in the {} nodes that make and refine queries: {:.1f} dB more. "
                      "--int8-everywhere turns this off",
                      entries.size(), *entries[0].gain_db));
    }
  }
  result->config.measured.insert(result->config.measured.end(), entries.begin(), entries.end());
}

// Moves the last layers that gain by it to FP16. Who reads the outputs is not known here: a
// threshold on numbers that 8 bits do not tell is seen by no answer of the pictures at hand.
void LeaveInFloat(const Recovery& given, quantize::Scheme* scheme, Warnings* warnings) {
  const graph::Graph& graph = given.simulator.topology().graph;
  const std::vector<int64_t> decide =
      Some(given.samples.accept.empty() ? given.samples.report : given.samples.accept);
  const recover::Diagnosis diagnosis = recover::Diagnose(given.simulator, *scheme, decide);
  std::vector<std::string> names;
  for (const recover::FloatOutput& output : recover::WorthFloat(graph, *scheme, diagnosis)) {
    scheme->Want({.node = output.node,
                  .reason = quantize::Reason::kFloatOutput,
                  .gain_db = output.gain_db,
                  .measured_with = output.measured_with});
    if (scheme->precision[output.node] == blob::Precision::kInt8) continue;
    names.push_back("'" + graph.nodes[output.node].name + "'");
  }
  if (!names.empty()) {
    warnings->push_back(
        fmt::format("{} in front of outputs run{} in FP16: 8 bits are too coarse for these "
                    "outputs. --int8-everywhere turns this off",
                    fmt::join(names, ", "), names.size() == 1 ? "s" : ""));
  }
}

// Runs one step as a stage.
template <typename Body>
auto Show(const Recovery& given, const std::string& label, const Body& body) {
  Stage stage(given.progress, label);
  return body(stage.Shower());
}

std::string NodesOf(const assign::Bargain& bargain) {
  if (bargain.nodes.size() == 1) return "'" + bargain.nodes[0] + "'";
  return fmt::format("'{}' and {} more nodes", bargain.nodes[0], bargain.nodes.size() - 1);
}

std::string ArenaText(const assign::Bargain& bargain) {
  return fmt::format("{} bytes of arena instead of {}", bargain.arena_after_bytes,
                     bargain.arena_before_bytes);
}

// What a stretch gains and costs, for the verdict.
std::string KeptLine(const assign::Bargain& bargain) {
  const bool same = bargain.arena_after_bytes == bargain.arena_before_bytes;
  const std::string answers = bargain.gain_agreement
                                  ? fmt::format(" and {:.1f} points of agreement with FP32's boxes",
                                                100 * *bargain.gain_agreement)
                                  : "";
  return fmt::format("FP16 in {}: {:.1f} dB more{} for {:.1f} % more time and {}", NodesOf(bargain),
                     bargain.gain_db, answers, 100 * bargain.time_share,
                     same ? "no more arena" : ArenaText(bargain));
}
std::string RefusedLine(const assign::Bargain& bargain) {
  return fmt::format(
      "not used: FP16 in {} gains {:.1f} dB; {:.1f} % more time costs {:.1f} dB, {} costs {:.1f} "
      "dB; try: layers in --config",
      NodesOf(bargain), bargain.gain_db, 100 * bargain.time_share,
      assign::kDecibelsOfTime * bargain.time_share, ArenaText(bargain),
      assign::ArenaPriceDb(bargain));
}

void ChooseStretches(const Recovery& given, RecoveredInt8* result) {
  const simulate::Samples& samples = given.samples;
  quantize::Scheme proposed = result->scheme;
  assign::Stretches chosen = Show(given, kStretches, [&](const auto& progress) {
    return assign::ChooseStretches(
        {given.simulator, samples, given.statistics, result->config, result->scheme}, *given.clock,
        given.arena_of, progress, &proposed, given.boxes);
  });
  if (chosen.kept && given.search->HasAnswers() &&
      !given.search->Choose(result->scheme, {{"a stretch of layers", proposed}})) {
    return;
  }
  result->scheme = std::move(proposed);
  result->config = std::move(chosen.config);
  if (chosen.kept) {
    result->stretches = chosen.kept->nodes;
    const size_t count = chosen.kept->nodes.size();
    constexpr size_t kNamed = 4;
    const auto named =
        chosen.kept->nodes.begin() + static_cast<std::ptrdiff_t>(std::min(kNamed, count));
    chosen.step.note = fmt::format(
        "'{}'{} run{} in FP16, {:.1f} % more time ({}); fp16_stretches: false in --config keeps "
        "int8",
        fmt::join(chosen.kept->nodes.begin(), named, "', '"),
        count > kNamed ? fmt::format(" and {} more", count - kNamed) : "", count == 1 ? "s" : "",
        100 * chosen.kept->time_share, given.clock->Source());
    result->notes.push_back(KeptLine(*chosen.kept));
  }
  if (chosen.refused) result->notes.push_back(RefusedLine(*chosen.refused));
  if (chosen.step.tried || !samples.CanCorrect()) result->steps.push_back(std::move(chosen.step));
}

}  // namespace

int64_t RecoverySamples(Effort effort) {
  // Of 16, four accept: enough for a step that gains much, which is what is quickly tried.
  if (effort == Effort::kFast) return 16;
  return effort == Effort::kBest ? 256 : 128;
}

std::vector<std::string> RecoveryStages(const graph::Graph& graph, const quantize::Config& config,
                                        const assign::Clock* clock, Effort effort) {
  std::vector<std::string> stages;
  if (MayChooseStretches(config, clock, effort)) stages.emplace_back(kStretches);
  if (MayChooseRanges(config, effort)) stages.emplace_back(kRanges);
  if (MayRound(config, effort)) stages.emplace_back(kRounding);
  if (MayAdapt(config, effort)) stages.emplace_back(kAdapting);
  if (MayCorrectBiases(graph, config)) stages.emplace_back(kBiases);
  if (MayRecalibrate(config, effort)) stages.emplace_back(kMeans);
  return stages;
}

namespace {

// Weights and ranges under the precisions that stand.
void RecoverValues(const Recovery& given, RecoveredInt8* result) {
  const simulate::Simulator& simulator = given.simulator;
  const simulate::Samples& samples = given.samples;
  const graph::Graph& graph = simulator.topology().graph;
  const quantize::Config& config = result->config;
  quantize::Scheme* scheme = &result->scheme;
  if (MayChooseRanges(config, given.effort)) {
    result->steps.push_back(Show(given, kRanges, [&](const auto& progress) {
      return recover::ChooseRanges(simulator, samples, given.statistics, config, progress, scheme);
    }));
  }
  if (MayRound(config, given.effort)) {
    result->steps.push_back(Show(given, kRounding, [&](const auto& progress) {
      return recover::RoundWeights(simulator, samples, given.available, progress, scheme);
    }));
  }
  if (MayAdapt(config, given.effort)) {
    result->steps.push_back(Show(given, kAdapting, [&](const auto& progress) {
      return recover::AdaptRounding(simulator, samples, given.available, progress, scheme);
    }));
  }
  if (MayCorrectBiases(graph, config)) {
    result->steps.push_back(Show(given, kBiases, [&](const auto& progress) {
      return recover::CorrectBiases(simulator, samples, progress, scheme);
    }));
  }
  if (MayRecalibrate(config, given.effort)) {
    result->steps.push_back(Show(given, kMeans, [&](const auto& progress) {
      return recover::Recalibrate(simulator, samples, progress, scheme);
    }));
  }
}

void PutScoresRight(const Recovery& given, RecoveredInt8* result) {
  if (!given.mends || !given.search->HasAnswers() || !result->config.bias_correction) return;
  CorrectScores(given.simulator.topology().graph, given.search, &result->scheme);
}

// Where the plan loses more than its limit: more layers in FP16, and what hangs on precisions
// again. of_precisions: steps that chose these; the others are made again.
void Mend(const Recovery& given, size_t of_precisions, RecoveredInt8* result) {
  if (!given.mends || result->config.StaysInt8() || given.samples.report.empty() ||
      !given.search->Misses(result->scheme)) {
    return;
  }
  bool mended = false;
  // The noise of the layers that are left shows only where that of others is gone.
  for (size_t round = 0; round < kMendings; ++round) {
    std::vector<Mending> mendings = ProposeMendings(
        given.simulator, given.statistics, result->config, result->scheme, given.samples.report);
    std::vector<Search::Candidate> candidates;
    for (const Mending& mending : mendings) candidates.push_back(mending.candidate);
    const auto chosen = mended ? given.search->MendMore(result->scheme, candidates)
                               : given.search->Mend(result->scheme, candidates);
    if (!chosen) break;
    mended = true;
    result->config = std::move(mendings[*chosen].config);
    result->scheme = std::move(candidates[*chosen].scheme);
    for (quantize::Entry& entry : result->config.measured) {
      const bool is_new = entry.reason == quantize::Reason::kNoisy && entry.proposal.empty();
      if (is_new) entry.proposal = candidates[*chosen].name;
    }
  }
  if (!mended) return;
  result->scheme =
      quantize::AssignScheme(given.simulator.topology().graph, given.statistics, result->config);
  result->steps.erase(result->steps.begin() + static_cast<std::ptrdiff_t>(of_precisions),
                      result->steps.end());
  RecoverValues(given, result);
  PutScoresRight(given, result);
}

}  // namespace

RecoveredInt8 RecoverInt8(const Recovery& given, const quantize::Config& config) {
  RecoveredInt8 result;
  result.config = config;
  ChooseTail(given, &result.config);
  ChooseQueries(given, &result);
  result.config.coarse_steps =
      recover::ChooseCoarseSteps(given.simulator, given.samples, given.statistics, result.config);
  result.scheme =
      quantize::AssignScheme(given.simulator.topology().graph, given.statistics, result.config);
  LeaveInFloat(given, &result.scheme, &result.warnings);
  if (MayChooseStretches(result.config, given.clock, given.effort)) {
    ChooseStretches(given, &result);
  }
  const size_t of_precisions = result.steps.size();
  RecoverValues(given, &result);
  PutScoresRight(given, &result);
  Mend(given, of_precisions, &result);
  return result;
}

}  // namespace octet::convert
