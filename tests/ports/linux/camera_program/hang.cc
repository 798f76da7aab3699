// Loaded into octet-camera (LD_PRELOAD): one call of those that reach storage, the one numbered
// OCTET_HANG_AT, takes a second longer. The count of all goes to the file OCTET_HANG_COUNT.
#undef _FORTIFY_SOURCE
#include <fcntl.h>
#include <stdarg.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

#include <atomic>
#include <cstdio>
#include <cstdlib>

namespace {

std::atomic<long> calls{0};

void Count() {
  static const char* const at = std::getenv("OCTET_HANG_AT");
  if (at == nullptr || calls.fetch_add(1) != std::atol(at)) return;
  const timespec second = {1, 0};
  syscall(SYS_nanosleep, &second, nullptr);
}

__attribute__((destructor)) void Tell() {
  const char* const path = std::getenv("OCTET_HANG_COUNT");
  if (path == nullptr) return;
  char text[32];
  const int length = std::snprintf(text, sizeof(text), "%ld\n", calls.load());
  const long file = syscall(SYS_openat, AT_FDCWD, path, O_WRONLY | O_CREAT | O_TRUNC, 0644);
  syscall(SYS_write, file, text, length);
}

mode_t ModeOf(int flags, va_list list) {
  return (flags & (O_CREAT | O_TMPFILE)) != 0 ? va_arg(list, mode_t) : 0;
}

}  // namespace

extern "C" {
int openat(int folder, const char* path, int flags, ...) {
  va_list list;
  va_start(list, flags);
  const mode_t mode = ModeOf(flags, list);
  va_end(list);
  Count();
  return static_cast<int>(syscall(SYS_openat, folder, path, flags, mode));
}
int openat64(int folder, const char* path, int flags, ...) {
  va_list list;
  va_start(list, flags);
  const mode_t mode = ModeOf(flags, list);
  va_end(list);
  Count();
  return static_cast<int>(syscall(SYS_openat, folder, path, flags, mode));
}
ssize_t write(int file, const void* bytes, size_t count) {
  Count();
  return syscall(SYS_write, file, bytes, count);
}
ssize_t pread(int file, void* bytes, size_t count, off_t at) {
  Count();
  return syscall(SYS_pread64, file, bytes, count, at);
}
ssize_t pread64(int file, void* bytes, size_t count, off64_t at) {
  Count();
  return syscall(SYS_pread64, file, bytes, count, at);
}
ssize_t pwrite(int file, const void* bytes, size_t count, off_t at) {
  Count();
  return syscall(SYS_pwrite64, file, bytes, count, at);
}
ssize_t pwrite64(int file, const void* bytes, size_t count, off64_t at) {
  Count();
  return syscall(SYS_pwrite64, file, bytes, count, at);
}
int fsync(int file) {
  Count();
  return static_cast<int>(syscall(SYS_fsync, file));
}
int ftruncate(int file, off_t bytes) noexcept {
  Count();
  return static_cast<int>(syscall(SYS_ftruncate, file, bytes));
}
int ftruncate64(int file, off64_t bytes) noexcept {
  Count();
  return static_cast<int>(syscall(SYS_ftruncate, file, bytes));
}
int flock(int file, int operation) noexcept {
  Count();
  return static_cast<int>(syscall(SYS_flock, file, operation));
}
int unlinkat(int folder, const char* name, int flags) noexcept {
  Count();
  return static_cast<int>(syscall(SYS_unlinkat, folder, name, flags));
}
int renameat(int from, const char* old_name, int to, const char* name) noexcept {
  Count();
  return static_cast<int>(syscall(SYS_renameat2, from, old_name, to, name, 0));
}
}
