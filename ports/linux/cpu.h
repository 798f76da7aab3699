// What this machine can execute, found once at start: CPUID with the operating system's register
// state on x86, the kernel's capability words on ARM.
#ifndef OCTET_PORTS_LINUX_CPU_H_
#define OCTET_PORTS_LINUX_CPU_H_

#include <cstdint>
#include <string>
#include <vector>

#include "octet/octet.h"

namespace octet::port {

// One word: bit i is set when level i (octet_isa) can be executed here; the reference always can.
using CpuWord = uint32_t;
constexpr CpuWord kCpuShaInstructions = 1u << 31;
constexpr CpuWord kCpuAvx512Vbmi = 1u << 30;

// Asks the kernel for the tile registers where the CPU has AMX, and offers the level only where
// they are granted: call it before threads are started.
CpuWord DetectCpu();

inline bool CpuHas(CpuWord cpu, octet_isa isa) {
  return (cpu >> isa & 1u) != 0;
}
// The levels, a better one of the same machine behind a lesser one.
constexpr octet_isa kIsasLowestFirst[] = {
#define OCTET_LEVEL(code, ...) code,
#include "runtime/core/isa.inc"
#undef OCTET_LEVEL
};

// In this build and on this machine.
bool CanRun(CpuWord cpu, octet_isa isa);
// The words of all levels that CanRun, the best one last.
std::string RunnableWords(CpuWord cpu, const char* separator);
// The highest level that CanRun.
octet_isa BestIsa(CpuWord cpu);
// All levels that CanRun, a better one behind a lesser one.
std::vector<octet_isa> RunnableIsas(CpuWord cpu);
// How to check hashes here (OCTET_VERIFY_*).
uint32_t VerifyMode(CpuWord cpu);
// Instructions beside the levels (OCTET_CPU_*).
uint32_t Features(CpuWord cpu);

}  // namespace octet::port

#endif  // OCTET_PORTS_LINUX_CPU_H_
