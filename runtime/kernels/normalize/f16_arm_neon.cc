// FP16 normalizations with NEON: lanes side by side, as the compiler vectorises them.
#include "runtime/kernels/arm_half.inl.h"
#include "runtime/kernels/kernel_table.h"
#include "runtime/kernels/normalize/f16.inl.h"

namespace octet {
namespace {

struct Level {
  // Rows have room for 8 or 32 floats, so the last 8 may be written whole.
  static inline void Widen(const uint16_t* from, uint32_t count, float* to) {
    for (uint32_t i = 0; i < count; i += 8) {
      const Float8 x = LoadPartialHalf8(from + i, count - i);
      vst1q_f32(to + i, x.low);
      vst1q_f32(to + i + 4, x.high);
    }
  }
  static inline void Narrow(const float* from, uint32_t count, uint16_t* to) {
    for (uint32_t i = 0; i < count; i += 8) {
      const Float8 x = {vld1q_f32(from + i), vld1q_f32(from + i + 4)};
      StorePartialHalf8(to + i, x, count - i);
    }
  }
};

}  // namespace

void normalize_f16_neon(const NormalizeF16Args& args, Share share) {
  RunNormalizeF16<Level>(args, share);
}

}  // namespace octet
