// JSON files of calibration, each of which says what it was made from and is refused where that
// differs.
#ifndef OCTET_CONVERTER_CALIBRATE_KEYED_FILE_H_
#define OCTET_CONVERTER_CALIBRATE_KEYED_FILE_H_

#include <filesystem>
#include <functional>
#include <string>

#include <nlohmann/json.hpp>

#include "converter/calibrate/cache.h"

namespace octet::calibrate {

struct FileKind {
  const char* tag;  // its version's key
  int version;
  const char* name;     // as in "this ... was made with other data"
  const char* way_out;  // besides deleting it; may be empty
};

// The version, the arithmetic and the key; the rest is the kind's own.
nlohmann::json StartFile(const FileKind& kind, const CacheKey& key);

// Whether there is such a file; `read` gets it when it was made from the same. Throws UserError
// where it is damaged (`read` may throw json::exception) or made from something else, naming what.
bool ReadKeyed(const std::filesystem::path& path, const FileKind& kind, const CacheKey& key,
               const std::function<void(const nlohmann::json&)>& read);

}  // namespace octet::calibrate

#endif  // OCTET_CONVERTER_CALIBRATE_KEYED_FILE_H_
