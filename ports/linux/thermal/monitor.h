// The temperature once a second, from a thread of its own: a driver that hangs delays no other
// thread, and its last reading grows old.
#ifndef OCTET_PORTS_LINUX_THERMAL_MONITOR_H_
#define OCTET_PORTS_LINUX_THERMAL_MONITOR_H_

#include <atomic>
#include <cstdint>
#include <functional>
#include <thread>

#include "ports/linux/capture/stop.h"
#include "ports/linux/thermal/sensor.h"

namespace octet::port {

class ThermalMonitor {
 public:
  static constexpr uint64_t kPeriodNs = 1'000'000'000;

  // Until its end. begin: the first that the thread calls; told: with every reading, on the
  // monitor's thread.
  ThermalMonitor(ThermalSensor sensor, std::function<void()> begin,
                 std::function<void(const ThermalReading&)> told);
  ~ThermalMonitor();
  ThermalMonitor(const ThermalMonitor&) = delete;
  ThermalMonitor& operator=(const ThermalMonitor&) = delete;

  struct Latest {
    ThermalReading reading;
    uint64_t age_ns = 0;  // since it was taken; it is the caller's to say how old is too old
  };
  // now_ns: NowNs(). Before the first: kNone, as old as the monitor. Never waits.
  Latest At(uint64_t now_ns) const;

 private:
  void Watch(const std::function<void(const ThermalReading&)>& told);

  ThermalSensor sensor_;
  bool had_one_ = false;  // a file, at some time
  // Time, millidegrees and state in one word, so that they belong together and a reader of higher
  // priority never waits for the thread that writes.
  std::atomic<uint64_t> latest_;
  StopRequest ending_;
  std::thread thread_;  // the last: it uses all of the above
};

}  // namespace octet::port

#endif  // OCTET_PORTS_LINUX_THERMAL_MONITOR_H_
