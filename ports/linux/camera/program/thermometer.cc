#include "ports/linux/camera/program/thermometer.h"

#include <limits>
namespace octet::port {
namespace {

// Readings come once a second; one that is older than a few has hung.
constexpr uint64_t kOldNs = 5 * ThermalMonitor::kPeriodNs;

}  // namespace

bool Thermometer::Start(const std::vector<std::string>& zones) {
  if (monitor_) return has_zone_;
  ThermalSensor sensor(root_, zones);
  has_zone_ = !sensor.type().empty();
  monitor_.emplace(std::move(sensor), begin_, [this](const ThermalReading& reading) {
    metrics_->SetTemperature(reading.state == ThermalState::kOk
                                 ? reading.celsius()
                                 : std::numeric_limits<float>::quiet_NaN());
  });
  return has_zone_;
}

float Thermometer::Celsius(uint64_t now_ns) const {
  if (!monitor_) return std::numeric_limits<float>::quiet_NaN();
  const ThermalMonitor::Latest latest = monitor_->At(now_ns);
  return latest.reading.state == ThermalState::kOk && latest.age_ns < kOldNs
             ? latest.reading.celsius()
             : std::numeric_limits<float>::quiet_NaN();
}

}  // namespace octet::port
