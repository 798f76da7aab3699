// Halves to floats and back for walks over axes, in portable C++.
#ifndef OCTET_KERNELS_REDUCE_PORTABLE_INL_H_
#define OCTET_KERNELS_REDUCE_PORTABLE_INL_H_

#include <stdint.h>

#include "runtime/core/half.h"

namespace octet {
namespace {

struct PortableHalves {
  static inline void Widen(const uint16_t* from, uint32_t count, float* to) {
    for (uint32_t i = 0; i < count; ++i) to[i] = HalfToFloat(from[i]);
  }
  static inline void Narrow(const float* from, uint32_t count, uint16_t* to) {
    for (uint32_t i = 0; i < count; ++i) to[i] = FloatToHalf(from[i]);
  }
};

}  // namespace
}  // namespace octet

#endif  // OCTET_KERNELS_REDUCE_PORTABLE_INL_H_
