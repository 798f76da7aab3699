// octet assign: which layers are worth FP16, as a configuration for octet convert.
#include <memory>

#include <fmt/ranges.h>
#include <nlohmann/json.hpp>

#include "converter/cli/arguments.h"
#include "converter/cli/blob_file.h"
#include "converter/cli/commands.h"
#include "converter/cli/mixed_plan.h"
#include "converter/cli/pipeline.h"
#include "converter/cli/same_model.h"
#include "converter/decode/spec.h"
#include "converter/support/error.h"

namespace octet::cli {
namespace {

// What the blob says of the model: how samples become inputs, where it ends, what its outputs mean;
// and, where nothing else is given to calibrate with, the samples it keeps.
void TakeFrom(const std::string& path, const InputArguments& input, ConvertOptions* options) {
  const BlobFile file(path);
  const BlobView view = ViewOf(file);
  // Refuses a blob of another model.
  LoadGraphOf(file, path, options->model, input.Import());
  options->import = EndingWith(file, input.Import());
  options->preprocess = input.Preprocess(PreprocessOf(file));
  if (options->task == blob::Task::kNone && options->decode.empty() &&
      view.decode.data != nullptr) {
    options->task = view.model->task;
    options->decode_section.assign(view.decode.data, view.decode.data + view.decode.bytes);
  }
  if (!options->calibration.empty()) return;
  options->calibration.assign(view.model->input_count, path);
  options->golden_calibration = true;
}

int Run(const ConvertOptions& options) {
  if (!options.output.empty()) {
    write::CheckWritable(options.output, {options.model, options.config});
  }
  ConvertOptions choosing = options;
  choosing.judge = false;  // no blob is written
  const Conversion conversion = Convert(choosing);
  const assign::Result& result = *conversion.assignment;
  std::vector<std::string> fp16 = conversion.stretches;
  fp16.insert(fp16.end(), result.fp16.begin(), result.fp16.end());
  const std::string yaml =
      PlanYaml(options.config, fp16, options.int8_everywhere, conversion.config.fp16_tail);
  if (!options.output.empty()) {
    write::SaveFile(options.output, std::vector<uint8_t>(yaml.begin(), yaml.end()));
  }
  if (options.json) {
    fmt::print("{}\n", AssignmentJson(result).dump(2, ' ', false,
                                                   nlohmann::json::error_handler_t::replace));
    return kDone;
  }
  // The file alone on stdout, so that it can be sent to one.
  fmt::print(options.output.empty() ? stderr : stdout, "{}", AssignmentText(result));
  if (options.output.empty()) {
    fmt::print("{}", yaml);
    return kDone;
  }
  fmt::print("{}: {}, {} layers in FP16; octet convert --config takes it\n", options.output,
             result.candidates[result.chosen].name, result.fp16.size());
  return kDone;
}

}  // namespace

void AddAssign(port::CommandLine& app, std::function<int()>* run) {
  port::Options command =
      app.AddCommand("assign", "choose which layers run in FP16, for a budget of time or loss");
  command.Footer(
      "Without a budget, layers that lose more than twice as much as the mean of all run in FP16. "
      "What each choice loses is measured on samples that it was not made from. docs/assign.md");
  auto options = std::make_shared<ConvertOptions>();
  auto input = std::make_shared<InputArguments>();
  auto mixed = std::make_shared<MixedArguments>();
  auto calibration = std::make_shared<std::string>();
  auto blob = std::make_shared<std::string>();
  auto cut_at = std::make_shared<std::string>();
  auto task = std::make_shared<std::string>("none");
  auto effort = std::make_shared<std::string>("default");
  command.Add("MODEL", options->model, "the ONNX file").Required();
  command.Add(
      "BLOB", *blob,
      "a blob made of it: says how pictures become inputs and what outputs mean, and lends the "
      "samples that octet convert --golden kept in it, where --calibrate names none");
  command.Add(
      "-o,--output", options->output,
      "the YAML file to write, for octet convert --config; beside a blob it may be left out, "
      "and the YAML is printed");
  command.Add("--calibrate", *calibration, "as octet convert takes it");
  input->AddTo(command);
  command.Add("--cut-at", *cut_at, "as octet convert takes it");
  command.Add("--task", *task, "what the outputs mean")
      .Among({"classify", "detect", "segment", "none"})
      .ShowDefault();
  command.Add("--decode", options->decode,
              fmt::format("what the outputs of a detector hold: {}, or a YAML file",
                          fmt::join(decode::PresetNames(), ", ")));
  command
      .Add("--effort", *effort,
           "as octet convert takes it: of the int8 plan to begin with, and of how many samples "
           "judge")
      .Among({"fast", "default", "best"})
      .ShowDefault();
  command.Add(
      "--board", options->board,
      "YAML file of the board (boards/): its cost model tells times, unless --profile does");
  command.Add("--profile", mixed->profile,
              "times measured on the board: what octet-run --profile --json printed of the int8 "
              "plan and of the fp16 plan, two files joined by a comma");
  command.Add("--budget-ms", mixed->budget_ms, "milliseconds that a frame may take");
  command.Add("--budget-percent", mixed->budget_percent,
              "how much longer than all int8, in percent");
  command.Add("--budget-loss", mixed->budget_loss,
              "share of the outputs' energy that may be lost, 0 to 1; the fastest that keeps it");
  command
      .Add("--solver", mixed->solver,
           "who chooses within the budget; best: whose plan loses least where it is measured")
      .Among({"best", "exact", "greedy", "qlearning"})
      .ShowDefault();
  command.Add("--preset", mixed->preset, "what may be chosen")
      .Among({"mixed", "int8", "backbone-int8-head-fp16"})
      .ShowDefault();
  command.Add(
      "--config", options->config,
      "YAML file: precision, ranges and schemes by layer and tensor; the result has it, too");
  command.Add(
      "--calibration-cache", options->cache,
      "JSON file: read when it was made from the same model, data and settings, else written");
  command.Add("--samples", options->samples, "at most this many samples")
      .Range(int64_t{1}, int64_t{1} << 31)
      .ShowDefault();
  command.Add("--seed", options->seed, "chooses the samples where there are more").ShowDefault();
  command
      .Add("--threads", options->threads,
           "0: as many as the machine has; the answer does not depend on it")
      .Range(0, 1024)
      .ShowDefault();
  command.AddFlag("--json", options->json, "print table, assignments and front as JSON");
  command.WhenChosen([=] {
    *run = [=] {
      options->preprocess = input->Preprocess({});
      options->import = input->Import();
      options->import.cut_at = SplitCommas(*cut_at);
      if (calibration->empty() && blob->empty()) {
        Fail("--calibrate is required, or a blob that keeps samples (octet convert --golden)");
      }
      if (options->output.empty() && blob->empty()) {
        Fail("-o is required: the YAML file to write, for octet convert --config");
      }
      if (!cut_at->empty() && !blob->empty()) {
        Fail("--cut-at: the model ends where {} does; leave one of them out", *blob);
      }
      if (!calibration->empty()) options->calibration = SplitCommas(*calibration);
      options->task = TaskOf(*task);
      options->effort = EffortOf(*effort);
      options->mixed = mixed->Read();
      options->int8_everywhere = options->mixed->settings.preset == assign::Preset::kInt8;
      if (!blob->empty()) TakeFrom(*blob, *input, options.get());
      return Run(*options);
    };
  });
}

}  // namespace octet::cli
