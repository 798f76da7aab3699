#include "ports/linux/wall_clock.h"

#include <sys/timex.h>
#include <time.h>
#include <unistd.h>

#include "ports/linux/model.h"

namespace octet::port {

double WallSecondsAt(uint64_t monotonic_ns) {
  timespec wall;
  clock_gettime(CLOCK_REALTIME, &wall);
  const auto ago_ns = static_cast<int64_t>(NowNs() - monotonic_ns);
  return static_cast<double>(wall.tv_sec) +
         static_cast<double>(int64_t{wall.tv_nsec} - ago_ns) / 1e9;
}

ClockState ReadClockState() {
  timex state = {};
  const int status = adjtimex(&state);
  if (status >= 0) {
    const bool free = status == TIME_ERROR || (state.status & STA_UNSYNC) != 0;
    return free ? ClockState::kFree : ClockState::kSynchronised;
  }
  // A sandbox that protects the clock: systemd-timesyncd leaves a word.
  return access("/run/systemd/timesync/synchronized", F_OK) == 0 ? ClockState::kSynchronised
                                                                 : ClockState::kUnknown;
}

}  // namespace octet::port
