// Files as the programs use them: inputs mapped, outputs that appear whole or not at all. Errors
// are exceptions whose text is one line: what, where, what to do.
#ifndef OCTET_PORTS_LINUX_FILE_H_
#define OCTET_PORTS_LINUX_FILE_H_

#include <cstddef>
#include <cstdint>
#include <cstdio>
#include <memory>
#include <stdexcept>
#include <string>

namespace octet::port {

// Bad use or bad input: exit status 2.
struct InputError : std::runtime_error {
  using std::runtime_error::runtime_error;
};

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

// Written beside its place and renamed by Commit; the destructor removes what was not committed.
// What is there and no regular file, a pipe or a device, is written to as it is.
class OutputFile {
 public:
  explicit OutputFile(const std::string& path);
  ~OutputFile();
  OutputFile(const OutputFile&) = delete;
  OutputFile& operator=(const OutputFile&) = delete;
  OutputFile(OutputFile&& other) noexcept;

  void Write(const void* data, size_t bytes);
  void Commit();

 private:
  [[noreturn]] void Fail(const char* what) const;

  std::string path_, temporary_;    // empty: path_ itself is written
  std::unique_ptr<char[]> buffer_;  // outlives file_
  std::FILE* file_ = nullptr;
};

}  // namespace octet::port

#endif  // OCTET_PORTS_LINUX_FILE_H_
