#include "ports/linux/camera/program/line_writer.h"

#include <fcntl.h>
#include <poll.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>

#include "ports/linux/model.h"

namespace octet::port {
namespace {

// A slow reader takes a line within this time. A reader that has stopped costs this time once.
constexpr int64_t kEndPatienceNs = 250'000'000;
constexpr int64_t kLastNs = 1'000'000'000;
constexpr int64_t kForEver = -1;
// A pipe takes this many bytes without blocking if poll says that it is writable (POSIX, PIPE_BUF).
constexpr size_t kPipeBytes = 4096;

}  // namespace

LineWriter::LineWriter(int descriptor, bool waits, const StopRequest& stop)
    : descriptor_(descriptor), waits_(waits), stop_(stop) {
  struct stat info;
  if (fstat(descriptor, &info) != 0) return;
  is_socket_ = S_ISSOCK(info.st_mode);
  if (!S_ISFIFO(info.st_mode) && !S_ISCHR(info.st_mode)) return;
  // O_NONBLOCK on the descriptor itself would change it for other programs that share it, such as
  // the shell. Therefore the file is opened again.
  const std::string again = "/proc/self/fd/" + std::to_string(descriptor);
  const int own = open(again.c_str(), O_WRONLY | O_NONBLOCK | O_NOCTTY | O_CLOEXEC);
  if (own < 0) return;
  descriptor_ = own;
  owned_ = true;
}

LineWriter::~LineWriter() {
  if (owned_) close(descriptor_);
}

void LineWriter::Take(const char* line, size_t bytes) {
  rest_.assign(line, line + bytes);
  written_ = 0;
}

bool LineWriter::Write(const char* line, size_t bytes) {
  Ended ended = Ended::kWritten;
  if (written_ < rest_.size()) ended = Flush(waits_ ? kForEver : 0, true);
  if (ended == Ended::kWritten) {
    Take(line, bytes);
    ended = Flush(waits_ ? kForEver : kEndPatienceNs, true);
    // The rest of this line is written before the next one. If nothing of it was written, it is
    // dropped.
    if (ended == Ended::kFailed && written_ == 0) {
      rest_.clear();
      ++dropped_;
    }
  } else if (ended != Ended::kGone) {
    ++dropped_;
  }
  if (ended != Ended::kFailed) error_ = 0;
  if (ended == Ended::kFailed && waits_) {
    throw InputError(std::string("output cannot be written: ") + ErrorText(error_) +
                     "; make room, or write it elsewhere");
  }
  return ended != Ended::kGone;
}

void LineWriter::WriteLast(const char* line, size_t bytes) {
  Ended ended = Flush(kLastNs, false);
  if (ended == Ended::kWritten) {
    Take(line, bytes);
    ended = Flush(kLastNs, false);
  }
  if (ended != Ended::kFailed) error_ = 0;
}

LineWriter::Ended LineWriter::Flush(int64_t patience_ns, bool obeys_stop) {
  const auto begun = static_cast<int64_t>(NowNs());
  while (written_ < rest_.size()) {
    const int64_t count = WriteSome();
    if (count > 0) {
      written_ += static_cast<size_t>(count);
      continue;
    }
    if (errno == EPIPE || errno == ECONNRESET) return Ended::kGone;
    if (count == 0) errno = ENOSPC;
    if (errno != EAGAIN && errno != EINTR) {
      error_ = errno;
      return Ended::kFailed;
    }
    int timeout_ms = -1;
    if (patience_ns != kForEver) {
      const int64_t left = begun + patience_ns - static_cast<int64_t>(NowNs());
      if (left <= 0) return Ended::kLate;
      timeout_ms = static_cast<int>(left / 1'000'000) + 1;
    }
    if (obeys_stop && stop_.raised()) return Ended::kLate;
    pollfd both[2] = {{descriptor_, POLLOUT, 0}, {stop_.descriptor(), POLLIN, 0}};
    poll(both, obeys_stop ? 2 : 1, timeout_ms);
  }
  return Ended::kWritten;
}

// Never blocks: like write(), with EAGAIN where the reader has no room.
int64_t LineWriter::WriteSome() {
  const char* data = rest_.data() + written_;
  const size_t bytes = rest_.size() - written_;
  if (is_socket_) return send(descriptor_, data, bytes, MSG_DONTWAIT | MSG_NOSIGNAL);
  if (owned_) return write(descriptor_, data, bytes);
  pollfd one = {descriptor_, POLLOUT, 0};
  if (poll(&one, 1, 0) == 0) {
    errno = EAGAIN;
    return -1;
  }
  return write(descriptor_, data, std::min(bytes, kPipeBytes));
}

}  // namespace octet::port
