// Pooling with MVE: 16 channels of bytes for the largest, 4 sums of 32 bits for averages.
#include "runtime/kernels/arm_helium.inl.h"
#include "runtime/kernels/kernel_table.h"
#include "runtime/kernels/pool/arm_rectangle.inl.h"

namespace octet {
namespace {

// tap(pointer) for the channels of every tap.
template <typename Tap>
static inline void ForEachTap(const Rectangle& r, const int8_t* from, Tap tap) {
  for (uint32_t y = 0; y < r.rows; ++y, from += r.row_step) {
    const int8_t* x = from;
    for (uint32_t i = r.columns; i != 0; --i, x += r.column_step) tap(x);
  }
}

}  // namespace

void max_pool_s8_helium(const PoolS8Args& args, Share share) {
  const int8x16_t least = vdupq_n_s8((int8_t)args.clamp_lo);
  const int8x16_t most = vdupq_n_s8((int8_t)args.clamp_hi);
  ForEachPiece(
      args.g, share, [&](const Rectangle& r, size_t output, uint32_t channel, uint32_t channels) {
        const auto* from = reinterpret_cast<const int8_t*>(args.input) + r.first + channel;
        auto* to = reinterpret_cast<int8_t*>(args.output) + output + channel;
        for (int32_t left = (int32_t)channels; left > 0; left -= 16, from += 16, to += 16) {
          const mve_pred16_t p = vctp8q((uint32_t)left);
          int8x16_t best = vdupq_n_s8(-128);
          ForEachTap(r, from, [&](const int8_t* x) { best = vmaxq_s8(best, vldrbq_z_s8(x, p)); });
          vstrbq_p_s8(to, vmaxq_s8(vminq_s8(best, most), least), p);
        }
      });
}

void average_pool_s8_helium(const PoolS8Args& args, Share share) {
  ForEachPiece(
      args.g, share, [&](const Rectangle& r, size_t output, uint32_t channel, uint32_t channels) {
        const auto* from = reinterpret_cast<const int8_t*>(args.input) + r.first + channel;
        auto* to = reinterpret_cast<int8_t*>(args.output) + output + channel;
        const uint32_t valid = r.rows * r.columns;
        const Multiplier m = args.multipliers[args.multiplier_count == 1 ? 0 : valid - 1];
        const int32x4_t shift = vdupq_n_s32(-m.shift);
        for (int32_t left = (int32_t)channels; left > 0; left -= 4, from += 4, to += 4) {
          const mve_pred16_t p = vctp32q((uint32_t)left);
          int32x4_t sum = vdupq_n_s32(-(int32_t)valid * args.in_zero_point);
          if (left >= 4) {
            ForEachTap(r, from, [&](const int8_t* x) { sum = vaddq_s32(sum, vldrbq_s32(x)); });
          } else {
            ForEachTap(r, from, [&](const int8_t* x) { sum = vaddq_s32(sum, vldrbq_z_s32(x, p)); });
          }
          sum =
              RequantizeLanes(PreShiftLanes(sum, args.pre_shift), vdupq_n_s32(m.multiplier), shift);
          sum = ClampLanes(vaddq_n_s32(sum, args.out_zero_point), args.clamp_lo, args.clamp_hi);
          vstrbq_p_s32(to, sum, p);
        }
      });
}

}  // namespace octet
