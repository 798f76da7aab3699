// Pooling, 16 channels at a time. The taps of a window that lie inside the image are a rectangle,
// so two nested loops find them without pointers.
#include "runtime/kernels/arm_requantize.inl.h"
#include "runtime/kernels/kernel_table.h"
#include "runtime/kernels/pool/arm_rectangle.inl.h"

namespace octet {
namespace {

// tap(x) for the 16 (or `count`) channels at `from` of every tap.
template <typename Tap>
static inline void ForEachTap(const Rectangle& r, const uint8_t* from, uint32_t count, Tap tap) {
  for (uint32_t y = 0; y < r.rows; ++y, from += r.row_step) {
    const uint8_t* x = from;
    if (count >= 16) {
      for (uint32_t i = 0; i < r.columns; ++i, x += r.column_step) tap(LoadBytes(x));
    } else {
      for (uint32_t i = 0; i < r.columns; ++i, x += r.column_step) tap(LoadPartial16(x, count));
    }
  }
}

// 16-bit sums hold this many int8 values: 256 * 128 = 2^15 would be one too many.
constexpr uint32_t kMaxSum16 = 255;

struct Sum16 {
  int32x4_t wide[4];
  int16x8_t low, high;
  uint32_t taps;
};

static inline void Flush(Sum16* s) {
  s->wide[0] = vaddw_s16(s->wide[0], vget_low_s16(s->low));
  s->wide[1] = AddHigh16(s->wide[1], s->low);
  s->wide[2] = vaddw_s16(s->wide[2], vget_low_s16(s->high));
  s->wide[3] = AddHigh16(s->wide[3], s->high);
  s->low = s->high = vdupq_n_s16(0);
  s->taps = 0;
}

// A whole run of 64 channels: four sums at once, so that a tap is one address and no branch.
static inline void MaxOfRun(const Rectangle& r, const uint8_t* from, int8x16_t lo, int8x16_t hi,
                            uint8_t* to) {
  int8x16_t a = vdupq_n_s8(-128), b = a, c = a, d = a;
  for (uint32_t y = 0; y < r.rows; ++y, from += r.row_step) {
    const uint8_t* x = from;
    for (uint32_t i = 0; i < r.columns; ++i, x += r.column_step) {
      a = vmaxq_s8(a, LoadBytes(x));
      b = vmaxq_s8(b, LoadBytes(x + 16));
      c = vmaxq_s8(c, LoadBytes(x + 32));
      d = vmaxq_s8(d, LoadBytes(x + 48));
    }
  }
  StorePartial16(to, vminq_s8(vmaxq_s8(a, lo), hi), 16);
  StorePartial16(to + 16, vminq_s8(vmaxq_s8(b, lo), hi), 16);
  StorePartial16(to + 32, vminq_s8(vmaxq_s8(c, lo), hi), 16);
  StorePartial16(to + 48, vminq_s8(vmaxq_s8(d, lo), hi), 16);
}

}  // namespace

void max_pool_s8_neon(const PoolS8Args& args, Share share) {
  const int8x16_t lo = vdupq_n_s8((int8_t)args.clamp_lo), hi = vdupq_n_s8((int8_t)args.clamp_hi);
  ForEachPiece(
      args.g, share, [&](const Rectangle& r, size_t output, uint32_t channel, uint32_t channels) {
        if (channels == kRun) {
          MaxOfRun(r, args.input + r.first + channel, lo, hi, args.output + output + channel);
          return;
        }
        for (uint32_t c = 0; c < channels; c += 16) {
          const uint32_t count = channels - c < 16 ? channels - c : 16;
          int8x16_t best = vdupq_n_s8(-128);
          ForEachTap(r, args.input + r.first + channel + c, count,
                     [&](int8x16_t x) { best = vmaxq_s8(best, x); });
          best = vminq_s8(vmaxq_s8(best, lo), hi);
          StorePartial16(args.output + output + channel + c, best, count);
        }
      });
}

// Sum of (q - zero point) = sum of q - taps * zero point.
void average_pool_s8_neon(const PoolS8Args& args, Share share) {
  const Tail16 tail = MakeTail16(args.out_zero_point, args.clamp_lo, args.clamp_hi);
  ForEachPiece(
      args.g, share, [&](const Rectangle& r, size_t output, uint32_t channel, uint32_t channels) {
        const uint32_t valid = r.rows * r.columns;
        const Multiplier& m = args.multipliers[args.multiplier_count == 1 ? 0 : valid - 1];
        const int32x4_t multiplier = vdupq_n_s32(m.multiplier);
        const int32x4_t left_shift = vdupq_n_s32(-m.shift);
        const int32x4_t start = vdupq_n_s32(-(int32_t)valid * args.in_zero_point);
        for (uint32_t c = 0; c < channels; c += 16) {
          const uint32_t count = channels - c < 16 ? channels - c : 16;
          Sum16 s = {{start, start, start, start}, vdupq_n_s16(0), vdupq_n_s16(0), 0};
          ForEachTap(r, args.input + r.first + channel + c, count, [&](int8x16_t x) {
            s.low = vaddw_s8(s.low, vget_low_s8(x));
            s.high = vaddw_s8(s.high, vget_high_s8(x));
            if (++s.taps == kMaxSum16) Flush(&s);
          });
          Flush(&s);
          for (int i = 0; i < 4; ++i) {
            s.wide[i] = Requantize4(PreShift4(s.wide[i], args.pre_shift), multiplier, left_shift);
          }
          StorePartial16(args.output + output + channel + c,
                         Finish16(s.wide[0], s.wide[1], s.wide[2], s.wide[3], tail), count);
        }
      });
}

}  // namespace octet
