// Where a file is written that shall appear whole or not at all.
#ifndef OCTET_CONVERTER_SUPPORT_OUTPUT_PLACE_H_
#define OCTET_CONVERTER_SUPPORT_OUTPUT_PLACE_H_

#include <filesystem>
#include <string>
#include <system_error>

#include <unistd.h>

namespace octet {

// `target` is the path, links followed. `written` is what to write and rename to it: a name beside
// it, or the target itself where that is no regular file (a pipe, a device).
struct OutputPlace {
  std::filesystem::path target, written;

  explicit OutputPlace(const std::filesystem::path& path) : target(path) {
    std::error_code error;
    const bool is_there = std::filesystem::exists(path, error);
    if (is_there) {
      const std::filesystem::path real = std::filesystem::canonical(path, error);
      if (!error) target = real;
    }
    const bool is_device = path.string().starts_with("/dev/");
    const bool replaced =
        !is_there || (std::filesystem::is_regular_file(target, error) && !is_device);
    if (!replaced) target = path;
    written = replaced ? target.string() + ".part" + std::to_string(getpid()) : target.string();
  }

  bool IsReplaced() const { return written != target; }
};

}  // namespace octet

#endif  // OCTET_CONVERTER_SUPPORT_OUTPUT_PLACE_H_
