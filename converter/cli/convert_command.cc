#include <chrono>
#include <memory>

#include <nlohmann/json.hpp>

#include "converter/cli/arguments.h"
#include "converter/cli/commands.h"
#include "converter/cli/conversion_text.h"
#include "converter/cli/mixed_plan.h"
#include "converter/cli/pipeline.h"
#include "converter/cli/report_file.h"
#include "converter/decode/spec.h"
#include "converter/lower/lower.h"
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

TemporalKind TemporalOf(const std::string& word) {
  if (word == "filter") return TemporalKind::kFilter;
  if (word == "mean") return TemporalKind::kMean;
  return word == "gated" ? TemporalKind::kGated : TemporalKind::kNone;
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
  if (required && !required->in_db && options.task == blob::Task::kDetect &&
      options.decode.empty()) {
    Fail("--require {}: boxes are read as --decode says; give that, or a bound in dB",
         options.require);
  }
  write::CheckWritable(options.output, {options.model});
  if (!options.report.empty()) CheckReport(options.report, {options.model, options.output});
  const Conversion conversion = Convert(options);
  for (const std::string& warning : conversion.scheme.warnings)
    fmt::print(stderr, "octet: warning: {}\n", warning);
  const bool left = !conversion.blob.empty();
  const bool meets = left && (!required || conversion.verdict.Meets(*required));
  if (meets) write::SaveFile(options.output, conversion.blob);
  if (!options.report.empty() && left) {
    SaveReport(options.report, ReportOf(options, conversion, conversion.analysis));
  }
  const double seconds =
      std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count();
  if (options.json) {
    fmt::print("{}\n", ConversionJson(conversion, seconds)
                           .dump(2, ' ', false, nlohmann::json::error_handler_t::replace));
  } else {
    if (meets) PrintConversion(options, conversion, seconds);
    const char* head = "verdict: ";
    for (const std::string& line : conversion.verdict.Lines()) {
      fmt::print("{}{}\n", head, line);
      head = "  ";
    }
  }
  if (meets) return kDone;
  if (!left) {
    fmt::print(stderr, "octet: no plan is left, no blob is written; --keep-failing writes it\n");
    return kAnswerIsNo;
  }
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
  mixed->percent_option = "--mixed-budget-percent";
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
                  "3x3 convolutions of int8 plans also bring weights transformed for Winograd's "
                  "method, as for a "
                  "board with `winograd: true`: faster on cores without dot product, same bits");
  command.AddFlag("--winograd-fp16", options->winograd_fp16,
                  "3x3 convolutions of the FP16 plan compute by Winograd's method, as for a board "
                  "with `fp16_arithmetic: winograd`: faster, weights 1.8 times as large, the same "
                  "bits on every machine but not those of a plan without");
  command.AddFlag("--native-fp16", options->native_fp16,
                  "convolutions of the FP16 plan may add in FP16 where the machine does, as for a "
                  "board with `fp16_arithmetic: native`: faster on Cortex-A55 and A76, within 1 % "
                  "of the outputs' range of other machines' results instead of equal to them");
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
  command.AddFlag("--keep-failing", options->keep_failing,
                  "write also plans that give NaN, infinity or a constant where FP32 does not");
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
      options->analyze = !options->report.empty();
      if (options->winograd_fp16 && options->native_fp16) {
        Fail("--winograd-fp16, --native-fp16: the FP16 plan computes in one way; give one of them");
      }
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
