#include "ports/linux/slot/storage.h"

#include <fcntl.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <sys/statvfs.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <vector>

#include "ports/linux/file.h"
#include "ports/linux/model.h"
#include "ports/linux/output/again.h"
#include "ports/linux/output/whole.h"

namespace octet::port {
namespace {

// Of a device: the state records lie so far apart that no erase block of common eMMC or SD cards
// holds both (their largest is 4 MiB, and rewriting one of them must not touch the other).
constexpr uint64_t kStateAreaBytes = uint64_t{4} << 20;
constexpr uint64_t kSlotAlignment = 4096;
constexpr size_t kMostTextBytes = 1024;  // of a key or a board, several times over
constexpr uint64_t kLeastDeviceBytes = 2 * kStateAreaBytes + 2 * kSlotAlignment;

}  // namespace

// Opened for one call only, because other programs replace the files.
class SlotStorage::Area {
 public:
  Area(const SlotStorage& storage, octet_area area, int flags) : begin_(storage.BeginOf(area)) {
    if (!storage.is_folder_) {
      descriptor_ = Again([&] { return fcntl(storage.descriptor_, F_DUPFD_CLOEXEC, 0); });
      return;
    }
    // A link could lead out of the store.
    descriptor_ = Again([&] {
      return openat(storage.descriptor_, kAreaFiles[area],
                    flags | O_NOFOLLOW | O_CLOEXEC | O_NONBLOCK);
    });
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
  // As octet_storage.read: 0: all was read; -1 with errno; 1: the file is shorter.
  int Read(uint64_t offset, void* bytes, size_t count) const {
    if (ReadWholeAt(descriptor_, begin_ + static_cast<off_t>(offset), bytes, count) == count) {
      return 0;
    }
    if (errno != 0) return -1;
    errno = EIO;  // shorter than it was
    return 1;
  }
  bool Write(uint64_t offset, const void* bytes, size_t count) const {
    return WriteWholeAt(descriptor_, begin_ + static_cast<off_t>(offset), bytes, count);
  }
  // Drops clean pages from the page cache, so that the next read comes from the device.
  void ForgetCache() const { posix_fadvise(descriptor_, 0, 0, POSIX_FADV_DONTNEED); }

 private:
  int descriptor_ = -1;
  off_t begin_;
};

SlotStorage::SlotStorage(const std::string& path) : path_(path) {
  struct stat info;
  if (stat(path.c_str(), &info) != 0) {
    throw InputError("cannot open " + path + ": " + ErrorText(errno) +
                     "; a store is an existing folder, a block device or a file");
  }
  is_folder_ = S_ISDIR(info.st_mode);
  if (!is_folder_ && !S_ISBLK(info.st_mode) && !S_ISREG(info.st_mode)) {
    throw InputError("cannot use " + path +
                     ": not a folder, a block device or a file; a store is one of these");
  }
  const auto open_for = [&](int flags) {
    return Again([&] { return open(path.c_str(), flags | O_CLOEXEC); });
  };
  descriptor_ = open_for(is_folder_ ? O_RDONLY | O_DIRECTORY : O_RDWR);
  // A store that cannot be written can still be read, and its model runs.
  if (descriptor_ < 0 && !is_folder_ && (errno == EROFS || errno == EACCES || errno == EPERM)) {
    descriptor_ = open_for(O_RDONLY);
    is_read_only_ = true;
  }
  if (descriptor_ < 0) {
    throw InputError("cannot open " + path + ": " + ErrorText(errno) +
                     "; check the write permissions");
  }
  if (is_folder_) {
    slot_bytes_ = UINT32_MAX;  // what the format can say; the file system has its own limit
    return;
  }
  const off_t end = lseek(descriptor_, 0, SEEK_END);
  if (end < 0 || static_cast<uint64_t>(end) < kLeastDeviceBytes) {
    close(descriptor_);
    throw InputError("cannot use " + path + ": a store of two slots needs at least " +
                     std::to_string(kLeastDeviceBytes) + " bytes; use a larger one");
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
  const int file = Again(
      [&] { return openat(descriptor_, name, O_RDONLY | O_NOFOLLOW | O_CLOEXEC | O_NONBLOCK); });
  if (file < 0 && errno == ENOENT) return "";
  char text[kMostTextBytes + 1];
  const size_t count = file < 0 ? 0 : ReadWhole(file, text, sizeof(text));
  const int error = count < sizeof(text) ? errno : 0;
  if (file >= 0) close(file);
  const std::string where = path_ + "/" + name;
  if (error != 0) {
    throw InputError("cannot read " + where + ": " + ErrorText(error) +
                     "; check the read permissions, and that it is not a link");
  }
  if (count == 0 || count > kMostTextBytes) {
    throw InputError(where + ": " + (count == 0 ? "is empty" : "is longer than such a file") +
                     "; write it again");
  }
  return std::string(text, count);
}

bool SlotStorage::Lock(uint64_t patience_ns) {
  // Does not use a blocking flock, because the holder of the lock may hang.
  constexpr useconds_t kPauseUs = 5000;
  const uint64_t begun = NowNs();
  while (Again([&] { return flock(descriptor_, LOCK_EX | LOCK_NB); }) != 0) {
    if (errno != EWOULDBLOCK) {
      throw InputError("cannot lock " + path_ + ": " + ErrorText(errno) +
                       "; use a file system with locks");
    }
    if (NowNs() - begun >= patience_ns) return false;
    usleep(kPauseUs);
  }
  return true;
}

bool SlotStorage::IsWritable() const {
  if (!is_folder_) return !is_read_only_;
  return Again([&] { return faccessat(descriptor_, ".", W_OK | X_OK, AT_EACCESS); }) == 0;
}

uint64_t SlotStorage::FreeBytes() const {
  struct statvfs info;
  if (Again([&] { return fstatvfs(descriptor_, &info); }) != 0) return 0;
  return uint64_t{info.f_bavail} * info.f_frsize;
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
  error_ = std::string(what) + " " + kAreaFiles[area] + ": " + ErrorText(errno);
  return -1;
}

int SlotStorage::Read(octet_area area, uint32_t offset, void* bytes, uint32_t count) {
  const Area file(*this, area, O_RDONLY);
  if (!file.is_open()) return errno == ENOENT ? 1 : Fail("open", area);
  if (file.Bytes() < uint64_t{offset} + count) return 1;
  file.ForgetCache();
  // A reader without the lock may see it cut off while another program writes it again.
  const int status = file.Read(offset, bytes, count);
  return status < 0 ? Fail("read", area) : status;
}

bool SlotStorage::MayWrite() {
  if (!writes_forbidden_) return true;
  errno = EBUSY;
  return false;
}

// A file that is not there yet. Where the folder belongs to a group (2770), so do its files: a
// flasher and the service that runs the models are two users.
int SlotStorage::Create(octet_area area) {
  struct stat folder;
  if (fstat(descriptor_, &folder) != 0) return Fail("create", area);
  const mode_t mode = (folder.st_mode & S_ISGID) != 0 ? folder.st_mode & 0664u : 0644u;
  const int file = Again([&] {
    return openat(descriptor_, kAreaFiles[area],
                  O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC, mode);
  });
  if (file < 0) return Fail("create", area);
  const int status = Again([&] { return fchmod(file, mode); });
  const int error = errno;
  close(file);
  errno = error;
  return status == 0 ? 0 : Fail("create", area);
}

// Replaces the file by a new one. A camera that maps the old file keeps it.
int SlotStorage::Replace(octet_area area) {
  struct stat info;
  if (fstatat(descriptor_, kAreaFiles[area], &info, AT_SYMLINK_NOFOLLOW) == 0) {
    if (!S_ISREG(info.st_mode)) {
      errno = EINVAL;
      return Fail("open", area);
    }
    if (Again([&] { return unlinkat(descriptor_, kAreaFiles[area], 0); }) != 0) {
      return Fail("remove", area);
    }
  } else if (errno != ENOENT) {
    return Fail("look at", area);
  }
  return Create(area);
}

bool SlotStorage::Wipe(size_t count) {
  const Area device(*this, OCTET_AREA_STATE_0, O_WRONLY);
  const std::vector<uint8_t> zeros(count);
  if (MayWrite() && device.is_open() && device.Write(0, zeros.data(), count)) return true;
  Fail("write", OCTET_AREA_STATE_0);
  return false;
}

int SlotStorage::Erase(octet_area area) {
  if (!MayWrite()) return Fail("erase", area);
  if (is_folder_ && area >= OCTET_AREA_SLOT_A) return Replace(area);
  const Area file(*this, area, O_WRONLY);
  if (!file.is_open()) {
    if (is_folder_ && errno == ENOENT) return Create(area);
    // The file belongs to another user, from before the folder had a group. The folder can be
    // written, so the file is replaced.
    if (is_folder_ && (errno == EACCES || errno == EPERM)) return Replace(area);
    return Fail("open", area);
  }
  if (is_folder_) {
    return Again([&] { return ftruncate(file.descriptor(), 0); }) == 0 ? 0 : Fail("truncate", area);
  }
  // What was there is neither a record nor a blob now.
  const uint8_t zeros[kSlotAlignment] = {};
  return file.Write(0, zeros, sizeof(zeros)) ? 0 : Fail("write", area);
}

int SlotStorage::Write(octet_area area, uint32_t offset, const void* bytes, uint32_t count) {
  if (!MayWrite()) return Fail("write", area);
  const Area file(*this, area, O_WRONLY);
  if (!file.is_open()) return Fail("open", area);
  return file.Write(offset, bytes, count) ? 0 : Fail("write", area);
}

int SlotStorage::Sync(octet_area area) {
  if (!MayWrite()) return Fail("sync", area);
  const Area file(*this, area, O_WRONLY);
  if (!file.is_open()) return Fail("open", area);
  if (Again([&] { return fsync(file.descriptor()); }) != 0) return Fail("sync", area);
  // A new name is durable only after a sync of the folder.
  if (!is_folder_ || Again([&] { return fsync(descriptor_); }) == 0) return 0;
  return Fail("sync the folder of", area);
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
  if (file.Read(0, mapped_.get(), count) != 0) return Fail("read", area), nullptr;
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

octet_storage SlotStorage::records_port() {
  octet_storage records = port();
  records.read = [](void* context, octet_area area, uint32_t offset, void* bytes, uint32_t count) {
    if (area >= OCTET_AREA_SLOT_A) return 1;
    return static_cast<SlotStorage*>(context)->Read(area, offset, bytes, count);
  };
  records.erase = [](void*, octet_area) { return -1; };
  records.write = [](void*, octet_area, uint32_t, const void*, uint32_t) { return -1; };
  records.sync = [](void*, octet_area) { return -1; };
  records.map = [](void*, octet_area, uint32_t) -> const void* { return nullptr; };
  return records;
}

}  // namespace octet::port
