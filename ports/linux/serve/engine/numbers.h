// What /metrics says of the service.
#ifndef OCTET_PORTS_LINUX_SERVE_ENGINE_NUMBERS_H_
#define OCTET_PORTS_LINUX_SERVE_ENGINE_NUMBERS_H_

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <iterator>

#include "ports/linux/metrics/counters.h"
#include "ports/linux/serve/engine/job.h"

namespace octet::port::serve {

enum class Protocol : uint8_t { kZmq, kDeepStack, kV2 };
inline constexpr const char* kProtocols[] = {"zmq", "deepstack", "v2"};

// octet_serve_answers_total{protocol,answer}.
enum class Answered : uint8_t {
  kDone,
  kBad,     // the request is wrong: its form, shape, picture, model
  kDenied,  // no token, or a wrong one
  kFull,    // Refusal::kFull
  kLate,    // Refusal::kLate
  kEnding,  // Refusal::kEnding
};
inline constexpr const char* kAnswered[] = {"done", "bad", "denied", "full", "late", "ending"};

Answered AnsweredOf(Refusal why);

class Numbers {
 public:
  static constexpr size_t kTextBytes = size_t{1} << 14;

  void Count(Protocol protocol, Answered answered) {
    answers_[static_cast<size_t>(protocol)][static_cast<size_t>(answered)].fetch_add(
        1, std::memory_order_relaxed);
  }
  // Of the network alone, of a request that was run.
  void AddRun(uint64_t ns) {
    run_ns_.fetch_add(ns, std::memory_order_relaxed);
    runs_.fetch_add(1, std::memory_order_relaxed);
  }
  uint64_t runs() const { return runs_.load(std::memory_order_relaxed); }

  struct Now {
    size_t waiting = 0, connections = 0;
    uint32_t workers = 0;
    uint64_t resident_bytes = 0, model_changes = 0;
  };
  void Write(const Now& now, Exposition* out) const;

 private:
  std::atomic<uint64_t> answers_[std::size(kProtocols)][std::size(kAnswered)] = {};
  std::atomic<uint64_t> run_ns_{0}, runs_{0};
};

}  // namespace octet::port::serve

#endif  // OCTET_PORTS_LINUX_SERVE_ENGINE_NUMBERS_H_
