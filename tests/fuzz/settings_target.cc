// Settings files of octet-camera: whatever the file holds, it is refused with a line or read; what
// is read has each name once, and is written and read back word for word.
#include "ports/linux/settings_file/settings_file.h"

#include <algorithm>
#include <set>

#include "ports/linux/output/error.h"
#include "ports/linux/words/nearest.h"
#include "tests/fuzz/fuzz.h"

namespace octet::fuzz {

const size_t kLongestInput = 2048;

std::vector<Input> Seeds() {
  std::vector<Input> seeds;
  for (const char* text :
       {"model: m.octet\nthreads: 4\njson: true\nkey: [a.pub, b.pub]\n",
        "# nothing\n---\nsource: '-'\nguard-set: \"dwell_s=3,trip_frames=5\"\n...\n",
        "a: &x [1, *x]\nb: {<<: *x}\n? [c]\n: d\n", "a: |\n  two\n  lines\nb: >-\n  one\n  line\n",
        "a: [[[[[[[[1]]]]]]]]\n", "!!map {a: !t ~, \"\\u00e4\": null}\n--- second\n",
        "cameras:\n  - {name: a, source: scene}\n  - name: b\n    zones: [x, y]\n",
        "cameras: &x [{a: *x}]\n", "cameras: [[{a: b}]]\n", "cameras: {a: b}\n",
        "key:\n  - a\n  - \"\\x41\\0\"\n"}) {
    seeds.push_back(FromText(text));
  }
  return seeds;
}

}  // namespace octet::fuzz

namespace {

constexpr const char* kList = "cameras";

// Of what an option can be called, and of what people write.
bool IsName(const std::string& name) {
  return !name.empty() && name.size() < 64 && std::all_of(name.begin(), name.end(), [](char c) {
    return (c >= 'a' && c <= 'z') || c == '-';
  });
}
bool IsText(const std::string& value) {
  return std::all_of(value.begin(), value.end(),
                     [](char c) { return (c >= ' ' && c <= '~') || c == '\n' || c == '\t'; });
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  using namespace octet::port;
  const std::string text(reinterpret_cast<const char*>(data), size);
  std::vector<FileSetting> settings;
  try {
    settings = ParseSettings(text, "f", kList);
  } catch (const InputError& error) {
    const std::string line = error.what();
    FUZZ_CHECK(line.rfind("f:", 0) == 0);
    FUZZ_CHECK(line.find_first_of("123456789") == 2);
    return 0;
  }
  std::set<std::string> names;
  std::vector<FileSetting> usual;
  for (const FileSetting& setting : settings) {
    FUZZ_CHECK(names.insert(setting.name).second);
    FUZZ_CHECK(setting.line >= 1);
    FUZZ_CHECK((setting.name == kList) == setting.values.empty());
    FUZZ_CHECK((setting.name == kList) != setting.maps.empty());
    for (const std::vector<FileSetting>& map : setting.maps) {
      for (const FileSetting& one : map) FUZZ_CHECK(!one.values.empty() && one.maps.empty());
    }
    const std::string nearest = Nearest(setting.name, {"threads", "thermal-root"});
    FUZZ_CHECK(nearest == "threads" || nearest == "thermal-root");
    if (setting.maps.empty() && IsName(setting.name) &&
        std::all_of(setting.values.begin(), setting.values.end(), IsText)) {
      usual.push_back(setting);
    }
  }
  if (usual.empty()) return 0;
  const std::vector<FileSetting> again = ParseSettings(WriteSettings(usual), "again");
  FUZZ_CHECK(again.size() == usual.size());
  for (size_t i = 0; i < usual.size(); ++i) {
    FUZZ_CHECK(again[i].name == usual[i].name && again[i].values == usual[i].values);
  }
  return 0;
}
