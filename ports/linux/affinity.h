// The cores that a thread and those it starts may run on.
#ifndef OCTET_PORTS_LINUX_AFFINITY_H_
#define OCTET_PORTS_LINUX_AFFINITY_H_

#include <sched.h>

#include <string>

namespace octet::port {

inline constexpr char kCpusHelp[] =
    "cores to run on: 4-7, or 0,2, or 'big' for the fast cores of a mixed processor";

// Of `cpus`, those whose speed is at least 6 tenths of the fastest one's: big cores of about the
// same kind, without the small ones of a mixed processor (a Cortex-A55 has 0.4 to 0.5 of a
// Cortex-A76). `root` is /sys/devices/system/cpu or a folder like it: cpu_capacity, else
// cpufreq/cpuinfo_max_freq of every core there; all of `cpus` where neither says.
cpu_set_t BigCpus(const cpu_set_t& cpus, const std::string& root);

// Moves the calling thread; threads that it starts inherit that. cpus: "4-7", "0,2,5-6" or "big",
// of those it may run on; empty: as it is. Throws InputError.
void PinTo(const std::string& cpus);

}  // namespace octet::port

#endif  // OCTET_PORTS_LINUX_AFFINITY_H_
