// Linear Resize of FP16 with NEON. ARMv7's vectors flush floats below the normal ones to zero: here
// are none (linear.h).
#include "runtime/kernels/arm_half.inl.h"
#include "runtime/kernels/kernel_table.h"
#include "runtime/kernels/resize/linear.inl.h"

namespace octet {
namespace {

static inline float32x4_t Weigh(float32x4_t a, float a_weight, float32x4_t b, float b_weight) {
  return vaddq_f32(vmulq_n_f32(a, a_weight), vmulq_n_f32(b, b_weight));
}

static inline float32x4_t Weigh4(float32x4_t a, float32x4_t b, float32x4_t c, float32x4_t d,
                                 const FloatWeights& w) {
  return Weigh(Weigh(a, w.low, b, w.high), w.row_low, Weigh(c, w.low, d, w.high), w.row_high);
}

struct Level : HalfRows {
  static inline void Pixel(const Corners<uint16_t>& s, const FloatWeights& weights,
                           uint32_t channels, uint16_t* to) {
    const auto eight = [&](uint32_t i, uint32_t count) {
      const Float8 a = LoadPartialHalf8(s.top_low + i, count);
      const Float8 b = LoadPartialHalf8(s.top_high + i, count);
      const Float8 c = LoadPartialHalf8(s.bottom_low + i, count);
      const Float8 d = LoadPartialHalf8(s.bottom_high + i, count);
      StorePartialHalf8(to + i,
                        Float8{Weigh4(a.low, b.low, c.low, d.low, weights),
                               Weigh4(a.high, b.high, c.high, d.high, weights)},
                        count);
    };
    if (channels < 8) return eight(0, channels);
    uint32_t i = 0;
    for (; i + 8 <= channels; i += 8) eight(i, 8);
    if (i < channels) eight(channels - 8, 8);  // some a second time
  }
};

}  // namespace

void resize_linear_f16_neon(const ResizeLinearF16Args& args, Share share) {
  RunResizeLinearF16<Level>(args, share);
}

}  // namespace octet
