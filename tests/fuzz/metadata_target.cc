// Properties of a model: each field is absent, read, or not readable with one line; what is read
// keeps to its limits. The input is a field's name, a line's end, and its text.
#include <algorithm>

#include "converter/metadata/literal.h"
#include "converter/metadata/record.h"
#include "tests/fuzz/fuzz.h"

namespace octet::fuzz {

const size_t kLongestInput = 1024;

std::vector<Input> Seeds() {
  return {FromText("names\n{0: 'a', 1: \"it's\"}"),
          FromText("names\n['tab\\there', '\\u00e9', 7, True]"),
          FromText("names\n{\"1\": \"\\ud83d\\ude00\", \"0\": \"b\"}"),
          FromText("kpt_shape\n[17, 3]"),
          FromText("kpt_names\n{0: ['nose', 'eye'], 1: ['a', 'b']}"),
          FromText("imgsz\n(640, 640,)"),
          FromText("args\n{'batch': 1, 'nms': False, 'x': None, 'y': [1.5, -2e3]}"),
          FromText("end2end\nTrue"),
          FromText("stride\n32.0"),
          FromText("task\npose")};
}

}  // namespace octet::fuzz

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  using namespace octet::metadata;
  const std::string all(reinterpret_cast<const char*>(data), size);
  const size_t end = std::min(all.find('\n'), all.size());
  const std::string text = all.substr(std::min(end + 1, all.size()));
  const Properties properties = {{all.substr(0, end), text}};
  const Record record = ReadRecord(properties);
  for (const std::string& line : record.Unreadable()) {
    FUZZ_CHECK(line.find('\n') == std::string::npos && line.size() < 100);
  }
  FUZZ_CHECK(record.Unreadable().size() <= 1);
  FUZZ_CHECK(!record.names || !record.names->empty());
  if (record.names) {
    for (const std::string& name : *record.names) {
      FUZZ_CHECK(name.find('\0') == std::string::npos);
    }
  }
  FUZZ_CHECK(!record.kpt_shape || record.kpt_shape->count > 0);
  FUZZ_CHECK(!record.imgsz || (record.imgsz->height > 0 && record.imgsz->width > 0));
  if (record.kpt_names) {
    for (const auto& list : *record.kpt_names) {
      FUZZ_CHECK(!list.empty() && list.size() == record.kpt_names->front().size());
    }
  }
  (void)Contradictions(record, {1, 3, 64, 64}, false);
  (void)ToJson(properties);
  // What is written down as JSON is read as the same.
  if (const auto value = ReadLiteral(text)) {
    const auto again = ReadLiteral(value->dump());
    FUZZ_CHECK(again.has_value() && again->dump() == value->dump());
  }
  return 0;
}
