// The temperature of the board, from files as the kernel gives them: thermal zones
// (<root>/thermal_zone*/type and temp) and sensors of CPUs (<root>/../hwmon/hwmon*/name and
// temp*_input, x86's coretemp), both in millidegrees Celsius.
#ifndef OCTET_PORTS_LINUX_THERMAL_SENSOR_H_
#define OCTET_PORTS_LINUX_THERMAL_SENSOR_H_

#include <cstdint>
#include <string>
#include <vector>

namespace octet::port {

constexpr const char* kThermalRoot = "/sys/class/thermal";

enum class ThermalState : uint8_t {
  kOk,
  kNone,    // no file that could tell the temperature was found
  kLost,    // there was one, and it cannot be read any more, or holds no number
  kAbsurd,  // a number that no board has: below -40 or above 150 degrees
};

// Larger numbers of a broken driver need not be told apart; short enough to
// pack.
constexpr int32_t kThermalLimitMillidegrees = 2'000'000;

struct ThermalReading {
  ThermalState state = ThermalState::kNone;
  // Where kOk or kAbsurd; beyond +-kThermalLimitMillidegrees: that.
  int32_t millidegrees = 0;
  float celsius() const { return static_cast<float>(millidegrees) / 1000; }
};

class ThermalSensor {
 public:
  static constexpr int32_t kLeastMillidegrees = -40'000, kMostMillidegrees = 150'000;

  // Reads the first zone whose type is the first of `zones` that any has, zones in the order of
  // their numbers. Where none of them is there, or `zones` is empty: the hottest of up to 16 that
  // are called like a processor (cpu, soc, package, coretemp, ...).
  ThermalSensor(std::string root, std::vector<std::string> zones);

  // Looks for the files again: drivers come and go, and with them the numbers of zones.
  void Find();
  // What is read, by its type; empty: nothing.
  const std::string& type() const { return type_; }
  // Opens, reads at most 32 bytes and closes, without allocating. A driver may take milliseconds or
  // hang: not for a loop with frames (ThermalMonitor). A zone that fails or is absurd counts only
  // where all are.
  ThermalReading Read() const;

 private:
  struct File {
    std::string type, path;
  };
  std::vector<File> List() const;

  std::string root_;
  std::vector<std::string> zones_;
  std::string type_;
  std::vector<std::string> paths_;
};

}  // namespace octet::port

#endif  // OCTET_PORTS_LINUX_THERMAL_SENSOR_H_
