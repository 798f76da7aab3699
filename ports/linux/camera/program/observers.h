// All observers, each once, with its settings: the one place that a new one is added to.
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

// In the order in which observers are asked: who runs layers for itself before who filters them,
// who judges a frame (guard) before who counts verdicts (slots), who tells it all last (telemetry).
const std::vector<Feature>& Features();

// Their descriptions and makers, a file each.
CheckSettings DescribeGuard(CommandLine& app, CameraOptions& options);
std::unique_ptr<Observer> MakeGuard(const CameraOptions& options, Shared& shared);
CheckSettings DescribeDrift(CommandLine& app, CameraOptions& options);
std::unique_ptr<Observer> MakeDrift(const CameraOptions& options, Shared& shared);
CheckSettings DescribeTemporal(CommandLine& app, CameraOptions& options);
std::unique_ptr<Observer> MakeTemporal(const CameraOptions& options, Shared& shared);
CheckSettings DescribeScore(CommandLine& app, CameraOptions& options);
std::unique_ptr<Observer> MakeScore(const CameraOptions& options, Shared& shared);
CheckSettings DescribePage(CommandLine& app, CameraOptions& options);
std::unique_ptr<Observer> MakePage(const CameraOptions& options, Shared& shared);
CheckSettings DescribeDump(CommandLine& app, CameraOptions& options);
std::unique_ptr<Observer> MakeDump(const CameraOptions& options, Shared& shared);
CheckSettings DescribeSlots(CommandLine& app, CameraOptions& options);
std::unique_ptr<Observer> MakeSlots(const CameraOptions& options, Shared& shared);
CheckSettings DescribeStarts(CommandLine& app, CameraOptions& options);
std::unique_ptr<Observer> MakeStarts(const CameraOptions& options, Shared& shared);
CheckSettings DescribeTelemetry(CommandLine& app, CameraOptions& options);
std::unique_ptr<Observer> MakeTelemetry(const CameraOptions& options, Shared& shared);

}  // namespace octet::port

#endif  // OCTET_PORTS_LINUX_CAMERA_PROGRAM_OBSERVERS_H_
