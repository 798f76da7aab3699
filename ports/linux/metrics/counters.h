// Counts of one family by kind. A kind is an enum's value; its word is the value of a label, so
// that changing one changes dashboards and alerts (ports/linux/monitoring).
#ifndef OCTET_PORTS_LINUX_METRICS_COUNTERS_H_
#define OCTET_PORTS_LINUX_METRICS_COUNTERS_H_

#include <array>
#include <atomic>
#include <cstddef>
#include <cstdint>

#include "ports/linux/metrics/exposition.h"

namespace octet::port {

template <typename Kind, size_t kKinds>
class Counters {
 public:
  // words: in the order of Kind; they outlive this.
  explicit Counters(const char* const (&words)[kKinds]) : words_(words) {}
  // From any thread.
  void Count(Kind kind, uint64_t more = 1) {
    counts_[static_cast<size_t>(kind)].fetch_add(more, std::memory_order_relaxed);
  }
  void Write(const char* name, const char* help, const char* label, Exposition* out) const {
    out->Family(name, "counter", help);
    for (size_t i = 0; i < kKinds; ++i) {
      out->Sample("", {{label, words_[i]}}, counts_[i].load(std::memory_order_relaxed));
    }
  }

 private:
  const char* const (&words_)[kKinds];
  std::array<std::atomic<uint64_t>, kKinds> counts_{};
};

}  // namespace octet::port

#endif  // OCTET_PORTS_LINUX_METRICS_COUNTERS_H_
