#include "ports/linux/camera/program/telemetry.h"

#include <time.h>

#include <cstdio>
#include <cstring>
#include <filesystem>
#include <limits>

namespace octet::port {
namespace {

double SecondsSince1970() {
  timespec wall;
  clock_gettime(CLOCK_REALTIME, &wall);
  return static_cast<double>(wall.tv_sec) + static_cast<double>(wall.tv_nsec) / 1e9;
}

BlobDescription Describe(const Model& model, const std::string& path) {
  const blob::Header& header = *model.blob().header;
  const auto* const board = reinterpret_cast<const char*>(header.board);
  BlobDescription blob;
  blob.SetDigest(header.sha256);
  blob.SetModel(std::filesystem::path(path).stem().string());
  blob.SetBoard({board, strnlen(board, sizeof(header.board))});
  blob.security_counter = header.security_counter;
  for (uint32_t i = 0; i < octet_plan_count(model.session()); ++i) {
    blob.AddPlan(octet_plan_name(model.session(), i));
  }
  return blob;
}

// Those of the board that the blob was made for.
std::vector<std::string> ZonesOf(const Model& model) {
  std::vector<std::string> zones;
  size_t bytes = 0;
  const char* names = octet_guard_zones(model.blob().base, model.blob().header->file_bytes, &bytes);
  for (size_t at = 0; at < bytes; at += zones.back().size() + 1) zones.emplace_back(names + at);
  return zones;
}

// Readings come once a second; one that is older than a few has hung.
constexpr uint64_t kOldNs = 5 * ThermalMonitor::kPeriodNs;

}  // namespace

Telemetry::Telemetry(const CameraOptions& options)
    : options_(options), metrics_(SecondsSince1970()) {}

void Telemetry::SetModel(const Model& model, const std::string& path, const CameraGuard* guard) {
  BlobDescription blob = Describe(model, path);
  guard_metrics_.reset();
  if (guard != nullptr) {
    for (uint32_t i = 0; i < octet_probes_count(&guard->probes()); ++i) {
      octet_probe_info info;
      octet_probes_info(&guard->probes(), i, &info);
      blob.AddLayer(info.name);
    }
    guard_metrics_.emplace(&metrics_, guard->decision().plan);
  }
  metrics_.SetBlob(blob);
  metrics_.SetPlan(octet_plan(model.session()));
}

void Telemetry::Start(const Model& model, const CameraGuard* guard, const StopRequest& stop,
                      const std::function<void()>& begin) {
  SetModel(model, options_.blob, guard);
  if (options_.metrics.empty() && guard == nullptr) return;
  thermal_.emplace(ThermalSensor(options_.thermal_root, ZonesOf(model)), begin,
                   [this](const ThermalReading& reading) {
                     metrics_.SetTemperature(reading.state == ThermalState::kOk
                                                 ? reading.celsius()
                                                 : std::numeric_limits<float>::quiet_NaN());
                   });
  if (options_.metrics.empty()) return;
  server_.emplace(options_.metrics, &metrics_, stop, begin);
  std::fprintf(stderr, "octet-camera: http://%s/metrics\n", server_->address().Text().c_str());
}

void Telemetry::Add(const CameraGuard& guard) {
  if (!guard_metrics_) return;
  guard_metrics_->Add(guard.decision());
  for (uint32_t i = 0; i < octet_probes_count(&guard.probes()); ++i) {
    octet_probe_info info;
    octet_probes_info(&guard.probes(), i, &info);
    const float error = info.error < 0 ? std::numeric_limits<float>::quiet_NaN() : info.error;
    metrics_.SetLayer(i, error, info.saturation, info.range_share);
  }
}

float Telemetry::Celsius(uint64_t now_ns) const {
  if (!thermal_) return std::numeric_limits<float>::quiet_NaN();
  const ThermalMonitor::Latest latest = thermal_->At(now_ns);
  return latest.reading.state == ThermalState::kOk && latest.age_ns < kOldNs
             ? latest.reading.celsius()
             : std::numeric_limits<float>::quiet_NaN();
}

}  // namespace octet::port
