// Pooling, four channels at a time in the 16-bit halves or bytes of words.
#include "runtime/kernels/arm_cm4.inl.h"
#include "runtime/kernels/kernel_table.h"
#include "runtime/kernels/pool/arm_rectangle.inl.h"

namespace octet {
namespace {

constexpr uint32_t kLanes = 4;

// body(first channel within the piece, channels) by fours.
template <typename Body>
static inline void ByFours(uint32_t channels, Body body) {
  for (uint32_t c = 0; c < channels; c += kLanes) {
    body(c, channels - c < kLanes ? channels - c : kLanes);
  }
}

// tap(word) for four (or `count`) channels of every tap.
template <typename Tap>
static inline void ForEachTap(const Rectangle& r, const uint8_t* from, uint32_t count, Tap tap) {
  for (uint32_t y = 0; y < r.rows; ++y, from += r.row_step) {
    const uint8_t* x = from;
    if (count == kLanes) {
      for (uint32_t i = 0; i < r.columns; ++i, x += r.column_step) tap(LoadWord(x));
    } else {
      for (uint32_t i = 0; i < r.columns; ++i, x += r.column_step) tap(LoadBytes(x, count));
    }
  }
}

// 16-bit sums hold this many int8 values: 256 * 128 = 2^15 would be one too many.
constexpr uint32_t kMaxSum16 = 255;

struct Sums {
  int32_t wide[kLanes];
  uint32_t even, odd;
  uint32_t taps;  // in even and odd

  void Flush() {
    wide[0] += (int16_t)even;
    wide[1] += (int16_t)odd;
    wide[2] += (int32_t)even >> 16;
    wide[3] += (int32_t)odd >> 16;
    even = odd = taps = 0;
  }
};

}  // namespace

void max_pool_s8_cm4(const PoolS8Args& args, Share share) {
  ForEachPiece(
      args.g, share, [&](const Rectangle& r, size_t output, uint32_t channel, uint32_t channels) {
        const uint8_t* const from = args.input + r.first + channel;
        uint8_t* const to = args.output + output + channel;
        ByFours(channels, [&](uint32_t c, uint32_t count) {
          uint32_t best = FourOf(-128);
          ForEachTap(r, from + c, count, [&](uint32_t word) { best = LargerBytes(best, word); });
          StoreBytes(to + c, best, count);
        });
        FinishBytes(to, channels, args.clamp_lo, args.clamp_hi, nullptr);
      });
}

void average_pool_s8_cm4(const PoolS8Args& args, Share share) {
  ForEachPiece(
      args.g, share, [&](const Rectangle& r, size_t output, uint32_t channel, uint32_t channels) {
        const uint8_t* const from = args.input + r.first + channel;
        uint8_t* const to = args.output + output + channel;
        const uint32_t valid = r.rows * r.columns;
        const Multiplier m = args.multipliers[args.multiplier_count == 1 ? 0 : valid - 1];
        ByFours(channels, [&](uint32_t c, uint32_t count) {
          // -valid * zero point wraps where the sums do, back into range at the end.
          const int32_t start = -(int32_t)valid * args.in_zero_point;
          Sums sums = {{start, start, start, start}, 0, 0, 0};
          ForEachTap(r, from + c, count, [&](uint32_t word) {
            sums.even = AddEvenBytes(sums.even, word);
            sums.odd = AddOddBytes(sums.odd, word);
            if (++sums.taps == kMaxSum16) sums.Flush();
          });
          sums.Flush();
          for (uint32_t i = 0; i < count; ++i) {
            const int32_t value =
                Requantize(PreShift(sums.wide[i], args.pre_shift), m.multiplier, m.shift);
            to[c + i] = (uint8_t)ToInt8(value, args.out_zero_point, args.clamp_lo, args.clamp_hi);
          }
        });
      });
}

}  // namespace octet
