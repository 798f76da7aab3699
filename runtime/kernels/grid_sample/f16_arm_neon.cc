// GridSample of FP16 with NEON: eight channels of a pixel at a time.
#include "runtime/kernels/arm_half.inl.h"
#include "runtime/kernels/grid_sample/grid_sample.inl.h"
#include "runtime/kernels/kernel_table.h"

namespace octet {
namespace {

static inline float32x4_t OneNan(float32x4_t x) {
  return vbslq_f32(vceqq_f32(x, x), x, vreinterpretq_f32_u32(vdupq_n_u32(0x7FC00000u)));
}

struct Level : HalfRows {
  static inline void Sum(const GridTap* taps, uint32_t count, uint32_t channels, uint16_t* to) {
    const auto eight = [&](uint32_t c, uint32_t width) {
      Float8 acc = {vdupq_n_f32(0.0f), vdupq_n_f32(0.0f)};
      for (uint32_t k = 0; k < count; ++k) {
        const Float8 x = LoadPartialHalf8(taps[k].pixel + c, width);
        const float32x4_t weight = vdupq_n_f32(taps[k].weight);
        acc.low = vaddq_f32(acc.low, vmulq_f32(x.low, weight));
        acc.high = vaddq_f32(acc.high, vmulq_f32(x.high, weight));
      }
      StorePartialHalf8(to + c, Float8{OneNan(acc.low), OneNan(acc.high)}, width);
    };
    if (channels < 8) return eight(0, channels);
    uint32_t c = 0;
    for (; c + 8 <= channels; c += 8) eight(c, 8);
    if (c < channels) eight(channels - 8, 8);  // some a second time
  }
};

}  // namespace

void grid_sample_f16_neon(const GridSampleF16Args& args, Share share) {
  RunGridSampleF16<Level>(args, share);
}

}  // namespace octet
