#include <cerrno>
#include <cstdio>
#include <cstring>
#include <string>
#include <system_error>

#include <unistd.h>

#include "converter/support/error.h"
#include "converter/support/output_place.h"
#include "converter/write/write.h"

namespace octet::write {

namespace {

[[noreturn]] void Refuse(const std::filesystem::path& path, int error) {
  const OutputPlace place(path);
  std::error_code ignored;
  if (place.IsReplaced()) std::filesystem::remove(place.written, ignored);
  Fail("{}: cannot be written: {}; check the folder and the space left", path.string(),
       std::strerror(error));
}

}  // namespace

void SaveFile(const std::filesystem::path& path, const std::vector<uint8_t>& bytes) {
  const OutputPlace place(path);
  std::FILE* file = std::fopen(place.written.c_str(), "wb");
  bool good = file != nullptr;
  if (good) {
    good = std::fwrite(bytes.data(), 1, bytes.size(), file) == bytes.size() &&
           std::fflush(file) == 0 && (!place.IsReplaced() || fsync(fileno(file)) == 0);
    good = (std::fclose(file) == 0) && good;
  }
  if (good && !place.IsReplaced()) return;
  if (!good || std::rename(place.written.c_str(), place.target.c_str()) != 0) Refuse(path, errno);
}

void CheckWritable(const std::filesystem::path& path,
                   const std::vector<std::filesystem::path>& inputs) {
  std::error_code ignored;
  for (const std::filesystem::path& input : inputs) {
    if (std::filesystem::equivalent(path, input, ignored)) {
      Fail("{}: is what this command reads, and would be replaced; name another output",
           path.string());
    }
  }
  if (std::filesystem::is_directory(path, ignored)) Refuse(path, EISDIR);
  const OutputPlace place(path);
  if (!place.IsReplaced()) {
    if (access(place.target.c_str(), W_OK) != 0) Refuse(path, errno);
    return;
  }
  std::FILE* file = std::fopen(place.written.c_str(), "wb");
  if (file == nullptr) Refuse(path, errno);
  std::fclose(file);
  std::filesystem::remove(place.written, ignored);
}

}  // namespace octet::write
