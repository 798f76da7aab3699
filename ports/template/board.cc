// Copy this folder's board.cc to ports/<your board>/ and fill the bodies; each is enough as it
// stands to build, link and run without output.
#include "ports/template/board.h"

namespace octet::board {

void Start() {
  // Clocks, the FPU where there is one, the pins of the console.
}

void Write(const char*) {
  // Wait for room, then hand over each byte: UART, RTT, semihosting.
}

uint64_t Ticks() {
  // A counter that does not wrap within a run: cycle counter, timer with an overflow count.
  return 0;
}

Memory MeasureMemory() {
  // Symbols of the linker script; the stack painted at reset.
  return {};
}

void Exit(int) {
  for (;;) {
    // Wait for an interrupt, or reset.
  }
}

}  // namespace octet::board
