#include "converter/cli/same_model.h"

#include <stdexcept>
#include <vector>

#include "converter/cli/pipeline.h"
#include "converter/support/error.h"

namespace octet::cli {
namespace {

// What is decoded reads FP32's outputs where the blob says its own numbers stand.
void RequireSameShapes(const BlobView& blob, const graph::Graph& graph,
                       const std::string& blob_path, const std::string& model) {
  if (blob.model->output_count != graph.outputs.size()) {
    Fail("{} has {} outputs, {} has {}: they are not the same model", blob_path,
         blob.model->output_count, model, graph.outputs.size());
  }
  const auto require = [&](const char* kind, const graph::Value& value, const uint32_t* dims,
                           uint32_t rank) {
    const graph::Shape shape(dims, dims + rank);
    if (graph::ElementCount(shape) == graph::ElementCount(*value.shape)) return;
    Fail(
        "{}: {} '{}' is {}, in {} {}; verify it with the model and the --input-shape it was made "
        "from",
        blob_path, kind, value.name, graph::ToString(shape), model, graph::ToString(*value.shape));
  };
  for (uint32_t i = 0; i < blob.model->input_count && i < graph.inputs.size(); ++i) {
    require("input", graph.At(graph.inputs[i]), blob.inputs[i].dims, blob.inputs[i].rank);
  }
  for (uint32_t i = 0; i < blob.model->output_count; ++i) {
    require("output", graph.At(graph.outputs[i]), blob.outputs[i].dims, blob.outputs[i].rank);
  }
}

}  // namespace

BlobView ViewOf(const BlobFile& file) {
  BlobView view{};
  if (!IsOk(ViewBlob(file.data(), file.bytes(), &view))) {
    throw std::logic_error("verified blob has no view");
  }
  return view;
}

import::ImportOptions EndingWith(const BlobFile& file,
                                 import::ImportOptions options){const BlobView view = ViewOf(file);
options.cut_at.clear();
for (uint32_t i = 0; i < view.model->output_count; ++i) {
  options.cut_at.emplace_back(StringAt(view, view.outputs[i].name));
}
options.cut_if_known = true;
return options;
}  // namespace octet::cli

graph::Graph LoadGraphOf(const BlobFile& file, const std::string& blob_path,
                         const std::string& model, const import::ImportOptions& options) {
  graph::Graph graph = LoadGraph(model, EndingWith(file, options), nullptr);
  RequireSameShapes(ViewOf(file), graph, blob_path, model);
  return graph;
}

images::Preprocess PreprocessOf(const BlobFile& file) {
  images::Preprocess result;
  const BlobView view = ViewOf(file);
  for (uint32_t i = 0; i < view.model->input_count; ++i) {
    const blob::InputRecord& input = view.inputs[i];
    if (input.is_image == 0) continue;
    result.scale = input.scale;
    for (int c = 0; c < 3; ++c) {
      result.mean[c] = input.mean[c];
      result.std_dev[c] = input.std_dev[c];
    }
    result.colour = input.colour;
    result.resize = input.resize;
    result.letterbox_value = input.letterbox_value;
    break;
  }
  return result;
}

}  // namespace octet::cli
