#include "ports/linux/thermal/sensor.h"

#include <fcntl.h>
#include <unistd.h>

#include <algorithm>
#include <charconv>
#include <filesystem>
#include <fstream>
#include <utility>

namespace octet::port {
namespace {

namespace fs = std::filesystem;

constexpr size_t kMostFiles = 16;

// Types of zones and names of hwmon devices that measure a processor, as kernels for the boards of
// boards/ and for x86 spell them; parts of words, in small letters.
constexpr const char* kLikeProcessors[] = {"cpu",  "soc",     "package",  "pkg",
                                           "core", "k10temp", "zenpower", "cluster",
                                           "tj",   "big",     "acpitz"};

bool IsLikeProcessor(std::string type) {
  std::transform(type.begin(), type.end(), type.begin(),
                 [](char c) { return c >= 'A' && c <= 'Z' ? static_cast<char>(c + 32) : c; });
  return std::any_of(std::begin(kLikeProcessors), std::end(kLikeProcessors),
                     [&](const char* word) { return type.find(word) != std::string::npos; });
}

std::string FirstLine(const fs::path& path) {
  std::ifstream file(path);
  std::string line;
  std::getline(file, line);
  return line;
}

// The number in "prefix<number>suffix", -1 where the name is another.
int NumberIn(const std::string& name, const std::string& prefix, const std::string& suffix) {
  if (name.size() <= prefix.size() + suffix.size() || name.rfind(prefix, 0) != 0 ||
      name.compare(name.size() - suffix.size(), suffix.size(), suffix) != 0) {
    return -1;
  }
  const char* const end = name.data() + name.size() - suffix.size();
  int number = -1;
  const auto [at, error] = std::from_chars(name.data() + prefix.size(), end, number);
  return error == std::errc() && at == end ? number : -1;
}

// Entries of the folder that are called so, by their numbers.
std::vector<fs::path> Numbered(const fs::path& folder, const std::string& prefix,
                               const std::string& suffix) {
  std::vector<std::pair<int, fs::path>> found;
  std::error_code error;
  for (fs::directory_iterator at(folder, error), end; !error && at != end; at.increment(error)) {
    const int number = NumberIn(at->path().filename().string(), prefix, suffix);
    if (number >= 0) found.emplace_back(number, at->path());
  }
  std::sort(found.begin(), found.end());
  std::vector<fs::path> paths;
  paths.reserve(found.size());
  for (auto& [number, path] : found) paths.push_back(std::move(path));
  return paths;
}

ThermalReading ReadFile(const char* path) {
  // Does not block if the file is a pipe.
  const int descriptor = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK | O_NOCTTY);
  if (descriptor < 0) return {ThermalState::kLost};
  char text[32];
  const ssize_t count = read(descriptor, text, sizeof(text));
  close(descriptor);
  if (count <= 0) return {ThermalState::kLost};
  const char* const end = text + count;
  int64_t millidegrees = 0;
  const auto [at, error] = std::from_chars(text, end, millidegrees);
  if (error != std::errc() || (at != end && *at != '\n')) return {ThermalState::kLost};
  const auto kept = static_cast<int32_t>(
      std::clamp<int64_t>(millidegrees, -kThermalLimitMillidegrees, kThermalLimitMillidegrees));
  const bool known =
      kept >= ThermalSensor::kLeastMillidegrees && kept <= ThermalSensor::kMostMillidegrees;
  return {known ? ThermalState::kOk : ThermalState::kAbsurd, kept};
}

}  // namespace

ThermalSensor::ThermalSensor(std::string root, std::vector<std::string> zones)
    : root_(std::move(root)), zones_(std::move(zones)) {
  Find();
}

std::vector<ThermalSensor::File> ThermalSensor::List() const {
  std::vector<File> files;
  for (const fs::path& zone : Numbered(root_, "thermal_zone", "")) {
    files.push_back({FirstLine(zone / "type"), (zone / "temp").string()});
  }
  // Not normal form of root/..: the root may be a link.
  for (const fs::path& device : Numbered(fs::path(root_).parent_path() / "hwmon", "hwmon", "")) {
    for (const fs::path& input : Numbered(device, "temp", "_input")) {
      files.push_back({FirstLine(device / "name"), input.string()});
    }
  }
  return files;
}

void ThermalSensor::Find() {
  const std::vector<File> files = List();
  type_.clear();
  paths_.clear();
  for (const std::string& zone : zones_) {
    const auto found = std::find_if(files.begin(), files.end(),
                                    [&](const File& file) { return file.type == zone; });
    if (found == files.end()) continue;
    type_ = found->type;
    paths_ = {found->path};
    return;
  }
  for (const File& file : files) {
    if (paths_.size() == kMostFiles || !IsLikeProcessor(file.type)) continue;
    if (type_.find(file.type) == std::string::npos)
      type_ += (type_.empty() ? "" : ", ") + file.type;
    paths_.push_back(file.path);
  }
}

ThermalReading ThermalSensor::Read() const {
  ThermalReading best;
  for (const std::string& path : paths_) {
    const ThermalReading now = ReadFile(path.c_str());
    const bool better =
        now.state == ThermalState::kOk
            ? best.state != ThermalState::kOk || now.millidegrees > best.millidegrees
            : best.state == ThermalState::kNone ||
                  (best.state == ThermalState::kLost && now.state == ThermalState::kAbsurd);
    if (better) best = now;
  }
  return best;
}

}  // namespace octet::port
