#include "converter/convert/model_info.h"

#include <filesystem>
#include <optional>
#include <utility>

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
  std::optional<int64_t> blank = options.blank;
  if (options.task == blob::Task::kText && options.decode_section.empty()) {
    info.labels = sections::ToCharacters(std::move(info.labels), &blank);
  }
  info.decode = sections::DecodeSection(
      graph, {options.task, options.decode, options.decode_section, options.labels, blank},
      info.labels.size());
  info.verbosity = options.verbosity;
  for (size_t i = 0; i < graph.OwnInputs(); ++i) {
    bool channels_last = false;
    const graph::Value& value = graph.At(graph.inputs[i]);
    info.inputs.push_back(
        {value.name, *value.shape, images::IsImageInput(*value.shape, &channels_last)});
  }
  for (size_t o = 0; o < graph.OwnOutputs(); ++o) {
    const graph::Value& value = graph.At(graph.outputs[o]);
    info.outputs.push_back({value.name, *value.shape, false});
  }
  for (size_t s = 0; s < graph.states.size(); ++s) {
    const graph::Value& value = graph.At(graph.inputs[graph.OwnInputs() + s]);
    info.states.push_back(
        {{value.name, *value.shape, false}, graph.At(graph.outputs[graph.OwnOutputs() + s]).name});
  }
  return info;
}

}  // namespace octet::convert
