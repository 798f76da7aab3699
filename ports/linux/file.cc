#include "ports/linux/file.h"

#include <fcntl.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <cstdlib>
#include <cstring>
#include <utility>

namespace octet::port {

MappedFile::MappedFile(const std::string& path) : path_(path) {
  const int descriptor = open(path.c_str(), O_RDONLY | O_CLOEXEC);
  if (descriptor < 0) {
    throw InputError("cannot open " + path + ": " + std::strerror(errno) + "; check the path");
  }
  struct stat info;
  if (fstat(descriptor, &info) != 0 || !S_ISREG(info.st_mode) || info.st_size <= 0) {
    close(descriptor);
    throw InputError("cannot read " + path + ": empty or no regular file; name another one");
  }
  bytes_ = static_cast<size_t>(info.st_size);
  void* data = mmap(nullptr, bytes_, PROT_READ, MAP_PRIVATE, descriptor, 0);
  const int error = errno;
  close(descriptor);
  if (data == MAP_FAILED) {
    throw InputError("cannot map " + path + ": " + std::strerror(error) + "; free some memory");
  }
  data_ = static_cast<const uint8_t*>(data);
}

MappedFile::~MappedFile() {
  if (data_ != nullptr) munmap(const_cast<uint8_t*>(data_), bytes_);
}

MappedFile::MappedFile(MappedFile&& other) noexcept
    : path_(std::move(other.path_)),
      data_(std::exchange(other.data_, nullptr)),
      bytes_(std::exchange(other.bytes_, 0)) {}

OutputFile::OutputFile(const std::string& path) : path_(path) {
  struct stat info;
  const bool is_there = stat(path.c_str(), &info) == 0;
  if (is_there && S_ISDIR(info.st_mode)) {
    throw InputError("cannot write " + path + ": is a folder; name a file");
  }
  // A link stays one: the file it names is replaced.
  if (char* real = is_there ? realpath(path.c_str(), nullptr) : nullptr; real != nullptr) {
    path_ = real;
    std::free(real);
  }
  if (!is_there || (S_ISREG(info.st_mode) && path.rfind("/dev/", 0) != 0)) {
    temporary_ = path_ + ".partial." + std::to_string(getpid());
  }
  file_ = std::fopen((temporary_.empty() ? path : temporary_).c_str(), "wbe");
  if (file_ == nullptr) {
    throw InputError("cannot write " + path + ": " + std::strerror(errno) +
                     "; check that the folder exists and is writable");
  }
  // The library would allocate its buffer at the first write.
  constexpr size_t kBufferBytes = 1 << 16;
  buffer_ = std::make_unique<char[]>(kBufferBytes);
  std::setvbuf(file_, buffer_.get(), _IOFBF, kBufferBytes);
}

OutputFile::~OutputFile() {
  if (file_ == nullptr) return;
  std::fclose(file_);
  if (!temporary_.empty()) unlink(temporary_.c_str());
}

OutputFile::OutputFile(OutputFile&& other) noexcept
    : path_(std::move(other.path_)),
      temporary_(std::move(other.temporary_)),
      buffer_(std::move(other.buffer_)),
      file_(std::exchange(other.file_, nullptr)) {}

void OutputFile::Fail(const char* what) const {
  throw InputError("cannot write " + path_ + ": " + what + "; check the space left there");
}

void OutputFile::Write(const void* data, size_t bytes) {
  if (bytes != 0 && std::fwrite(data, 1, bytes, file_) != bytes) Fail(std::strerror(errno));
}

void OutputFile::Commit() {
  std::FILE* file = std::exchange(file_, nullptr);
  const bool closed = std::fclose(file) == 0;
  if (temporary_.empty() && closed) return;
  if (!closed || std::rename(temporary_.c_str(), path_.c_str()) != 0) {
    const int error = errno;
    if (!temporary_.empty()) unlink(temporary_.c_str());
    Fail(std::strerror(error));
  }
}

}  // namespace octet::port
