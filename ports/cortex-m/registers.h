// Registers of the core that every ARMv7-M and ARMv8-M has (Arm v7-M Architecture Reference Manual,
// B3.2), and the one way to reach a register.
#ifndef OCTET_PORTS_CORTEX_M_REGISTERS_H_
#define OCTET_PORTS_CORTEX_M_REGISTERS_H_

#include <stdint.h>

namespace octet::board {

static inline volatile uint32_t& Register(uint32_t address) {
  return *reinterpret_cast<volatile uint32_t*>(address);
}

constexpr uint32_t kSysTickControl = 0xE000E010, kSysTickReload = 0xE000E014,
                   kSysTickValue = 0xE000E018;
constexpr uint32_t kInterruptState = 0xE000ED04;  // ICSR; bit 26: SysTick pending
constexpr uint32_t kVectorTable = 0xE000ED08;
constexpr uint32_t kCoprocessorAccess = 0xE000ED88;  // CPACR; CP10 and CP11 are FPU and MVE

}  // namespace octet::board

#endif  // OCTET_PORTS_CORTEX_M_REGISTERS_H_
