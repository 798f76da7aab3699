#include "ports/linux/camera/program/scheduling.h"

#include <cerrno>
#include <cstdio>
#include <cstdlib>
#include <cstring>

#include "ports/linux/file.h"

namespace octet::port {
namespace {

void PinTo(const std::string& cpus) {
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
      throw InputError("--cpus " + cpus + ": cores are written as in 4-7 or 0,2");
    }
    for (long cpu = first; cpu <= last; ++cpu) CPU_SET(static_cast<size_t>(cpu), &set);
    if (*end == 0) break;
    at = end + 1;
  }
  if (sched_setaffinity(0, sizeof(set), &set) != 0) {
    throw InputError("--cpus " + cpus + ": " + std::strerror(errno) + "; nproc counts the cores");
  }
}

}  // namespace

Scheduling::Scheduling(const std::string& cpus, int priority) {
  sched_getaffinity(0, sizeof(cpus_), &cpus_);
  policy_ = sched_getscheduler(0);
  sched_getparam(0, &parameters_);
  if (!cpus.empty()) PinTo(cpus);
  if (priority == 0) return;
  const sched_param parameters = {priority};
  if (sched_setscheduler(0, SCHED_FIFO, &parameters) != 0) {
    std::fprintf(stderr, "octet-camera: --priority %d: %s; going on without it\n", priority,
                 std::strerror(errno));
  }
}

void Scheduling::Restore() const {
  sched_setaffinity(0, sizeof(cpus_), &cpus_);
  sched_setscheduler(0, policy_, &parameters_);
}

}  // namespace octet::port
