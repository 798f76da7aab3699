#include "converter/calibrate/keyed_file.h"

#include <fstream>

#include "converter/support/arithmetic.h"
#include "converter/support/error.h"
#include "converter/support/file.h"

namespace octet::calibrate {
namespace {

using nlohmann::json;

void RefuseOther(const std::filesystem::path& path, const FileKind& kind, const json& file,
                 const char* field, const std::string& expected, const char* what) {
  const std::string found = file.at(field).get<std::string>();
  if (found == expected) return;
  Fail("{}: this {} was made with {} ({} instead of {}); delete the file{}", path.string(),
       kind.name, what, found, expected, kind.way_out);
}

}  // namespace

json StartFile(const FileKind& kind, const CacheKey& key) {
  return {{kind.tag, kind.version},
          {"arithmetic", kArithmetic},
          {"graph", key.graph},
          {"data", key.data},
          {"settings", key.settings}};
}

bool ReadKeyed(const std::filesystem::path& path, const FileKind& kind, const CacheKey& key,
               const std::function<void(const json&)>& read) {
  if (!std::filesystem::exists(path)) return false;
  RefuseFolder(path);
  try {
    std::ifstream stream(path);
    const json file = json::parse(stream);
    if (file.at(kind.tag).get<int>() != kind.version) {
      Fail("{}: this {} has another version; delete the file", path.string(), kind.name);
    }
    RefuseOther(path, kind, file, "arithmetic", kArithmetic, "another arithmetic");
    RefuseOther(path, kind, file, "graph", key.graph, "another model");
    RefuseOther(path, kind, file, "data", key.data, "other data");
    RefuseOther(path, kind, file, "settings", key.settings, "other settings");
    read(file);
  } catch (const json::exception&) {
    Fail("{}: not a {}, or damaged; delete the file and convert again", path.string(), kind.name);
  }
  return true;
}

}  // namespace octet::calibrate
