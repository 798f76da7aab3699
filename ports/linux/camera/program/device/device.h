// The name of the board in results and metrics. Without --device it is derived from the machine id.
// The machine id itself is never sent.
#ifndef OCTET_PORTS_LINUX_CAMERA_PROGRAM_DEVICE_DEVICE_H_
#define OCTET_PORTS_LINUX_CAMERA_PROGRAM_DEVICE_DEVICE_H_

#include <string>

namespace octet::port {

constexpr const char* kMachineIdFile = "/etc/machine-id";
// That the names of Octet's devices are made with, in hexadecimal.
constexpr const char* kDeviceApplicationId = "22fc821074f445089962a6a79c503536";

// As systemd makes application-specific ids (sd_id128_get_machine_app_specific(3)): HMAC-SHA256 of
// the application's id with the machine id as key, the first 16 bytes as a UUID of version 4, 32
// digits. `systemd-id128 machine-id --app-specific=<kDeviceApplicationId>` prints the same. path:
// the machine id's file. "" where it has none: absent, empty, zero or `uninitialized`.
std::string DeviceOfMachine(const std::string& path = kMachineIdFile);

// `name`, or DeviceOfMachine where it is empty. Reads a file: not for the loop.
std::string DeviceName(const std::string& name);

}  // namespace octet::port

#endif  // OCTET_PORTS_LINUX_CAMERA_PROGRAM_DEVICE_DEVICE_H_
