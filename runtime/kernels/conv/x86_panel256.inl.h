// The frame around the inner loop of the 256-bit levels: start at bias - 128 * weight_sum,
// Multiply(), requantize, store. Included by conv/x86_<level>.cc behind the driver; the file itself
// defines kMaxRows and Multiply().
#include "runtime/kernels/conv/x86_requantize.inl.h"

namespace octet {
namespace {

static uint32_t PanelRows(uint32_t) {
  return kMaxRows;
}

// acc += rows x 16 outputs, lanes in channel order.
template <int kRows>
static inline void Multiply(const PanelS8& p, __m256i (&acc)[kRows][2]);

template <int kRows>
static void Panel(const PanelS8& p, const TailS8& tail) {
  __m256i acc[kRows][2];
  const blob::ChannelBlockS8& block = *p.channels;
#pragma GCC unroll 2
  for (int h = 0; h < 2; ++h) {
    const __m256i bias = _mm256_load_si256(reinterpret_cast<const __m256i*>(block.bias + 8 * h));
    const __m256i sum =
        _mm256_load_si256(reinterpret_cast<const __m256i*>(block.weight_sum + 8 * h));
    const __m256i start = _mm256_sub_epi32(bias, _mm256_slli_epi32(sum, 7));
#pragma GCC unroll 6
    for (int r = 0; r < kRows; ++r) acc[r][h] = start;
  }
  Multiply<kRows>(p, acc);
#pragma GCC unroll 2
  for (int h = 0; h < 2; ++h) {
    const Channels8 channels = LoadChannels8(block.multiplier + 8 * h, block.shift + 8 * h);
    if (tail.pre_shift != 0) {
#pragma GCC unroll 6
      for (int r = 0; r < kRows; ++r) acc[r][h] = PreShift8(acc[r][h], tail.pre_shift);
    }
    if (channels.doubled) {
#pragma GCC unroll 6
      for (int r = 0; r < kRows; ++r) acc[r][h] = Double8(acc[r][h]);
    }
#pragma GCC unroll 6
    for (int r = 0; r < kRows; ++r) acc[r][h] = RequantizeDoubled8(acc[r][h], channels);
  }
  const Finish8 finish = MakeFinish8(tail.out_zero_point, tail.clamp_lo, tail.clamp_hi);
#pragma GCC unroll 6
  for (int r = 0; r < kRows; ++r) {
    uint8_t* to = p.output + (size_t)r * p.output_stride;
    StorePartial16(to, Finish16(acc[r][0], acc[r][1], finish), p.output_channels);
    if (tail.table != nullptr) ApplyTable(to, p.output_channels, tail.table);
  }
}

typedef void (*PanelFn)(const PanelS8&, const TailS8&);

}  // namespace
}  // namespace octet
