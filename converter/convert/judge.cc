#include "converter/convert/judge.h"

#include <algorithm>
#include <array>
#include <functional>
#include <memory>
#include <numeric>
#include <string>
#include <utility>

#include <fmt/format.h>

#include "converter/convert/halves.h"
#include "converter/judge/judge.h"
#include "converter/judge/words.h"

namespace octet::convert {
namespace {

// With as many reporting samples as tell each layer's figures: every one of them is looked at value
// by value, which takes several times as long as simulating it.
simulate::Samples ForVerdict(const simulate::Samples& samples) {
  constexpr size_t kTold = 16;
  simulate::Samples told = samples;
  told.report.clear();
  const size_t count = std::min(kTold, samples.report.size());
  for (size_t i = 0; i < count; ++i) {
    told.report.push_back(samples.report[i * samples.report.size() / count]);
  }
  return told;
}

// Of the int8 plan where it is in doubt, or somebody asked.
void Analyze(Judged* result) {
  const Recovered& recovered = result->recovered();
  result->analysis = analyze::Analyze(*recovered.simulator, recovered.from.statistics,
                                      recovered.scheme, ForVerdict(recovered.sets).report, {});
}

void RemoveFailing(bool keep, Judged* result) {
  judge::Verdict& verdict = result->verdict;
  std::erase_if(result->plans, [&](const write::Plan& plan) {
    const judge::PlanFindings& found = *verdict.findings.Find(plan.program.plan);
    if (!found.Fails()) return false;
    result->warnings.push_back(fmt::format("the {} plan fails and {}: {}", found.name,
                                           keep ? "is kept (--keep-failing)" : "is not in the blob",
                                           judge::FaultsOf(verdict.findings, found)));
    if (!keep) verdict.removed.push_back(found.name);
    return !keep;
  });
}

// Of the reporting samples, some from each half. Each is run three times.
void CompareHalves(Judged* result) {
  const Recovered& recovered = result->recovered();
  const Calibrated& calibrated = result->calibrated();
  if (result->options().effort == Effort::kFast || result->options().random_calibration) return;
  std::array<std::vector<int64_t>, 2> chosen;
  for (const int64_t sample : recovered.sets.report) {
    std::vector<int64_t>& half =
        chosen[static_cast<size_t>(sample) / calibrate::kSamplesTogether % 2];
    if (half.size() < kHalvesLook + kHalvesAsk) half.push_back(sample);
  }
  const auto found =
      convert::CompareHalves(*recovered.simulator, calibrated.halves, recovered.config, chosen);
  if (found) result->verdict.halves = {found->Disagree(), found->Words(), found->Json()};
}

// Fills the verdict, takes plans that fail out, and analyzes the int8 plan where it is in doubt.
void JudgePlans(Judged* result) {
  const ConvertOptions& options = result->options();
  const Calibrated& calibrated = result->calibrated();
  const Recovered& recovered = result->recovered();
  judge::Verdict& verdict = result->verdict;
  verdict.unseen = recovered.evidence->unseen();
  verdict.decoder = recovered.evidence->decoder();
  verdict.random = options.random_calibration;
  verdict.alike = calibrated.alike;
  verdict.proposals = recovered.proposals;
  verdict.unit = recovered.unit;
  verdict.findings = recovered.evidence->Judge(result->plans);
  RemoveFailing(options.keep_failing, result);
  CompareHalves(result);
  if (!verdict.IsDoubtful()) return;
  if (!verdict.int8()->Fails()) {
    result->warnings.push_back(
        fmt::format("the int8 plan differs from FP32: {} (docs/verdict.md); try: the steps of "
                    "docs/tutorials/worse-int8.md",
                    judge::MissWords(verdict.findings, *verdict.int8())));
  }
  if (recovered.sets.report.empty()) return;
  if (!options.analyze) Analyze(result);
  constexpr size_t kNamed = 4;
  for (const size_t i : analyze::WorstFirst(result->analysis)) {
    const analyze::LayerFigures& layer = result->analysis.layers[i];
    if (verdict.noisy.size() == kNamed || !(layer.added > 0)) break;
    if (!layer.int8 || layer.cause.empty()) continue;
    verdict.noisy.push_back({layer.name, layer.op, layer.cause, layer.added});
  }
}

// What the data that calibrated leave in doubt.
void WarnOfData(Judged* result) {
  const Calibrated& calibrated = result->calibrated();
  const ConvertOptions& options = result->options();
  const write::ModelInfo& info = result->prepared().info;
  const graph::Graph& graph = calibrated.graph;
  Warnings* warnings = &result->warnings;
  // What a model finds in random data says nothing of its options.
  if (!options.random_calibration) {
    WarnOfCalibration(graph, calibrated.inputs, options, calibrated.samples, warnings);
    WarnOfRange(graph, calibrated.statistics, calibrated.inputs, options, warnings);
    WarnOfBoxes(graph, calibrated.statistics, info, options.decode, warnings);
    WarnOfScores(graph.outputs, calibrated.statistics, info, options.decode, warnings);
  }
  WarnOfMeaning(info, options.labels, warnings);
}

}  // namespace

Judged Judge(Planned planned) {
  Judged result{planned.from, std::move(planned.plans), {}, {}, {}};
  const Recovered& recovered = result.recovered();
  const Warnings* const stages[] = {&recovered.from.warnings, &recovered.warnings,
                                    &planned.warnings};
  for (const Warnings* stage : stages) {
    result.warnings.insert(result.warnings.end(), stage->begin(), stage->end());
  }
  result.verdict.notes = recovered.notes;
  if (result.options().analyze) Analyze(&result);
  if (result.options().judge) JudgePlans(&result);
  if (!result.plans.empty()) WarnOfData(&result);
  return result;
}

}  // namespace octet::convert
