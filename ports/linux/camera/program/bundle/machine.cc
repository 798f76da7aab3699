#include <sys/utsname.h>

#include <algorithm>
#include <filesystem>
#include <fstream>
#include <vector>

#include "ports/linux/camera/program/bundle/bundle.h"
#include "ports/linux/camera/program/device/device.h"
#include "ports/linux/cpu.h"
#include "runtime/format/blob.h"

namespace octet::port {
namespace {

namespace fs = std::filesystem;

constexpr size_t kMostFileBytes = 4096;  // of files of the system

// Reads a short file of the kernel, whose size is unknown before. Drops the zeros that end strings
// of a device tree. Returns "" if there is no file.
std::string StartOf(const std::string& path) {
  std::ifstream file(path, std::ios::binary);
  std::string text(kMostFileBytes, 0);
  file.read(text.data(), static_cast<std::streamsize>(text.size()));
  text.resize(static_cast<size_t>(file.gcount()));
  text.erase(std::remove(text.begin(), text.end(), '\0'), text.end());
  while (!text.empty() && text.back() == '\n') text.pop_back();
  return text;
}

void AddFile(const std::string& path, std::string* out) {
  const std::string text = StartOf(path);
  if (!text.empty()) *out += path + ": " + text + "\n";
}

// Entries of a folder, sorted; none where there is no such folder.
std::vector<std::string> EntriesOf(const std::string& folder) {
  std::vector<std::string> entries;
  std::error_code error;
  for (fs::directory_iterator at(folder, error), end; !error && at != end; at.increment(error)) {
    entries.push_back(at->path().string());
  }
  std::sort(entries.begin(), entries.end());
  return entries;
}

bool IsCalled(const std::string& path, const char* begin, const char* end = "") {
  const std::string name = fs::path(path).filename().string();
  const std::string last = end;
  return name.rfind(begin, 0) == 0 && name.size() >= last.size() &&
         name.compare(name.size() - last.size(), last.size(), last) == 0;
}

}  // namespace

std::string VersionsPart() {
  std::string text = std::string("octet-camera ") + OCTET_VERSION_TEXT + "\n";
  text += "blob format " + std::to_string(blob::kVersionMajor) + "." +
          std::to_string(blob::kVersionMinor) + "\n";
  utsname system{};
  if (uname(&system) == 0) {
    text += std::string(system.sysname) + " " + system.release + " " + system.version + " " +
            system.machine + "\n";
  }
  text += "instruction sets:";
  for (const octet_isa isa : RunnableIsas(DetectCpu())) {
    text += std::string(" ") + octet_isa_name(isa);
  }
  text += "\n";
  const std::string device = DeviceName("");
  text += "device by its machine id: " + (device.empty() ? "none" : device) + "\n";
  for (const char* path : {"/proc/device-tree/model", "/sys/class/dmi/id/product_name"}) {
    AddFile(path, &text);
  }
  const std::string release = StartOf("/etc/os-release");
  return text + (release.empty() ? "" : "\n/etc/os-release:\n" + release + "\n");
}

std::string SensorsPart(const CameraOptions& options) {
  std::string text;
  for (const std::string& zone : EntriesOf(options.thermal_root)) {
    if (IsCalled(zone, "thermal_zone"))
      AddFile(zone + "/type", &text), AddFile(zone + "/temp", &text);
    if (IsCalled(zone, "cooling_device")) {
      AddFile(zone + "/type", &text), AddFile(zone + "/cur_state", &text);
    }
  }
  for (const std::string& device : EntriesOf(options.thermal_root + "/../hwmon")) {
    AddFile(device + "/name", &text);
    for (const std::string& sensor : EntriesOf(device)) {
      if (IsCalled(sensor, "temp", "_input")) AddFile(sensor, &text);
    }
  }
  for (const std::string& core : EntriesOf("/sys/devices/system/cpu")) {
    for (const char* name : {"scaling_cur_freq", "scaling_max_freq", "scaling_governor"}) {
      AddFile(core + "/cpufreq/" + name, &text);
    }
  }
  if (text.empty()) text = "no sensor below " + options.thermal_root + "\n";
  for (const char* path : {"/proc/loadavg", "/proc/uptime", "/proc/pressure/cpu",
                           "/proc/pressure/memory", "/proc/pressure/io", "/proc/meminfo"}) {
    AddFile(path, &text);
  }
  return text;
}

}  // namespace octet::port
