#include <cerrno>
#include <cstdio>
#include <cstring>
#include <string>
#include <system_error>

#include <unistd.h>

#include "converter/support/error.h"
#include "converter/write/write.h"

namespace octet::write {

void SaveFile(const std::filesystem::path& path, const std::vector<uint8_t>& bytes) {
  const std::string temporary = path.string() + ".part" + std::to_string(getpid());
  std::FILE* file = std::fopen(temporary.c_str(), "wb");
  bool good = file != nullptr;
  if (good) {
    good = std::fwrite(bytes.data(), 1, bytes.size(), file) == bytes.size() &&
           std::fflush(file) == 0 && fsync(fileno(file)) == 0;
    good = (std::fclose(file) == 0) && good;
  }
  if (good && std::rename(temporary.c_str(), path.c_str()) == 0) return;
  const int error = errno;
  std::error_code ignored;
  std::filesystem::remove(temporary, ignored);
  Fail("{}: cannot be written: {}; check the folder and the space left", path.string(),
       std::strerror(error));
}

}  // namespace octet::write
