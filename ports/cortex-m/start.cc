// From reset to main: vector table, FPU, painted stack, initial values. No heap, no constructors
// (the runtime has none, and the linker script refuses a program that has).
#include <stddef.h>

#include "ports/cortex-m/registers.h"
#include "ports/cortex-m/stack.h"
#include "ports/template/board.h"

int main();

namespace octet::board {
void TickOverflow();
}

namespace {

using octet::board::Register;

void Reset();

// A fault before main() could print says so by its status alone.
constexpr int kFaultStatus = 99;
void Fault() {
  octet::board::Exit(kFaultStatus);
}

struct VectorTable {
  const void* stack;
  void (*handlers[15])();
};
// Exceptions 1 to 15: reset, NMI, the faults, then from 11 SVC, debug, PendSV and SysTick.
// Interrupts of devices follow on boards that use any.
[[gnu::section(".vectors"), gnu::used]] const VectorTable vectors = {
    octet_stack_end,
    {Reset, Fault, Fault, Fault, Fault, Fault, Fault, nullptr, nullptr, nullptr, Fault, Fault,
     nullptr, Fault, octet::board::TickOverflow}};

// Nothing here may use the FPU before it is on; CMakeLists.txt keeps loops from becoming vectors or
// calls.
void Reset() {
  Register(octet::board::kVectorTable) = reinterpret_cast<uint32_t>(&vectors);
  Register(octet::board::kCoprocessorAccess) |= 0xFu << 20;
  __asm__ volatile("dsb\n\tisb" ::: "memory");
#if __ARM_ARCH >= 8
  // The core checks; older ones fault because below the stack there is no memory.
  __asm__ volatile("msr msplim, %0" ::"r"(octet_stack_begin));
#endif
  uint32_t* top;
  __asm__ volatile("mov %0, sp" : "=r"(top));
  for (uint32_t* word = octet_stack_begin; word < top; ++word) *word = octet::board::kStackPaint;
  const uint32_t* from = octet_data_load;
  for (uint32_t* word = octet_data_begin; word < octet_data_end; ++word) *word = *from++;
  for (uint32_t* word = octet_bss_begin; word < octet_bss_end; ++word) *word = 0;
  octet::board::Exit(main());
}

}  // namespace
