#include <cerrno>
#include <cstdio>
#include <cstring>
#include <string>
#include <system_error>

#include <unistd.h>

#include "converter/support/error.h"
#include "converter/write/write.h"

namespace octet::write {

namespace {

std::string TemporaryOf(const std::filesystem::path& path) {
  return path.string() + ".part" + std::to_string(getpid());
}

[[noreturn]] void Refuse(const std::filesystem::path& path, int error) {
  std::error_code ignored;
  std::filesystem::remove(TemporaryOf(path), ignored);
  Fail("{}: cannot be written: {}; check the folder and the space left", path.string(),
       std::strerror(error));
}

}  // namespace

void SaveFile(const std::filesystem::path& path, const std::vector<uint8_t>& bytes) {
  const std::string temporary = TemporaryOf(path);
  std::FILE* file = std::fopen(temporary.c_str(), "wb");
  bool good = file != nullptr;
  if (good) {
    good = std::fwrite(bytes.data(), 1, bytes.size(), file) == bytes.size() &&
           std::fflush(file) == 0 && fsync(fileno(file)) == 0;
    good = (std::fclose(file) == 0) && good;
  }
  if (!good || std::rename(temporary.c_str(), path.c_str()) != 0) Refuse(path, errno);
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
  std::FILE* file = std::fopen(TemporaryOf(path).c_str(), "wb");
  if (file == nullptr) Refuse(path, errno);
  std::fclose(file);
  std::filesystem::remove(TemporaryOf(path), ignored);
}

}  // namespace octet::write
