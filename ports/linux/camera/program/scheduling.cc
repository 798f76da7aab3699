#include "ports/linux/camera/program/scheduling.h"

#include <cerrno>
#include <cstdio>
#include <cstring>

#include "ports/linux/affinity.h"

namespace octet::port {

Scheduling::Scheduling(const std::string& cpus, int priority) {
  sched_getaffinity(0, sizeof(cpus_), &cpus_);
  policy_ = sched_getscheduler(0);
  sched_getparam(0, &parameters_);
  PinTo(cpus);
  if (priority == 0) return;
  const sched_param parameters = {priority};
  if (sched_setscheduler(0, SCHED_FIFO, &parameters) != 0) {
    std::fprintf(
        stderr,
        "octet-camera: --priority %d: %s; continuing without it; try: LimitRTPRIO=%d in the "
        "unit, or a line rtprio in /etc/security/limits.conf\n",
        priority, std::strerror(errno), priority);
  }
}

void Scheduling::Restore() const {
  sched_setaffinity(0, sizeof(cpus_), &cpus_);
  sched_setscheduler(0, policy_, &parameters_);
}

}  // namespace octet::port
