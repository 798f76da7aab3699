#include "converter/cli/judging.h"

#include <algorithm>
#include <numeric>
#include <set>
#include <string>
#include <utility>

#include "converter/calibrate/calibrate.h"
#include "converter/cli/blob_file.h"
#include "converter/cli/golden_inputs.h"
#include "converter/cli/progress.h"
#include "converter/judge/advice.h"
#include "converter/judge/words.h"
#include "converter/support/error.h"
#include "ports/linux/cpu.h"

namespace octet::cli {
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

// Who judges, of the samples given: those that calibration leaves, where there are any.
JudgeSamples ChooseJudges(const ConvertOptions& options, int64_t given, const Conversion& result) {
  if (result.inputs.empty()) return {{0}, true};  // one answer, whatever is given
  const auto all_of = [given](const std::optional<std::vector<int64_t>>& chosen) {
    if (chosen) return *chosen;
    std::vector<int64_t> all(static_cast<size_t>(given));
    std::iota(all.begin(), all.end(), int64_t{0});
    return all;
  };
  const std::vector<int64_t> kept = all_of(result.choice.understood);
  return ChooseJudgeSamples(kept, result.choice.covering ? *result.choice.covering : kept,
                            options.samples, options.seed, result.sets);
}

// Of the int8 plan where it is in doubt, or somebody asked.
void Analyze(const simulate::Simulator& simulator, Conversion* result) {
  result->analysis = analyze::Analyze(simulator, result->statistics, result->scheme,
                                      ForVerdict(result->sets).report, {});
}

}  // namespace

JudgeSamples ChooseJudgeSamples(const std::vector<int64_t>& kept,
                                const std::vector<int64_t>& calibrating, int64_t samples,
                                uint64_t seed, const simulate::Samples& decided) {
  std::vector<int64_t> calibrated;
  for (const int64_t i :
       calibrate::PickSamples(static_cast<int64_t>(calibrating.size()), samples, seed)) {
    calibrated.push_back(calibrating[static_cast<size_t>(i)]);
  }
  std::sort(calibrated.begin(), calibrated.end());
  std::set<int64_t> seen(calibrated.begin(), calibrated.end());
  for (const auto* set : {&decided.fit, &decided.accept, &decided.report}) {
    for (const int64_t i : *set) seen.insert(calibrating[static_cast<size_t>(i)]);
  }
  std::vector<int64_t> among;
  std::copy_if(kept.begin(), kept.end(), std::back_inserter(among),
               [&seen](int64_t i) { return seen.count(i) == 0; });
  JudgeSamples result;
  result.seen = among.empty();
  if (result.seen) among = std::move(calibrated);
  const auto available = static_cast<int64_t>(among.size());
  const int64_t wanted =
      std::clamp(static_cast<int64_t>(seen.size()) / kShareOfJudges, kFewestJudges, kMostJudges);
  const int64_t count = std::min(available, wanted);
  for (int64_t i = 0; i < count; ++i) {
    result.indices.push_back(among[static_cast<size_t>(i * available / count)]);
  }
  return result;
}

judge::Machine ThisMachine() {
  const port::CpuWord cpu = port::DetectCpu();
  return {port::BestIsa(cpu), port::Features(cpu)};
}

judge::Findings JudgeBlob(const graph::Graph& imported, const std::vector<uint8_t>& blob,
                          const std::vector<std::unique_ptr<images::Dataset>>& inputs,
                          const std::vector<int64_t>& samples, int threads) {
  const BlobFile file(blob);
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

void JudgePlans(const Judging& by, Conversion* result, Warnings* warnings) {
  const ConvertOptions& options = by.options;
  if (options.analyze) Analyze(by.simulator, result);
  if (!options.judge) return;
  // Samples by their numbers in what was given, whatever of them calibrates.
  Warnings ignored;
  const auto data =
      options.golden_calibration
          ? GoldenInputs(options.calibration[0], result->graph, options.preprocess)
          : OpenInputs(result->graph, options.calibration, options.preprocess, &ignored);
  const JudgeSamples judges = ChooseJudges(options, by.given, *result);
  const auto judge = [&](const std::vector<write::Plan>& plans) {
    return JudgeBlob(by.imported, write::WriteBlob(by.info, plans), data, judges.indices,
                     ThreadCount(options.threads));
  };
  judge::Verdict& verdict = result->verdict;
  verdict.seen = judges.seen;
  verdict.findings = judge(result->plans);
  std::erase_if(result->plans, [&](const write::Plan& plan) {
    const judge::PlanFindings& found = *verdict.findings.Find(plan.program.name);
    if (!found.Fails()) return false;
    warnings->push_back(
        fmt::format("the {} plan fails and {}: {}", found.name,
                    options.keep_failing ? "is kept (--keep-failing)" : "is not in the blob",
                    judge::FaultsOf(verdict.findings, found)));
    if (!options.keep_failing) verdict.removed.push_back(found.name);
    return !options.keep_failing;
  });
  if (!verdict.IsDoubtful()) return;
  if (!verdict.int8()->Fails()) {
    warnings->push_back(fmt::format("the int8 plan is in doubt: {}, {:.1f} dB; see the verdict",
                                    judge::AgreementWords(verdict.findings, *verdict.int8()),
                                    *verdict.SnrDb("int8")));
  }
  if (result->config.StaysInt8() || result->sets.report.empty()) return;
  if (!options.analyze) Analyze(by.simulator, result);
  verdict.tried = true;
  verdict.advice = judge::TryAdvice(
      by.simulator, result->statistics, result->config, result->scheme, result->analysis,
      ForVerdict(result->sets).report, *verdict.SnrDb("int8"),
      [&](const quantize::Scheme& variant) -> std::optional<std::pair<std::string, double>> {
        try {
          std::string beyond;
          std::vector<write::Plan> plans;
          plans.push_back(
              MakePlan(result->graph, variant, result->statistics, "int8", by.wishes, &beyond));
          if (!beyond.empty()) return std::nullopt;
          judge::Verdict of_variant;
          of_variant.findings = judge(plans);
          const judge::PlanFindings& plan = of_variant.findings.plans[0];
          if (plan.Fails()) return std::nullopt;
          const auto& outputs = of_variant.findings.outputs;
          return std::pair(outputs[plan.Worst(outputs)].name, *of_variant.SnrDb("int8"));
        } catch (const UserError&) {  // it cannot be lowered
          return std::nullopt;
        }
      });
}

}  // namespace octet::cli
