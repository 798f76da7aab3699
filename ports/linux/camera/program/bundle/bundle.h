// octet-camera --support-bundle: what somebody who was not there needs to know of a board, as one
// tar archive of texts. Each part is made here of what it may hold: no picture, no blob and no key
// is read. It runs beside a camera that runs, and takes neither its device nor a frame.
#ifndef OCTET_PORTS_LINUX_CAMERA_PROGRAM_BUNDLE_BUNDLE_H_
#define OCTET_PORTS_LINUX_CAMERA_PROGRAM_BUNDLE_BUNDLE_H_

#include <cstddef>
#include <string>

#include "ports/linux/camera/program/options.h"
#include "ports/linux/camera/program/settings.h"

namespace octet::port {

constexpr size_t kLastLines = 500;
constexpr size_t kMostPartBytes = size_t{1} << 20;  // of one part; of lines the last ones

// machine.cc: versions of program, kernel, system and board; what sensors and kernel say.
std::string VersionsPart();
std::string SensorsPart(const CameraOptions& options);
// camera.cc: records of --state, --drift and the store; what the camera that runs serves at
// --metrics; its last lines in the journal. Without them, one line that says why.
std::string StatePart(const CameraOptions& options);
std::string MetricsPart(const CameraOptions& options);
std::string LastLinesPart();

// Lines that hold a key, as octet key or OpenSSL write them, are replaced.
std::string WithoutKeys(const std::string& text);

// Writes the archive to options().bundle, for its owner alone to read, prints what is in it, and
// returns 0. Throws InputError where it cannot be written.
int WriteSupportBundle(const CameraSettings& settings);

}  // namespace octet::port

#endif  // OCTET_PORTS_LINUX_CAMERA_PROGRAM_BUNDLE_BUNDLE_H_
