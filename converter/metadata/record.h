// What an exporter says of a model beside its graph, as one record: the fields that Ultralytics'
// exporter writes into metadata_props (ultralytics/engine/exporter.py, `self.metadata`) as text of
// Python.
#ifndef OCTET_CONVERTER_METADATA_RECORD_H_
#define OCTET_CONVERTER_METADATA_RECORD_H_

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include <nlohmann/json.hpp>

namespace octet::metadata {

// ModelProto.metadata_props (ONNX IR, "Optional Metadata"); of keys that stand there twice, the
// last.
using Properties = std::map<std::string, std::string>;

// A field is absent, read, or there and not readable.
template <typename T>
class Field {
 public:
  Field() = default;
  Field(std::string text, std::optional<T> value)
      : text_(std::move(text)), value_(std::move(value)) {}

  bool Absent() const { return !text_; }
  bool Unreadable() const { return text_ && !value_; }
  explicit operator bool() const { return value_.has_value(); }
  const T& operator*() const { return *value_; }
  const T* operator->() const { return &*value_; }
  const std::string& text() const { return *text_; }

 private:
  std::optional<std::string> text_;
  std::optional<T> value_;
};

struct KeyPoints {
  int64_t count = 0;
  int64_t numbers = 0;  // of each: 2 (x, y) or 3 (and how visible it is)
};
struct PictureSize {
  int64_t height = 0, width = 0;
};

struct Record {
  bool ultralytics = false;               // author
  Field<std::string> task;                // detect, segment, pose, classify, obb, ...
  Field<std::vector<std::string>> names;  // of classes, by their numbers
  Field<KeyPoints> kpt_shape;             // of pose models
  // Names of key points; one list for all classes, or one for each.
  Field<std::vector<std::vector<std::string>>> kpt_names;
  Field<PictureSize> imgsz;
  Field<int64_t> stride, batch, channels;
  Field<bool> end2end;                 // the graph gives finished boxes
  Field<nlohmann::ordered_json> args;  // of the export, a dictionary

  // The graph suppresses overlaps itself: end2end, or the argument nms. Nothing where one of
  // them may have been left out.
  std::optional<bool> FinishedBoxes() const;
  // Names of the fields above that are there and cannot be read.
  std::vector<std::string> Unreadable() const;
};

Record ReadRecord(const Properties& properties);

// "'names' cannot be read: None". What stands there is cut, and has no control characters.
std::string NotReadable(const std::string& name, const std::string& text);

// Where the record says something else than the shape [1, C, H, W] or [1, H, W, C] of the picture
// input; -1: not known. One line each.
std::vector<std::string> Contradictions(const Record& record, const std::vector<int64_t>& shape,
                                        bool channels_last);

// The fields as far as they can be read, in JSON's types; all other properties as text.
nlohmann::ordered_json ToJson(const Properties& properties);

}  // namespace octet::metadata

#endif  // OCTET_CONVERTER_METADATA_RECORD_H_
