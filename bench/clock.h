#ifndef OCTET_BENCH_CLOCK_H_
#define OCTET_BENCH_CLOCK_H_

#include <chrono>

namespace octet::bench {

inline double SecondsNow() {
  using Clock = std::chrono::steady_clock;
  return std::chrono::duration<double>(Clock::now().time_since_epoch()).count();
}

}  // namespace octet::bench

#endif  // OCTET_BENCH_CLOCK_H_
