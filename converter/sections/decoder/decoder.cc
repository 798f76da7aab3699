#include "converter/sections/decoder/decoder.h"

#include <cstring>
#include <fstream>
#include <optional>

#include "converter/decode/spec.h"
#include "converter/sections/decoder/decode_ports.h"
#include "converter/support/error.h"
#include "converter/support/file.h"
#include "converter/support/shipped.h"
#include "runtime/format/decode.h"

namespace octet::sections {

std::vector<std::string> ReadLabels(const std::string& word) {
  std::vector<std::string> labels;
  if (word.empty()) return labels;
  RefuseFolder(word);
  const std::string path = FindShipped(word, "labels", ".txt",
                                       "--labels takes a text file with one class name per line");
  std::ifstream file(path);
  if (!file) Fail("{}: cannot be read; check its permissions", path);
  for (std::string line; std::getline(file, line);) {
    if (!line.empty() && line.back() == '\r') line.pop_back();
    labels.push_back(line);
  }
  return labels;
}

std::vector<uint8_t> DecodeSection(const graph::Graph& graph, const DecodeOptions& options,
                                   size_t label_count) {
  if (!options.section.empty()) return options.section;
  std::optional<decode::Spec> spec;
  if (!options.decode.empty()) spec = decode::ReadSpec(options.decode);
  std::vector<uint8_t> section =
      decode::DecodeSection(options.task, spec, PortsOf(graph, label_count));
  if (!section.empty() && label_count != 0) {
    blob::DecodeRecord record;
    std::memcpy(&record, section.data(), sizeof(record));
    const size_t classes = record.class_count - (record.background == blob::kNone ? 0 : 1);
    if (label_count != classes) {
      if (options.labels.empty()) {
        Fail(
            "its metadata names {} classes, but its outputs have {}; give --labels: one line a "
            "class",
            label_count, classes);
      }
      Fail("{}: {} labels, but the model has {} classes; give one line per class", options.labels,
           label_count, classes);
    }
  }
  return section;
}

}  // namespace octet::sections
