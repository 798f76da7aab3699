#include "tests/ports/linux/v4l2_source/fake_camera.h"

// Both spellings of each call are defined here, so that no macro may turn one into the other.
#undef _FORTIFY_SOURCE
#include <fcntl.h>
#include <poll.h>
#include <stdarg.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstring>

namespace octet::test {
namespace {

FakeCamera* camera = nullptr;
int shown = -1;  // the descriptor that the program has

int Fail(int error) {
  errno = error;
  return -1;
}

int OpenFile(const char* path, int flags, mode_t mode) {
  if (camera != nullptr && std::strcmp(path, FakeCamera::kPath) == 0) {
    if (camera->open_error != 0) return Fail(camera->open_error);
    ++camera->opened;
    return shown = static_cast<int>(syscall(SYS_fcntl, camera->descriptor(), F_DUPFD_CLOEXEC, 0));
  }
  return static_cast<int>(syscall(SYS_openat, AT_FDCWD, path, flags, mode));
}

}  // namespace

FakeCamera::FakeCamera() : file_(memfd_create("camera", MFD_CLOEXEC)) {
  if (ftruncate(file_, 16 * kBufferBytes) == 0) camera = this;
}

FakeCamera::~FakeCamera() {
  camera = nullptr;
  close(file_);
}

int FakeCamera::Try(v4l2_format* format, bool sets) {
  auto& pix = format->fmt.pix;
  auto found = formats.find(pix.pixelformat);
  if (found == formats.end()) {
    found = formats.begin();
    pix.pixelformat = found->first;
  }
  const Size size = {pix.width, pix.height};
  const auto& sizes = found->second;
  const Size given = std::find(sizes.begin(), sizes.end(), size) != sizes.end() ? size : sizes[0];
  pix.width = given.first, pix.height = given.second;
  pix.bytesperline = line_bytes;
  if (sets && sets_another.count(pix.pixelformat) != 0) {
    pix.pixelformat = sets_another[pix.pixelformat];
  } else if (sets && sets_size.count(pix.pixelformat) != 0) {
    pix.width = sets_size[pix.pixelformat].first, pix.height = sets_size[pix.pixelformat].second;
  }
  return 0;
}

int FakeCamera::Control(unsigned long request, void* argument) {
  if (failures.count(request) != 0) return Fail(failures[request]);
  auto* buffer = static_cast<v4l2_buffer*>(argument);
  auto* parameters = static_cast<v4l2_streamparm*>(argument);
  switch (request) {
    case VIDIOC_QUERYCAP: {
      auto* found = static_cast<v4l2_capability*>(argument);
      std::strcpy(reinterpret_cast<char*>(found->card), "Fake");
      found->capabilities = capabilities;
      found->device_caps = device_caps;
      return 0;
    }
    case VIDIOC_G_FMT: {
      auto& pix = static_cast<v4l2_format*>(argument)->fmt.pix;
      pix.width = own_size.first, pix.height = own_size.second;
      return 0;
    }
    case VIDIOC_TRY_FMT:
    case VIDIOC_S_FMT:
      return Try(static_cast<v4l2_format*>(argument), request == VIDIOC_S_FMT);
    case VIDIOC_S_PARM:
      rates.push_back(parameters->parm.capture.timeperframe);
      return 0;
    case VIDIOC_G_PARM:
      parameters->parm.capture.timeperframe = period;
      return 0;
    case VIDIOC_REQBUFS: {
      auto* wanted = static_cast<v4l2_requestbuffers*>(argument);
      if (wanted->count == 0 && is_busy) return Fail(EBUSY);
      requested = wanted->count;
      wanted->count = std::clamp(wanted->count, least_buffers, most_buffers);
      return 0;
    }
    case VIDIOC_QUERYBUF:
      buffer->length = kBufferBytes;
      buffer->m.offset = buffer->index * kBufferBytes;
      return 0;
    case VIDIOC_QBUF:
      queued.push_back(buffer->index);
      return 0;
    case VIDIOC_DQBUF: {
      if (ready.empty() && stop != nullptr) stop->Raise();
      if (ready.empty()) return Fail(EAGAIN);
      const Frame frame = ready.front();
      ready.pop_front();
      buffer->index = frame.index >= 0 ? static_cast<uint32_t>(frame.index) : queued.front();
      if (frame.index < 0) queued.pop_front();
      buffer->flags = frame.flags;
      buffer->bytesused =
          static_cast<uint32_t>(frame.bytes_used < 0 ? frame.bytes.size() : frame.bytes_used);
      buffer->timestamp.tv_sec = static_cast<time_t>(frame.stamp_ns / 1'000'000'000);
      buffer->timestamp.tv_usec = static_cast<suseconds_t>(frame.stamp_ns / 1000 % 1'000'000);
      return pwrite(file_, frame.bytes.data(), frame.bytes.size(),
                    off_t{buffer->index} * kBufferBytes) >= 0
                 ? 0
                 : Fail(EIO);
    }
    case VIDIOC_STREAMON:
    case VIDIOC_STREAMOFF:
      streams = request == VIDIOC_STREAMON;
      return 0;
    default:
      return Fail(ENOTTY);
  }
}

}  // namespace octet::test

using octet::test::camera;
using octet::test::shown;

#define OCTET_OPEN(name)                                                   \
  int name(const char* path, int flags, ...) {                             \
    va_list list;                                                          \
    va_start(list, flags);                                                 \
    const mode_t mode = (flags & O_CREAT) != 0 ? va_arg(list, mode_t) : 0; \
    va_end(list);                                                          \
    return octet::test::OpenFile(path, flags, mode);                       \
  }
#define OCTET_MAP(name, type)                                                                      \
  void* name(void* at, size_t bytes, int protection, int flags, int file, type offset) noexcept {  \
    if (camera != nullptr && file == shown) ++camera->mapped;                                      \
    return reinterpret_cast<void*>(syscall(SYS_mmap, at, bytes, protection, flags, file, offset)); \
  }

extern "C" {
OCTET_OPEN(open)
OCTET_OPEN(open64)
OCTET_MAP(mmap, off_t)
OCTET_MAP(mmap64, off64_t)

int munmap(void* at, size_t bytes) noexcept {
  if (camera != nullptr && bytes == octet::test::FakeCamera::kBufferBytes) --camera->mapped;
  return static_cast<int>(syscall(SYS_munmap, at, bytes));
}

int close(int file) {
  if (camera != nullptr && file == shown && file >= 0) {
    --camera->opened;
    shown = -1;
  }
  return static_cast<int>(syscall(SYS_close, file));
}

int ioctl(int file, unsigned long request, ...) noexcept {
  va_list list;
  va_start(list, request);
  void* argument = va_arg(list, void*);
  va_end(list);
  if (camera != nullptr && file == shown) return camera->Control(request, argument);
  return static_cast<int>(syscall(SYS_ioctl, file, request, argument));
}

int poll(pollfd* waited, nfds_t count, int timeout_ms) {
  if (camera != nullptr && count == 2 && camera->timeouts > 0) {
    --camera->timeouts;
    return 0;
  }
  const timespec patience = {timeout_ms / 1000, timeout_ms % 1000 * 1'000'000};
  return static_cast<int>(
      syscall(SYS_ppoll, waited, count, timeout_ms < 0 ? nullptr : &patience, nullptr, 0));
}

int clock_gettime(clockid_t clock, timespec* time) noexcept {
  if (camera != nullptr && clock == CLOCK_MONOTONIC) {
    time->tv_sec = static_cast<time_t>(camera->now_ns / 1'000'000'000);
    time->tv_nsec = static_cast<long>(camera->now_ns % 1'000'000'000);
    return 0;
  }
  return static_cast<int>(syscall(SYS_clock_gettime, clock, time));
}
}
