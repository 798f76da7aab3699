// Linear Resize of int8 with NEON, 16 channels at a time.
#include "runtime/kernels/arm_neon_shim.inl.h"
#include "runtime/kernels/kernel_table.h"
#include "runtime/kernels/resize/linear.inl.h"

namespace octet {
namespace {

// a * low + b * high of 8 elements (weights are at most 2^11).
struct Weighed {
  int32x4_t low, high;
};

static inline Weighed Weigh(int8x8_t a, int8x8_t b, const blob::ResizeTap& tap) {
  const int16x8_t x = vmovl_s8(a), y = vmovl_s8(b);
  const int16_t low = (int16_t)tap.weight_low, high = (int16_t)tap.weight_high;
  return Weighed{vmlal_n_s16(vmull_n_s16(vget_low_s16(x), low), vget_low_s16(y), high),
                 vmlal_n_s16(vmull_n_s16(vget_high_s16(x), low), vget_high_s16(y), high)};
}

// 8 results of the weighed taps of two rows.
static inline int8x8_t Finish(const Weighed& top, const Weighed& bottom,
                              const blob::ResizeTap& row) {
  const int32_t low = (int32_t)row.weight_low, high = (int32_t)row.weight_high;
  const int32x4_t first = vmlaq_n_s32(vmulq_n_s32(top.low, low), bottom.low, high);
  const int32x4_t second = vmlaq_n_s32(vmulq_n_s32(top.high, low), bottom.high, high);
  return vmovn_s16(
      vcombine_s16(vmovn_s32(vrshrq_n_s32(first, 22)), vmovn_s32(vrshrq_n_s32(second, 22))));
}

struct Level {
  static inline void Blend(const ResizeLine<uint8_t>& line, uint32_t count, uint8_t sign,
                           int32_t* to) {
    const int8x8_t flip = vdup_n_s8((int8_t)sign);
    uint32_t i = 0;
    for (; i + 8 <= count; i += 8) {
      const Weighed w = Weigh(
          veor_s8(vld1_s8(reinterpret_cast<const int8_t*>(line.top + i)), flip),
          veor_s8(vld1_s8(reinterpret_cast<const int8_t*>(line.bottom + i)), flip), *line.row);
      vst1q_s32(to + i, w.low);
      vst1q_s32(to + i + 4, w.high);
    }
    for (; i < count; ++i) {
      to[i] = (int8_t)(line.top[i] ^ sign) * (int32_t)line.row->weight_low +
              (int8_t)(line.bottom[i] ^ sign) * (int32_t)line.row->weight_high;
    }
  }

  static inline void Pixel(const Corners<uint8_t>& s, const blob::ResizeTap& column,
                           const blob::ResizeTap& row, uint32_t channels, uint8_t sign,
                           uint8_t* to) {
    const int8x16_t flip = vdupq_n_s8((int8_t)sign);
    const auto sixteen = [&](uint32_t c, uint32_t count) {
      const int8x16_t a = veorq_s8(LoadPartial16(s.top_low + c, count), flip);
      const int8x16_t b = veorq_s8(LoadPartial16(s.top_high + c, count), flip);
      const int8x16_t d = veorq_s8(LoadPartial16(s.bottom_low + c, count), flip);
      const int8x16_t e = veorq_s8(LoadPartial16(s.bottom_high + c, count), flip);
      const int8x8_t low = Finish(Weigh(vget_low_s8(a), vget_low_s8(b), column),
                                  Weigh(vget_low_s8(d), vget_low_s8(e), column), row);
      const int8x8_t high = Finish(Weigh(vget_high_s8(a), vget_high_s8(b), column),
                                   Weigh(vget_high_s8(d), vget_high_s8(e), column), row);
      StorePartial16(to + c, veorq_s8(vcombine_s8(low, high), flip), count);
    };
    if (channels < 16) return sixteen(0, channels);
    uint32_t c = 0;
    for (; c + 16 <= channels; c += 16) sixteen(c, 16);
    if (c < channels) sixteen(channels - 16, 16);  // some a second time
  }
};

}  // namespace

void resize_linear_s8_neon(const ResizeLinearS8Args& args, Share share) {
  RunResizeLinearS8<Level>(args, share);
}

}  // namespace octet
