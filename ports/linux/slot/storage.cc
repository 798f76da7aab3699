#include "ports/linux/slot/storage.h"

#include <fcntl.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstring>

#include "ports/linux/file.h"

namespace octet::port {
namespace {

// Of a device: the state records lie so far apart that no erase block of common eMMC or SD cards
// holds both (their largest is 4 MiB, and rewriting one of them must not touch the other).
constexpr uint64_t kStateAreaBytes = uint64_t{4} << 20;
constexpr uint64_t kSlotAlignment = 4096;
constexpr size_t kMostTextBytes = 1024;  // of a key or a board, several times over
constexpr uint64_t kLeastDeviceBytes = 2 * kStateAreaBytes + 2 * kSlotAlignment;

// All of it, or false with errno.
template <typename Transfer>
bool All(Transfer transfer, uint64_t count) {
  uint64_t done = 0;
  while (done < count) {
    const ssize_t step = transfer(done, count - done);
    if (step < 0 && errno == EINTR) continue;
    if (step < 0) return false;
    if (step == 0) {
      errno = EIO;  // shorter than it was
      return false;
    }
    done += static_cast<uint64_t>(step);
  }
  return true;
}

}  // namespace

// Opened for one call: files come and go under other programs.
class SlotStorage::Area {
 public:
  Area(const SlotStorage& storage, octet_area area, int flags) : begin_(storage.BeginOf(area)) {
    if (!storage.is_folder_) {
      descriptor_ = dup(storage.descriptor_);
      return;
    }
    // A link could lead anywhere, out of what this program is meant to write.
    descriptor_ = openat(storage.descriptor_, kAreaFiles[area],
                         flags | O_NOFOLLOW | O_CLOEXEC | O_NONBLOCK, 0644);
    struct stat info;
    if (descriptor_ >= 0 && (fstat(descriptor_, &info) != 0 || !S_ISREG(info.st_mode))) {
      close(descriptor_);
      descriptor_ = -1;
      errno = EINVAL;
    }
  }
  ~Area() {
    if (descriptor_ >= 0) close(descriptor_);
  }
  Area(const Area&) = delete;
  Area& operator=(const Area&) = delete;

  bool is_open() const { return descriptor_ >= 0; }
  int descriptor() const { return descriptor_; }
  // Bytes of the file, the whole device.
  uint64_t Bytes() const {
    const off_t end = lseek(descriptor_, 0, SEEK_END);
    return end < begin_ ? 0 : static_cast<uint64_t>(end - begin_);
  }
  bool Read(uint64_t offset, void* bytes, uint64_t count) const {
    return All(
        [&](uint64_t done, uint64_t left) {
          return pread(descriptor_, static_cast<uint8_t*>(bytes) + done, left,
                       begin_ + static_cast<off_t>(offset + done));
        },
        count);
  }
  bool Write(uint64_t offset, const void* bytes, uint64_t count) const {
    return All(
        [&](uint64_t done, uint64_t left) {
          return pwrite(descriptor_, static_cast<const uint8_t*>(bytes) + done, left,
                        begin_ + static_cast<off_t>(offset + done));
        },
        count);
  }
  // What is clean leaves the page cache, so that the next read asks the device.
  void ForgetCache() const { posix_fadvise(descriptor_, 0, 0, POSIX_FADV_DONTNEED); }

 private:
  int descriptor_ = -1;
  off_t begin_;
};

SlotStorage::SlotStorage(const std::string& path) : path_(path) {
  struct stat info;
  if (stat(path.c_str(), &info) != 0) {
    throw InputError("cannot open " + path + ": " + std::strerror(errno) +
                     "; a store is a folder that exists, a block device or a file");
  }
  is_folder_ = S_ISDIR(info.st_mode);
  if (!is_folder_ && !S_ISBLK(info.st_mode) && !S_ISREG(info.st_mode)) {
    throw InputError("cannot use " + path + ": a store is a folder, a block device or a file");
  }
  descriptor_ = open(path.c_str(), (is_folder_ ? O_RDONLY | O_DIRECTORY : O_RDWR) | O_CLOEXEC);
  if (descriptor_ < 0) {
    throw InputError("cannot open " + path + ": " + std::strerror(errno) +
                     "; check who may write there");
  }
  if (is_folder_) {
    slot_bytes_ = UINT32_MAX;  // what the format can say; the file system has its own limit
    return;
  }
  const off_t end = lseek(descriptor_, 0, SEEK_END);
  if (end < 0 || static_cast<uint64_t>(end) < kLeastDeviceBytes) {
    close(descriptor_);
    throw InputError("cannot use " + path + ": a store of two slots takes at least " +
                     std::to_string(kLeastDeviceBytes) + " bytes");
  }
  const uint64_t left = static_cast<uint64_t>(end) - 2 * kStateAreaBytes;
  slot_bytes_ = static_cast<uint32_t>(
      std::min<uint64_t>(left / 2 / kSlotAlignment * kSlotAlignment, UINT32_MAX / 4096 * 4096));
}

SlotStorage::~SlotStorage() {
  close(descriptor_);
}

std::string SlotStorage::FileOf(octet_slot slot) const {
  return path_ + "/" + kAreaFiles[slot == OCTET_SLOT_A ? OCTET_AREA_SLOT_A : OCTET_AREA_SLOT_B];
}

uint64_t SlotStorage::FileBytes(octet_slot slot) const {
  struct stat info;
  const bool is_file = lstat(FileOf(slot).c_str(), &info) == 0 && S_ISREG(info.st_mode);
  return is_file ? static_cast<uint64_t>(info.st_size) : 0;
}

std::string SlotStorage::ReadText(const char* name) const {
  if (!is_folder_) return "";
  const int file = openat(descriptor_, name, O_RDONLY | O_NOFOLLOW | O_CLOEXEC | O_NONBLOCK);
  if (file < 0 && errno == ENOENT) return "";
  char text[kMostTextBytes + 1];
  const ssize_t count = file < 0 ? -1 : read(file, text, sizeof(text));
  const int error = errno;
  if (file >= 0) close(file);
  const std::string where = path_ + "/" + name;
  if (count < 0) {
    throw InputError("cannot read " + where + ": " + std::strerror(error) +
                     "; check who may read it, and that it is no link");
  }
  if (count == 0 || static_cast<size_t>(count) > kMostTextBytes) {
    throw InputError(where + ": " + (count == 0 ? "is empty" : "is longer than such a file is") +
                     "; write it anew");
  }
  return std::string(text, static_cast<size_t>(count));
}

void SlotStorage::Lock() {
  int status;
  do {
    status = flock(descriptor_, LOCK_EX);
  } while (status != 0 && errno == EINTR);
  if (status != 0) {
    throw InputError("cannot lock " + path_ + ": " + std::strerror(errno) +
                     "; take a file system that knows locks");
  }
}

void SlotStorage::Unlock() {
  mapped_.reset();
  flock(descriptor_, LOCK_UN);
}

off_t SlotStorage::BeginOf(octet_area area) const {
  if (is_folder_) return 0;
  if (area <= OCTET_AREA_STATE_1) return static_cast<off_t>(area * kStateAreaBytes);
  return static_cast<off_t>(2 * kStateAreaBytes + uint64_t{area - OCTET_AREA_SLOT_A} * slot_bytes_);
}

int SlotStorage::Fail(const char* what, octet_area area) {
  error_ = std::string(what) + " " + kAreaFiles[area] + ": " + std::strerror(errno);
  return -1;
}

int SlotStorage::Read(octet_area area, uint32_t offset, void* bytes, uint32_t count) {
  const Area file(*this, area, O_RDONLY);
  if (!file.is_open()) return errno == ENOENT ? 1 : Fail("open", area);
  if (file.Bytes() < uint64_t{offset} + count) return 1;
  file.ForgetCache();
  return file.Read(offset, bytes, count) ? 0 : Fail("read", area);
}

int SlotStorage::Erase(octet_area area) {
  const Area file(*this, area, O_WRONLY | O_CREAT);
  if (!file.is_open()) return Fail("open", area);
  if (is_folder_) return ftruncate(file.descriptor(), 0) == 0 ? 0 : Fail("truncate", area);
  // Whatever was there is no record and no blob any more.
  const uint8_t zeros[kSlotAlignment] = {};
  return file.Write(0, zeros, sizeof(zeros)) ? 0 : Fail("write", area);
}

int SlotStorage::Write(octet_area area, uint32_t offset, const void* bytes, uint32_t count) {
  const Area file(*this, area, O_WRONLY);
  if (!file.is_open()) return Fail("open", area);
  return file.Write(offset, bytes, count) ? 0 : Fail("write", area);
}

int SlotStorage::Sync(octet_area area) {
  const Area file(*this, area, O_WRONLY);
  if (!file.is_open()) return Fail("open", area);
  if (fsync(file.descriptor()) != 0) return Fail("sync", area);
  // The name of a file that is new is the folder's.
  return !is_folder_ || fsync(descriptor_) == 0 ? 0 : Fail("sync the folder of", area);
}

const void* SlotStorage::Map(octet_area area, uint32_t count) {
  mapped_.reset();
  const Area file(*this, area, O_RDONLY);
  if (!file.is_open()) return Fail("open", area), nullptr;
  if (file.Bytes() < count) {
    errno = EIO;
    return Fail("read", area), nullptr;
  }
  constexpr size_t kAlignment = 64;
  mapped_.reset(std::aligned_alloc(kAlignment, (count + kAlignment - 1) / kAlignment * kAlignment));
  if (mapped_ == nullptr) return Fail("make room for", area), nullptr;
  file.ForgetCache();
  if (!file.Read(0, mapped_.get(), count)) return Fail("read", area), nullptr;
  return mapped_.get();
}

octet_storage SlotStorage::port() {
  octet_storage port{};
  port.slot_bytes = slot_bytes_;
  port.context = this;
  port.read = [](void* context, octet_area area, uint32_t offset, void* bytes, uint32_t count) {
    return static_cast<SlotStorage*>(context)->Read(area, offset, bytes, count);
  };
  port.erase = [](void* context, octet_area area) {
    return static_cast<SlotStorage*>(context)->Erase(area);
  };
  port.write = [](void* context, octet_area area, uint32_t offset, const void* bytes,
                  uint32_t count) {
    return static_cast<SlotStorage*>(context)->Write(area, offset, bytes, count);
  };
  port.sync = [](void* context, octet_area area) {
    return static_cast<SlotStorage*>(context)->Sync(area);
  };
  port.map = [](void* context, octet_area area, uint32_t count) {
    return static_cast<SlotStorage*>(context)->Map(area, count);
  };
  return port;
}

}  // namespace octet::port
