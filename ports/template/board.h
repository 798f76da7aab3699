// What a board gives a program: a line of output, a clock, figures of its memory, an end. The
// runtime itself needs none of it. ports/template/board.cc has empty bodies to start from, other
// ports real ones; PORTING.md says in which order to fill them.
#ifndef OCTET_PORTS_TEMPLATE_BOARD_H_
#define OCTET_PORTS_TEMPLATE_BOARD_H_

#include <stddef.h>
#include <stdint.h>

namespace octet::board {

// Before anything else; what start-up code has not done already.
void Start();

// Zero-terminated text to whoever listens; may wait for a slow line.
void Write(const char* text);

// Monotonic; also octet_config.ticks. The unit is the board's.
uint64_t Ticks();

// 0 where a board does not know.
struct Memory {
  size_t flash_bytes;  // code and constants with initial values of data, the blob among them
  size_t data_bytes;   // initialised and zeroed data, without memory that OCTET_BOARD_WORK marks
  size_t stack_bytes;  // deepest use since reset
};
Memory MeasureMemory();

// The end of a program that has one, as emulators and tests have.
[[noreturn]] void Exit(int status);

}  // namespace octet::board

// Puts an array that is working memory, never initialised, where the board wants it: arena, decode
// memory.
#if defined(__ELF__) && !__STDC_HOSTED__
#define OCTET_BOARD_WORK __attribute__((section(".work"), aligned(64)))
#else
#define OCTET_BOARD_WORK alignas(64)
#endif

#endif  // OCTET_PORTS_TEMPLATE_BOARD_H_
