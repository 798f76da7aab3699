// Strided planes with NEON's interleaving of two registers.
#include "runtime/kernels/arm_neon_shim.inl.h"
// Intrinsics come first.
#include "runtime/kernels/move/blocks.inl.h"

namespace octet {
namespace {

struct Level {
  typedef uint8x16_t Vector;

  static inline Vector Load(const uint8_t* from) { return vld1q_u8(from); }
  static inline void Store(uint8_t* to, Vector x) { vst1q_u8(to, x); }
  static inline Vector LoadPart(const uint8_t* from, uint32_t bytes) {
    return vreinterpretq_u8_s8(LoadPartial16(from, bytes));
  }
  static inline void StorePart(uint8_t* to, Vector x, uint32_t bytes) {
    StorePartial16(to, vreinterpretq_s8_u8(x), bytes);
  }
  template <uint32_t kBytes>
  static inline void Zip(Vector x, Vector y, Vector* low, Vector* high) {
    if constexpr (kBytes == 1) {
      const uint8x16x2_t z = vzipq_u8(x, y);
      *low = z.val[0];
      *high = z.val[1];
    } else if constexpr (kBytes == 2) {
      const uint16x8x2_t z = vzipq_u16(vreinterpretq_u16_u8(x), vreinterpretq_u16_u8(y));
      *low = vreinterpretq_u8_u16(z.val[0]);
      *high = vreinterpretq_u8_u16(z.val[1]);
    } else {
      const uint32x4x2_t z = vzipq_u32(vreinterpretq_u32_u8(x), vreinterpretq_u32_u8(y));
      *low = vreinterpretq_u8_u32(z.val[0]);
      *high = vreinterpretq_u8_u32(z.val[1]);
    }
  }
  static inline Vector Shuffle(Vector x, Vector mask) {
#if defined(__aarch64__)
    return vqtbl1q_u8(x, mask);
#else
    const uint8x8x2_t table = {{vget_low_u8(x), vget_high_u8(x)}};
    return vcombine_u8(vtbl2_u8(table, vget_low_u8(mask)), vtbl2_u8(table, vget_high_u8(mask)));
#endif
  }
};

}  // namespace

void copy_plane_neon(const CopyPlaneArgs& args, Share share) {
  RunCopyPlane<Level>(args, share);
}

}  // namespace octet
