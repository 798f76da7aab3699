// What octet-camera tells a Prometheus (--metrics): the numbers, the server, and the thermometer
// that feeds one of them.
#ifndef OCTET_PORTS_LINUX_CAMERA_PROGRAM_TELEMETRY_H_
#define OCTET_PORTS_LINUX_CAMERA_PROGRAM_TELEMETRY_H_

#include <functional>
#include <optional>

#include "ports/linux/camera/program/options.h"
#include "ports/linux/metrics/metrics_server.h"
#include "ports/linux/thermal/monitor.h"

namespace octet::port {

class Telemetry {
 public:
  // Serves nothing yet.
  explicit Telemetry(const CameraOptions& options);
  // Describes the model, which is bound, and serves where --metrics asks for it. begin: the first
  // that each thread calls. Throws InputError.
  void Start(const Model& model, const StopRequest& stop, const std::function<void()>& begin);

  // Numbers may be set whether anybody is served or not.
  Metrics& metrics() { return metrics_; }
  // The board's temperature; null where nobody asks for it.
  const ThermalMonitor* thermal() const { return thermal_ ? &*thermal_ : nullptr; }

 private:
  const CameraOptions& options_;
  Metrics metrics_;
  std::optional<ThermalMonitor> thermal_;
  std::optional<MetricsServer> server_;
};

}  // namespace octet::port

#endif  // OCTET_PORTS_LINUX_CAMERA_PROGRAM_TELEMETRY_H_
