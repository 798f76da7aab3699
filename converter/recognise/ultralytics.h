// What Ultralytics' exporter writes into metadata_props: task, names, end2end and more, as text of
// Python (ultralytics/engine/exporter.py, `self.metadata`).
#ifndef OCTET_CONVERTER_RECOGNISE_ULTRALYTICS_H_
#define OCTET_CONVERTER_RECOGNISE_ULTRALYTICS_H_

#include <map>
#include <optional>
#include <string>
#include <vector>

namespace octet::recognise {

using Metadata = std::map<std::string, std::string>;

struct Ultralytics {
  std::string task;                // detect, segment, pose, classify, obb
  std::vector<std::string> names;  // of classes, by their numbers
  bool finished_boxes = false;     // the graph suppresses overlaps itself: end2end, or nms=True
};

// Nothing where the metadata is not Ultralytics', or its names cannot be read.
std::optional<Ultralytics> ReadUltralytics(const Metadata& metadata);

// {0: 'person', 1: "driver's", ...} with all numbers from 0 on; nothing for any other text.
std::optional<std::vector<std::string>> ReadNames(const std::string& text);

}  // namespace octet::recognise

#endif  // OCTET_CONVERTER_RECOGNISE_ULTRALYTICS_H_
