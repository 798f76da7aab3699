#include "ports/linux/camera/program/bundle/bundle.h"

#include <sys/stat.h>

#include <algorithm>
#include <cstdio>
#include <ctime>
#include <sstream>
#include <utility>
#include <vector>

#include "ports/linux/camera/program/bundle/tar.h"
#include "ports/linux/camera/program/check/check.h"
#include "ports/linux/output/output_file.h"

namespace octet::port {
namespace {

constexpr const char* kFolder = "octet-support/";
constexpr const char* kReadMe =
    "A report of octet-camera --support-bundle.\n\n"
    "versions.txt   program, kernel, system, board\n"
    "settings.yaml  the settings in use, as --print-config prints them\n"
    "check.json     what octet-camera --check --json finds\n"
    "state.txt      the records of --state, --drift and --slots\n"
    "sensors.txt    temperatures, clocks, load, memory\n"
    "metrics.txt    the numbers of the camera that runs, where --metrics serves them\n"
    "lines.txt      its last lines in the journal\n\n"
    "It has no pictures, no models and no keys. It names paths, addresses and the device, and "
    "what\n"
    "the camera found: read it before you send it.\n";

std::string CheckPart(const CameraOptions& options) {
  Line line(kLineBytes);
  AddFindings(CheckAll(options), &line);
  return {line.data(), line.length()};
}

}  // namespace

std::string WithoutKeys(const std::string& text) {
  constexpr const char* kOfKeys[] = {"octet-ed25519-", "PRIVATE KEY"};
  std::istringstream lines(text);
  std::string result;
  bool in_block = false;  // of PEM
  for (std::string line; std::getline(lines, line);) {
    const bool ends = line.find("-----END") != std::string::npos;
    const bool hides =
        in_block || std::any_of(std::begin(kOfKeys), std::end(kOfKeys), [&](const char* word) {
          return line.find(word) != std::string::npos;
        });
    in_block = !ends && (in_block || (hides && line.find("-----BEGIN") != std::string::npos));
    result += hides ? "(not shown: a key)" : line;
    result += "\n";
  }
  return result;
}

int WriteSupportBundle(const CameraSettings& settings) {
  const CameraOptions& options = settings.options();
  const std::vector<std::pair<const char*, std::string>> parts = {
      {"README.txt", kReadMe},
      {"versions.txt", VersionsPart()},
      {"settings.yaml", settings.AsYaml()},
      {"check.json", CheckPart(options)},
      {"state.txt", StatePart(options)},
      {"sensors.txt", SensorsPart(options)},
      {"metrics.txt", MetricsPart(options)},
      {"lines.txt", LastLinesPart()},
  };
  std::vector<TarFile> files;
  for (const auto& [name, text] : parts)
    files.push_back({kFolder + std::string(name), WithoutKeys(text)});
  const std::string archive = TarOf(files, static_cast<uint64_t>(std::time(nullptr)));
  umask(077);
  OutputFile file(options.bundle, Kept::kDurable);
  file.Write(archive.data(), archive.size());
  file.Commit();
  for (const TarFile& part : files) std::printf("%8zu  %s\n", part.text.size(), part.name.c_str());
  std::printf("%s: %zu bytes; no pictures, no keys. Read it before you send it\n",
              options.bundle.c_str(), archive.size());
  return 0;
}

}  // namespace octet::port
