#include "ports/linux/affinity.h"

#include <algorithm>
#include <array>
#include <cerrno>
#include <cstdlib>
#include <cstring>
#include <fstream>

#include "ports/linux/file.h"

namespace octet::port {
namespace {

// 0 where it is not known.
uint64_t SpeedOf(const std::string& root, size_t cpu, const char* file) {
  uint64_t speed = 0;
  std::ifstream(root + "/cpu" + std::to_string(cpu) + "/" + file) >> speed;
  return speed;
}

cpu_set_t ParseCpus(const std::string& cpus) {
  cpu_set_t set;
  CPU_ZERO(&set);
  for (const char* at = cpus.c_str();;) {
    char* end;
    const long first = std::strtol(at, &end, 10);
    long last = first;
    bool good = end != at && first >= 0;
    if (good && *end == '-') {
      at = end + 1;
      last = std::strtol(at, &end, 10);
      good = end != at && last >= first;
    }
    if (!good || last >= CPU_SETSIZE || (*end != ',' && *end != 0)) {
      throw InputError("--cpus " + cpus +
                       ": not a list of cores; write 4-7 (lower one first), 0,2 or 'big'");
    }
    for (long cpu = first; cpu <= last; ++cpu) CPU_SET(static_cast<size_t>(cpu), &set);
    if (*end == 0) return set;
    at = end + 1;
  }
}

}  // namespace

cpu_set_t BigCpus(const cpu_set_t& cpus, const std::string& root) {
  for (const char* file : {"cpu_capacity", "cpufreq/cpuinfo_max_freq"}) {
    std::array<uint64_t, CPU_SETSIZE> speeds{};
    for (size_t cpu = 0; cpu < speeds.size(); ++cpu) {
      if (CPU_ISSET(cpu, &cpus)) speeds[cpu] = SpeedOf(root, cpu, file);
    }
    const uint64_t fastest = *std::max_element(speeds.begin(), speeds.end());
    if (fastest == 0) continue;
    cpu_set_t big;
    CPU_ZERO(&big);
    for (size_t cpu = 0; cpu < speeds.size(); ++cpu) {
      if (speeds[cpu] * 10 >= fastest * 6) CPU_SET(cpu, &big);
    }
    return big;
  }
  return cpus;
}

void PinTo(const std::string& cpus) {
  if (cpus.empty()) return;
  cpu_set_t set;
  if (cpus == "big") {
    sched_getaffinity(0, sizeof(set), &set);
    set = BigCpus(set, "/sys/devices/system/cpu");
  } else {
    set = ParseCpus(cpus);
  }
  if (sched_setaffinity(0, sizeof(set), &set) != 0) {
    const bool none = errno == EINVAL;
    throw InputError("--cpus " + cpus + ": " +
                     (none ? "none of these cores exists or is allowed" : std::strerror(errno)) +
                     "; nproc --all gives the number of cores, counted from 0");
  }
}

}  // namespace octet::port
