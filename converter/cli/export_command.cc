// octet export: the numbers of a blob in a form that others read.
#include <memory>

#include "converter/blobs/blob_file.h"
#include "converter/cli/arguments.h"
#include "converter/cli/commands.h"
#include "converter/cli/same_model.h"
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

// What the layers lost to offsets (passes/constant_part.h) cannot be told from blob and model.
void RefuseOffsets(const BlobView& view, const std::string& path) {
  for (uint32_t p = 0; p < view.model->plan_count; ++p) {
    for (uint32_t o = 0; o < view.model->output_count; ++o) {
      const PartRange range = PlanOutputParts(view, view.plans[p], o);
      for (uint32_t i = range.first; i < range.first + range.count; ++i) {
        if (view.parts[i].offsets == 0) continue;
        Fail(
            "{}: output '{}' has a constant part that is added in float (octet inspect), which "
            "--qdq does not write; export the model without that constant",
            path, StringAt(view, view.outputs[o].name));
      }
    }
  }
}

int Run(const ExportOptions& options) {
  if (!options.qdq) Fail("octet export: no format given; give --qdq, an ONNX model in Q/DQ form");
  write::CheckWritable(options.output, {options.model, options.blob});
  const blobs::BlobFile file(options.blob);
  RefuseOffsets(blobs::ViewOf(file), options.blob);
  const graph::Graph graph = LoadGraphOf(file, options.blob, options.model, options.input.Import());
  const exporting::QdqModel model = exporting::ExportQdq(graph, blobs::ViewOf(file), options.blob);
  write::SaveFile(options.output, model.bytes);
  fmt::print("{}: {} bytes, {} values in int8, {} layers with int8 weights, {} in float\n",
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
      "values, except for ties in rounding. FP16 layers are float in the file. --input-shape and "
      "--bind are "
      "the same as for octet convert.");
  auto options = std::make_shared<ExportOptions>();
  command.Add("MODEL", options->model, "the ONNX file").Required();
  command.Add("BLOB", options->blob, "the blob made of it").Required();
  command.Add("-o,--output", options->output, "the .onnx file to write").Required();
  command.AddFlag("--qdq", options->qdq, "with QuantizeLinear and DequantizeLinear");
  options->input.AddImportTo(command);
  command.WhenChosen([=] { *run = [=] { return Run(*options); }; });
}

}  // namespace octet::cli
