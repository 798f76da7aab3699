#include "converter/convert/judge.h"

#include <algorithm>
#include <array>
#include <functional>
#include <memory>
#include <numeric>
#include <string>
#include <utility>

#include <fmt/format.h>

#include "converter/blobs/blob_file.h"
#include "converter/convert/inputs.h"
#include "converter/convert/judge_samples.h"
#include "converter/convert/make_plan.h"
#include "converter/convert/progress.h"
#include "converter/judge/advice.h"
#include "converter/judge/judge.h"
#include "converter/judge/words.h"
#include "converter/support/error.h"
#include "converter/support/threads.h"
#include "ports/linux/cpu.h"

namespace octet::convert {
namespace {

using Inputs = std::vector<std::unique_ptr<images::Dataset>>;

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

// Who judges, of the samples given: those that calibration leaves, where there are any.
JudgeSamples ChooseJudges(const Calibrated& calibrated, const simulate::Samples& sets) {
  if (calibrated.inputs.empty()) return {{0}, true};  // one answer, whatever is given
  const auto all_of = [&calibrated](const std::optional<std::vector<int64_t>>& chosen) {
    if (chosen) return *chosen;
    std::vector<int64_t> all(static_cast<size_t>(calibrated.given));
    std::iota(all.begin(), all.end(), int64_t{0});
    return all;
  };
  const std::vector<int64_t> kept = all_of(calibrated.choice.understood);
  return ChooseJudgeSamples(kept, calibrated.choice.covering ? *calibrated.choice.covering : kept,
                            calibrated.options().samples, calibrated.options().seed, sets);
}

// The level and instructions of this machine.
judge::Machine ThisMachine() {
  const port::CpuWord cpu = port::DetectCpu();
  return {port::BestIsa(cpu), port::Features(cpu)};
}

// All plans of the blob, verified before it is run. inputs: the data given, in the graph's order.
judge::Findings JudgeBlob(const graph::Graph& imported, const std::vector<uint8_t>& blob,
                          const Inputs& inputs, const std::vector<int64_t>& samples, int threads) {
  const blobs::BlobFile file(blob);
  Progress progress("judging");
  judge::Case given;
  given.imported = &imported;
  given.blob = file.data();
  given.blob_bytes = file.bytes();
  for (const auto& input : inputs) given.inputs.push_back(input.get());
  given.samples = samples;
  given.machine = ThisMachine();
  given.threads = threads;
  given.progress = [&progress](int64_t done, int64_t total) { progress.Show(done, total); };
  judge::Findings findings = judge::Judge(given);
  progress.Finish();
  return findings;
}

// Of the int8 plan where it is in doubt, or somebody asked.
void Analyze(Judged* result) {
  const Recovered& recovered = result->recovered();
  result->analysis = analyze::Analyze(*recovered.simulator, recovered.from.statistics,
                                      recovered.scheme, ForVerdict(recovered.sets).report, {});
}

// Samples by their numbers in what was given, whatever of them calibrates.
Inputs OpenAll(const Calibrated& calibrated) {
  Warnings ignored;
  return OpenCalibration(calibrated.graph, calibrated.options(), &ignored);
}

// Of plans, on the samples that judge.
using Findings = std::function<judge::Findings(const std::vector<write::Plan>&)>;

void RemoveFailing(bool keep, Judged* result) {
  judge::Verdict& verdict = result->verdict;
  std::erase_if(result->plans, [&](const write::Plan& plan) {
    const judge::PlanFindings& found = *verdict.findings.Find(plan.program.name);
    if (!found.Fails()) return false;
    result->warnings.push_back(fmt::format("the {} plan fails and {}: {}", found.name,
                                           keep ? "is kept (--keep-failing)" : "is not in the blob",
                                           judge::FaultsOf(verdict.findings, found)));
    if (!keep) verdict.removed.push_back(found.name);
    return !keep;
  });
}

// The worst output of the int8 plan of a scheme; none where that plan cannot be made.
std::optional<std::pair<std::string, double>> WorstOf(const quantize::Scheme& scheme,
                                                      const Judged& judged,
                                                      const Findings& findings) {
  try {
    std::string beyond;
    std::vector<write::Plan> plans;
    plans.push_back(MakePlan(judged.calibrated().graph, scheme, judged.calibrated().statistics,
                             "int8", judged.prepared().wishes, &beyond));
    if (!beyond.empty()) return std::nullopt;
    judge::Verdict verdict;
    verdict.findings = findings(plans);
    const judge::PlanFindings& plan = verdict.findings.plans[0];
    if (plan.Fails()) return std::nullopt;
    const auto& outputs = verdict.findings.outputs;
    return std::pair(outputs[plan.Worst(outputs)].name, *verdict.SnrDb("int8"));
  } catch (const UserError&) {  // it cannot be lowered
    return std::nullopt;
  }
}

void LookForAdvice(const Findings& findings, Judged* result) {
  const Recovered& recovered = result->recovered();
  judge::Verdict& verdict = result->verdict;
  if (recovered.config.StaysInt8() || recovered.sets.report.empty()) return;
  if (!result->options().analyze) Analyze(result);
  verdict.tried = true;
  verdict.advice = judge::TryAdvice(
      *recovered.simulator, recovered.from.statistics, recovered.config, recovered.scheme,
      result->analysis, ForVerdict(recovered.sets).report, *verdict.SnrDb("int8"),
      [&](const quantize::Scheme& scheme) { return WorstOf(scheme, *result, findings); });
}

// Of the reporting samples, some from each half. Each is run three times.
void CompareHalves(Judged* result) {
  const Recovered& recovered = result->recovered();
  const Calibrated& calibrated = result->calibrated();
  if (result->options().effort == Effort::kFast || result->options().random_calibration) return;
  std::array<std::vector<int64_t>, 2> chosen;
  const std::vector<int64_t> picks =
      calibrate::PickSamples(calibrated.datasets.empty() ? 0 : calibrated.datasets[0]->size(),
                             result->options().samples, result->options().seed);
  for (const int64_t sample : recovered.sets.report) {
    const auto at = std::lower_bound(picks.begin(), picks.end(), sample);
    if (at == picks.end() || *at != sample) continue;
    std::vector<int64_t>& half =
        chosen[static_cast<size_t>(at - picks.begin()) / calibrate::kSamplesTogether % 2];
    if (half.size() < judge::kHalvesLook + judge::kHalvesAsk) half.push_back(sample);
  }
  result->verdict.halves =
      judge::CompareHalves(*recovered.simulator, calibrated.halves, recovered.config, chosen);
}

// Fills the verdict, takes plans that fail out, and analyzes the int8 plan where it is in doubt.
void JudgePlans(Judged* result) {
  const ConvertOptions& options = result->options();
  const Calibrated& calibrated = result->calibrated();
  const Inputs data = OpenAll(calibrated);
  const JudgeSamples judges = ChooseJudges(calibrated, result->recovered().sets);
  const Findings findings = [&](const std::vector<write::Plan>& plans) {
    return JudgeBlob(result->prepared().from.from.graph,
                     write::WriteBlob(result->prepared().info, plans), data, judges.indices,
                     ThreadCount(options.threads));
  };
  judge::Verdict& verdict = result->verdict;
  verdict.seen = judges.seen;
  verdict.random = options.random_calibration;
  verdict.alike = calibrated.alike;
  verdict.findings = findings(result->plans);
  RemoveFailing(options.keep_failing, result);
  CompareHalves(result);
  if (!verdict.IsDoubtful()) return;
  if (!verdict.int8()->Fails()) {
    result->warnings.push_back(
        fmt::format("the int8 plan differs from FP32: {} (docs/verdict.md); try: the steps of "
                    "docs/tutorials/worse-int8.md",
                    judge::MissWords(verdict.findings, *verdict.int8())));
  }
  LookForAdvice(findings, result);
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
