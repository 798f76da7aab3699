#include "converter/sections/decoder/decoder.h"

#include <algorithm>
#include <cstring>
#include <fstream>
#include <optional>
#include <string_view>

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

std::vector<std::string> ToCharacters(std::vector<std::string> labels,
                                      std::optional<int64_t>* blank) {
  if (labels.size() == 1) {
    const std::string line = labels[0];
    labels.clear();
    for (const char byte : line) {
      // The bytes of a UTF-8 sequence behind its first are 10xxxxxx.
      const bool follows = (static_cast<uint8_t>(byte) & 0xC0) == 0x80;
      if (follows && !labels.empty()) {
        labels.back() += byte;
      } else {
        labels.emplace_back(1, byte);
      }
    }
  }
  constexpr std::string_view kNames[] = {"<blank>", "[blank]", "<blk>", "blank"};
  const auto found = std::find_if(labels.begin(), labels.end(), [&](const std::string& label) {
    return std::find(std::begin(kNames), std::end(kNames), label) != std::end(kNames);
  });
  if (found == labels.end()) return labels;
  const int64_t place = found - labels.begin();
  if (*blank && **blank != place) {
    Fail("--blank {}: line {} of the labels is {}; remove one of the two", **blank, place + 1,
         *found);
  }
  *blank = place;
  labels.erase(found);
  return labels;
}

std::vector<uint8_t> DecodeSection(const graph::Graph& graph, const DecodeOptions& options,
                                   size_t label_count) {
  if (!options.section.empty()) return options.section;
  std::optional<decode::Spec> spec;
  if (!options.decode.empty()) spec = decode::ReadSpec(options.decode);
  decode::Ports ports = PortsOf(graph, label_count);
  ports.blank = options.blank;
  std::vector<uint8_t> section = decode::DecodeSection(options.task, spec, ports);
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
