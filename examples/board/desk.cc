// A board with an operating system: examples/board as a program, to try a port's program without
// its board.
#include <cstdio>
#include <cstdlib>
#include <ctime>

#include "ports/template/board.h"

namespace octet::board {

void Start() {}

void Write(const char* text) {
  std::fputs(text, stdout);
}

uint64_t Ticks() {
  timespec now;
  clock_gettime(CLOCK_MONOTONIC, &now);
  return static_cast<uint64_t>(now.tv_sec) * 1000000 + static_cast<uint64_t>(now.tv_nsec) / 1000;
}

Memory MeasureMemory() {
  return {};
}

void Exit(int status) {
  std::exit(status);
}

}  // namespace octet::board
