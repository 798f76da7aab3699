// octet assign: which layers are worth FP16, as a configuration for octet convert.
#include <memory>

#include <fmt/ranges.h>
#include <nlohmann/json.hpp>

#include "converter/blobs/blob_file.h"
#include "converter/cli/arguments.h"
#include "converter/cli/assignment.h"
#include "converter/cli/byte_inputs.h"
#include "converter/cli/commands.h"
#include "converter/cli/same_model.h"
#include "converter/convert/convert.h"
#include "converter/convert/warnings.h"
#include "converter/decode/spec.h"
#include "converter/support/error.h"

namespace octet::cli {
namespace {

// What the blob says of the model: how samples become inputs, where it ends, what its outputs mean;
// and, where nothing else is given to calibrate with, the samples it keeps.
void TakeFrom(const std::string& path, const InputArguments& input,
              convert::ConvertOptions* options) {
  const blobs::BlobFile file(path);
  const BlobView view = blobs::ViewOf(file);
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

int RunAssign(const convert::ConvertOptions& options) {
  if (!options.output.empty()) {
    write::CheckWritable(options.output, {options.model, options.config});
  }
  convert::ConvertOptions choosing = options;
  choosing.judge = false;  // no blob is written
  const convert::Conversion conversion = convert::Convert(choosing);
  const assign::Result& result = *conversion.assignment;
  std::vector<std::string> fp16 = conversion.stretches;
  fp16.insert(fp16.end(), result.fp16.begin(), result.fp16.end());
  const std::string yaml =
      PlanYaml(options.config, fp16, options.int8_everywhere, conversion.config.fp16_tail);
  if (!options.output.empty()) {
    write::SaveFile(options.output, std::vector<uint8_t>(yaml.begin(), yaml.end()));
  }
  if (const std::string doubt = DoubtOf(result); !doubt.empty()) convert::PrintWarning(doubt);
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
  fmt::print("{}: {}, {} layers in FP16; use it with octet convert --config\n", options.output,
             result.candidates[result.chosen].name, result.fp16.size());
  return kDone;
}

}  // namespace

void AddAssign(port::CommandLine& app, std::function<int()>* run) {
  port::Options command = app.AddCommand(
      "assign", "choose the layers that run in FP16, within a budget of time or loss");
  command.Footer(
      "Without a budget, layers whose loss is more than twice the mean run in FP16. The loss of "
      "each choice is measured on samples that were not used to make it. See docs/assign.md");
  auto options = std::make_shared<convert::ConvertOptions>();
  auto input = std::make_shared<InputArguments>();
  auto mixed = std::make_shared<MixedArguments>();
  auto calibration = std::make_shared<std::string>();
  auto blob = std::make_shared<std::string>();
  auto cut_at = std::make_shared<std::string>();
  auto task = std::make_shared<std::string>("none");
  auto effort = std::make_shared<std::string>("default");
  command.Add("MODEL", options->model, "the ONNX file").Required();
  command.Add("BLOB", *blob,
              "a blob of this model: gives preprocessing and task. Without --calibrate, its "
              "samples are used (octet convert --golden)");
  command.Add("-o,--output", options->output,
              "the YAML file to write, for octet convert --config; with a blob it is optional, and "
              "the YAML is printed");
  command.Add("--calibrate", *calibration, "as in octet convert");
  input->AddTo(command);
  command.Add("--cut-at", *cut_at, "as in octet convert");
  command.Add("--task", *task, "what the outputs mean")
      .Among({"classify", "detect", "segment", "none"})
      .ShowDefault();
  command.Add("--decode", options->decode,
              fmt::format("layout of the detector's outputs: {}, or a YAML file",
                          fmt::join(decode::PresetNames(), ", ")));
  input->AddKeyPointsTo(command);
  command
      .Add("--effort", *effort,
           "as in octet convert: for the first int8 plan and the number of judging samples")
      .Among({"fast", "default", "best"})
      .ShowDefault();
  command.Add("--board", options->board,
              "name of a board of octet boards, or its YAML file: its cost model gives the times, "
              "unless --profile "
              "is given");
  command.Add("--profile", mixed->profile,
              "times measured on the board: output of octet-run --profile --json for the int8 plan "
              "and the fp16 plan, two files joined by a comma");
  command.Add("--budget-ms", mixed->budget_ms, "milliseconds that a frame may take");
  command.Add("--budget-percent", mixed->budget_percent, "extra time over all int8, in percent");
  command.Add("--budget-loss", mixed->budget_loss,
              "largest loss, as a share of the outputs' energy, 0 to 1; the fastest plan within it "
              "is chosen");
  command
      .Add("--solver", mixed->solver,
           "search method within the budget; best: the plan with the smallest measured loss")
      .Among({"best", "exact", "greedy", "qlearning"})
      .ShowDefault();
  command.Add("--preset", mixed->preset, "layers that may be chosen")
      .Among({"mixed", "int8", "backbone-int8-head-fp16"})
      .ShowDefault();
  command.Add(
      "--config", options->config,
      "YAML file: precision, ranges and schemes by layer and tensor; the result includes it");
  command.Add(
      "--calibration-cache", options->cache,
      "JSON file: read if it was made from the same model, data and settings, otherwise written");
  command.Add("--samples", options->samples, "at most this many samples")
      .Range(int64_t{1}, int64_t{1} << 31)
      .ShowDefault();
  command.Add("--seed", options->seed, "seed for the choice of samples").ShowDefault();
  command
      .Add("--threads", options->threads,
           "0: one thread for each core; the result does not depend on it")
      .Range(0, 1024)
      .ShowDefault();
  command.AddFlag("--json", options->json, "print table, assignments and front as JSON");
  command.WhenChosen([=] {
    *run = [=] {
      options->preprocess = input->Preprocess({});
      options->import = input->Import();
      options->import.cut_at = SplitCommas(*cut_at);
      if (calibration->empty() && blob->empty()) {
        Fail("--calibrate is required; a blob with samples (octet convert --golden) replaces it");
      }
      if (options->output.empty() && blob->empty()) {
        Fail("-o is required; name the YAML file to write, for octet convert --config");
      }
      if (!cut_at->empty() && !blob->empty()) {
        Fail("--cut-at: the outputs of {} already say where the model ends; remove --cut-at",
             *blob);
      }
      if (!calibration->empty()) options->calibration = SplitCommas(*calibration);
      options->task = TaskOf(*task);
      options->effort = EffortOf(*effort);
      options->mixed = mixed->Read();
      options->int8_everywhere = options->mixed->settings.preset == assign::Preset::kInt8;
      if (!blob->empty()) {
        TakeFrom(*blob, *input, options.get());
      } else {
        TakeBytes(input->GivesPixels(), options.get());
      }
      return RunAssign(*options);
    };
  });
}

}  // namespace octet::cli
