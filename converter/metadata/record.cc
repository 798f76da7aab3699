#include "converter/metadata/record.h"

#include <algorithm>
#include <charconv>
#include <cmath>

#include <fmt/format.h>

#include "converter/metadata/literal.h"

namespace octet::metadata {
namespace {

using Json = nlohmann::ordered_json;

constexpr size_t kMostTextShown = 40;
constexpr int64_t kMostSize = 1 << 20;  // of a picture's side and of whatever is counted

template <typename T>
Field<T> Read(const Properties& properties, const char* key,
              std::optional<T> (*read)(const std::string& text)) {
  const auto found = properties.find(key);
  if (found == properties.end()) return {};
  return {found->second, read(found->second)};
}

std::optional<std::string> Word(const std::string& text) {
  const bool plain = std::all_of(text.begin(), text.end(), [](char c) {
    return (c >= 'a' && c <= 'z') || (c >= '0' && c <= '9') || c == '_' || c == '-';
  });
  if (text.empty() || !plain) return std::nullopt;
  return text;
}

std::optional<int64_t> Count(const Json& value) {
  // Some versions write a stride as 32.0.
  if (!value.is_number()) return std::nullopt;
  const double number = value.get<double>();
  if (!(number >= 1 && number <= static_cast<double>(kMostSize)) || std::floor(number) != number) {
    return std::nullopt;
  }
  return static_cast<int64_t>(number);
}

std::optional<int64_t> CountOf(const std::string& text) {
  const std::optional<Json> value = ReadLiteral(text);
  return value ? Count(*value) : std::nullopt;
}

std::optional<bool> TruthOf(const std::string& text) {
  const std::optional<Json> value = ReadLiteral(text);
  if (!value || !value->is_boolean()) return std::nullopt;
  return value->get<bool>();
}

std::optional<Json> DictionaryOf(const std::string& text) {
  std::optional<Json> value = ReadLiteral(text);
  if (!value || !value->is_object()) return std::nullopt;
  return value;
}

// A name is a string, or a number or a truth value that stands for its own text: YAML reads the
// names 0, 1 and yes so.
std::optional<std::string> Name(const Json& value) {
  if (value.is_string()) return value.get<std::string>();
  if (value.is_boolean()) return value.get<bool>() ? "True" : "False";
  if (value.is_number()) return value.dump();
  return std::nullopt;
}

// The elements of a list, or of a dictionary whose keys are all numbers from 0 on, in whatever
// order; nothing for an empty one.
std::optional<std::vector<Json>> Elements(const Json& value) {
  if (!value.is_structured() || value.empty()) return std::nullopt;
  if (value.is_array()) return value.get<std::vector<Json>>();
  std::vector<std::optional<Json>> found(value.size());
  for (const auto& [key, element] : value.items()) {
    size_t number = 0;
    const auto [end, error] = std::from_chars(key.data(), key.data() + key.size(), number);
    if (error != std::errc() || end != key.data() + key.size() || number >= found.size() ||
        found[number]) {
      return std::nullopt;
    }
    found[number] = element;
  }
  std::vector<Json> elements;
  for (std::optional<Json>& element : found) elements.push_back(std::move(*element));
  return elements;
}

std::optional<std::vector<std::string>> NamesIn(const Json& value) {
  const std::optional<std::vector<Json>> elements = Elements(value);
  if (!elements) return std::nullopt;
  std::vector<std::string> names;
  for (const Json& element : *elements) {
    std::optional<std::string> name = Name(element);
    if (!name) return std::nullopt;
    names.push_back(std::move(*name));
  }
  return names;
}

std::optional<std::vector<std::string>> NamesOf(const std::string& text) {
  const std::optional<Json> value = ReadLiteral(text);
  return value ? NamesIn(*value) : std::nullopt;
}

// ['nose', ...], {0: 'nose', ...}, or a list of these by class.
std::optional<std::vector<std::vector<std::string>>> PointNamesOf(const std::string& text) {
  const std::optional<Json> value = ReadLiteral(text);
  const auto elements = value ? Elements(*value) : std::nullopt;
  if (!elements) return std::nullopt;
  std::vector<std::vector<std::string>> lists;
  if (!elements->front().is_structured()) {
    if (auto names = NamesIn(*value)) lists.push_back(std::move(*names));
  } else {
    for (const Json& element : *elements) {
      auto names = NamesIn(element);
      if (!names || (!lists.empty() && names->size() != lists[0].size())) return std::nullopt;
      lists.push_back(std::move(*names));
    }
  }
  if (lists.empty()) return std::nullopt;
  return lists;
}

std::optional<KeyPoints> KeyPointsOf(const std::string& text) {
  const std::optional<Json> value = ReadLiteral(text);
  if (!value || !value->is_array() || value->size() != 2) return std::nullopt;
  const auto count = Count((*value)[0]), numbers = Count((*value)[1]);
  if (!count || !numbers || *numbers < 2 || *numbers > 3) return std::nullopt;
  return KeyPoints{*count, *numbers};
}

// [height, width], or one number for both.
std::optional<PictureSize> SizeOf(const std::string& text) {
  const std::optional<Json> value = ReadLiteral(text);
  if (!value) return std::nullopt;
  if (const auto side = Count(*value)) return PictureSize{*side, *side};
  if (!value->is_array() || value->empty() || value->size() > 2) return std::nullopt;
  const auto height = Count(value->front()), width = Count(value->back());
  if (!height || !width) return std::nullopt;
  return PictureSize{*height, *width};
}

}  // namespace

std::optional<bool> Record::FinishedBoxes() const {
  std::optional<bool> nms;
  if (args && args->contains("nms") && (*args)["nms"].is_boolean())
    nms = (*args)["nms"].get<bool>();
  if ((end2end && *end2end) || (nms && *nms)) return true;
  // An exporter that writes down only one of them can have made finished boxes all the same.
  if (!end2end || !nms) return std::nullopt;
  return false;
}

std::vector<std::string> Record::Unreadable() const {
  std::vector<std::string> lines;
  const auto add = [&lines](const char* name, const auto& field) {
    if (field.Unreadable()) lines.push_back(NotReadable(name, field.text()));
  };
  add("task", task);
  add("names", names);
  add("kpt_shape", kpt_shape);
  add("kpt_names", kpt_names);
  add("imgsz", imgsz);
  add("stride", stride);
  add("batch", batch);
  add("channels", channels);
  add("end2end", end2end);
  add("args", args);
  return lines;
}

Record ReadRecord(const Properties& properties) {
  Record record;
  const auto author = properties.find("author");
  record.ultralytics = author != properties.end() && author->second == "Ultralytics";
  record.task = Read(properties, "task", Word);
  record.names = Read(properties, "names", NamesOf);
  record.kpt_shape = Read(properties, "kpt_shape", KeyPointsOf);
  record.kpt_names = Read(properties, "kpt_names", PointNamesOf);
  record.imgsz = Read(properties, "imgsz", SizeOf);
  record.stride = Read(properties, "stride", CountOf);
  record.batch = Read(properties, "batch", CountOf);
  record.channels = Read(properties, "channels", CountOf);
  record.end2end = Read(properties, "end2end", TruthOf);
  record.args = Read(properties, "args", DictionaryOf);
  return record;
}

std::string NotReadable(const std::string& name, const std::string& text) {
  std::string shown = text.substr(0, kMostTextShown);
  for (char& c : shown) {  // the message stays one line of UTF-8
    if (c < 0x20 || c >= 0x7f) c = '?';
  }
  return fmt::format("'{}' cannot be read: {}{}", name, shown.empty() ? "it is empty" : shown,
                     text.size() > kMostTextShown ? "..." : "");
}

std::vector<std::string> Contradictions(const Record& record, const std::vector<int64_t>& shape,
                                        bool channels_last) {
  std::vector<std::string> lines;
  if (shape.size() != 4) return lines;
  const auto differs = [](int64_t dim, int64_t said) { return dim > 0 && dim != said; };
  const int64_t height = shape[channels_last ? 1 : 2], width = shape[channels_last ? 2 : 3];
  const int64_t channels = shape[channels_last ? 3 : 1];
  if (record.imgsz &&
      (differs(height, record.imgsz->height) || differs(width, record.imgsz->width))) {
    lines.push_back(fmt::format("'imgsz' is {} x {}, but the input is {} x {}",
                                record.imgsz->height, record.imgsz->width, height, width));
  }
  if (record.channels && differs(channels, *record.channels)) {
    lines.push_back(
        fmt::format("'channels' is {}, but the input has {}", *record.channels, channels));
  }
  if (record.batch && differs(shape[0], *record.batch)) {
    lines.push_back(
        fmt::format("'batch' is {}, but the input takes {} at once", *record.batch, shape[0]));
  }
  return lines;
}

nlohmann::ordered_json ToJson(const Properties& properties) {
  const Record record = ReadRecord(properties);
  Json json = Json::object();
  for (const auto& [key, text] : properties) json[key] = text;
  const auto put = [&json](const char* key, const auto& field) {
    if (field) json[key] = *field;
  };
  put("names", record.names);
  put("kpt_names", record.kpt_names);
  put("stride", record.stride);
  put("batch", record.batch);
  put("channels", record.channels);
  put("end2end", record.end2end);
  put("args", record.args);
  if (record.kpt_shape) json["kpt_shape"] = {record.kpt_shape->count, record.kpt_shape->numbers};
  if (record.imgsz) json["imgsz"] = {record.imgsz->height, record.imgsz->width};
  return json;
}

}  // namespace octet::metadata
