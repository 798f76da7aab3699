#include "ports/linux/serve/engine/numbers.h"

namespace octet::port::serve {

Answered AnsweredOf(Refusal why) {
  switch (why) {
    case Refusal::kFull:
      return Answered::kFull;
    case Refusal::kLate:
      return Answered::kLate;
    case Refusal::kEnding:
      return Answered::kEnding;
  }
  return Answered::kBad;
}

void Numbers::Write(const Now& now, Exposition* out) const {
  out->Family("octet_serve_answers_total", "counter", "Requests answered, by protocol and answer.");
  for (size_t p = 0; p < std::size(kProtocols); ++p) {
    for (size_t a = 0; a < std::size(kAnswered); ++a) {
      out->Sample("", {{"protocol", kProtocols[p]}, {"answer", kAnswered[a]}},
                  answers_[p][a].load(std::memory_order_relaxed));
    }
  }
  out->Family("octet_serve_run_seconds", "summary", "Time of the network alone.");
  out->Sample("_sum", {},
              static_cast<double>(run_ns_.load(std::memory_order_relaxed)) / 1'000'000'000);
  out->Sample("_count", {}, runs());
  WriteGauge("octet_serve_waiting_requests", "Requests that wait for a worker.",
             static_cast<uint64_t>(now.waiting), out);
  WriteGauge("octet_serve_connections", "Open HTTP connections.",
             static_cast<uint64_t>(now.connections), out);
  WriteGauge("octet_serve_workers", "Threads that run requests.", uint64_t{now.workers}, out);
  WriteCounter("octet_serve_model_changes_total", "Models that were replaced while serving.",
               now.model_changes, out);
  WriteGauge("octet_resident_bytes", "Resident memory of the process.", now.resident_bytes, out);
}

}  // namespace octet::port::serve
