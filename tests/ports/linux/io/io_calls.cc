#include "tests/ports/linux/io/io_calls.h"

// Both spellings of each call are defined here, so that no macro may turn one into the other.
#undef _FORTIFY_SOURCE
#include <fcntl.h>
#include <poll.h>
#include <stdarg.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/timex.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include <atomic>
#include <cerrno>
#include <cstdlib>
#include <cstring>

namespace octet::test {
namespace {

struct State {
  bool counts = false, stays = false, fired = false;
  uint64_t calls = 0, number = FailingCall::kNone;
  Fault fault = Fault::kIo;
  const char* where = "";
};
thread_local State state;
State state_of_all;
std::atomic<bool> all_count{false};
State& Counted() {
  return all_count.load(std::memory_order_acquire) ? state_of_all : state;
}
thread_local int shrink_at = -1;
const char* busy = nullptr;
int64_t shift_s = 0;
const KernelClock* kernel_clock = nullptr;

// True: the call fails, errno is set. writes: a card that is full or read-only minds it. *bytes:
// may become fewer.
bool Fails(const char* name, bool writes, size_t* bytes = nullptr) {
  State& counted = Counted();
  if (!counted.counts) return false;
  const uint64_t number = counted.calls++;
  if (number != counted.number && !(counted.stays && counted.fired)) return false;
  if (!counted.fired) counted.where = name;
  counted.fired = true;
  switch (counted.fault) {
    case Fault::kIo:
      errno = EIO;
      return true;
    case Fault::kNoSpace:
      errno = ENOSPC;
      return writes;
    case Fault::kReadOnly:
      errno = EROFS;
      return writes;
    case Fault::kInterrupted:
      errno = EINTR;
      return true;
    case Fault::kShort:
      if (bytes != nullptr && *bytes > 1) *bytes /= 2;
      return false;
    case Fault::kHang: {
      static const char* const text = std::getenv("OCTET_IO_HANG_MS");
      const long ms = text == nullptr ? 3 : std::atol(text);
      const timespec pause = {ms / 1000, ms % 1000 * 1'000'000};
      syscall(SYS_nanosleep, &pause, nullptr);
      return false;
    }
  }
  return false;
}

void BeforeSend(const char* name, int file) {
  if (shrink_at < 0 || std::strncmp(name, "pread", 5) != 0 || shrink_at-- != 0) return;
  const std::string path = "/proc/self/fd/" + std::to_string(file);
  syscall(SYS_truncate, path.c_str(), 0);
}

int Open(int folder, const char* path, int flags, mode_t mode) {
  if (busy != nullptr && (flags & O_EXCL) != 0 && (flags & O_CREAT) == 0 &&
      std::strcmp(path, busy) == 0) {
    errno = EBUSY;
    return -1;
  }
  if (Fails("open", (flags & (O_WRONLY | O_RDWR | O_CREAT)) != 0)) return -1;
  return static_cast<int>(syscall(SYS_openat, folder, path, flags, mode));
}

mode_t ModeOf(int flags, va_list list) {
  return (flags & (O_CREAT | O_TMPFILE)) != 0 ? va_arg(list, mode_t) : 0;
}

}  // namespace

const char* FaultName(Fault fault) {
  constexpr const char* kNames[] = {"EIO", "ENOSPC", "EROFS", "EINTR", "short", "hang"};
  return kNames[static_cast<int>(fault)];
}

FailingCall::FailingCall(uint64_t number, Fault fault, bool stays, Threads threads) {
  State& counted = threads == Threads::kAll ? state_of_all : state;
  counted = State();
  counted.number = number;
  counted.fault = fault;
  counted.stays = stays;
  counted.counts = true;
  all_count.store(threads == Threads::kAll, std::memory_order_release);
}
FailingCall::~FailingCall() {
  Counted().counts = false;
  all_count.store(false, std::memory_order_release);
}
bool FailingCall::fired() const {
  return Counted().fired;
}
uint64_t FailingCall::calls() const {
  return Counted().calls;
}
std::string FailingCall::where() const {
  return Counted().where;
}

void ShrinkAtRead(int number) {
  shrink_at = number;
}
void MakeBusy(const char* path) {
  busy = path;
}
void SetKernelClock(const KernelClock* clock) {
  kernel_clock = clock;
}
void ShiftClock(int64_t seconds) {
  shift_s = seconds;
}

}  // namespace octet::test

using octet::test::Fails;

#define OCTET_OPEN(name, folder_type, folder)              \
  int name(folder_type const char* path, int flags, ...) { \
    va_list list;                                          \
    va_start(list, flags);                                 \
    const mode_t mode = octet::test::ModeOf(flags, list);  \
    va_end(list);                                          \
    return octet::test::Open(folder, path, flags, mode);   \
  }
#define OCTET_COMMA ,
#define OCTET_SEND(name, call, type, ...)                                        \
  ssize_t name(int file, type bytes, size_t count __VA_ARGS__) {                 \
    octet::test::BeforeSend(#name, file);                                        \
    if (Fails(#name, (#name)[0] == 'w' || (#name)[1] == 'w', &count)) return -1; \
    return call;                                                                 \
  }

extern "C" {
OCTET_OPEN(open, , AT_FDCWD)
OCTET_OPEN(open64, , AT_FDCWD)
OCTET_OPEN(openat, int folder OCTET_COMMA, folder)
OCTET_OPEN(openat64, int folder OCTET_COMMA, folder)
OCTET_SEND(read, syscall(SYS_read, file, bytes, count), void*)
OCTET_SEND(write, syscall(SYS_write, file, bytes, count), const void*)
OCTET_SEND(pread, syscall(SYS_pread64, file, bytes, count, at), void*, , off_t at)
OCTET_SEND(pread64, syscall(SYS_pread64, file, bytes, count, at), void*, , off64_t at)
OCTET_SEND(pwrite, syscall(SYS_pwrite64, file, bytes, count, at), const void*, , off_t at)
OCTET_SEND(pwrite64, syscall(SYS_pwrite64, file, bytes, count, at), const void*, , off64_t at)

ssize_t recv(int file, void* bytes, size_t count, int flags) {
  if (Fails("recv", false, &count)) return -1;
  return syscall(SYS_recvfrom, file, bytes, count, flags, nullptr, nullptr);
}
int poll(pollfd* files, nfds_t count, int ms) {
  return Fails("poll", false) ? -1 : static_cast<int>(syscall(SYS_poll, files, count, ms));
}
int pipe2(int* ends, int flags) noexcept {
  return Fails("pipe2", false) ? -1 : static_cast<int>(syscall(SYS_pipe2, ends, flags));
}
pid_t fork() noexcept {
  return Fails("fork", false) ? -1 : _Fork();
}
int waitid(idtype_t type, id_t id, siginfo_t* info, int options) {
  return Fails("waitid", false)
             ? -1
             : static_cast<int>(syscall(SYS_waitid, type, id, info, options, nullptr));
}
int fsync(int file) {
  return Fails("fsync", true) ? -1 : static_cast<int>(syscall(SYS_fsync, file));
}
int ftruncate(int file, off_t bytes) noexcept {
  return Fails("ftruncate", true) ? -1 : static_cast<int>(syscall(SYS_ftruncate, file, bytes));
}
int ftruncate64(int file, off64_t bytes) noexcept {
  return Fails("ftruncate", true) ? -1 : static_cast<int>(syscall(SYS_ftruncate, file, bytes));
}
int fchmod(int file, mode_t mode) noexcept {
  return Fails("fchmod", true) ? -1 : static_cast<int>(syscall(SYS_fchmod, file, mode));
}
int flock(int file, int operation) noexcept {
  return Fails("flock", false) ? -1 : static_cast<int>(syscall(SYS_flock, file, operation));
}
int unlinkat(int folder, const char* name, int flags) noexcept {
  return Fails("unlinkat", true) ? -1
                                 : static_cast<int>(syscall(SYS_unlinkat, folder, name, flags));
}
int renameat(int from, const char* old_name, int to, const char* name) noexcept {
  return Fails("renameat", true)
             ? -1
             : static_cast<int>(syscall(SYS_renameat2, from, old_name, to, name, 0));
}
int clock_gettime(clockid_t clock, timespec* time) noexcept {
  const int status = static_cast<int>(syscall(SYS_clock_gettime, clock, time));
  if (clock == CLOCK_REALTIME) time->tv_sec += octet::test::shift_s;
  return status;
}
int adjtimex(timex* state) noexcept {
  if (octet::test::kernel_clock == nullptr) {
    return static_cast<int>(syscall(SYS_adjtimex, state));
  }
  state->status = octet::test::kernel_clock->bits;
  return octet::test::kernel_clock->answer;
}
}
