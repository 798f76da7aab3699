#include "ports/linux/serve/access/small_file.h"

#include <fcntl.h>
#include <unistd.h>

#include <cerrno>

#include "ports/linux/output/again.h"
#include "ports/linux/output/error.h"
#include "ports/linux/output/whole.h"

namespace octet::port::serve {

std::string ReadSmallFile(const std::string& option, const std::string& path, size_t most_bytes) {
  const std::string where = option + " " + path;
  const int file = Again([&] { return open(path.c_str(), O_RDONLY | O_CLOEXEC); });
  if (file < 0) {
    throw InputError(where + ": cannot be opened: " + ErrorText(errno) + "; check the path");
  }
  std::string text(most_bytes + 1, '\0');
  const size_t count = ReadWhole(file, text.data(), text.size());
  const int error = count < text.size() ? errno : 0;
  close(file);
  if (error != 0) {
    throw InputError(where + ": cannot be read: " + ErrorText(error) + "; check the file");
  }
  if (count > most_bytes) {
    throw InputError(where + ": is longer than " + std::to_string(most_bytes) +
                     " bytes; name another file");
  }
  text.resize(count);
  return text;
}

}  // namespace octet::port::serve
