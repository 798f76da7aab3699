#include "converter/cli/convert_arguments.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "converter/cli/byte_inputs.h"
#include "converter/cli/pass_list.h"
#include "converter/cli/report_file.h"
#include "converter/cli/short_form.h"
#include "converter/convert/sequences.h"
#include "converter/decode/spec.h"
#include "converter/import/import.h"
#include "converter/lower/lower.h"
#include "converter/support/error.h"
#include "ports/linux/pictures/pictures.h"

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

}  // namespace

void ConvertArguments::AddTo(port::Options command) {
  mixed_.percent_option = "--mixed-budget-percent";
  AddFirst(command);
  AddCalibration(command);
  AddPrecision(command);
  AddBoard(command);
  AddContents(command);
  AddOutput(command);
  command.MoreFooter(
      "Supported operators (constant parts of a model may use any): " + OperatorList() +
      ".\nThese are rewritten to supported ones: BatchNormalization, Identity, Dropout, Split, "
      "Squeeze, Unsqueeze, Flatten, ReduceMean over the image, DepthToSpace and similar ones.");
}

void ConvertArguments::AddFirst(port::Options command) {
  convert::ConvertOptions* options = plan_.options;
  command
      .Add("MODEL", options->model,
           fmt::format("the ONNX file, opset {} to {}", import::kOldestOpset, import::kNewestOpset))
      .Required();
  command.Add("PICTURES", pictures_,
              "short for --calibrate PICTURES -o MODEL.octet. The command then reads pixel scale, "
              "task, decoder and labels from the model, or asks for the option that is missing");
  command.Group("Options");
  command.Add("-o,--output", options->output, "the blob to write");
  command.Add(
      "--calibrate", plan_.calibration,
      fmt::format(
          "a folder of pictures ({}; without any, the pictures of its subfolders), one picture, or "
          "a .npy file; labels are not needed; several inputs: joined by commas",
          pictures::kExtensions));
  task_option_ = plan_.AddTask(command);
  plan_.AddDecode(command);
  command.Add(
      "--labels", options->labels,
      "text file with one class name per line, or coco (comes with octet); stored in the blob. "
      "--task text: the characters, one a line or all in one line");
  plan_.input.AddPixelsTo(command);
}

void ConvertArguments::AddCalibration(port::Options command) {
  convert::ConvertOptions* options = plan_.options;
  command.MoreGroup("Model and calibration");
  plan_.input.AddBlankTo(command);
  plan_.input.AddImportTo(command);
  plan_.input.AddSequencesTo(command);
  plan_.input.AddKeyPointsTo(command);
  command.AddFlag(
      "--random-calibration", options->random_calibration,
      fmt::format(
          "without data: ranges are measured on {} random samples, or --samples. For a first "
          "look at size and speed; int8 results on real inputs may be wrong. The blob says "
          "so, and octet flash and octet-slot refuse it without --force",
          convert::kRandomSamples));
  plan_.AddCutAt(command);
  samples_option_ = plan_.AddSamples(command);
  command
      .Add("--select", options->select,
           "calibrate with this many of the samples: a first pass through the model finds those "
           "that cover most of the activations' range")
      .Range(int64_t{1}, int64_t{1} << 31);
  plan_.AddSeed(command);
  command.Add("--sample-labels", options->sample_labels,
              "JSON file in COCO format: calibrate only with pictures that FP32 recognises with at "
              "least --label-quality");
  quality_ = command
                 .Add("--label-quality", options->label_quality,
                      "of --sample-labels: smallest mean IoU of a picture's boxes, or smallest "
                      "confidence of its class, 0 to 1")
                 .ShowDefault();
  plan_.AddCache(command);
}

void ConvertArguments::AddPrecision(port::Options command) {
  convert::ConvertOptions* options = plan_.options;
  command.MoreGroup("Precision");
  plan_.AddEffort(command);
  plan_.AddConfig(command);
  plan_.AddInt8Everywhere(command);
  command
      .Add("--fp16-budget", fp16_budget_percent_,
           "time that FP16 layers may add to the int8 plan where they save its answers, in percent "
           "(of --board, else of a model of a small core)")
      .ShowDefault();
  command.AddFlag("--mixed", wants_mixed_,
                  "add a third plan between int8 and fp16: the layers with the largest loss run in "
                  "FP16 (docs/assign.md; octet assign has more choices)");
  command.Add("--mixed-budget-percent", mixed_.budget_percent,
              "of --mixed: time budget over the int8 plan, in percent. Without it, the loss of the "
              "layers decides");
  command.Add("--profile", mixed_.profile,
              "of --mixed: times measured on the board, as for octet assign");
  command.Add("--require", options->require,
              "write no blob, and exit 1, if the int8 plan is worse: 20dB signal over error of the "
              "worst output, or 95% of FP32's answers (--task)");
  command.AddFlag("--keep-failing", options->keep_failing,
                  "also write plans that give NaN, infinity or a constant, where FP32 does not");
}

void ConvertArguments::AddBoard(port::Options command) {
  convert::ConvertOptions* options = plan_.options;
  command.MoreGroup("Board");
  plan_.AddBoard(command);
  command.AddFlag("--winograd", options->winograd,
                  "add weights for Winograd's method to the 3x3 convolutions of int8 plans, as for "
                  "a board with `winograd: true`: faster on cores without dot product, same bits");
  command.AddFlag("--winograd-fp16", options->winograd_fp16,
                  "3x3 convolutions of the FP16 plan use Winograd's method, as for a board with "
                  "`fp16_arithmetic: winograd`: faster, weights 1.8 times as large. All machines "
                  "give the same bits, but not those of a plan without it");
  command.AddFlag("--native-fp16", options->native_fp16,
                  "convolutions of the FP16 plan may add in FP16 where the machine does, as for a "
                  "board with `fp16_arithmetic: native`: faster on Cortex-A55 and A76. Machines "
                  "may differ by 1 % of the outputs' range, in root mean square");
}

void ConvertArguments::AddContents(port::Options command) {
  convert::ConvertOptions* options = plan_.options;
  command.MoreGroup("Contents of the blob");
  for (const auto& section : options->sections) section->AddOptions(command);
  command
      .Add(
          "--security-counter", options->security_counter,
          "number stored in the blob. A board refuses a model with a lower number than the highest "
          "that it has confirmed. Raise it with each release that boards must not undo")
      .ShowDefault();
  command.Add("--verbosity", verbosity_, "names stored in the blob for octet inspect")
      .Among({"none", "layer-names", "detailed"})
      .ShowDefault();
  command
      .Add("--section-align", options->section_align,
           "bytes: 4096 for files that are mapped, 64 for flash, where padding costs space")
      .Among({"4096", "64"})
      .ShowDefault();
}

void ConvertArguments::AddOutput(port::Options command) {
  convert::ConvertOptions* options = plan_.options;
  command.MoreGroup("Output and resources");
  command.AddFlag("--details", options->details, "also print what was chosen, tried and not used");
  command.Add("--report", options->report, kReportHelp);
  command.AddAnswer("--passes", PassList, "print the passes over the graph, in order, and exit");
  command.AddFlag("--json", options->json, "print all figures as JSON");
  plan_.AddThreads(command);
  plan_.AddMemory(command);
}

recognise::GivenOptions ConvertArguments::Given() const {
  const convert::ConvertOptions& options = *plan_.options;
  recognise::GivenOptions given;
  given.pixels = plan_.input.GivesPixels();
  given.resize = !plan_.input.resize.empty();
  given.task = task_option_->Given();
  given.decode = !options.decode.empty();
  given.labels = !options.labels.empty();
  return given;
}

// What has no meaning without the model's own data.
void ConvertArguments::CheckRandom() const {
  const convert::ConvertOptions& options = *plan_.options;
  if (!pictures_.empty() || !plan_.calibration.empty()) {
    Fail("--random-calibration: {} already names the data; remove one of the two",
         pictures_.empty() ? "--calibrate " + plan_.calibration : pictures_);
  }
  const std::pair<const char*, bool> needing_data[] = {
      {"--select", options.select > 0},
      {"--sample-labels", !options.sample_labels.empty()},
      {"--calibration-cache", !options.cache.empty()},
      {"--require", !options.require.empty()}};
  for (const auto& [option, given] : needing_data) {
    if (!given) continue;
    Fail("{}: has no meaning with --random-calibration; remove it, or give --calibrate PICTURES",
         option);
  }
}

std::vector<std::string> ConvertArguments::Read() const {
  convert::ConvertOptions* options = plan_.options;
  plan_.Read();
  options->sequences = convert::ParseSequences(plan_.input.sequences);
  options->verbosity = VerbosityOf(verbosity_);
  if (!(fp16_budget_percent_ >= 0)) {
    Fail("--fp16-budget {:g}: expected 0 or more, in percent of the int8 plan's time",
         fp16_budget_percent_);
  }
  options->fp16_budget = fp16_budget_percent_ / 100;
  options->analyze = !options->report.empty();
  if (options->winograd_fp16 && options->native_fp16) {
    Fail("--winograd-fp16, --native-fp16: the FP16 plan has one arithmetic; remove one of them");
  }
  if (wants_mixed_ || !mixed_.budget_percent.empty()) options->mixed = mixed_.Read();
  if (!options->mixed && !mixed_.profile.empty()) {
    Fail("--profile: needs --mixed; add --mixed, or remove --profile");
  }
  if (quality_->Given() && options->sample_labels.empty()) {
    Fail("--label-quality: needs --sample-labels FILE.json; add it, or remove --label-quality");
  }
  if (!(options->label_quality >= 0 && options->label_quality <= 1)) {
    Fail("--label-quality: must be from 0 to 1");
  }
  for (const auto& section : options->sections) section->ReadOptions();
  if (options->random_calibration) {
    CheckRandom();
    if (!samples_option_->Given()) options->samples = convert::kRandomSamples;
    return CompleteRandom(Given(), options);
  }
  if (!pictures_.empty()) {
    return Complete(ShortCommand::kConvert, pictures_, Given(), options);
  }
  if (options->output.empty()) Fail("--output is required; see octet convert --help");
  if (plan_.calibration.empty()) {
    Fail("--calibrate is required; without data: --random-calibration. See octet convert --help");
  }
  std::vector<std::string> lines = TakeBytes(plan_.input.GivesPixels(), options);
  for (std::string& line : LabelsLeftOut(*options)) lines.push_back(std::move(line));
  return lines;
}

}  // namespace octet::cli
