// A request to end, seen by everything that waits: an eventfd, so that poll wakes up, and a flag.
#ifndef OCTET_PORTS_LINUX_CAPTURE_STOP_H_
#define OCTET_PORTS_LINUX_CAPTURE_STOP_H_

#include <atomic>
#include <cstdint>

namespace octet::port {

class StopRequest {
 public:
  StopRequest();
  ~StopRequest();
  StopRequest(const StopRequest&) = delete;
  StopRequest& operator=(const StopRequest&) = delete;

  void Raise();  // safe in a signal handler
  bool raised() const { return raised_.load(std::memory_order_relaxed) != 0; }
  int descriptor() const { return descriptor_; }  // readable once raised
  // SIGINT and SIGTERM raise this one from now on; SIGPIPE is ignored. One object a process. So
  // does SIGHUP where `hang_up`, but not below nohup, which has it ignored.
  void ObeySignals(bool hang_up = false);
  // They end the process again.
  void LeaveSignals();

 private:
  int descriptor_;
  bool hang_up_ = false;
  std::atomic<uint32_t> raised_{0};
  static_assert(std::atomic<uint32_t>::is_always_lock_free, "used in a signal handler");
};

// Waits until the descriptor can be read (or has ended), for at most timeout_ms (-1: for ever).
enum class Waited { kReady, kTimeout, kStopped };
Waited WaitReadable(int descriptor, const StopRequest& stop, int timeout_ms);
// Sleeps until the time of NowNs(), or a stop (then false).
bool SleepUntil(uint64_t when_ns, const StopRequest& stop);

}  // namespace octet::port

#endif  // OCTET_PORTS_LINUX_CAPTURE_STOP_H_
