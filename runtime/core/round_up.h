// Division upwards, and sizes of memory that is aligned to 64 bytes, as arenas and their parts are.
#ifndef OCTET_CORE_ROUND_UP_H_
#define OCTET_CORE_ROUND_UP_H_

#include <stdint.h>

namespace octet {

// bytes: below 2^64 - 63.
static constexpr uint64_t RoundUp64(uint64_t bytes) {
  return (bytes + 63) & ~(uint64_t)63;
}

// a + b: below 2^64.
static constexpr uint64_t CeilDiv(uint64_t a, uint64_t b) {
  return (a + b - 1) / b;
}
// a + b: below 2^32.
static constexpr uint32_t CeilDiv32(uint32_t a, uint32_t b) {
  return (a + b - 1) / b;
}

}  // namespace octet

#endif  // OCTET_CORE_ROUND_UP_H_
