// What octet-camera tells a Prometheus (--metrics): the numbers, the server, and the thermometer
// that feeds one of them.
#ifndef OCTET_PORTS_LINUX_CAMERA_PROGRAM_TELEMETRY_H_
#define OCTET_PORTS_LINUX_CAMERA_PROGRAM_TELEMETRY_H_

#include <functional>
#include <optional>
#include <string>

#include "octet/slots.h"
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
  // The model that runs from now on, bound, and its guard or null.
  void SetModel(const Model& model, const std::string& path, const CameraGuard* guard);
  // Serves where --metrics asks for it, and reads temperatures for that and for a guard, from the
  // zones that this model names. begin: the first that each thread calls. Throws InputError.
  void Start(const Model& model, bool guarded, const StopRequest& stop,
             const std::function<void()>& begin);
  // What the guard has decided after a frame, and its probes.
  void Add(const CameraGuard& guard);

  // Numbers may be set whether anybody is served or not.
  Metrics& metrics() { return metrics_; }
  // What a store says, whenever it was looked at: counts what it has refused and rolled back since.
  void Add(const octet_slots_info& store);
  // The board's temperature; NaN where there is none, or the last is old.
  float Celsius(uint64_t now_ns) const;

 private:
  const CameraOptions& options_;
  Metrics metrics_;
  std::optional<GuardMetrics> guard_metrics_;
  std::optional<octet_slots_info> store_;  // as it was last
  std::optional<ThermalMonitor> thermal_;
  std::optional<MetricsServer> server_;
};

}  // namespace octet::port

#endif  // OCTET_PORTS_LINUX_CAMERA_PROGRAM_TELEMETRY_H_
