// Writes lines of results and news on its own thread. The loop puts them into a queue of fixed size
// and continues. Of a live source lines that are not read are dropped and counted; a source that
// waits waits for its reader, and ends with an error where the output fails. A failure of stderr
// ends nothing.
#ifndef OCTET_PORTS_LINUX_CAMERA_PROGRAM_EMITTER_H_
#define OCTET_PORTS_LINUX_CAMERA_PROGRAM_EMITTER_H_

#include <cstdint>
#include <functional>
#include <memory>
#include <string_view>

#include "ports/linux/capture/stop.h"
#include "ports/linux/results/text.h"

namespace octet::port {

class Emitter {
 public:
  // Results to `results`, news to `news`. line_bytes: the longest line there will be. begin: the
  // first that the thread calls.
  Emitter(int results, int news, bool waits, size_t line_bytes, std::function<void()> begin);
  // Waits a moment; a thread that hangs in a write is let go.
  ~Emitter();
  Emitter(const Emitter&) = delete;
  Emitter& operator=(const Emitter&) = delete;

  // Before a longer line.
  void Reserve(size_t line_bytes);
  // A line of results. False if the reader has gone. Throws InputError where a source waits
  // and the line cannot be stored.
  bool Write(const Line& line, const StopRequest& stop);
  // "octet-camera: <news>" and a newline; nothing where it is empty.
  void Say(std::string_view news);
  // Until all lines are out: of a source that waits as long as it takes, or until the stop; else
  // for kLastNs. Those that are left are dropped and counted. Throws as Write does.
  void Drain(const StopRequest& stop);
  // The very last line, to results or to news; a second at most.
  void Last(const Line& line, bool to_news);
  uint64_t dropped() const;
  // Why the last line of results was not stored; 0: it was, or its reader has gone.
  int error() const;

 private:
  class State;
  std::shared_ptr<State> state_;
};

}  // namespace octet::port

#endif  // OCTET_PORTS_LINUX_CAMERA_PROGRAM_EMITTER_H_
