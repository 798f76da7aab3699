// octet-camera --support-bundle: what a report about a board needs, as one
// tar archive of texts. Each part is made here of what it may hold: no picture, no blob and no key
// is read. It runs beside a camera that runs, and takes neither its device nor a frame.
#ifndef OCTET_PORTS_LINUX_CAMERA_PROGRAM_BUNDLE_BUNDLE_H_
#define OCTET_PORTS_LINUX_CAMERA_PROGRAM_BUNDLE_BUNDLE_H_

#include <cstddef>
#include <cstdint>
#include <string>

#include "ports/linux/camera/program/options.h"
#include "ports/linux/camera/program/settings.h"

namespace octet::port {

constexpr size_t kLastLines = 500;
constexpr size_t kMostPartBytes = size_t{1} << 20;  // of one part; of lines the last ones

// machine.cc: versions of program, kernel, system and board; what sensors and kernel say.
std::string VersionsPart();
std::string SensorsPart(const CameraOptions& options);
// camera.cc: what the camera that runs serves at --metrics; its last lines in the journal. Without
// them, one line that says why.
std::string MetricsPart(const CameraOptions& options);
std::string LastLinesPart();

// What a feature keeps in a file, as lines.
struct StoredRecord {
  enum Of : uint8_t { kOfProgram, kOfModel, kOfStore } of;  // the order in state.txt
  std::string option;                                       // that names the file
  std::string text;
};

// Lines that hold a key, as octet key or OpenSSL write them, are replaced.
std::string WithoutKeys(const std::string& text);

// --support-bundle itself.
CheckSettings DescribeBundle(CommandLine& app, CameraOptions& options);
bool IsBundle(const CameraOptions& options);
// Writes the archive, for its owner alone to read, prints what is in it, and
// returns 0. Throws InputError where it cannot be written.
int WriteSupportBundle(const CameraSettings& settings);

}  // namespace octet::port

#endif  // OCTET_PORTS_LINUX_CAMERA_PROGRAM_BUNDLE_BUNDLE_H_
