// octet export: the numbers of a blob in a form that others read.
#include <memory>

#include "converter/blobs/blob_file.h"
#include "converter/cli/arguments.h"
#include "converter/cli/commands.h"
#include "converter/cli/same_model.h"
#include "converter/convert/taken_constants.h"
#include "converter/export/qdq.h"
#include "converter/support/error.h"
#include "converter/write/write.h"

namespace octet::cli {
namespace {

struct ExportOptions {
  std::string model, blob, output;
  InputArguments input;  // of the import alone
  bool qdq = false;
};

int Run(const ExportOptions& options) {
  if (!options.qdq) Fail("octet export: no format given; give --qdq, an ONNX model in Q/DQ form");
  write::CheckWritable(options.output, {options.model, options.blob});
  const blobs::BlobFile file(options.blob);
  const BlobView view = blobs::ViewOf(file);
  graph::Graph graph = LoadGraphOf(file, options.blob, options.model, options.input.Import());
  convert::TakeConstantsOf(view, options.blob, &graph);
  const exporting::QdqModel model = exporting::ExportQdq(graph, view, options.blob);
  write::SaveFile(options.output, model.bytes);
  fmt::print("{}: {} bytes; values in int8: {}, layers with int8 weights: {}, in float: {}\n",
             options.output, model.bytes.size(), model.int8_values, model.int8_layers,
             model.float_layers);
  if (model.differing_entries > 0) {
    fmt::print(
        "{} table entries of the blob differ by one step in the file: the blob does not store the "
        "single-channel scales behind its tables\n",
        model.differing_entries);
  }
  return kDone;
}

}  // namespace

void AddExport(port::CommandLine& app, std::function<int()>* run) {
  port::Options command =
      app.AddCommand("export", "write a blob's int8 plan as ONNX in Q/DQ form, for other runtimes");
  command.Footer(
      "Scales, zero points, weights and biases are the blob's. Another runtime computes the same "
      "values, except for ties in rounding. FP16 layers are float in the file. A constant part of "
      "an output is an Add behind its last DequantizeLinear. --input-shape and --bind are the same "
      "as "
      "for octet convert.");
  auto options = std::make_shared<ExportOptions>();
  command.Add("MODEL", options->model, "the ONNX file").Required();
  command.Add("BLOB", options->blob, "the blob made of it").Required();
  command.Add("-o,--output", options->output, "the .onnx file to write").Required();
  command.AddFlag("--qdq", options->qdq, "with QuantizeLinear and DequantizeLinear");
  options->input.AddImportTo(command);
  command.WhenChosen([=] { *run = [=] { return Run(*options); }; });
}

}  // namespace octet::cli
