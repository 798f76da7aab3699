// Reads and writes to the last byte, however few bytes a call moves.
#ifndef OCTET_PORTS_LINUX_OUTPUT_WHOLE_H_
#define OCTET_PORTS_LINUX_OUTPUT_WHOLE_H_

#include <poll.h>
#include <sys/types.h>
#include <unistd.h>

#include <cerrno>
#include <cstddef>
#include <cstdint>

#include "ports/linux/output/again.h"

namespace octet::port {

// How many of `count` bytes were moved by calls of `move(done, left)`, each of which may move a
// part. Fewer than `count`: errno says why, or is `at_end` where a call moved none.
template <typename Move>
size_t Whole(size_t count, int at_end, Move move) {
  size_t done = 0;
  while (done < count) {
    const ssize_t moved = Again([&] { return move(done, count - done); });
    if (moved == 0) errno = at_end;
    if (moved <= 0) break;
    done += static_cast<size_t>(moved);
  }
  return done;
}

// Behind a call that moved `moved` bytes: a pipe that does not block (as some programs start others
// with) is waited for, and the call is made again.
inline ssize_t OrWait(int file, short events, ssize_t moved) {
  if (moved >= 0 || errno != EAGAIN) return moved;
  pollfd one = {file, events, 0};
  poll(&one, 1, -1);
  errno = EINTR;
  return -1;
}

// Bytes read; fewer than `count`: errno is 0 at the end of the file.
inline size_t ReadWhole(int file, void* bytes, size_t count) {
  return Whole(count, 0, [&](size_t done, size_t left) {
    return OrWait(file, POLLIN, ::read(file, static_cast<uint8_t*>(bytes) + done, left));
  });
}
inline size_t ReadWholeAt(int file, off_t at, void* bytes, size_t count) {
  return Whole(count, 0, [&](size_t done, size_t left) {
    return ::pread(file, static_cast<uint8_t*>(bytes) + done, left, at + static_cast<off_t>(done));
  });
}

// True: all of it. Else errno says why.
inline bool WriteWhole(int file, const void* bytes, size_t count) {
  return Whole(count, ENOSPC, [&](size_t done, size_t left) {
           return OrWait(file, POLLOUT,
                         ::write(file, static_cast<const uint8_t*>(bytes) + done, left));
         }) == count;
}
inline bool WriteWholeAt(int file, off_t at, const void* bytes, size_t count) {
  return Whole(count, ENOSPC, [&](size_t done, size_t left) {
           return ::pwrite(file, static_cast<const uint8_t*>(bytes) + done, left,
                           at + static_cast<off_t>(done));
         }) == count;
}

}  // namespace octet::port

#endif  // OCTET_PORTS_LINUX_OUTPUT_WHOLE_H_
