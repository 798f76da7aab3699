// Kernels that move elements without looking at them are written once for every width.
#ifndef OCTET_KERNELS_BY_WIDTH_H_
#define OCTET_KERNELS_BY_WIDTH_H_

#include <stdint.h>

namespace octet {

// run(T{}) with the unsigned type of elements of 1, 2 or 4 bytes.
template <typename Run>
static inline void ByWidth(uint32_t element_bytes, const Run& run) {
  switch (element_bytes) {
    case 1:
      return run(uint8_t{});
    case 2:
      return run(uint16_t{});
    default:
      return run(uint32_t{});
  }
}

}  // namespace octet

#endif  // OCTET_KERNELS_BY_WIDTH_H_
