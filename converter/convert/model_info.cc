#include "converter/convert/model_info.h"

#include <filesystem>

#include "converter/images/image_input.h"
#include "converter/sections/decoder/decoder.h"

namespace octet::convert {

write::ModelInfo InfoOf(const graph::Graph& graph, const ConvertOptions& options) {
  write::ModelInfo info;
  info.name = std::filesystem::path(options.model).stem().string();
  info.task = options.task;
  info.preprocess = options.preprocess;
  info.labels =
      options.label_names.empty() ? sections::ReadLabels(options.labels) : options.label_names;
  info.decode = sections::DecodeSection(
      graph, {options.task, options.decode, options.decode_section, options.labels},
      info.labels.size());
  info.verbosity = options.verbosity;
  for (graph::ValueId id : graph.inputs) {
    bool channels_last = false;
    const graph::Value& value = graph.At(id);
    info.inputs.push_back(
        {value.name, *value.shape, images::IsImageInput(*value.shape, &channels_last)});
  }
  for (graph::ValueId id : graph.outputs) {
    info.outputs.push_back({graph.At(id).name, *graph.At(id).shape, false});
  }
  return info;
}

}  // namespace octet::convert
