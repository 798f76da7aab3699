// memcmp is not among the functions a freestanding environment has to bring.
#ifndef OCTET_CORE_BYTES_H_
#define OCTET_CORE_BYTES_H_

#include <stddef.h>
#include <stdint.h>

namespace octet {

static inline bool SameBytes(const uint8_t* a, const uint8_t* b, size_t count) {
  uint32_t difference = 0;
  for (size_t i = 0; i < count; ++i) difference |= (uint32_t)(a[i] ^ b[i]);
  return difference == 0;
}

}  // namespace octet

#endif  // OCTET_CORE_BYTES_H_
