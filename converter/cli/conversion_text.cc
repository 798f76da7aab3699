#include "converter/cli/conversion_text.h"

#include <algorithm>
#include <cstring>
#include <optional>
#include <string>
#include <string_view>

#include <fmt/ranges.h>

#include "converter/cli/assignment.h"
#include "converter/judge/judgement.h"
#include "converter/judge/words.h"
#include "converter/quantize/names.h"
#include "converter/quantize/reasons.h"
#include "converter/quantize/sparse_weights.h"
#include "converter/report/ledger.h"
#include "runtime/core/round_up.h"
#include "runtime/format/decode.h"

namespace octet::cli {
namespace {

nlohmann::json GainJson(const simulate::Gain& gain, const simulate::Gain& decibels) {
  return {{"gain", gain.mean},
          {"error", gain.error},
          {"gain_db", decibels.mean},
          {"error_db", decibels.error}};
}

nlohmann::json StepJson(const recover::Step& step) {
  nlohmann::json json = {{"step", step.name},
                         {"tried", step.tried},
                         {"kept", step.kept},
                         {"accepted", GainJson(step.accepted, step.accepted_db)},
                         {"reported", GainJson(step.reported, step.reported_db)},
                         {"before_db", step.before_db},
                         {"after_db", step.after_db}};
  if (step.judged) {
    json["before_agreement"] = step.before_agreement;
    json["after_agreement"] = step.after_agreement;
  }
  return json;
}

nlohmann::json ChoiceJson(const convert::SampleChoice& choice) {
  nlohmann::json json = nlohmann::json::object();
  if (const auto& labels = choice.labels) {
    json["labels"] = {
        {"kept", labels->kept}, {"unlabelled", labels->unlabelled}, {"poor", labels->poor}};
  }
  if (const auto& cover = choice.cover) {
    json["select"] = {
        {"kept", cover->kept}, {"candidates", cover->candidates}, {"coverage", cover->coverage}};
  }
  return json;
}

nlohmann::json Optional(std::optional<double> value) {
  return value ? nlohmann::json(*value) : nlohmann::json();
}

nlohmann::json SparseJson(const convert::Conversion& conversion) {
  nlohmann::json json = nlohmann::json::array();
  for (const quantize::SparseLayer& layer : quantize::FindSparse(conversion.graph)) {
    json.push_back({{"name", layer.name},
                    {"op", layer.op},
                    {"weights", layer.weights},
                    {"zeros", layer.zeros}});
  }
  return json;
}

void PrintSparse(const convert::Conversion& conversion) {
  for (const quantize::SparseLayer& layer : quantize::FindSparse(conversion.graph)) {
    fmt::print("mostly zero: '{}' ({}), {:.1f} % of {} weights; zeros are not faster\n", layer.name,
               layer.op, 100 * layer.Share(), layer.weights);
  }
}

void PrintDeadChannels(const convert::Conversion& conversion) {
  for (const auto& [name, count] : conversion.passes.rewrites) {
    if (name == "remove_dead_channels") {
      fmt::print("removed: {} channels that are not read or are constant\n", count);
    }
  }
}

// The first few, and how many there are.
std::string Names(const std::vector<std::string>& names) {
  constexpr size_t kMostNamed = 5;
  const std::vector<std::string> named(
      names.begin(),
      names.begin() + static_cast<std::ptrdiff_t>(std::min(names.size(), kMostNamed)));
  return fmt::format(
      "'{}'{}", fmt::join(named, "', '"),
      names.size() > kMostNamed ? fmt::format(" and {} more", names.size() - kMostNamed) : "");
}

// What --mixed chose. octet inspect shows the precision of every layer.
void PrintMixed(const convert::Conversion& conversion) {
  if (!conversion.assignment || conversion.assignment->fp16.empty()) return;
  fmt::print("plan mixed: {} layers in FP16: {}; all: octet inspect\n",
             conversion.assignment->fp16.size(), Names(conversion.assignment->fp16));
}

// How many layers an entry of --config names; an entry without a star names one.
void PrintMatches(const convert::ConvertOptions& options, const convert::Conversion& conversion) {
  if (options.config.empty()) return;
  constexpr size_t kMostShown = 5;
  size_t single = 0, shown = 0, hidden = 0;
  for (const quantize::LayerOverride& layer : conversion.config.layers) {
    if (layer.name.find('*') == std::string::npos) {
      ++single;
      continue;
    }
    if (shown == kMostShown && !options.details) {
      ++hidden;
      continue;
    }
    ++shown;
    std::vector<std::string> names;
    for (const graph::Node& node : conversion.graph.nodes) {
      if (quantize::Matches(layer.name, node.name)) names.push_back(node.name);
    }
    fmt::print("--config: \"{}\" matches {} layers: {}\n", layer.name, names.size(), Names(names));
  }
  if (hidden > 0) fmt::print("--config: {} more entries with *: --details\n", hidden);
  if (single > 0) fmt::print("--config: {} entries without * match one layer each\n", single);
}

void PrintTail(const convert::Conversion& conversion) {
  std::vector<std::string> tail;
  for (size_t n = 0; n < conversion.graph.nodes.size(); ++n) {
    const quantize::Entry* entry = conversion.scheme.ledger.Deciding(n);
    if (entry == nullptr || entry->reason != quantize::Reason::kTail) continue;
    tail.push_back(conversion.graph.nodes[n].name);
  }
  if (!tail.empty()) {
    fmt::print(
        "{} layers of the head run in FP16, because 8 bits are too coarse for coordinates: {}. "
        "--int8-everywhere turns this off\n",
        tail.size(), Names(tail));
  }
  if (!conversion.config.tail || !conversion.config.tail->gain_db) return;
  const bool fp16 = conversion.config.fp16_tail == true;
  fmt::print(
      "layers behind the last weights: {}; FP16 gains {:.1f} dB at most. fp16_tail: {} in --config "
      "changes it\n",
      fp16 ? "FP16" : "int8", *conversion.config.tail->gain_db, !fp16);
}

void PrintChoice(const convert::SampleChoice& choice, double quality) {
  if (const auto& labels = choice.labels) {
    fmt::print(
        "sample labels: {} pictures used, quality {:g} or more; not used: {} below it, {} without "
        "labels\n",
        labels->kept, quality, labels->poor, labels->unlabelled);
  }
  if (const auto& cover = choice.cover) {
    fmt::print("selected: {} of {} samples; they fill {:.1f} % of the histogram bins of all\n",
               cover->kept, cover->candidates, 100 * cover->coverage);
  }
}

void PrintFp16Arithmetic(const convert::Conversion& conversion) {
  for (const write::Plan& plan : conversion.plans) {
    size_t winograd = 0, half = 0;
    for (const lower::Layer& layer : plan.program.layers) {
      winograd += layer.arithmetic == blob::Arithmetic::kWinograd ? 1 : 0;
      half += layer.arithmetic == blob::Arithmetic::kHalf ? 1 : 0;
    }
    if (winograd != 0) {
      fmt::print("plan {}: {} convolutions by Winograd's method\n", NameOf(plan.program.plan),
                 winograd);
    }
    if (half != 0)
      fmt::print("plan {}: {} convolutions add in FP16\n", NameOf(plan.program.plan), half);
  }
}

void PrintStep(const recover::Step& step, bool can_correct) {
  if (!step.tried) {
    fmt::print("{}: skipped: {}\n", step.name,
               can_correct ? "does not apply to this model"
                           : fmt::format("needs at least {} samples", simulate::kFewestToSplit));
    return;
  }
  fmt::print("{}: {}: int8 outputs {:.1f} dB, {:.1f} dB without\n", step.name,
             step.kept ? "used" : "not used, no gain on held-out samples", step.after_db,
             step.before_db);
  if (!step.note.empty()) fmt::print("  {}\n", step.note);
}

std::string Size(uint64_t bytes) {
  constexpr double kKilo = 1e3, kMega = 1e6;
  const auto count = static_cast<double>(bytes);
  if (count < kKilo) return fmt::format("{} B", bytes);
  return count < kMega ? fmt::format("{:.1f} kB", count / kKilo)
                       : fmt::format("{:.2f} MB", count / kMega);
}

uint64_t MacsOf(const write::Plan& plan) {
  uint64_t macs = 0;
  for (const lower::Layer& layer : plan.program.layers) macs += layer.macs;
  return macs;
}

uint64_t WeightBytesOf(const write::Plan& plan) {
  uint64_t bytes = 0;
  for (const lower::Layer& layer : plan.program.layers) bytes += layer.weights.size();
  return bytes;
}

// Of a frame, where --mixed took times; empty otherwise.
std::string MillisecondsOf(const convert::Conversion& conversion, PlanId plan) {
  if (!conversion.assignment) return "";
  const assign::Result& times = *conversion.assignment;
  const int64_t ns = plan == PlanId::kInt8   ? times.int8_ns
                     : plan == PlanId::kFp16 ? times.fp16_ns
                                             : times.candidates[times.chosen].plan_ns;
  return fmt::format("{:.3f}", static_cast<double>(ns) / 1e6);
}

// Signal over error of the worst output, where that one is numbers.
std::string DecibelsOf(const judge::Verdict& verdict, PlanId plan) {
  const judge::PlanFindings* found = verdict.findings.Find(plan);
  if (found == nullptr || found->outputs.empty() || found->Fails()) return "-";
  const size_t worst = found->Worst(verdict.findings.outputs);
  if (verdict.findings.outputs[worst].kind != judge::Kind::kNumbers) return "-";
  return fmt::format("{:.1f}", found->outputs[worst].whole.Db());
}

// Of every session; each state is there three times (octet/state.h).
void PrintStates(const convert::Conversion& conversion) {
  if (conversion.plans.empty() || conversion.plans[0].program.states.empty()) return;
  const lower::Program& program = conversion.plans[0].program;
  std::vector<std::string> states;
  uint64_t bytes = 0;
  for (const lower::ModelState& state : program.states) {
    const lower::Tensor& tensor = program.tensors[static_cast<size_t>(state.read)];
    states.push_back(fmt::format("'{}' ({} bytes)", tensor.name, tensor.Size()));
    bytes += 3 * RoundUp64(tensor.Size());
  }
  fmt::print("states: {}; {} bytes of the arena\n", fmt::join(states, ", "), bytes);
}

// The blank is the one thing of a text that nothing but the user knows for certain.
void PrintBlank(const convert::ConvertOptions& options, const convert::Conversion& conversion) {
  if (options.task != blob::Task::kText) return;
  blob::DecodeRecord record;
  std::memcpy(&record, conversion.decode.data(), sizeof(record));
  fmt::print("text: the blank is class {} of {}; to change: --blank\n", record.background,
             record.class_count);
}

void PrintTable(const convert::Conversion& conversion) {
  const judge::Verdict& verdict = conversion.verdict;
  const auto words = [&](PlanId plan) -> std::string {
    const judge::PlanFindings* found = verdict.findings.Find(plan);
    if (found == nullptr || verdict.pictures() == 0) return "not measured";
    return judge::AgreementWords(verdict.findings, *found);
  };
  const bool timed = conversion.assignment.has_value();
  constexpr const char* kRow = "{:<6} {:<{}} {:>6} {:>10} {:>10} {:>10}{}\n";
  size_t width = std::string_view("agreement with FP32").size();
  for (const write::Plan& plan : conversion.plans) {
    width = std::max(width, words(plan.program.plan).size());
  }
  const auto print = [&](const std::string& plan, const std::string& agreement,
                         const std::string& db, const std::string& weights,
                         const std::string& arena, const std::string& macs, const std::string& ms) {
    fmt::print(fmt::runtime(kRow), plan, agreement, width, db, weights, arena, macs,
               timed ? fmt::format(" {:>9}", ms) : "");
  };
  print("plan", "agreement with FP32", "dB", "weights", "arena", "MMAC", "ms");
  for (const write::Plan& plan : conversion.plans) {
    const PlanId id = plan.program.plan;
    print(NameOf(id), words(id), DecibelsOf(verdict, id), Size(WeightBytesOf(plan)),
          Size(plan.memory.arena_bytes),
          fmt::format("{:.2f}", static_cast<double>(MacsOf(plan)) / 1e6),
          MillisecondsOf(conversion, id));
  }
  for (const judge::PlanFindings& plan : verdict.findings.plans) {
    if (plan.over_time.IsEmpty()) continue;
    fmt::print("plan {} {}\n", plan.name,
               plan.over_time.Words(judge::NamesOf(verdict.findings.outputs)));
  }
  for (const std::string& name : verdict.removed) {
    print(name, "fails, not in the file", "-", "-", "-", "-", "-");
  }
  if (timed) fmt::print("times: {}\n", conversion.assignment->time_source);
}

}  // namespace

nlohmann::json ConversionJson(const convert::Conversion& conversion, double seconds) {
  nlohmann::json plans = nlohmann::json::array();
  for (const write::Plan& plan : conversion.plans) {
    plans.push_back({{"name", NameOf(plan.program.plan)},
                     {"layers", plan.program.layers.size()},
                     {"macs", MacsOf(plan)},
                     {"arena_bytes", plan.memory.arena_bytes},
                     {"arena_lower_bound_bytes", plan.memory.lower_bound_bytes}});
  }
  nlohmann::json passes = nlohmann::json::object();
  for (const auto& [name, count] : conversion.passes.rewrites) passes[name] = count;
  nlohmann::json steps = nlohmann::json::array();
  for (const recover::Step& step : conversion.steps) steps.push_back(StepJson(step));
  nlohmann::json json = {
      {"blob_bytes", conversion.blob.size()},
      {"samples", conversion.samples},
      {"random_calibration", conversion.verdict.random},
      {"choice", ChoiceJson(conversion.choice)},
      {"mostly_zero", SparseJson(conversion)},
      {"seconds", seconds},
      {"plans", plans},
      {"passes", passes},
      {"recovery", steps},
      {"fp16_stretches", conversion.stretches},
      {"ledger", report::LedgerJson(conversion.graph, conversion.scheme)},
      {"fp16_tail_gain_db",
       conversion.config.tail ? Optional(conversion.config.tail->gain_db) : nlohmann::json()},
      {"verdict", conversion.verdict.Json()},
      {"warnings", conversion.scheme.warnings}};
  if (conversion.assignment) json["assignment"] = AssignmentJson(*conversion.assignment);
  json.update(conversion.told.facts);
  return json;
}

void PrintConversion(const convert::ConvertOptions& options, const convert::Conversion& conversion,
                     double seconds) {
  fmt::print("{}: {} ({} bytes), calibrated with {} samples{} in {:.1f} s\n", options.output,
             Size(conversion.blob.size()), conversion.blob.size(), conversion.samples,
             options.random_calibration ? " of RANDOM DATA" : "", seconds);
  PrintTable(conversion);
  PrintStates(conversion);
  PrintBlank(options, conversion);
  PrintMixed(conversion);
  PrintMatches(options, conversion);
  fmt::print("{}", conversion.told.text);
}

void PrintVerdict(const judge::Verdict& verdict) {
  fmt::print("verdict: {}\n", judge::WordOf(judge::JudgementOf(verdict)));
  fmt::print("  {}\n", verdict.pictures() == 0 ? verdict.Summary() : "judged " + verdict.Basis());
  for (const std::string& line : judge::AdviceLines(verdict)) fmt::print("  {}\n", line);
}

void PrintDetails(const convert::ConvertOptions& options, const convert::Conversion& conversion) {
  fmt::print("details:\n");
  PrintChoice(conversion.choice, options.label_quality);
  for (const write::Plan& plan : conversion.plans) {
    fmt::print("plan {}: {} layers, arena {} bytes, lower bound {} bytes\n",
               NameOf(plan.program.plan), plan.program.layers.size(), plan.memory.arena_bytes,
               plan.memory.lower_bound_bytes);
  }
  PrintFp16Arithmetic(conversion);
  PrintDeadChannels(conversion);
  PrintTail(conversion);
  PrintSparse(conversion);
  for (const recover::Step& step : conversion.steps) PrintStep(step, conversion.sets.CanCorrect());
  if (conversion.assignment) fmt::print("{}", AssignmentText(*conversion.assignment));
  for (const std::string& line : conversion.verdict.Lines()) fmt::print("{}\n", line);
}

}  // namespace octet::cli
