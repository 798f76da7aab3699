// The time of day, which may be set at any moment: it is read again for each moment that is
// told, and nothing is measured with it.
#ifndef OCTET_PORTS_LINUX_WALL_CLOCK_H_
#define OCTET_PORTS_LINUX_WALL_CLOCK_H_

#include <cstdint>

namespace octet::port {

// Seconds since 1970 of a moment of NowNs(), as the clock counts now.
double WallSecondsAt(uint64_t monotonic_ns);

// Whether something (NTP, a receiver) keeps the clock right. Unknown where the kernel may not be
// asked.
enum class ClockState { kUnknown, kFree, kSynchronised };
ClockState ReadClockState();

}  // namespace octet::port

#endif  // OCTET_PORTS_LINUX_WALL_CLOCK_H_
