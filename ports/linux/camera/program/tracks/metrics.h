// Tracks, zones and lines as numbers.
#ifndef OCTET_PORTS_LINUX_CAMERA_PROGRAM_TRACKS_METRICS_H_
#define OCTET_PORTS_LINUX_CAMERA_PROGRAM_TRACKS_METRICS_H_

#include <array>
#include <atomic>
#include <cstdint>

#include "octet/zones.h"
#include "ports/linux/camera/program/tracks/tracks.h"
#include "ports/linux/metrics/metrics.h"

namespace octet::port {

class TrackNumbers final : public FeatureMetrics {
 public:
  void Write(MetricPlace place, Exposition* out) const override;

  // Before the first frame.
  void SetZones(const std::vector<NamedZone>& zones);
  // After each frame.
  void Set(const CameraTracks& tracks);

 private:
  struct Zone {
    MetricName name{};
    bool is_line = false;
    std::atomic<uint64_t> in{0}, out{0}, inside{0};
  };
  void WriteZones(Exposition* out) const;
  void WriteLines(Exposition* out) const;

  std::atomic<bool> is_on_{false};
  std::atomic<uint64_t> alive_{0}, begun_{0}, refused_{0};
  std::array<Zone, OCTET_ZONES_MOST> zones_;
  std::atomic<uint32_t> zone_count_{0};
};

}  // namespace octet::port

#endif  // OCTET_PORTS_LINUX_CAMERA_PROGRAM_TRACKS_METRICS_H_
