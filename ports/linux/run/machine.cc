#include "ports/linux/run/machine.h"

#include <sys/utsname.h>

#include <fstream>

namespace octet::port {
namespace {

constexpr const char* Architecture() {
#if defined(__x86_64__)
  return "x86_64";
#elif defined(__aarch64__)
  return "aarch64";
#elif defined(__arm__)
  return "armv7";
#elif defined(__riscv)
  return "riscv64";
#else
  return "";
#endif
}

// What follows the colon of a line of /proc/cpuinfo that begins with the key.
std::string ValueOf(const std::string& line, const std::string& key) {
  const size_t colon = line.find(':');
  if (line.rfind(key, 0) != 0 || colon == std::string::npos) return {};
  const size_t begin = line.find_first_not_of(" \t", colon + 1);
  return begin == std::string::npos ? std::string() : line.substr(begin);
}

// Of the last core: the big ones of mixed processors come last.
std::string CpuOf(const std::string& path) {
  std::string name, implementer, part;
  std::ifstream file(path);
  for (std::string line; std::getline(file, line);) {
    if (const std::string value = ValueOf(line, "model name"); !value.empty()) name = value;
    if (const std::string value = ValueOf(line, "CPU implementer"); !value.empty()) {
      implementer = value;
    }
    if (const std::string value = ValueOf(line, "CPU part"); !value.empty()) part = value;
  }
  if (!part.empty()) return "implementer " + implementer + " part " + part;
  return name;
}

}  // namespace

Machine ReadMachine(const std::string& root) {
  Machine machine;
  machine.architecture = Architecture();
  std::ifstream model(root + "/proc/device-tree/model", std::ios::binary);
  std::getline(model, machine.board, '\0');
  machine.cpu = CpuOf(root + "/proc/cpuinfo");
  utsname names = {};
  if (uname(&names) == 0) machine.kernel = names.release;
  return machine;
}

}  // namespace octet::port
