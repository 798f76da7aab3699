#include "ports/linux/camera/program/observers.h"

namespace octet::port {

const std::vector<Feature>& Features() {
  static const std::vector<Feature> features = {
#define OCTET_OBSERVER(name) name##Feature(),
#include "ports/linux/camera/program/observers.inc"
#undef OCTET_OBSERVER
  };
  return features;
}

std::vector<std::string> ThermalZonesOf(const Model& model) {
  std::vector<std::string> all;
  for (const Feature& feature : Features()) {
    if (feature.thermal_zones == nullptr) continue;
    const std::vector<std::string> zones = feature.thermal_zones(model);
    all.insert(all.end(), zones.begin(), zones.end());
  }
  return all;
}

void AddFeatureMetrics(Metrics* metrics) {
  for (const Feature& feature : Features()) {
    if (feature.add_program_metrics != nullptr) feature.add_program_metrics(metrics);
  }
}

CameraMetrics& AddCameraMetrics(const std::string& name, Metrics* metrics) {
  CameraMetrics& camera = metrics->AddCamera(name);
  for (const Feature& feature : Features()) {
    if (feature.add_metrics != nullptr) feature.add_metrics(&camera);
  }
  return camera;
}

}  // namespace octet::port
