#include <sched.h>
#include <sys/resource.h>
#include <unistd.h>

#include <cstdio>
#include <fstream>

#include "ports/linux/affinity.h"
#include "ports/linux/camera/program/check/check.h"
#include "ports/linux/cpu.h"
#include "ports/linux/thermal/sensor.h"
#include "ports/linux/wall_clock.h"
#include "ports/linux/words/shell_word.h"

namespace octet::port {
namespace {

Finding ProcessorFinding(const CameraOptions& options) {
  const CpuWord cpu = DetectCpu();
  std::string levels;
  for (const octet_isa isa : RunnableIsas(cpu)) {
    levels += (levels.empty() ? "" : " ") + std::string(octet_isa_name(isa));
  }
  if (options.model.isa && !CanRun(cpu, *options.model.isa)) {
    return {"processor", FindingState::kFails,
            levels + ": --isa " + octet_isa_name(*options.model.isa) +
                " is not in this build or not on this machine",
            "octet-camera --isa list"};
  }
#if defined(__x86_64__) || defined(__aarch64__) || defined(__arm__)
  if (BestIsa(cpu) == OCTET_ISA_REFERENCE) {
    return {"processor", FindingState::kLacks,
            levels + ": no vector kernels of this build run here; slow",
            "./demo.sh on this machine, or a build for it (docs/cross-compiling.md)"};
  }
#endif
  return {"processor", FindingState::kFine, levels, ""};
}

Finding MemoryFinding(uint64_t model_bytes) {
  std::ifstream file("/proc/meminfo");
  uint64_t available_kib = 0;
  bool known = false;
  for (std::string word; !known && file >> word;) {
    if (word == "MemAvailable:") known = static_cast<bool>(file >> available_kib);
  }
  if (!known)
    return {"memory", FindingState::kLacks, "/proc/meminfo cannot be read", "mount /proc"};
  const uint64_t free_bytes = available_kib * 1024;
  std::string found = std::to_string(free_bytes) + " bytes free";
  if (model_bytes > 0) found += ", the model takes " + std::to_string(model_bytes);
  const bool fits = free_bytes >= model_bytes;
  return {"memory", fits ? FindingState::kFine : FindingState::kFails, found,
          fits ? "" : "octet convert MODEL.onnx with a smaller --input-shape, or --map",
          free_bytes};
}

Finding ThermalFinding(const CameraOptions& options, const std::string& heat) {
  const ThermalSensor sensor(options.thermal_root, {});
  const ThermalReading reading = sensor.Read();
  const std::string root = ShellWord(options.thermal_root);
  switch (reading.state) {
    case ThermalState::kOk: {
      char degrees[32];
      std::snprintf(degrees, sizeof(degrees), ": %.1f degrees C",
                    static_cast<double>(reading.millidegrees) / 1000);
      return {"thermal zones", FindingState::kFine, sensor.type() + degrees, ""};
    }
    case ThermalState::kNone:
      return {"thermal zones", FindingState::kLacks, "none below " + options.thermal_root + heat,
              "sudo modprobe coretemp (x86), or --thermal-root FOLDER where others are"};
    case ThermalState::kLost:
      return {"thermal zones", FindingState::kLacks, sensor.type() + ": cannot be read" + heat,
              "ls -l " + root + "/thermal_zone*/temp"};
    case ThermalState::kAbsurd:
      break;
  }
  return {"thermal zones", FindingState::kLacks,
          sensor.type() + ": " + std::to_string(reading.millidegrees / 1000) +
              " degrees C, which no board has" + heat,
          "cat " + root + "/thermal_zone*/temp"};
}

Finding ClockFinding() {
  switch (ReadClockState()) {
    case ClockState::kSynchronised:
      return {"clock", FindingState::kFine, "synchronised", ""};
    case ClockState::kFree:
      return {"clock", FindingState::kLacks, "not synchronised: times of results may be wrong",
              "sudo timedatectl set-ntp true"};
    case ClockState::kUnknown:
      break;
  }
  return {"clock", FindingState::kLacks, "unknown whether it is synchronised",
          "timedatectl status"};
}

Finding CoresFinding(const CameraOptions& options) {
  cpu_set_t before;
  sched_getaffinity(0, sizeof(before), &before);
  try {
    PinTo(options.cpus);
  } catch (const InputError& error) {
    return FailedFinding("cores", error.what());
  }
  cpu_set_t chosen;
  sched_getaffinity(0, sizeof(chosen), &chosen);
  sched_setaffinity(0, sizeof(before), &before);
  return {"cores", FindingState::kFine,
          "--cpus " + options.cpus + ": " + std::to_string(CPU_COUNT(&chosen)) + " of " +
              std::to_string(CPU_COUNT(&before)),
          ""};
}

Finding PriorityFinding(const CameraOptions& options) {
  rlimit limit{};
  getrlimit(RLIMIT_RTPRIO, &limit);
  const bool allowed = geteuid() == 0 || limit.rlim_cur >= static_cast<rlim_t>(options.priority);
  const std::string wanted = "--priority " + std::to_string(options.priority);
  if (allowed) return {"priority", FindingState::kFine, wanted + " is allowed", ""};
  return {"priority", FindingState::kLacks,
          wanted + ": at most " + std::to_string(limit.rlim_cur) +
              " is allowed for this user; the camera runs without it",
          "LimitRTPRIO=" + std::to_string(options.priority) +
              " in the unit, or a line rtprio in /etc/security/limits.conf"};
}

}  // namespace

void CheckMachine(const CameraOptions& options, Checked* checked) {
  const auto add = [checked](Finding finding) {
    checked->Add(Checked::kMachine, std::move(finding));
  };
  add(ProcessorFinding(options));
  add(MemoryFinding(checked->model_bytes));
  if (!options.cpus.empty()) add(CoresFinding(options));
  if (options.priority != 0) add(PriorityFinding(options));
  add(ThermalFinding(options, checked->without_heat()));
  add(ClockFinding());
}

}  // namespace octet::port
