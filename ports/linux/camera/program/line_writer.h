// Lines to a descriptor whose reader may pause or go, or whose disk may be full: a stop is always
// seen, and where it does not wait, lines that cannot be written are dropped and counted,
// never cut in two.
#ifndef OCTET_PORTS_LINUX_CAMERA_PROGRAM_LINE_WRITER_H_
#define OCTET_PORTS_LINUX_CAMERA_PROGRAM_LINE_WRITER_H_

#include <cstdint>
#include <string>
#include <vector>

#include "ports/linux/capture/stop.h"
#include "ports/linux/results/text.h"

namespace octet::port {

class LineWriter {
 public:
  // waits: a line waits for its reader until a stop is raised (pictures of a folder). Otherwise it
  // does not wait. Throws InputError.
  LineWriter(int descriptor, bool waits, const StopRequest& stop);
  ~LineWriter();
  LineWriter(const LineWriter&) = delete;
  LineWriter& operator=(const LineWriter&) = delete;

  void Reserve(size_t line_bytes) { rest_.reserve(line_bytes); }
  // False if the reader has gone. Where it waits, throws InputError if the line cannot be
  // stored; else the rest of it is tried again before the next one.
  bool Write(const char* line, size_t bytes);
  bool Write(const Line& line) { return Write(line.data(), line.length()); }
  // The last line: what is left of the one before it first, and a stop does not count; a second at
  // most.
  void WriteLast(const char* line, size_t bytes);
  void WriteLast(const Line& line) { WriteLast(line.data(), line.length()); }
  uint64_t dropped() const { return dropped_; }
  // Why the last line was not stored; 0: it was, or its reader is merely late.
  int error() const { return error_; }

 private:
  enum class Ended { kWritten, kLate, kGone, kFailed };

  void Take(const char* line, size_t bytes);
  Ended Flush(int64_t patience_ns, bool obeys_stop);
  int64_t WriteSome();

  int descriptor_;
  bool owned_ = false, is_socket_ = false;
  bool waits_;
  const StopRequest& stop_;
  std::vector<char> rest_;  // of the line begun
  size_t written_ = 0;
  uint64_t dropped_ = 0;
  int error_ = 0;
};

}  // namespace octet::port

#endif  // OCTET_PORTS_LINUX_CAMERA_PROGRAM_LINE_WRITER_H_
