#include "converter/import/external_data.h"

#include <algorithm>
#include <charconv>
#include <fstream>
#include <optional>
#include <system_error>

#include "converter/support/error.h"

namespace octet::import {
namespace {

namespace fs = std::filesystem;

struct Location {
  std::string file;
  uint64_t offset = 0;
  std::optional<uint64_t> length;
};

uint64_t ParseBytes(const std::string& text, const std::string& key, const std::string& what) {
  uint64_t value = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
  if (error != std::errc() || end != text.data() + text.size()) {
    Fail("{}: external data has {} '{}', which is not a byte count; export the model again", what,
         key, text);
  }
  return value;
}

Location ReadLocation(const onnx::TensorProto& tensor, const std::string& what) {
  Location location;
  for (const onnx::StringStringEntryProto& entry : tensor.external_data()) {
    if (entry.key() == "location") location.file = entry.value();
    if (entry.key() == "offset") location.offset = ParseBytes(entry.value(), entry.key(), what);
    if (entry.key() == "length") location.length = ParseBytes(entry.value(), entry.key(), what);
  }
  if (location.file.empty()) {
    Fail("{}: external data has no file name; export the model again", what);
  }
  return location;
}

// The file's real path, which must lie in the real folder of the model.
fs::path Resolve(const Location& location, const std::string& what, const fs::path& folder) {
  const fs::path relative(location.file);
  // What goes down and up again stays.
  const fs::path shortest = relative.lexically_normal();
  const bool climbs = !shortest.empty() && *shortest.begin() == "..";
  if (relative.is_absolute() || climbs || location.file.find('\0') != std::string::npos) {
    Fail("{}: external data '{}' is outside the model's folder; move it beside the model", what,
         location.file);
  }
  std::error_code error;
  const fs::path root = fs::canonical(folder.empty() ? fs::path(".") : folder, error);
  if (error)
    Fail("{}: the model's folder cannot be read ({}); check its permissions", what,
         error.message());
  fs::path file = fs::canonical(root / relative, error);
  // A folder on the way may not be there.
  if (error) file = fs::canonical(root / shortest, error);
  if (error || !fs::is_regular_file(file, error)) {
    Fail("{}: external data file '{}' is missing; copy it into the model's folder", what,
         location.file);
  }
  const auto [inside, unused] = std::mismatch(root.begin(), root.end(), file.begin(), file.end());
  if (inside != root.end()) {
    Fail(
        "{}: external data '{}' is a link to a file outside the model's folder; copy the file "
        "itself",
        what, location.file);
  }
  return file;
}

}  // namespace

std::string ReadExternalData(const onnx::TensorProto& tensor, const std::string& what,
                             const fs::path& folder, uint64_t wanted_bytes) {
  const Location location = ReadLocation(tensor, what);
  const fs::path path = Resolve(location, what, folder);
  if (location.length && *location.length != wanted_bytes) {
    Fail("{}: external data has {} bytes, its shape and type need {}; export the model again", what,
         *location.length, wanted_bytes);
  }
  std::error_code error;
  const uintmax_t file_bytes = fs::file_size(path, error);
  if (error) {
    Fail("{}: external data '{}' cannot be read; check its permissions", what, location.file);
  }
  if (location.offset > file_bytes || wanted_bytes > file_bytes - location.offset) {
    Fail("{}: external data file '{}' is too short: {} bytes from offset {} of {}; copy it again",
         what, location.file, wanted_bytes, location.offset, file_bytes);
  }
  std::ifstream stream(path, std::ios::binary);
  stream.seekg(static_cast<std::streamoff>(location.offset));
  std::string bytes(wanted_bytes, '\0');
  stream.read(bytes.data(), static_cast<std::streamsize>(wanted_bytes));
  if (!stream) {
    Fail("{}: external data '{}' cannot be read; check its permissions", what, location.file);
  }
  return bytes;
}

}  // namespace octet::import
