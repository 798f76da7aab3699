// Sizes of memory that is aligned to 64 bytes, as arenas and their parts are.
#ifndef OCTET_CORE_ROUND_UP_H_
#define OCTET_CORE_ROUND_UP_H_

#include <stdint.h>

namespace octet {

// bytes: below 2^64 - 63.
static constexpr uint64_t RoundUp64(uint64_t bytes) {
  return (bytes + 63) & ~(uint64_t)63;
}

}  // namespace octet

#endif  // OCTET_CORE_ROUND_UP_H_
