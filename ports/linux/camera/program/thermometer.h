// The board's temperature, read once a second by a thread of its own.
#ifndef OCTET_PORTS_LINUX_CAMERA_PROGRAM_THERMOMETER_H_
#define OCTET_PORTS_LINUX_CAMERA_PROGRAM_THERMOMETER_H_

#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "ports/linux/metrics/metrics.h"
#include "ports/linux/thermal/monitor.h"

namespace octet::port {

class Thermometer {
 public:
  Thermometer(std::string root, Metrics* metrics, std::function<void()> begin)
      : root_(std::move(root)), metrics_(metrics), begin_(std::move(begin)) {}
  // Reads these zones (as ThermalSensor takes them) from now on; once, whoever asks first.
  // False: there are none.
  bool Start(const std::vector<std::string>& zones);
  // NaN where there is none, or the last is old.
  float Celsius(uint64_t now_ns) const;

 private:
  std::string root_;
  Metrics* metrics_;
  std::function<void()> begin_;
  bool has_zone_ = false;
  std::optional<ThermalMonitor> monitor_;
};

}  // namespace octet::port

#endif  // OCTET_PORTS_LINUX_CAMERA_PROGRAM_THERMOMETER_H_
