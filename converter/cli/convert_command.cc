#include <chrono>
#include <memory>

#include <nlohmann/json.hpp>

#include "converter/cli/arguments.h"
#include "converter/cli/commands.h"
#include "converter/cli/mixed_plan.h"
#include "converter/cli/pipeline.h"
#include "converter/cli/report_file.h"
#include "converter/decode/spec.h"
#include "converter/lower/lower.h"
#include "converter/quantize/sparse_weights.h"
#include "converter/support/error.h"
#include "ports/linux/pictures/pictures.h"
#include "runtime/format/golden.h"

namespace octet::cli {
namespace {

write::Verbosity VerbosityOf(const std::string& word) {
  if (word == "none") return write::Verbosity::kNone;
  return word == "layer-names" ? write::Verbosity::kLayerNames : write::Verbosity::kDetailed;
}

std::string OperatorList() {
  std::string list;
  for (std::string_view name : lower::LowerableOperators()) {
    list += list.empty() ? "" : ", ";
    list += name;
  }
  return list;
}

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

TemporalKind TemporalOf(const std::string& word) {
  if (word == "filter") return TemporalKind::kFilter;
  if (word == "mean") return TemporalKind::kMean;
  return word == "gated" ? TemporalKind::kGated : TemporalKind::kNone;
}

nlohmann::json ToJson(const Conversion& conversion, double seconds) {
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

void PrintText(const ConvertOptions& options, const Conversion& conversion, double seconds) {
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
  PrintSparse(conversion);
  if (const auto& drift = conversion.drift) {
    fmt::print("drift: {} groups, {} tensors whose scales may move, {} that keep theirs\n",
               drift->groups, drift->tensors, drift->fixed);
  }
  for (const recover::Step& step : conversion.steps) {
    if (!step.tried) {
      fmt::print("{}: left out, for it takes at least {} samples\n", step.name,
                 simulate::kFewestToSplit);
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

int Run(const ConvertOptions& options) {
  const auto start = std::chrono::steady_clock::now();
  std::optional<Requirement> required;
  if (!options.require.empty()) {
    required = ReadRequirement(options.require);
    if (!required->in_db && options.task == blob::Task::kNone) {
      Fail("--require {}: answers have a meaning with --task alone; give that, or a bound in dB",
           options.require);
    }
  }
  write::CheckWritable(options.output, {options.model});
  if (!options.report.empty()) CheckReport(options.report, {options.model, options.output});
  const Conversion conversion = Convert(options);
  for (const std::string& warning : conversion.scheme.warnings)
    fmt::print(stderr, "octet: warning: {}\n", warning);
  const bool meets = !required || conversion.verdict.Meets(*required);
  if (meets) write::SaveFile(options.output, conversion.blob);
  if (!options.report.empty()) {
    SaveReport(options.report, ReportOf(options, conversion, conversion.analysis));
  }
  const double seconds =
      std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count();
  if (options.json) {
    fmt::print(
        "{}\n",
        ToJson(conversion, seconds).dump(2, ' ', false, nlohmann::json::error_handler_t::replace));
  } else {
    if (meets) PrintText(options, conversion, seconds);
    const char* head = "verdict: ";
    for (const std::string& line : conversion.verdict.Lines()) {
      fmt::print("{}{}\n", head, line);
      head = "  ";
    }
  }
  if (meets) return kDone;
  fmt::print(stderr, "octet: --require {} is not met, no blob is written: {}\n", options.require,
             conversion.verdict.Summary());
  return kAnswerIsNo;
}

}  // namespace

void AddConvert(port::CommandLine& app, std::function<int()>* run) {
  port::Options command = app.AddCommand("convert", "convert an ONNX model into a blob");
  auto options = std::make_shared<ConvertOptions>();
  auto input = std::make_shared<InputArguments>();
  auto calibration = std::make_shared<std::string>();
  auto task = std::make_shared<std::string>("none");
  auto cut_at = std::make_shared<std::string>();
  auto verbosity = std::make_shared<std::string>("detailed");
  auto temporal = std::make_shared<std::string>("none");
  auto effort = std::make_shared<std::string>("default");
  auto memory_mb = std::make_shared<int64_t>(options->memory_bytes / kBytesPerMb);
  auto mixed = std::make_shared<MixedArguments>();
  auto wants_mixed = std::make_shared<bool>(false);
  command
      .Add("MODEL", options->model,
           fmt::format("the ONNX file, opset {} to {}", import::kOldestOpset, import::kNewestOpset))
      .Required();
  command.Add("-o,--output", options->output, "the blob to write").Required();
  command
      .Add(
          "--calibrate", *calibration,
          fmt::format("a folder of pictures ({}; where it has none, those of its subfolders), one "
                      "picture, or a .npy file; no labels needed; several inputs: joined by commas",
                      pictures::kExtensions))
      .Required();
  input->AddTo(command);
  command.Add("--cut-at", *cut_at,
              "end the graph at these tensors, joined by commas, instead of its outputs");
  command.Add("--task", *task, "what the outputs mean")
      .Among({"classify", "detect", "segment", "none"})
      .ShowDefault();
  command.Add("--decode", options->decode,
              fmt::format("what the outputs of a detector hold: {}, or a YAML file",
                          fmt::join(decode::PresetNames(), ", ")));
  command.Add("--labels", options->labels,
              "text file with one class name a line (labels/coco.txt), kept in the blob");
  command.Add("--board", options->board,
              "YAML file of the board (boards/): only schemes it allows are used; its name is "
              "kept in the blob, which runs elsewhere all the same");
  command.AddFlag("--winograd", options->winograd,
                  "3x3 convolutions also bring weights transformed for Winograd's method, as for a "
                  "board with `winograd: true`: faster on cores without dot product, same bits");
  command.Add(
      "--calibration-cache", options->cache,
      "JSON file: read when it was made from the same model, data and settings, else written");
  command.Add("--config", options->config,
              "YAML file: precision, ranges and schemes by layer and tensor");
  command.AddFlag("--mixed", *wants_mixed,
                  "a third plan between int8 and fp16: the layers that lose most run in FP16 "
                  "(docs/assign.md; octet assign has more choices)");
  command.Add("--mixed-budget-percent", mixed->budget_percent,
              "of --mixed: how much longer than the int8 plan it may take, in percent; layers are "
              "chosen for that instead");
  command.Add("--profile", mixed->profile,
              "of --mixed: times measured on the board, as octet assign takes them");
  command.AddFlag("--int8-everywhere", options->int8_everywhere,
                  "no FP16 layers in the int8 plan, whatever the config says");
  command.Add("--verbosity", *verbosity, "names kept in the blob for octet inspect")
      .Among({"none", "layer-names", "detailed"})
      .ShowDefault();
  command
      .Add("--section-align", options->section_align,
           "bytes: 4096 for files that are mapped, 64 for flash, where padding costs")
      .Among({"4096", "64"})
      .ShowDefault();
  command
      .Add("--security-counter", options->security_counter,
           "number of this release of the model, kept in the blob; it should rise with every "
           "release, so that an old one can be told")
      .ShowDefault();
  command
      .Add(
          "--golden", options->golden,
          "keep so many samples and what every plan gives for them, so that a board can prove that "
          "it gives the same; at most 64")
      .Range(0u, blob::kMaxGoldenVectors)
      .ShowDefault();
  command.AddFlag("--drift", options->drift,
                  "keep what the board needs to let activation ranges follow a changing scene "
                  "(octet-camera --drift)");
  command
      .Add("--temporal", *temporal,
           "let octet-camera --temporal blend the noisiest layers with the frames before, by 1 + "
           "lambda z^-1, the mean of 10 frames, or that of values that hardly move: "
           "docs/temporal.md says what it gains")
      .Among({"none", "filter", "mean", "gated"})
      .ShowDefault();
  const port::Option lambda =
      command
          .Add("--temporal-lambda", options->temporal.lambda,
               "of --temporal filter: lambda as a multiple of a layer's noise")
          .ShowDefault();
  command.Add("--samples", options->samples, "at most this many samples")
      .Range(int64_t{1}, int64_t{1} << 31)
      .ShowDefault();
  command
      .Add("--select", options->select,
           "of those, calibrate with this many: the ones whose activations reach most of what all "
           "reach, found by a first pass through the model")
      .Range(int64_t{1}, int64_t{1} << 31);
  command.Add("--sample-labels", options->sample_labels,
              "JSON file in COCO's form: calibrate only with pictures that FP32 itself "
              "understands, by --label-quality");
  const port::Option quality =
      command
          .Add("--label-quality", options->label_quality,
               "of --sample-labels: least mean IoU of a picture's boxes, or confidence of its "
               "class, 0 to 1")
          .ShowDefault();
  command.Add("--seed", options->seed, "chooses the samples where there are more").ShowDefault();
  command
      .Add("--threads", options->threads,
           "0: as many as the machine has; the blob does not depend on it")
      .Range(0, 1024)
      .ShowDefault();
  command
      .Add("--effort", *effort,
           "how long ranges and corrections of the int8 plan may be tried: seconds, minutes, or "
           "half an hour for a large detector")
      .Among({"fast", "default", "best"})
      .ShowDefault();
  command.Add("--require", options->require,
              "write no blob, and exit 1, where the verdict on the int8 plan is worse: 20dB for "
              "the worst output above its error, 95% for answers that are FP32's (--task)");
  command
      .Add("--memory", *memory_mb,
           "MB for values of pictures while they are tried; what it does not hold goes through "
           "a file in TMPDIR")
      .Range(int64_t{0}, int64_t{1000000000})
      .ShowDefault();
  command.Add("--report", options->report, kReportHelp);
  command.AddFlag("--json", options->json, "print the figures as JSON");
  command.Footer(
      "Operators that run on the board (those of a model's constant parts may be any): " +
      OperatorList() +
      ".\nBatchNormalization, Identity, Dropout, Split, Squeeze, Unsqueeze, Flatten, ReduceMean "
      "over the "
      "image, DepthToSpace and the like are rewritten into these.");
  command.WhenChosen([=] {
    *run = [=] {
      options->preprocess = input->Preprocess({});
      options->import = input->Import();
      options->import.cut_at = SplitCommas(*cut_at);
      options->calibration = SplitCommas(*calibration);
      options->task = TaskOf(*task);
      options->verbosity = VerbosityOf(*verbosity);
      options->temporal.kind = TemporalOf(*temporal);
      options->effort = EffortOf(*effort);
      options->memory_bytes = *memory_mb * kBytesPerMb;
      if (*wants_mixed || !mixed->budget_percent.empty()) options->mixed = mixed->Read();
      if (!options->mixed && !mixed->profile.empty()) {
        Fail("--profile: only --mixed asks for times; add it");
      }
      if (quality.Given() && options->sample_labels.empty()) {
        Fail("--label-quality: is for --sample-labels FILE.json; give that too, or leave it out");
      }
      if (!(options->label_quality >= 0 && options->label_quality <= 1)) {
        Fail("--label-quality: from 0 to 1");
      }
      if (lambda.Given() && options->temporal.kind != TemporalKind::kFilter) {
        Fail("--temporal-lambda: is for --temporal filter; give that too, or leave it out");
      }
      if (!(options->temporal.lambda > 0 && options->temporal.lambda <= 1000)) {
        Fail("--temporal-lambda: above 0, at most 1000");
      }
      return Run(*options);
    };
  });
}

}  // namespace octet::cli
