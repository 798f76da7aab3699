// FP16 pooling in float, 8 channels at a time, taps in their order.
#include "runtime/core/float_math.h"
#include "runtime/kernels/arm_half.inl.h"
#include "runtime/kernels/kernel_table.h"
#include "runtime/kernels/pool/arm_rectangle.inl.h"

namespace octet {
namespace {

// tap(x) for up to 8 channels at `from` of every tap.
template <typename Tap>
static inline void ForEachTap(const Rectangle& r, const uint16_t* from, uint32_t count, Tap tap) {
  for (uint32_t y = 0; y < r.rows; ++y, from += r.row_step) {
    const uint16_t* x = from;
    for (uint32_t i = 0; i < r.columns; ++i, x += r.column_step) tap(LoadPartialHalf8(x, count));
  }
}

// A NaN never is greater, as in the reference.
static inline float32x4_t Greater(float32x4_t best, float32x4_t x) {
  return vbslq_f32(vcgtq_f32(x, best), x, best);
}

// start, then tap(value, x) for every tap, then finish(value, taps).
template <typename Tap, typename Finish>
static inline void RunPool(const PoolF16Args& args, Share share, float start, Tap tap,
                           Finish finish) {
  ForEachPiece(args.g, share,
               [&](const Rectangle& r, size_t output, uint32_t channel, uint32_t channels) {
                 for (uint32_t c = 0; c < channels; c += 8) {
                   const uint32_t count = channels - c < 8 ? channels - c : 8;
                   Float8 value = {vdupq_n_f32(start), vdupq_n_f32(start)};
                   ForEachTap(r, args.input + r.first + channel + c, count, [&](const Float8& x) {
                     value.low = tap(value.low, x.low);
                     value.high = tap(value.high, x.high);
                   });
                   const uint32_t taps = r.rows * r.columns;
                   value = Float8{finish(value.low, taps), finish(value.high, taps)};
                   StorePartialHalf8(args.output + output + channel + c, value, count);
                 }
               });
}

}  // namespace

void max_pool_f16_neon(const PoolF16Args& args, Share share) {
  RunPool(
      args, share, -FloatInfinity(),
      [](float32x4_t best, float32x4_t x) { return Greater(best, x); },
      [](float32x4_t best, uint32_t) { return best; });
}

void average_pool_f16_neon(const PoolF16Args& args, Share share) {
  const ConvGeometry& g = args.g;
  const bool all = args.count_include_pad != 0;
  const uint32_t window = g.kernel_h * g.kernel_w;
  RunPool(
      args, share, 0.0f, [](float32x4_t sum, float32x4_t x) { return vaddq_f32(sum, x); },
      [all, window](float32x4_t sum, uint32_t taps) {
        return DivideF32(sum, vdupq_n_f32((float)(all ? window : taps)));
      });
}

}  // namespace octet
