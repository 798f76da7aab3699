// octet debug: finding out why a model goes wrong.
#include <memory>
#include <utility>

#include <fmt/ranges.h>

#include "converter/cli/against_ort.h"
#include "converter/cli/arguments.h"
#include "converter/cli/byte_inputs.h"
#include "converter/cli/commands.h"
#include "converter/cli/reduce.h"
#include "converter/convert/progress.h"
#include "converter/support/error.h"
#include "converter/write/write.h"

namespace octet::cli {
namespace {

struct Arguments {
  ReduceOptions reduce;
  InputArguments input;
  std::string word, data, against;
};

int Run(bool pixels_given, ReduceOptions options) {
  if (options.against_ort) ort::FindFolder();
  write::CheckWritable(options.output, {options.convert.model});
  TakeBytes(pixels_given, &options.convert);
  convert::Progress progress;
  convert::Stage stage(&progress, "reducing");
  // How many there will be nobody knows: about twice the binary logarithm of the values.
  const Reduced result = Reduce(options, [&stage](int64_t tried) { stage.Show(tried, tried + 1); });
  stage.Finish();
  const char* what = options.against_ort ? "FP32 against ONNX Runtime" : "int8 against FP32";
  if (!result.fails) {
    fmt::print("no failure: {}, worst output '{}' {:.2f} dB; ", what, result.worst_output,
               result.whole_snr_db);
    options.against_ort ? fmt::print("within {} of its range\n", kFp32Share)
                        : fmt::print("--bound is {} dB\n", options.bound_db);
    return kAnswerIsNo;
  }
  fmt::print("{}: {} of output '{}' {:.2f} dB; this part {:.2f} dB; {} parts tried\n",
             options.output, what, result.worst_output, result.whole_snr_db, result.snr_db,
             result.tried);
  constexpr size_t kMostNamed = 8;
  if (result.nodes.size() <= kMostNamed) {
    fmt::print("nodes   {}\n", fmt::join(result.nodes, ", "));
  } else {
    fmt::print("nodes   {}: {} to {}\n", result.nodes.size(), result.nodes.front(),
               result.nodes.back());
  }
  fmt::print("output  {}\n", result.output);
  for (size_t i = 0; i < result.inputs.size(); ++i) {
    fmt::print("input   {} in {}\n", result.inputs[i], result.files[i]);
  }
  const std::string data = fmt::format("{}", fmt::join(result.files, ","));
  fmt::print(
      "again   octet convert {0} -o part.octet --calibrate {1} --effort fast\n"
      "        octet verify {0} part.octet --data {1}{2}\n",
      options.output, data, options.against_ort ? " --against ort" : "");
  return kDone;
}

}  // namespace

void AddDebug(port::CommandLine& app, std::function<int()>* run) {
  port::Options command =
      app.AddCommand("debug", "reduce: find the smallest part of a model that fails");
  auto given = std::make_shared<Arguments>();
  ReduceOptions* options = &given->reduce;
  command.Footer(
      "Parts of the model are converted and run as models of their own. Earlier ends are tried "
      "first, then later starts. The smallest part that still fails is written, with all samples "
      "of its inputs beside it: SMALL.npy, or SMALL.0.npy, ... Exit 0: found, 1: nothing fails.");
  command.Add("WORD", given->word, "what to do").Among({"reduce"}).Required();
  command.Add("MODEL", options->convert.model, "the ONNX file").Required();
  command
      .Add("--data", given->data,
           "as --calibrate of octet convert: a folder of pictures, one picture, or a .npy file; "
           "several inputs: joined by commas")
      .Required();
  command.Add("-o,--output", options->output, "the .onnx file to write").Required();
  command
      .Add("--bound", options->bound_db,
           "smallest energy over error of int8, in dB (octet verify: 10 dB about the mean)")
      .ShowDefault();
  command
      .Add("--against", given->against,
           fmt::format("ort: compare FP32 with ONNX Runtime, bound {} of a value's range; {} names "
                       "the folder of npm's onnxruntime-node",
                       kFp32Share, ort::kFolderVariable))
      .Among({"ort"});
  command.Add("--samples", options->samples, "number of samples; each part runs on them")
      .Range(int64_t{1}, int64_t{1} << 16)
      .ShowDefault();
  command.Add("--config", options->convert.config, "as in octet convert");
  command.AddFlag("--int8-everywhere", options->convert.int8_everywhere,
                  "as in octet convert: no FP16 layers in the int8 plan");
  command.Add("--threads", options->convert.threads, "0: one thread for each core").ShowDefault();
  given->input.AddTo(command);
  command.WhenChosen([=] {
    *run = [=] {
      ReduceOptions reduce = given->reduce;
      reduce.against_ort = !given->against.empty();
      reduce.convert.preprocess = given->input.Preprocess({});
      reduce.convert.import = given->input.Import();
      reduce.convert.calibration = SplitCommas(given->data);
      return Run(given->input.GivesPixels(), std::move(reduce));
    };
  });
}

}  // namespace octet::cli
