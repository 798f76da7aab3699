#include "ports/linux/file.h"

#include <fcntl.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <utility>

#include "ports/linux/output/again.h"

namespace octet::port {

MappedFile::MappedFile(const std::string& path) : path_(path) {
  const int descriptor = Again([&] { return open(path.c_str(), O_RDONLY | O_CLOEXEC); });
  if (descriptor < 0) {
    throw InputError("cannot open " + path + ": " + ErrorText(errno) + "; check the path");
  }
  struct stat info;
  if (fstat(descriptor, &info) != 0 || !S_ISREG(info.st_mode) || info.st_size <= 0) {
    close(descriptor);
    throw InputError("cannot read " + path + ": empty, or not a regular file; name another one");
  }
  bytes_ = static_cast<size_t>(info.st_size);
  void* data = mmap(nullptr, bytes_, PROT_READ, MAP_PRIVATE, descriptor, 0);
  const int error = errno;
  close(descriptor);
  if (data == MAP_FAILED) {
    throw InputError("cannot map " + path + ": " + ErrorText(error) + "; free memory");
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

}  // namespace octet::port
