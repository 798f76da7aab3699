#include "converter/cli/model_info.h"

#include <cstring>
#include <filesystem>
#include <fstream>
#include <optional>
#include <string>
#include <vector>

#include "converter/cli/decode_ports.h"
#include "converter/cli/pipeline.h"
#include "converter/decode/spec.h"
#include "converter/support/error.h"
#include "converter/support/file.h"

namespace octet::cli {
namespace {

std::vector<uint8_t> DecodeSectionOf(const graph::Graph& graph, const ConvertOptions& options,
                                     size_t label_count) {
  if (!options.decode_section.empty()) return options.decode_section;
  std::optional<decode::Spec> spec;
  if (!options.decode.empty()) spec = decode::ReadSpec(options.decode);
  std::vector<uint8_t> section =
      decode::DecodeSection(options.task, spec, PortsOf(graph, label_count));
  if (!section.empty() && label_count != 0) {
    blob::DecodeRecord record;
    std::memcpy(&record, section.data(), sizeof(record));
    const size_t classes = record.class_count - (record.background == blob::kNone ? 0 : 1);
    if (label_count != classes) {
      Fail("{}: {} labels, but the model has {} classes; give one line per class", options.labels,
           label_count, classes);
    }
  }
  return section;
}

}  // namespace

std::vector<std::string> ReadLabels(const std::string& path) {
  std::vector<std::string> labels;
  if (path.empty()) return labels;
  RefuseFolder(path);
  std::ifstream file(path);
  if (!file)
    Fail(
        "{}: cannot be read; --labels takes a text file with one class name per line, such as "
        "those in "
        "the folder labels: " OCTET_LABELS,
        path);
  for (std::string line; std::getline(file, line);) {
    if (!line.empty() && line.back() == '\r') line.pop_back();
    labels.push_back(line);
  }
  return labels;
}

write::ModelInfo InfoOf(const graph::Graph& graph, const ConvertOptions& options) {
  write::ModelInfo info;
  info.name = std::filesystem::path(options.model).stem().string();
  info.task = options.task;
  info.preprocess = options.preprocess;
  info.labels = options.label_names.empty() ? ReadLabels(options.labels) : options.label_names;
  info.decode = DecodeSectionOf(graph, options, info.labels.size());
  info.verbosity = options.verbosity;
  for (graph::ValueId id : graph.inputs) {
    bool channels_last = false;
    const graph::Value& value = graph.At(id);
    info.inputs.push_back({value.name, *value.shape, IsImageInput(*value.shape, &channels_last)});
  }
  for (graph::ValueId id : graph.outputs) {
    info.outputs.push_back({graph.At(id).name, *graph.At(id).shape, false});
  }
  return info;
}

}  // namespace octet::cli
