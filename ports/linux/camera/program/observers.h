// All features, each once; observers.inc is the one place that a new one is added to.
#ifndef OCTET_PORTS_LINUX_CAMERA_PROGRAM_OBSERVERS_H_
#define OCTET_PORTS_LINUX_CAMERA_PROGRAM_OBSERVERS_H_

#include <memory>
#include <string>
#include <vector>

#include "ports/linux/camera/program/model_source.h"
#include "ports/linux/camera/program/observer.h"
#include "ports/linux/camera/program/options.h"
#include "ports/linux/command_line/command_line.h"

namespace octet::port {

class Checked;        // check/check.h
struct StoredRecord;  // bundle/bundle.h

// What a feature gives to the program. Null: it has nothing of the kind.
struct Feature {
  // Its options.
  CheckSettings (*describe)(CommandLine& app, CameraOptions& options);
  // The observer of one camera; null where its options do not ask for one. Throws InputError.
  std::unique_ptr<Observer> (*make)(const CameraOptions& options, Shared& shared) = nullptr;
  // Or one observer for all cameras, or the source of models with its observer, likewise.
  std::unique_ptr<Observer> (*make_for_all)(const CameraOptions& options,
                                            Program& program) = nullptr;
  std::unique_ptr<ModelSource> (*make_models)(const CameraOptions& options,
                                              Program& program) = nullptr;
  // Findings of --check.
  void (*check)(const CameraOptions& options, Checked* checked) = nullptr;
  bool checks_each = false;  // of each camera of a list
  // What --support-bundle tells of its file.
  StoredRecord (*record)(const CameraOptions& options) = nullptr;
  // Thermal zones of the board that the model was made for, by its names for them.
  std::vector<std::string> (*thermal_zones)(const Model& model) = nullptr;
  // Its numbers of each camera, or of the program, which are served whether the options ask for it
  // or not.
  void (*add_metrics)(CameraMetrics* metrics) = nullptr;
  void (*add_program_metrics)(Metrics* metrics) = nullptr;
};

// In the order of observers.inc.
const std::vector<Feature>& Features();

// Of all of them.
std::vector<std::string> ThermalZonesOf(const Model& model);
void AddFeatureMetrics(Metrics* metrics);
// Another camera, with the numbers of all features. name: as Metrics::AddCamera has it.
CameraMetrics& AddCameraMetrics(const std::string& name, Metrics* metrics);

#define OCTET_OBSERVER(name) Feature name##Feature();
#include "ports/linux/camera/program/observers.inc"
#undef OCTET_OBSERVER

}  // namespace octet::port

#endif  // OCTET_PORTS_LINUX_CAMERA_PROGRAM_OBSERVERS_H_
