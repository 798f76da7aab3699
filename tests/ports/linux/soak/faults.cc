// Loaded into octet-camera (LD_PRELOAD) by soak.py: while the first word of the file OCTET_FAULTS
// is not zero, one call in eight that writes to storage fails, is cut short, or takes 50 ms, and
// calls that read it take that long at times. OCTET_FAULTS_SEED draws them. The file is two u32:
// the switch, and a count of what was done.
#undef _FORTIFY_SOURCE
#include <errno.h>
#include <fcntl.h>
#include <stdarg.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

#include <atomic>
#include <cstdint>
#include <cstdlib>

namespace {

struct Switch {
  std::atomic<uint32_t> on, count;
};

Switch* Map() {
  static Switch none{};
  const char* const path = std::getenv("OCTET_FAULTS");
  if (path == nullptr) return &none;
  const long file = syscall(SYS_openat, AT_FDCWD, path, O_RDWR | O_CLOEXEC);
  void* const map =
      mmap(nullptr, sizeof(Switch), PROT_READ | PROT_WRITE, MAP_SHARED, static_cast<int>(file), 0);
  return map == MAP_FAILED ? &none : static_cast<Switch*>(map);
}

uint32_t Draw() {
  static const char* const seed = std::getenv("OCTET_FAULTS_SEED");
  static std::atomic<uint64_t> state{seed == nullptr ? 1 : std::strtoull(seed, nullptr, 10)};
  uint64_t word = state.fetch_add(0x9E3779B97F4A7C15u) + 0x9E3779B97F4A7C15u;
  word = (word ^ word >> 30) * 0xBF58476D1CE4E5B9u;
  word = (word ^ word >> 27) * 0x94D049BB133111EBu;
  return static_cast<uint32_t>(word >> 33);
}

bool IsOn() {
  static Switch* const map = Map();
  if (map->on.load() == 0 || Draw() % 8 != 0) return false;
  map->count.fetch_add(1);
  return true;
}

void Hang() {
  const timespec pause = {0, 50'000'000};
  syscall(SYS_nanosleep, &pause, nullptr);
}

// 0: the call goes on; else what it fails with.
int Fault() {
  if (!IsOn()) return 0;
  constexpr int kErrors[] = {EIO, ENOSPC, EROFS, EINTR, EDQUOT};
  const uint32_t which = Draw() % 6;
  if (which == 5) return Hang(), 0;
  return kErrors[which];
}

// Pipes and sockets are no storage.
bool IsStored(int file) {
  struct stat status;
  return fstat(file, &status) == 0 && S_ISREG(status.st_mode);
}

ssize_t Write(int file, const void* bytes, size_t count, off_t at) {
  size_t taken = count;
  if (IsStored(file)) {
    if (const int error = Fault()) return errno = error, -1;
    if (count > 1 && IsOn()) taken = count / 2;
  }
  return at < 0 ? syscall(SYS_write, file, bytes, taken)
                : syscall(SYS_pwrite64, file, bytes, taken, at);
}

int Open(int folder, const char* path, int flags, mode_t mode) {
  if ((flags & (O_WRONLY | O_RDWR)) != 0) {
    if (const int error = Fault()) return errno = error, -1;
  } else if (IsOn()) {
    Hang();
  }
  return static_cast<int>(syscall(SYS_openat, folder, path, flags, mode));
}

}  // namespace

#define OCTET_MODE(flags, mode)                                     \
  mode_t mode = 0;                                                  \
  if (((flags)&O_CREAT) != 0 || ((flags)&O_TMPFILE) == O_TMPFILE) { \
    va_list list;                                                   \
    va_start(list, flags);                                          \
    mode = va_arg(list, mode_t);                                    \
    va_end(list);                                                   \
  }
#define OCTET_FAULTY(...)                                  \
  if (const int error = Fault()) return errno = error, -1; \
  return static_cast<int>(syscall(__VA_ARGS__))

extern "C" {
int openat(int folder, const char* path, int flags, ...) {
  OCTET_MODE(flags, mode)
  return Open(folder, path, flags, mode);
}
int openat64(int folder, const char* path, int flags, ...) {
  OCTET_MODE(flags, mode)
  return Open(folder, path, flags, mode);
}
ssize_t write(int file, const void* bytes, size_t count) {
  return Write(file, bytes, count, -1);
}
ssize_t pwrite(int file, const void* bytes, size_t count, off_t at) {
  return Write(file, bytes, count, at);
}
ssize_t pwrite64(int file, const void* bytes, size_t count, off64_t at) {
  return Write(file, bytes, count, at);
}
int fsync(int file) {
  OCTET_FAULTY(SYS_fsync, file);
}
int ftruncate(int file, off_t bytes) noexcept {
  OCTET_FAULTY(SYS_ftruncate, file, bytes);
}
int ftruncate64(int file, off64_t bytes) noexcept {
  OCTET_FAULTY(SYS_ftruncate, file, bytes);
}
int unlinkat(int folder, const char* name, int flags) noexcept {
  OCTET_FAULTY(SYS_unlinkat, folder, name, flags);
}
int renameat(int from, const char* old_name, int to, const char* name) noexcept {
  OCTET_FAULTY(SYS_renameat2, from, old_name, to, name, 0);
}
}
