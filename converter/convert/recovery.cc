#include "converter/convert/recovery.h"

#include <algorithm>
#include <string>
#include <utility>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "converter/assign/stretches.h"
#include "converter/convert/progress.h"
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

// Moves the last layers that gain by it to FP16.
void LeaveInFloat(const simulate::Simulator& simulator, const simulate::Samples& samples,
                  quantize::Scheme* scheme, Warnings* warnings) {
  const graph::Graph& graph = simulator.topology().graph;
  const std::vector<int64_t> decide =
      Some(samples.accept.empty() ? samples.report : samples.accept);
  const recover::Diagnosis diagnosis = recover::Diagnose(simulator, *scheme, decide);
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

// Runs one step under a progress bar of its own.
template <typename Body>
auto Show(const std::string& label, const Body& body) {
  Progress progress(label);
  return body([&progress](int64_t done, int64_t total) { progress.Show(done, total); });
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

void ChooseStretches(const simulate::Simulator& simulator, const simulate::Samples& samples,
                     const Statistics& statistics, const assign::Clock& clock,
                     const assign::ArenaOf& arena_of, const simulate::Simulator* boxes,
                     RecoveredInt8* result) {
  assign::Stretches chosen = Show(kStretches, [&](const auto& progress) {
    return assign::ChooseStretches({simulator, samples, statistics, result->config, result->scheme},
                                   clock, arena_of, progress, &result->scheme, boxes);
  });
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
        100 * chosen.kept->time_share, clock.Source());
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

RecoveredInt8 RecoverInt8(const simulate::Simulator& simulator, const simulate::Samples& samples,
                          int64_t available, const Statistics& statistics,
                          const quantize::Config& given, const assign::Clock* clock,
                          const assign::ArenaOf& arena_of, const simulate::Simulator* boxes,
                          Effort effort) {
  const graph::Graph& graph = simulator.topology().graph;
  RecoveredInt8 result;
  result.config = given;
  const quantize::Config& config = result.config;
  if (const auto gain = recover::TailGain(simulator, samples, statistics, config)) {
    result.config.fp16_tail = *gain >= recover::kHalfOfNoiseDb;
    result.config.tail_gain_db = gain;
  }
  const std::vector<quantize::Entry> queries =
      recover::QueriesWorthHalf(simulator, samples, statistics, config, arena_of);
  if (!queries.empty()) {
    result.config.measured.insert(result.config.measured.end(), queries.begin(), queries.end());
    result.notes.push_back(
        fmt::format("FP16 in the {} nodes that make and refine queries: {:.1f} dB more. "
                    "--int8-everywhere turns this off",
                    queries.size(), *queries[0].gain_db));
  }
  result.config.coarse_steps = recover::ChooseCoarseSteps(simulator, samples, statistics, config);
  result.scheme = quantize::AssignScheme(graph, statistics, config);
  LeaveInFloat(simulator, samples, &result.scheme, &result.warnings);
  if (MayChooseStretches(config, clock, effort)) {
    ChooseStretches(simulator, samples, statistics, *clock, arena_of, boxes, &result);
  }
  if (MayChooseRanges(config, effort)) {
    result.steps.push_back(Show(kRanges, [&](const auto& progress) {
      return recover::ChooseRanges(simulator, samples, statistics, config, progress,
                                   &result.scheme);
    }));
  }
  if (MayRound(config, effort)) {
    result.steps.push_back(Show(kRounding, [&](const auto& progress) {
      return recover::RoundWeights(simulator, samples, available, progress, &result.scheme);
    }));
  }
  if (MayAdapt(config, effort)) {
    result.steps.push_back(Show(kAdapting, [&](const auto& progress) {
      return recover::AdaptRounding(simulator, samples, available, progress, &result.scheme);
    }));
  }
  if (MayCorrectBiases(graph, config)) {
    result.steps.push_back(Show(kBiases, [&](const auto& progress) {
      return recover::CorrectBiases(simulator, samples, progress, &result.scheme);
    }));
  }
  if (MayRecalibrate(config, effort)) {
    result.steps.push_back(Show(kMeans, [&](const auto& progress) {
      return recover::Recalibrate(simulator, samples, progress, &result.scheme);
    }));
  }
  return result;
}

}  // namespace octet::convert
