// What octet-camera tells a Prometheus (--metrics): the numbers, the server, and the thermometer
// that feeds one of them.
#ifndef OCTET_PORTS_LINUX_CAMERA_PROGRAM_TELEMETRY_H_
#define OCTET_PORTS_LINUX_CAMERA_PROGRAM_TELEMETRY_H_

#include <functional>
#include <optional>
#include <string>

#include "ports/linux/camera/program/guard.h"
#include "ports/linux/camera/program/options.h"
#include "ports/linux/metrics/guard_metrics.h"
#include "ports/linux/metrics/metrics_server.h"
#include "ports/linux/thermal/monitor.h"

namespace octet::port {

class Telemetry {
 public:
  // Serves nothing yet.
  explicit Telemetry(const CameraOptions& options);
  // SetModel; then serves where --metrics asks for it, and reads temperatures for that and for a
  // guard. begin: the first that each thread calls. Throws InputError.
  void Start(const Model& model, const CameraGuard* guard, const StopRequest& stop,
             const std::function<void()>& begin);
  // What runs from now on: a model that is bound, of a file of this name. guard: its, or null.
  void SetModel(const Model& model, const std::string& path, const CameraGuard* guard);
  // What the guard has decided after a frame, and its probes.
  void Add(const CameraGuard& guard);

  // Numbers may be set whether anybody is served or not.
  Metrics& metrics() { return metrics_; }
  // The board's temperature; NaN where there is none, or the last is old.
  float Celsius(uint64_t now_ns) const;

 private:
  const CameraOptions& options_;
  Metrics metrics_;
  std::optional<GuardMetrics> guard_metrics_;
  std::optional<ThermalMonitor> thermal_;
  std::optional<MetricsServer> server_;
};

}  // namespace octet::port

#endif  // OCTET_PORTS_LINUX_CAMERA_PROGRAM_TELEMETRY_H_
