// Symbols of cortex-m.ld, all aligned to words.
#ifndef OCTET_PORTS_CORTEX_M_STACK_H_
#define OCTET_PORTS_CORTEX_M_STACK_H_

#include <stdint.h>

extern "C" {
extern uint32_t octet_stack_begin[], octet_stack_end[];
extern uint32_t octet_data_begin[], octet_data_end[], octet_bss_begin[], octet_bss_end[];
extern const uint32_t octet_data_load[], octet_flash_begin[], octet_flash_end[];
}

namespace octet::board {

// A word that code and data hardly ever hold; the stack is filled with it at reset.
constexpr uint32_t kStackPaint = 0xC5A5C5A5;

}  // namespace octet::board

#endif  // OCTET_PORTS_CORTEX_M_STACK_H_
