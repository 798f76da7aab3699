// What the levels of NEON share in recurrent layers. Internal linkage.
#ifndef OCTET_KERNELS_RECURRENT_ARM_INL_H_
#define OCTET_KERNELS_RECURRENT_ARM_INL_H_

#include "runtime/kernels/arm_half.inl.h"
// Intrinsics come first.
#include "runtime/kernels/recurrent/recurrent.inl.h"

namespace octet {
namespace {

// Arena bytes are the codes themselves on ARM.
struct SignedRows : HalfRows {
  typedef int8_t Value;
  typedef int32_t Sum;
  typedef int8_t Weight;
  static constexpr uint32_t kLanes = 4;
  static constexpr bool kInt8 = true;
  static constexpr int32_t kOffset = 0;

  static inline void Pack(const RecurrentArgs& args, uint64_t from, uint32_t count, int8_t* to) {
    memcpy(to, args.input + from, count);
  }
  static inline void Hold(const float* h, const RecurrentArgs& args, int8_t* to) {
    for (uint32_t i = 0; i < kChannelBlock; ++i) {
      to[i] = (int8_t)HeldCode(h[i], args.params->hidden_inverse);
    }
  }
};

}  // namespace
}  // namespace octet

#endif  // OCTET_KERNELS_RECURRENT_ARM_INL_H_
