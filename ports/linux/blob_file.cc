#include "ports/linux/blob_file.h"

#include <fcntl.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>

#include "ports/linux/file.h"
#include "ports/linux/output/again.h"
#include "ports/linux/output/whole.h"

namespace octet::port {

BlobFile::BlobFile(const std::string& path, BlobStorage storage) : path_(path), storage_(storage) {
  // Without O_NONBLOCK a pipe of that name would be waited for.
  descriptor_ = Again([&] { return open(path.c_str(), O_RDONLY | O_CLOEXEC | O_NONBLOCK); });
  if (descriptor_ < 0) {
    throw InputError("cannot open " + path + ": " + ErrorText(errno) + "; check the path");
  }
  struct stat info;
  if (fstat(descriptor_, &info) != 0 || !S_ISREG(info.st_mode) || info.st_size <= 0) {
    close(descriptor_);
    throw InputError("cannot read " + path + ": empty, or not a regular file; name another one");
  }
  bytes_ = static_cast<size_t>(info.st_size);
  const bool owned = storage == BlobStorage::kOwned;
  void* data =
      mmap(nullptr, bytes_, owned ? PROT_READ | PROT_WRITE : PROT_READ,
           MAP_PRIVATE | (owned ? MAP_ANONYMOUS | MAP_NORESERVE : 0), owned ? -1 : descriptor_, 0);
  if (data == MAP_FAILED) {
    const int error = errno;
    close(descriptor_);
    throw InputError("no memory for " + path + ": " + ErrorText(error) + "; free memory");
  }
  data_ = static_cast<uint8_t*>(data);
}

BlobFile::~BlobFile() {
  munmap(data_, bytes_);
  close(descriptor_);
}

bool BlobFile::Load(size_t begin, size_t end) const {
  if (storage_ == BlobStorage::kMapped) {
    constexpr int kPopulateRead = 22;  // MADV_POPULATE_READ, missing in older headers
    const size_t page = static_cast<size_t>(sysconf(_SC_PAGESIZE));
    const size_t first = begin / page * page;
    madvise(data_ + first, end - first, kPopulateRead);  // kernels before 5.14 know it not
    return true;
  }
  const size_t count = end - begin;
  return ReadWholeAt(descriptor_, static_cast<off_t>(begin), data_ + begin, count) == count;
}

void BlobFile::Drop(size_t begin, size_t end) const {
  const size_t page = static_cast<size_t>(sysconf(_SC_PAGESIZE));
  begin = (begin + page - 1) / page * page;
  end = end / page * page;
  if (end > begin) madvise(data_ + begin, end - begin, MADV_DONTNEED);
}

}  // namespace octet::port
