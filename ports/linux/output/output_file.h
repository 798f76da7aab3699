// The one writer of files of all programs: a file appears whole or not at all.
#ifndef OCTET_PORTS_LINUX_OUTPUT_OUTPUT_FILE_H_
#define OCTET_PORTS_LINUX_OUTPUT_OUTPUT_FILE_H_

#include <cstddef>
#include <memory>
#include <string>

#include "ports/linux/output/error.h"

namespace octet::port {

// What Commit promises of a file that stands.
enum class Kept {
  kDurable,  // it survives a power cut from then on: records, settings, models
  kPlain,    // it is whole where it is there: pictures, results
};
// What becomes of a link that stands at the path. One of another user is never followed: that user
// may have planted it.
enum class Links {
  kFollowed,  // it stays one, and the file it names is replaced: a path that the user wrote
  kReplaced,  // the file takes its place: names that the program made up
};

// Written beside its place, through a name that cannot be guessed and that was not there (O_EXCL,
// O_NOFOLLOW), and renamed by Commit; the destructor removes what was not committed. What is there
// and no regular file, a pipe or a device, is written to as it is. Throws InputError.
class OutputFile {
 public:
  explicit OutputFile(const std::string& path, Kept kept = Kept::kPlain,
                      Links links = Links::kFollowed);
  ~OutputFile();
  OutputFile(const OutputFile&) = delete;
  OutputFile& operator=(const OutputFile&) = delete;
  OutputFile(OutputFile&& other) noexcept;

  void Write(const void* data, size_t bytes);
  void Commit();

 private:
  [[noreturn]] void Fail(int error) const;
  void Create();
  void WriteAll(const void* data, size_t bytes);
  void Flush();
  void Abandon();

  std::string path_, name_, temporary_;  // temporary_: empty: path_ itself is written
  Kept kept_;
  std::unique_ptr<char[]> buffer_;
  size_t used_ = 0;
  int folder_ = -1, file_ = -1;
};

// A file that was not there, for its maker alone to read where `secret`, whole and durable when
// this returns. False: something of that name is there, and stays. Throws InputError.
bool WriteNewFile(const std::string& path, const std::string& text, bool secret);

}  // namespace octet::port

#endif  // OCTET_PORTS_LINUX_OUTPUT_OUTPUT_FILE_H_
