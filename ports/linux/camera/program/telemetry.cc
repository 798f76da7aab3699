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

}  // namespace

Telemetry::Telemetry(const CameraOptions& options)
    : options_(options), metrics_(SecondsSince1970()) {}

void Telemetry::Start(const Model& model, const StopRequest& stop,
                      const std::function<void()>& begin) {
  metrics_.SetBlob(Describe(model, options_.blob));
  metrics_.SetPlan(octet_plan(model.session()));
  if (options_.metrics.empty()) return;
  thermal_.emplace(ThermalSensor(options_.thermal_root, {}), begin,
                   [this](const ThermalReading& reading) {
                     metrics_.SetTemperature(reading.state == ThermalState::kOk
                                                 ? reading.celsius()
                                                 : std::numeric_limits<float>::quiet_NaN());
                   });
  server_.emplace(options_.metrics, &metrics_, stop, begin);
  std::fprintf(stderr, "octet-camera: http://%s/metrics\n", server_->address().Text().c_str());
}

}  // namespace octet::port
