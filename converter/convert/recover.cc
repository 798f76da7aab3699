#include "converter/convert/recover.h"

#include <optional>
#include <utility>

#include "converter/convert/in_model.h"
#include "converter/convert/make_plan.h"
#include "converter/convert/recovery.h"
#include "converter/support/not_possible.h"
#include "converter/support/threads.h"

namespace octet::convert {
namespace {

// None where the plan cannot be lowered, or FP16 cannot hold it.
std::optional<write::Plan> PlanOf(const Calibrated& from, const quantize::Scheme& scheme) {
  std::string beyond;
  std::optional<write::Plan> plan =
      TryTo([&] {
        return MakePlan(from.graph, scheme, from.statistics, PlanId::kInt8, {}, &beyond);
      }).value;
  return beyond.empty() ? std::move(plan) : std::nullopt;
}

// Boxes that decoders leave out count too.
struct FaintBoxes {
  explicit FaintBoxes(const Recovered& of)
      : likeness(of.from.from.info, of.from.datasets, kFaintScore),
        simulator(of.from.graph, of.from.datasets, With(of.simulator->options())) {}
  simulate::Options With(simulate::Options options) const {
    options.likeness = &likeness;
    return options;
  }
  TaskLikeness likeness;
  simulate::Simulator simulator;
};

// Scheme and int8 plan; returns what FP16 cannot hold of its FP16 layers.
std::string MakeInt8(const quantize::Config& config, Recovered* result) {
  const Calibrated& from = result->from;
  std::optional<FaintBoxes> faint;
  if (result->likeness != nullptr && result->likeness->task() == blob::Task::kDetect) {
    faint.emplace(*result);
  }
  const assign::ArenaOf arena_of = [&from](const quantize::Scheme& scheme) {
    const std::optional<write::Plan> plan = PlanOf(from, scheme);
    return plan ? std::optional<int64_t>(plan->memory.arena_bytes) : std::nullopt;
  };
  const ConvertOptions& options = result->options();
  result->evidence = std::make_unique<Evidence>(from);
  Search search(result->evidence.get(), from.from.clock.get(), options.fp16_budget,
                [&from](const quantize::Scheme& scheme) { return PlanOf(from, scheme); });
  if (!from.graph.states.empty() && options.fp16_budget == kFp16Budget) search.MakeFree(kMendingNs);
  RecoveredInt8 recovered =
      RecoverInt8({*result->simulator, result->sets, from.samples, from.statistics,
                   from.from.clock.get(), arena_of, faint ? &faint->simulator : nullptr, &search,
                   options.effort, options.judge, from.progress.get()},
                  config);
  result->proposals = search.proposals();
  result->unit = search.Unit();
  result->scheme = std::move(recovered.scheme);
  result->config = std::move(recovered.config);
  result->stretches = std::move(recovered.stretches);
  result->notes = std::move(recovered.notes);
  result->steps = std::move(recovered.steps);
  std::string beyond;
  result->int8 = MakePlan(from.graph, result->scheme, from.statistics, PlanId::kInt8,
                          from.from.wishes, &beyond);
  if (beyond.empty()) result->warnings = std::move(recovered.warnings);
  return beyond;
}

// The int8 plan keeps its name where single layers stay FP16; `octet inspect` shows which.
void MakeInt8ThatFits(const quantize::Config& config, Recovered* result) {
  const std::string beyond = MakeInt8(config, result);
  if (beyond.empty()) return;
  quantize::Config all_int8 = config;
  all_int8.overflow = beyond + ", more than FP16 holds (65504)";
  // Where something of it is left, a layer that only FP16 can run, or has to.
  if (!MakeInt8(all_int8, result).empty()) {
    Fail(
        "{}; the int8 plan runs it in FP16, whose largest number is 65504; scale down the "
        "model's numbers",
        beyond);
  }
  result->warnings.push_back(
      fmt::format("{}: the int8 plan runs all layers that can in int8, with less accuracy",
                  result->config.overflow));
}

}  // namespace

Recovered Recover(const Calibrated& from) {
  const ConvertOptions& options = from.options();
  Recovered result{from, nullptr, nullptr, {}, nullptr, {}, {}, {}, {}, {}, {}, {}, {}, {}};
  simulate::Options judging;
  judging.threads = ThreadCount(options.threads);
  judging.memory_bytes = options.memory_bytes;
  // Without a decoder (boxes need --decode) outputs are numbers, as verify takes them.
  if (!from.from.info.decode.empty()) {
    result.likeness = std::make_unique<TaskLikeness>(from.from.info, from.datasets);
    judging.likeness = result.likeness.get();
  }
  result.simulator = std::make_unique<simulate::Simulator>(from.graph, from.datasets, judging);
  if (from.sequences.empty()) {
    result.sets = simulate::SplitSamples(from.samples, RecoverySamples(options.effort));
  } else {
    result.sets =
        SplitSequences({from.sequences.begin(),
                        from.sequences.begin() + static_cast<std::ptrdiff_t>(from.calibrating)},
                       RecoverySamples(options.effort));
  }
  InModel(options.model, [&] { MakeInt8ThatFits(from.from.config, &result); });
  return result;
}

}  // namespace octet::convert
