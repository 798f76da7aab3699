// Console on a CMSDK UART, which Arm's MPS2 and MPS3 boards and QEMU have, clock on SysTick, end by
// semihosting. Another board replaces Write() and, where no debugger listens, Exit().
#include "ports/template/board.h"

#include "ports/cortex-m/registers.h"
#include "ports/cortex-m/stack.h"

namespace octet::board {
namespace {

// Arm DDI 0479: CMSDK APB UART.
constexpr uint32_t kUartData = OCTET_UART, kUartState = OCTET_UART + 4,
                   kUartControl = OCTET_UART + 8, kUartDivider = OCTET_UART + 16;
constexpr uint32_t kTransmitFull = 1, kTransmitEnable = 1;

constexpr uint32_t kReload = 0xFFFFFF;  // SysTick has 24 bits
constexpr uint32_t kPending = 1u << 26;
volatile uint32_t overflows;

size_t BytesBetween(const uint32_t* begin, const uint32_t* end) {
  return reinterpret_cast<uintptr_t>(end) - reinterpret_cast<uintptr_t>(begin);
}

}  // namespace

void Start() {
  Register(kUartDivider) = 217;  // 115200 baud of 25 MHz; the least allowed is 16
  Register(kUartControl) = kTransmitEnable;
  Register(kSysTickReload) = kReload;
  Register(kSysTickValue) = 0;
  Register(kSysTickControl) = 7;  // processor clock, interrupt, enable
}

void Write(const char* text) {
  for (; *text != 0; ++text) {
    while ((Register(kUartState) & kTransmitFull) != 0) {
    }
    Register(kUartData) = static_cast<uint8_t>(*text);
  }
}

void TickOverflow() {
  overflows = overflows + 1;
}

uint64_t Ticks() {
  // Counts down. Taken again where the interrupt came in between; where interrupts are masked, an
  // overflow that waits is counted here.
  for (;;) {
    const uint32_t high = overflows;
    const bool waits = (Register(kInterruptState) & kPending) != 0;
    const uint32_t value = Register(kSysTickValue);
    if (high != overflows) continue;
    const uint64_t wraps = uint64_t{high} + (waits ? 1 : 0);
    return wraps * (kReload + 1) + (kReload - value);
  }
}

Memory MeasureMemory() {
  const uint32_t* word = octet_stack_begin;
  while (word < octet_stack_end && *word == kStackPaint) ++word;
  return {
      BytesBetween(octet_flash_begin, octet_flash_end),
      BytesBetween(octet_data_begin, octet_data_end) + BytesBetween(octet_bss_begin, octet_bss_end),
      BytesBetween(word, octet_stack_end)};
}

void Exit(int status) {
  // SYS_EXIT_EXTENDED of Arm's semihosting: ADP_Stopped_ApplicationExit and the status.
  const uint32_t block[2] = {0x20026, static_cast<uint32_t>(status)};
  register uint32_t operation __asm__("r0") = 0x20;
  register const uint32_t* argument __asm__("r1") = block;
  __asm__ volatile("bkpt 0xAB" : "+r"(operation) : "r"(argument) : "memory");
  for (;;) {
  }
}

}  // namespace octet::board
