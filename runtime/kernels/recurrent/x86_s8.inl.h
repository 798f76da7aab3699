// Operands of recurrent layers for VPDPBUSD: codes plus 128, unsigned. Internal linkage.
#ifndef OCTET_KERNELS_RECURRENT_X86_S8_INL_H_
#define OCTET_KERNELS_RECURRENT_X86_S8_INL_H_

#include "runtime/kernels/x86_float.inl.h"
// Intrinsics come first.
#include "runtime/kernels/recurrent/recurrent.inl.h"

namespace octet {
namespace {

struct UnsignedRows : HalfRows {
  typedef uint8_t Value;
  typedef int32_t Sum;
  typedef int8_t Weight;
  static constexpr bool kInt8 = true;
  static constexpr int32_t kOffset = 128;

  static inline void Pack(const RecurrentArgs& args, uint64_t from, uint32_t count, uint8_t* to) {
    const uint8_t flip = args.sign ^ 0x80;
    for (uint32_t i = 0; i < count; ++i) to[i] = args.input[from + i] ^ flip;
  }
  static inline void Hold(const float* h, const RecurrentArgs& args, uint8_t* to) {
    for (uint32_t i = 0; i < kChannelBlock; ++i) {
      to[i] = (uint8_t)(HeldCode(h[i], args.params->hidden_inverse) + 128);
    }
  }
  static inline int32_t Four(const uint8_t* x) {
    int32_t four;
    memcpy(&four, x, sizeof(four));
    return four;
  }
};

}  // namespace
}  // namespace octet

#endif  // OCTET_KERNELS_RECURRENT_X86_S8_INL_H_
