// All observers, each once, with its settings; observers.inc is the one place that a new one is
// added to.
#ifndef OCTET_PORTS_LINUX_CAMERA_PROGRAM_OBSERVERS_H_
#define OCTET_PORTS_LINUX_CAMERA_PROGRAM_OBSERVERS_H_

#include <memory>
#include <vector>

#include "ports/linux/camera/program/observer.h"
#include "ports/linux/camera/program/options.h"
#include "ports/linux/command_line/command_line.h"

namespace octet::port {

struct Feature {
  // Its options.
  CheckSettings (*describe)(CommandLine& app, CameraOptions& options);
  // Null where the options do not ask for it. Throws InputError.
  std::unique_ptr<Observer> (*make)(const CameraOptions& options, Shared& shared);
};

// In the order of observers.inc.
const std::vector<Feature>& Features();

#define OCTET_OBSERVER(name)                                              \
  CheckSettings Describe##name(CommandLine& app, CameraOptions& options); \
  std::unique_ptr<Observer> Make##name(const CameraOptions& options, Shared& shared);
#include "ports/linux/camera/program/observers.inc"
#undef OCTET_OBSERVER

}  // namespace octet::port

#endif  // OCTET_PORTS_LINUX_CAMERA_PROGRAM_OBSERVERS_H_
