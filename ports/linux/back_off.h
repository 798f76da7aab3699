// When to try again what has failed: after a second, then twice as long each time, up to a minute.
#ifndef OCTET_PORTS_LINUX_BACK_OFF_H_
#define OCTET_PORTS_LINUX_BACK_OFF_H_

#include <algorithm>
#include <cstdint>

namespace octet::port {

class BackOff {
 public:
  bool IsDue(uint64_t now_ns) const { return now_ns >= next_ns_; }
  // The first time that is due.
  uint64_t next_ns() const { return next_ns_; }
  void Failed(uint64_t now_ns) {
    pause_ns_ = pause_ns_ == 0 ? kFirstNs : std::min(2 * pause_ns_, kMostNs);
    next_ns_ = now_ns + pause_ns_;
  }
  void Reset() { pause_ns_ = next_ns_ = 0; }

 private:
  static constexpr uint64_t kFirstNs = 1'000'000'000, kMostNs = 64'000'000'000;
  uint64_t pause_ns_ = 0, next_ns_ = 0;
};

}  // namespace octet::port

#endif  // OCTET_PORTS_LINUX_BACK_OFF_H_
