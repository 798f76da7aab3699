#include "converter/cli/conversion_text.h"

#include <optional>
#include <string>

#include <fmt/core.h>

#include "converter/cli/mixed_plan.h"
#include "converter/quantize/sparse_weights.h"
#include "converter/report/ledger.h"

namespace octet::cli {
namespace {

nlohmann::json DriftJson(const Conversion& conversion) {
  if (!conversion.drift) return nullptr;
  return {{"groups", conversion.drift->groups},
          {"tensors", conversion.drift->tensors},
          {"fixed", conversion.drift->fixed},
          {"layers", conversion.drift->layers}};
}

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

nlohmann::json ChoiceJson(const SampleChoice& choice) {
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

nlohmann::json SparseJson(const Conversion& conversion) {
  nlohmann::json json = nlohmann::json::array();
  for (const quantize::SparseLayer& layer : quantize::FindSparse(conversion.graph)) {
    json.push_back({{"name", layer.name},
                    {"op", layer.op},
                    {"weights", layer.weights},
                    {"zeros", layer.zeros}});
  }
  return json;
}

void PrintSparse(const Conversion& conversion) {
  for (const quantize::SparseLayer& layer : quantize::FindSparse(conversion.graph)) {
    fmt::print("mostly zero: '{}' ({}), {:.1f} % of {} weights; zeros cost as much as others\n",
               layer.name, layer.op, 100 * layer.Share(), layer.weights);
  }
}

void PrintDeadChannels(const Conversion& conversion) {
  for (const auto& [name, count] : conversion.passes.rewrites) {
    if (name == "remove_dead_channels") {
      fmt::print("removed: {} channels that nobody reads or that are one number\n", count);
    }
  }
}

void PrintTail(const Conversion& conversion) {
  if (!conversion.config.tail_gain_db) return;
  const bool fp16 = conversion.config.fp16_tail == true;
  fmt::print(
      "behind the last weights: {}, for FP16 there gains {:.1f} dB where it gains most; fp16_tail: "
      "{} in --config has it otherwise\n",
      fp16 ? "FP16" : "int8", *conversion.config.tail_gain_db, !fp16);
}

void PrintChoice(const SampleChoice& choice, double quality) {
  if (const auto& labels = choice.labels) {
    fmt::print(
        "sample labels: {} pictures of quality {:g} and more; left out: {} below it, {} without "
        "labels\n",
        labels->kept, quality, labels->poor, labels->unlabelled);
  }
  if (const auto& cover = choice.cover) {
    fmt::print("selected: {} of {} samples, which reach {:.1f} % of what all reach\n", cover->kept,
               cover->candidates, 100 * cover->coverage);
  }
}

}  // namespace

nlohmann::json ConversionJson(const Conversion& conversion, double seconds) {
  nlohmann::json plans = nlohmann::json::array();
  for (const write::Plan& plan : conversion.plans) {
    uint64_t macs = 0;
    for (const lower::Layer& layer : plan.program.layers) macs += layer.macs;
    plans.push_back({{"name", plan.program.name},
                     {"layers", plan.program.layers.size()},
                     {"macs", macs},
                     {"arena_bytes", plan.memory.arena_bytes},
                     {"arena_lower_bound_bytes", plan.memory.lower_bound_bytes}});
  }
  nlohmann::json passes = nlohmann::json::object();
  for (const auto& [name, count] : conversion.passes.rewrites) passes[name] = count;
  nlohmann::json steps = nlohmann::json::array();
  for (const recover::Step& step : conversion.steps) steps.push_back(StepJson(step));
  nlohmann::json json = {{"blob_bytes", conversion.blob.size()},
                         {"samples", conversion.samples},
                         {"choice", ChoiceJson(conversion.choice)},
                         {"mostly_zero", SparseJson(conversion)},
                         {"golden", conversion.golden},
                         {"drift", DriftJson(conversion)},
                         {"seconds", seconds},
                         {"plans", plans},
                         {"passes", passes},
                         {"recovery", steps},
                         {"fp16_stretches", conversion.stretches},
                         {"ledger", report::LedgerJson(conversion.graph, conversion.scheme)},
                         {"fp16_tail_gain_db", Optional(conversion.config.tail_gain_db)},
                         {"verdict", conversion.verdict.Json()},
                         {"warnings", conversion.scheme.warnings}};
  if (conversion.assignment) json["assignment"] = AssignmentJson(*conversion.assignment);
  if (conversion.temporal) {
    json["temporal"] = {{"mean_sigma", conversion.temporal->mean_sigma},
                        {"noisy", conversion.temporal->noisy},
                        {"filtered", conversion.temporal->filtered}};
  }
  return json;
}

void PrintFp16Arithmetic(const Conversion& conversion) {
  for (const write::Plan& plan : conversion.plans) {
    size_t winograd = 0, half = 0;
    for (const lower::Layer& layer : plan.program.layers) {
      winograd += layer.arithmetic == blob::Arithmetic::kWinograd ? 1 : 0;
      half += layer.arithmetic == blob::Arithmetic::kHalf ? 1 : 0;
    }
    if (winograd != 0) {
      fmt::print("plan {}: {} convolutions by Winograd's method\n", plan.program.name, winograd);
    }
    if (half != 0) fmt::print("plan {}: {} convolutions add in FP16\n", plan.program.name, half);
  }
}

void PrintConversion(const ConvertOptions& options, const Conversion& conversion, double seconds) {
  fmt::print("{}: {} bytes, calibrated with {} samples in {:.1f} s\n", options.output,
             conversion.blob.size(), conversion.samples, seconds);
  PrintChoice(conversion.choice, options.label_quality);
  fmt::print("{:<8} {:>7} {:>10} {:>12} {:>12}\n", "plan", "layers", "MMAC", "arena bytes",
             "lower bound");
  for (const write::Plan& plan : conversion.plans) {
    uint64_t macs = 0;
    for (const lower::Layer& layer : plan.program.layers) macs += layer.macs;
    fmt::print("{:<8} {:>7} {:>10.2f} {:>12} {:>12}\n", plan.program.name,
               plan.program.layers.size(), static_cast<double>(macs) / 1e6, plan.memory.arena_bytes,
               plan.memory.lower_bound_bytes);
  }
  PrintFp16Arithmetic(conversion);
  PrintDeadChannels(conversion);
  PrintTail(conversion);
  PrintSparse(conversion);
  if (const auto& drift = conversion.drift) {
    fmt::print("drift: {} groups, {} tensors whose scales may move, {} that keep theirs\n",
               drift->groups, drift->tensors, drift->fixed);
  }
  for (const recover::Step& step : conversion.steps) {
    if (!step.tried) {
      if (conversion.sets.CanCorrect()) {
        fmt::print("{}: left out, for the model leaves it nothing to choose\n", step.name);
      } else {
        fmt::print("{}: left out, for it takes at least {} samples\n", step.name,
                   simulate::kFewestToSplit);
      }
    } else {
      fmt::print(
          "{}: outputs of the int8 plan {:.1f} dB above their error, {:.1f} without{}\n", step.name,
          step.after_db, step.before_db,
          step.kept ? "" : "; left out, for pictures that it was not found from do not gain");
      if (!step.note.empty()) fmt::print("  {}\n", step.note);
    }
  }
  if (conversion.assignment) fmt::print("{}", AssignmentText(*conversion.assignment));
  if (conversion.temporal) {
    fmt::print("temporal: {} layers of noise above {} x the mean ({:.4f}), {} are filtered{}\n",
               conversion.temporal->noisy, kNoisyRatio, conversion.temporal->mean_sigma,
               conversion.temporal->filtered,
               conversion.temporal->filtered == 0 ? ": no temporal section" : "");
  }
}

}  // namespace octet::cli
