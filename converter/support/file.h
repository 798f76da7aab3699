// Files that a user names.
#ifndef OCTET_CONVERTER_SUPPORT_FILE_H_
#define OCTET_CONVERTER_SUPPORT_FILE_H_

#include <filesystem>

#include "converter/support/error.h"

namespace octet {

// Opening a folder as a file succeeds on Linux; only reading from it fails.
inline void RefuseFolder(const std::filesystem::path& path) {
  std::error_code ignored;
  if (std::filesystem::is_directory(path, ignored)) {
    Fail("{}: this is a folder; give a file", path.string());
  }
}

}  // namespace octet

#endif  // OCTET_CONVERTER_SUPPORT_FILE_H_
