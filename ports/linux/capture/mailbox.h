// One place between the thread that captures and the one that infers: the newest frame wins, so
// latency never grows. Three buffers change hands; nothing is allocated or copied.
#ifndef OCTET_PORTS_LINUX_CAPTURE_MAILBOX_H_
#define OCTET_PORTS_LINUX_CAPTURE_MAILBOX_H_

#include <condition_variable>
#include <cstdint>
#include <mutex>
#include <string>

#include "ports/linux/capture/frame.h"
#include "ports/linux/capture/source.h"

namespace octet::port {

// Wakes who waits for several mailboxes at once.
class Bell {
 public:
  void Ring();
  // How often it has rung. Wait: until that is another number, or until_ns (NowNs(); UINT64_MAX: no
  // limit).
  uint64_t rings() const;
  void Wait(uint64_t seen, uint64_t until_ns);

 private:
  mutable std::mutex mutex_;
  std::condition_variable changed_;
  uint64_t rings_ = 0;
};

class Mailbox {
 public:
  // bell: rings for each frame, and at the end.
  explicit Mailbox(Bell* bell = nullptr) : bell_(bell) {}

  // The producer's buffer; Publish hands it over and gives another.
  FrameBuffer* back() { return &buffers_[back_]; }
  // wait: until the frame before has been taken, instead of replacing it. False once the consumer
  // has left.
  bool Publish(bool wait);
  // No frame will follow. error: why, one line; empty for a plain end.
  void End(const std::string& error);

  // The newest frame not yet taken, waiting for one; valid until the next call. Null at the end.
  FrameBuffer* Take();
  // Whether Take would not wait: there is a frame, or there will be none.
  enum class State { kEmpty, kFrame, kEnd };
  State state() const;
  // The consumer takes no more.
  void Leave();

  uint64_t published() const;  // those passed over included
  uint64_t dropped() const;
  uint64_t longest_gap_ns() const;  // between the captures of two frames, one after the other
  std::string error() const;

 private:
  Bell* bell_;
  mutable std::mutex mutex_;
  std::condition_variable changed_;
  FrameBuffer buffers_[3];
  int back_ = 0, ready_ = 1, front_ = 2;
  bool fresh_ = false, ended_ = false, left_ = false;
  uint64_t published_ = 0, dropped_ = 0;
  uint64_t captured_ns_ = 0, longest_gap_ns_ = 0;
  std::string error_;
};

// Body of the capture thread: frames of the source into the mailbox until one of the two ends.
// every_frame: no frame is dropped, the source waits.
void Capture(Source* source, Mailbox* mailbox, const StopRequest& stop, bool every_frame);

}  // namespace octet::port

#endif  // OCTET_PORTS_LINUX_CAPTURE_MAILBOX_H_
