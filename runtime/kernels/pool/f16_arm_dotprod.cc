// FP16 maxima of windows with comparisons of halves (asimdhp, which every core with SDOT has:
// ports/linux/cpu.cc), 16 channels at a time, taps in their order.
#include "runtime/kernels/arm_half.inl.h"
#include "runtime/kernels/kernel_table.h"
#include "runtime/kernels/pool/arm_rectangle.inl.h"

namespace octet {
namespace {

// A NaN never is greater, as in the reference.
static inline uint16x8_t Greater(uint16x8_t best, const uint16_t* from) {
  const uint16x8_t x = vld1q_u16(from);
  return vbslq_u16(vcgtq_f16(vreinterpretq_f16_u16(x), vreinterpretq_f16_u16(best)), x, best);
}

}  // namespace

void max_pool_f16_dotprod(const PoolF16Args& args, Share share) {
  constexpr uint32_t kTogether = 16;
  if (args.g.in_c % kTogether != 0) return max_pool_f16_neon(args, share);
  constexpr uint16_t kMinusInfinity = 0xFC00;
  ForEachPiece(args.g, share,
               [&](const Rectangle& r, size_t output, uint32_t channel, uint32_t channels) {
                 const uint16_t* from = args.input + r.first + channel;
                 uint16_t* to = args.output + output + channel;
                 for (uint32_t c = 0; c < channels; c += kTogether) {
                   uint16x8_t low = vdupq_n_u16(kMinusInfinity), high = low;
                   const uint16_t* row = from + c;
                   for (uint32_t y = 0; y < r.rows; ++y, row += r.row_step) {
                     const uint16_t* tap = row;
                     for (uint32_t x = 0; x < r.columns; ++x, tap += r.column_step) {
                       low = Greater(low, tap);
                       high = Greater(high, tap + 8);
                     }
                   }
                   vst1q_u16(to + c, low);
                   vst1q_u16(to + c + 8, high);
                 }
               });
}

}  // namespace octet
