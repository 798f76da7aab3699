// What a report of a board says about the machine: nothing that names its owner or its unit.
#ifndef OCTET_PORTS_LINUX_RUN_MACHINE_H_
#define OCTET_PORTS_LINUX_RUN_MACHINE_H_

#include <string>

namespace octet::port {

// What the kernel does not tell is empty.
struct Machine {
  std::string architecture;  // x86_64, aarch64, armv7, riscv64, as this program was built
  std::string board;         // /proc/device-tree/model
  std::string cpu;           // model name of /proc/cpuinfo, or "implementer 0x41 part 0xd03"
  std::string kernel;        // its release
};

// root: "/", or a folder with a `proc` like it.
Machine ReadMachine(const std::string& root);

}  // namespace octet::port

#endif  // OCTET_PORTS_LINUX_RUN_MACHINE_H_
