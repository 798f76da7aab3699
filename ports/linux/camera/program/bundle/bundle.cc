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
#include "ports/linux/camera/program/observers.h"
#include "ports/linux/output/output_file.h"

namespace octet::port {
namespace {

constexpr const char* kFolder = "octet-support/";
constexpr const char* kReadMe =
    "A report of octet-camera --support-bundle.\n\n"
    "versions.txt   program, kernel, system, board\n"
    "settings.yaml  the settings in use, as --print-config prints them\n"
    "check.json     what octet-camera --check --json finds\n"
    "state.txt      the records of %s\n"
    "sensors.txt    temperatures, clocks, load, memory\n"
    "metrics.txt    the numbers of the camera that runs, where --metrics serves them\n"
    "lines.txt      its last lines in the journal\n\n"
    "It has no pictures, no models and no keys. It names paths, addresses and the device, and "
    "what\n"
    "the camera found: read it before you send it.\n";

struct BundleOptions {
  std::string path;  // empty: none
};

std::vector<StoredRecord> Records(const CameraOptions& options) {
  std::vector<StoredRecord> records;
  for (const Feature& feature : Features()) {
    if (feature.record != nullptr) records.push_back(feature.record(options));
  }
  std::stable_sort(records.begin(), records.end(),
                   [](const auto& a, const auto& b) { return a.of < b.of; });
  return records;
}

std::string ReadMePart(const std::vector<StoredRecord>& records) {
  std::string names;
  for (const StoredRecord& record : records) {
    const bool last = &record == &records.back();
    names += (names.empty() ? "" : last ? " and " : ", ") + record.option;
  }
  std::string text = kReadMe;
  return text.replace(text.find("%s"), 2, names);
}

std::string StatePart(const std::vector<StoredRecord>& records) {
  std::string text;
  for (const StoredRecord& record : records) text += record.text;
  return text;
}

std::string CheckPart(const std::vector<NamedCamera>& cameras) {
  Line line(kLineBytes);
  AddFindings(CheckAll(cameras), &line);
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

CheckSettings DescribeBundle(CommandLine& app, CameraOptions& o) {
  auto& bundle = o.features.Get<BundleOptions>();
  app.Add("--support-bundle", bundle.path,
          "write a tar archive for a report, and end: versions, these settings, what --check says, "
          "state, sensors, numbers and last lines of the camera that runs. It has no pictures and "
          "no keys. Nothing else is written, and no frame is taken")
      .OnCommandLineOnly();
  return [&o, &bundle] { o.looks_only = o.looks_only || !bundle.path.empty(); };
}

bool IsBundle(const CameraOptions& options) {
  return !options.features.Get<BundleOptions>().path.empty();
}

int WriteSupportBundle(const CameraSettings& settings) {
  const CameraOptions& options = settings.options();
  const std::string& path = options.features.Get<BundleOptions>().path;
  const std::vector<StoredRecord> records = Records(options);
  const std::vector<std::pair<const char*, std::string>> parts = {
      {"README.txt", ReadMePart(records)},   {"versions.txt", VersionsPart()},
      {"settings.yaml", settings.AsYaml()},  {"check.json", CheckPart(settings.cameras())},
      {"state.txt", StatePart(records)},     {"sensors.txt", SensorsPart(options)},
      {"metrics.txt", MetricsPart(options)}, {"lines.txt", LastLinesPart()},
  };
  std::vector<TarFile> files;
  for (const auto& [name, text] : parts)
    files.push_back({kFolder + std::string(name), WithoutKeys(text)});
  const std::string archive = TarOf(files, static_cast<uint64_t>(std::time(nullptr)));
  umask(077);
  OutputFile file(path, Kept::kDurable);
  file.Write(archive.data(), archive.size());
  file.Commit();
  for (const TarFile& part : files) std::printf("%8zu  %s\n", part.text.size(), part.name.c_str());
  std::printf("%s: %zu bytes; no pictures, no keys. Read it before you send it\n", path.c_str(),
              archive.size());
  return 0;
}

}  // namespace octet::port
