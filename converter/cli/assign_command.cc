// octet assign: which layers are worth FP16, as a configuration for octet convert.
#include <memory>

#include <nlohmann/json.hpp>

#include "converter/blobs/blob_file.h"
#include "converter/cli/arguments.h"
#include "converter/cli/assignment.h"
#include "converter/cli/byte_inputs.h"
#include "converter/cli/commands.h"
#include "converter/cli/same_model.h"
#include "converter/convert/convert.h"
#include "converter/convert/warnings.h"
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
  options->blob_calibration = true;
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
  auto plan = std::make_shared<PlanArguments>(options.get());
  auto mixed = std::make_shared<MixedArguments>();
  auto blob = std::make_shared<std::string>();
  command.Add("MODEL", options->model, "the ONNX file").Required();
  command.Add(
      "BLOB", *blob,
      "a blob of this model: gives preprocessing and task. Without --calibrate, the samples "
      "that it keeps are used");
  command.Add(
      "-o,--output", options->output,
      "the YAML file to write, for octet convert --config; it includes the file of --config. "
      "With a blob it is optional, and the YAML is printed");
  command.Add("--calibrate", plan->calibration, "as in octet convert");
  plan->input.AddTo(command);
  plan->AddCutAt(command);
  plan->AddTask(command);
  plan->AddDecode(command);
  plan->input.AddKeyPointsTo(command);
  command.Add("--labels", options->labels, "names of classes; of --task text its characters");
  plan->input.AddBlankTo(command);
  plan->AddEffort(command);
  plan->AddBoard(command);
  command.Add(
      "--profile", mixed->profile,
      "times measured on the board: output of octet-run --profile --json for the int8 plan "
      "and the fp16 plan, two files joined by a comma. Without it the cost model of --board "
      "gives the times");
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
  plan->AddConfig(command);
  plan->AddCache(command);
  plan->AddSamples(command);
  plan->AddSeed(command);
  plan->AddThreads(command);
  command.AddFlag("--json", options->json, "print table, assignments and front as JSON");
  command.WhenChosen([=] {
    *run = [=] {
      plan->Read();
      if (plan->calibration.empty() && blob->empty()) {
        Fail("--calibrate is required; a blob that keeps samples replaces it");
      }
      if (options->output.empty() && blob->empty()) {
        Fail("-o is required; name the YAML file to write, for octet convert --config");
      }
      if (!plan->cut_at.empty() && !blob->empty()) {
        Fail("--cut-at: the outputs of {} already say where the model ends; remove --cut-at",
             *blob);
      }
      options->mixed = mixed->Read();
      options->int8_everywhere = options->mixed->settings.preset == assign::Preset::kInt8;
      if (!blob->empty()) {
        TakeFrom(*blob, plan->input, options.get());
      } else {
        TakeBytes(plan->input.GivesPixels(), options.get());
      }
      return RunAssign(*options);
    };
  });
}

}  // namespace octet::cli
