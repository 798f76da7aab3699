// Inputs of programs, mapped. Errors are exceptions whose text is one line: what, where, what to
// do.
#ifndef OCTET_PORTS_LINUX_FILE_H_
#define OCTET_PORTS_LINUX_FILE_H_

#include <cstddef>
#include <cstdint>
#include <string>

#include "ports/linux/output/error.h"

namespace octet::port {

// A whole file, read-only, page-aligned.
class MappedFile {
 public:
  explicit MappedFile(const std::string& path);
  ~MappedFile();
  MappedFile(const MappedFile&) = delete;
  MappedFile& operator=(const MappedFile&) = delete;
  MappedFile(MappedFile&& other) noexcept;

  const uint8_t* data() const { return data_; }
  size_t bytes() const { return bytes_; }
  const std::string& path() const { return path_; }

 private:
  std::string path_;
  const uint8_t* data_ = nullptr;
  size_t bytes_ = 0;
};

}  // namespace octet::port

#endif  // OCTET_PORTS_LINUX_FILE_H_
