#include "converter/simulate/store.h"

#include <fcntl.h>
#include <unistd.h>

#include <cerrno>
#include <cstdlib>
#include <cstring>
#include <string>
#include <utility>

#include "converter/support/error.h"

namespace octet::simulate {
namespace {

using graph::Tensor;

int64_t BytesOf(const Tensor& tensor) {
  return static_cast<int64_t>(tensor.floats.size() * sizeof(float) +
                              tensor.integers.size() * sizeof(int64_t));
}

std::string Folder() {
  const char* folder = std::getenv("TMPDIR");
  return folder != nullptr && *folder != 0 ? folder : "/tmp";
}

[[noreturn]] void FailIo(const char* what) {
  Fail("{}: a temporary file cannot be {}: {}; set TMPDIR to a folder with room, or raise --memory",
       Folder(), what, std::strerror(errno));
}

// Unlinked at once: it goes with the process, however that ends.
int OpenFile() {
  std::string path = Folder() + "/octet-XXXXXX";
  const int file = mkostemp(path.data(), O_CLOEXEC);
  if (file < 0) FailIo("made");
  unlink(path.c_str());
  return file;
}

template <typename Call, typename Byte>
void Transfer(const Call& call, int file, Byte* bytes, int64_t count, int64_t offset,
              const char* what) {
  while (count > 0) {
    const ssize_t done = call(file, bytes, static_cast<size_t>(count), offset);
    if (done < 0 && errno == EINTR) continue;
    if (done <= 0) FailIo(what);
    bytes += done;
    count -= done;
    offset += done;
  }
}

}  // namespace

Store::~Store() {
  if (file_ >= 0) close(file_);
}

void Store::Put(int64_t key, Tensor tensor) {
  const int64_t bytes = BytesOf(tensor);
  int64_t offset;
  {
    const std::lock_guard lock(mutex_);
    DropLocked(key);
    if (bytes <= left_bytes_) {
      left_bytes_ -= bytes;
      entries_[key] = {std::move(tensor), -1, bytes};
      return;
    }
    if (file_ < 0) file_ = OpenFile();
    offset = TakeRoom(bytes);
  }
  const auto* data = tensor.IsFloat() ? reinterpret_cast<const char*>(tensor.floats.data())
                                      : reinterpret_cast<const char*>(tensor.integers.data());
  Transfer(pwrite, file_, data, bytes, offset, "written");
  const std::lock_guard lock(mutex_);
  Entry& entry = entries_[key];
  entry.tensor.type = tensor.type;
  entry.tensor.shape = tensor.shape;
  entry.offset = offset;
  entry.bytes = bytes;
}

bool Store::Has(int64_t key) const {
  const std::lock_guard lock(mutex_);
  return entries_.count(key) != 0;
}

const Tensor* Store::Find(int64_t key) const {
  const std::lock_guard lock(mutex_);
  const auto found = entries_.find(key);
  return found == entries_.end() || found->second.offset >= 0 ? nullptr : &found->second.tensor;
}

Tensor Store::Get(int64_t key) const {
  Tensor tensor;
  int64_t offset, bytes;
  {
    const std::lock_guard lock(mutex_);
    const Entry& entry = entries_.at(key);
    tensor = entry.tensor;
    offset = entry.offset;
    bytes = entry.bytes;
  }
  if (offset < 0) return tensor;
  char* data;
  if (tensor.IsFloat()) {
    tensor.floats.resize(static_cast<size_t>(bytes) / sizeof(float));
    data = reinterpret_cast<char*>(tensor.floats.data());
  } else {
    tensor.integers.resize(static_cast<size_t>(bytes) / sizeof(int64_t));
    data = reinterpret_cast<char*>(tensor.integers.data());
  }
  Transfer(pread, file_, data, bytes, offset, "read");
  return tensor;
}

Tensor Store::Take(int64_t key) {
  {
    const std::lock_guard lock(mutex_);
    Entry& entry = entries_.at(key);
    if (entry.offset < 0) {
      Tensor tensor = std::move(entry.tensor);
      DropLocked(key);
      return tensor;
    }
  }
  Tensor tensor = Get(key);
  Drop(key);
  return tensor;
}

void Store::Drop(int64_t key) {
  const std::lock_guard lock(mutex_);
  DropLocked(key);
}

void Store::DropLocked(int64_t key) {
  const auto found = entries_.find(key);
  if (found == entries_.end()) return;
  if (found->second.offset >= 0) {
    free_.emplace(found->second.bytes, found->second.offset);
  } else {
    left_bytes_ += found->second.bytes;
  }
  entries_.erase(found);
}

// Pictures of one network need rooms of the same sizes again and again, so that nothing is gained
// by joining neighbours.
int64_t Store::TakeRoom(int64_t bytes) {
  const auto found = free_.lower_bound(bytes);
  if (found == free_.end()) {
    file_end_ += bytes;
    return file_end_ - bytes;
  }
  const auto [room, offset] = *found;
  free_.erase(found);
  if (room > bytes) free_.emplace(room - bytes, offset + bytes);
  return offset;
}

}  // namespace octet::simulate
