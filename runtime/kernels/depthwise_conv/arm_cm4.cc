// Depthwise convolution with 16-bit multiply-accumulates, four channels at a time. The rows under
// an output row are widened once into a ring in scratch, padding included, so that every window is
// inside: for windows of 3x3 channel by channel, pairs of neighbours (cm4_rows.inl.h), for any
// other a tap is two words, the pairs of channels 0 and 2, and 1 and 3.
#include "runtime/kernels/arm_cm4.inl.h"
#include "runtime/kernels/depthwise_conv/cm4_rows.inl.h"
#include "runtime/kernels/depthwise_conv/scratch.h"
#include "runtime/kernels/kernel_table.h"
#include "runtime/kernels/share.h"
#include "runtime/kernels/window.h"
#include "runtime/quant/requantize.h"

namespace octet {
namespace {

constexpr uint32_t kChannelBlock = 16, kLanes = 4;

struct Pairs {
  uint32_t even, odd;
};

static inline Pairs PairsOf(uint32_t word) {
  return Pairs{EvenBytes(word), OddBytes(word)};
}

// Four channels, and how their sums are finished: as in kernels/arm_cm4.inl.h.
struct Lanes {
  int32_t bias[kLanes], multiplier[kLanes], rounding[kLanes], shift[kLanes];
  bool unfinished;
};

struct Strip {
  const ConvS8Args& args;
  uint32_t first, lanes;     // channels
  uint32_t column, columns;  // output columns
  uint32_t pitch;            // pixels from one row of the ring to the next
  Pairs* weights;            // [tap]
  Pairs* ring;               // [kernel_h][pitch]
};

static inline uint32_t LoadLanes(const uint8_t* from, uint32_t lanes) {
  return lanes == kLanes ? LoadWord(from) : LoadBytes(from, lanes);
}

static Lanes PrepareLanes(const Strip& s) {
  const ConvS8Args& args = s.args;
  const uint32_t taps = args.g.kernel_h * args.g.kernel_w;
  Lanes lanes;
  lanes.unfinished = args.pre_shift != 0;
  // A multiple of 4: a word of a block.
  const blob::ChannelBlockS8& block = args.channels[s.first / kChannelBlock];
  const uint32_t lane = s.first % kChannelBlock;
  const int8_t* w = args.weights + (size_t)(s.first / kChannelBlock) * taps * kChannelBlock + lane;
  for (uint32_t t = 0; t < taps; ++t, w += kChannelBlock) {
    s.weights[t] = PairsOf(LoadWord(reinterpret_cast<const uint8_t*>(w)));
  }
  for (uint32_t i = 0; i < kLanes; ++i) {
    const int32_t shift = block.shift[lane + i];
    lanes.bias[i] = block.bias[lane + i];
    lanes.multiplier[i] = block.multiplier[lane + i];
    lanes.shift[i] = shift - 1;
    if (shift < kLeastShift || shift > kMostShift) {
      lanes.unfinished |= i < s.lanes;
      lanes.shift[i] = kLeastShift - 1;
    }
    lanes.rounding[i] = (int32_t)((uint32_t)(2 * args.out_zero_point + 1) << (lanes.shift[i] - 1));
  }
  return lanes;
}

// Row `y` of the image (wraps below 0) to a row of the ring: the pixels under the strip's windows.
static void WidenRow(const Strip& s, uint32_t y, Pairs* to) {
  const ConvGeometry& g = s.args.g;
  const Pairs padding = PairsOf(FourOf(s.args.in_zero_point));
  uint32_t x = s.column * g.stride_w - g.pad_left;
  uint32_t left = (s.columns - 1) * g.stride_w + (g.kernel_w - 1) * g.dilation_w + 1;
  if (y >= g.in_h) {
    for (; left != 0; --left) *to++ = padding;
    return;
  }
  for (; left != 0 && x >= g.in_w; --left, ++x) *to++ = padding;
  uint32_t inside = left == 0 ? 0 : g.in_w - x;
  if (inside > left) inside = left;
  left -= inside;
  const uint8_t* from = s.args.input + ((size_t)y * g.in_w + x) * g.in_c + s.first;
  for (; inside != 0; --inside, from += g.in_c) *to++ = PairsOf(LoadLanes(from, s.lanes));
  for (; left != 0; --left) *to++ = padding;
}

static inline void Multiply(const Pairs& x, const Pairs& w, int32_t* acc) {
  acc[0] = __smlabb((int32_t)x.even, (int32_t)w.even, acc[0]);
  acc[1] = __smlabb((int32_t)x.odd, (int32_t)w.odd, acc[1]);
  acc[2] = __smlatt((int32_t)x.even, (int32_t)w.even, acc[2]);
  acc[3] = __smlatt((int32_t)x.odd, (int32_t)w.odd, acc[3]);
}

static inline int32_t MultiplyHigh(int32_t acc, int32_t multiplier, int32_t rounding) {
  int32_t out;
  __asm__("smmla %0, %1, %2, %3" : "=r"(out) : "r"(acc), "r"(multiplier), "r"(rounding));
  return out;
}

static void StoreUnfinished(const Strip& s, const int32_t* acc, uint8_t* to) {
  const ConvS8Args& args = s.args;
  for (uint32_t i = 0; i < s.lanes; ++i) {
    const uint32_t c = s.first + i;
    const blob::ChannelBlockS8& block = args.channels[c / kChannelBlock];
    const int32_t value =
        Requantize(PreShift(acc[i], args.pre_shift), block.multiplier[c % kChannelBlock],
                   block.shift[c % kChannelBlock]);
    int8_t q = ToInt8(value, args.out_zero_point, args.clamp_lo, args.clamp_hi);
    if (args.table != nullptr) q = args.table[q + 128];
    to[i] = (uint8_t)q;
  }
}

// A row of output pixels of any window; `first_row`: where the ring has its first row.
static void OutputRow(const Strip& s, const Lanes& lanes, uint32_t first_row, uint32_t y) {
  const ConvGeometry& g = s.args.g;
  const bool narrow = IsNarrow(s.args);
  const uint32_t size = g.kernel_h * s.pitch;
  uint8_t* to = s.args.output + ((size_t)y * g.out_w + s.column) * g.out_c + s.first;
  const Pairs* column = s.ring;
  const Pairs* const end = s.ring + size;
  for (uint32_t x = 0; x < s.columns; ++x, column += g.stride_w, to += g.out_c) {
    int32_t acc[kLanes] = {lanes.bias[0], lanes.bias[1], lanes.bias[2], lanes.bias[3]};
    const Pairs* w = s.weights;
    const Pairs* row = column + first_row;
    for (uint32_t ky = 0; ky < g.kernel_h; ++ky, row += s.pitch) {
      if (row >= end) row -= size;
      const Pairs* at = row;
      for (uint32_t kx = 0; kx < g.kernel_w; ++kx, at += g.dilation_w) Multiply(*at, *w++, acc);
    }
    if (lanes.unfinished) {
      StoreUnfinished(s, acc, to);
      continue;
    }
    for (uint32_t i = 0; i < kLanes; ++i) {
      acc[i] = MultiplyHigh(acc[i], lanes.multiplier[i], lanes.rounding[i]) >> lanes.shift[i];
      acc[i] = __ssat(acc[i], 8);
    }
    if (s.lanes == kLanes) {
      for (uint32_t i = 0; i < kLanes; ++i) to[i] = (uint8_t)acc[i];
    } else {
      for (uint32_t i = 0; i < s.lanes; ++i) to[i] = (uint8_t)acc[i];
    }
    if (narrow) FinishBytes(to, s.lanes, s.args.clamp_lo, s.args.clamp_hi, s.args.table);
  }
}

// Two words of four channels as the pairs of each channel, `plane` words apart.
static inline void StorePairs(uint32_t a, uint32_t b, size_t plane, uint32_t* to) {
  const uint32_t even_a = EvenBytes(a), even_b = EvenBytes(b);
  const uint32_t odd_a = OddBytes(a), odd_b = OddBytes(b);
  to[0] = PackLow(even_a, even_b);
  to[plane] = PackLow(odd_a, odd_b);
  to[2 * plane] = PackHigh(even_a, even_b);
  to[3 * plane] = PackHigh(odd_a, odd_b);
}

// Row `y` of the image (wraps below 0) as pairs of neighbours. kFull: of four channels.
template <bool kFull>
static void PairRow(const Strip& s, uint32_t y, size_t plane, uint32_t* to) {
  const ConvGeometry& g = s.args.g;
  const uint32_t padding = FourOf(s.args.in_zero_point);
  const uint32_t padding_pair = EvenBytes(padding);
  const auto load = [&](const uint8_t* from) {
    return kFull ? LoadWord(from) : LoadBytes(from, s.lanes);
  };
  const auto pad = [&](uint32_t count) {
    for (; count != 0; --count, ++to) {
      to[0] = to[plane] = to[2 * plane] = to[3 * plane] = padding_pair;
    }
  };
  uint32_t pairs = ((s.columns - 1) * g.stride_w + 4) / 2;
  if (y >= g.in_h) return pad(pairs);
  const uint8_t* const row = s.args.input + (size_t)y * g.in_w * g.in_c + s.first;
  uint32_t x = s.column * g.stride_w - g.pad_left;
  if (x >= g.in_w) {
    // 0 - x columns of padding; of an odd number the last one has a pixel beside it.
    uint32_t before = (0u - x) / 2;
    if (before > pairs) before = pairs;
    pad(before);
    pairs -= before;
    x += 2 * before;
    if (pairs != 0 && x != 0) {
      StorePairs(padding, load(row), plane, to++);
      --pairs;
      x += 2;
    }
  }
  const uint32_t rest = x < g.in_w ? g.in_w - x : 0;
  uint32_t inside = rest / 2 < pairs ? rest / 2 : pairs;
  pairs -= inside;
  const uint8_t* from = row + (size_t)x * g.in_c;
  for (; inside != 0; --inside, from += 2 * (size_t)g.in_c, ++to) {
    StorePairs(load(from), load(from + g.in_c), plane, to);
  }
  if (pairs == 0) return;
  if (rest % 2 != 0) {
    StorePairs(load(from), padding, plane, to++);
    --pairs;
  }
  pad(pairs);
}

static void PrepareChannels(const Strip& s, const Lanes& lanes, Channel3x3* channels) {
  const int8_t* w = s.args.weights + (size_t)(s.first / kChannelBlock) * 9 * kChannelBlock +
                    s.first % kChannelBlock;
  for (uint32_t i = 0; i < s.lanes; ++i, ++w) {
    Channel3x3& c = channels[i];
    for (uint32_t ky = 0; ky < 3; ++ky) {
      const int8_t* row = w + ky * 3 * kChannelBlock;
      c.weights[2 * ky] = PackLow((uint32_t)row[0], (uint32_t)row[kChannelBlock]);
      c.weights[2 * ky + 1] =
          PackLow((uint32_t)row[kChannelBlock], (uint32_t)row[2 * kChannelBlock]);
    }
    c.bias = lanes.bias[i];
    c.multiplier = lanes.multiplier[i];
    c.rounding = lanes.rounding[i];
    c.shift = lanes.shift[i];
  }
}

// Row `y` of a layer of 3x3 windows, whose three rows are in the ring from `ring_row` on.
static void OutputRow3x3(const Strip& s, const Channel3x3* channels, uint32_t ring_row,
                         uint32_t y) {
  const ConvGeometry& g = s.args.g;
  const uint32_t pitch = s.pitch / 2;
  const uint32_t* const ring = reinterpret_cast<const uint32_t*>(s.ring);
  uint8_t* const output = s.args.output + ((size_t)y * g.out_w + s.column) * g.out_c + s.first;
  Row3x3 row = {};
  for (uint32_t ky = 0; ky < 3; ++ky) {
    row.rows[ky] = ring + (size_t)(ring_row + ky >= 3 ? ring_row + ky - 3 : ring_row + ky) * pitch;
  }
  row.plane = (size_t)pitch * 3 * sizeof(uint32_t);
  row.channel = channels;
  row.output = output;
  row.output_step = g.out_c;
  row.bytes = (size_t)(s.columns / 2) * sizeof(uint32_t) * g.stride_w;
  row.odd = s.columns % 2;
  row.channels = s.lanes;
  (g.stride_w == 1 ? Row3x3Stride1 : Row3x3Stride2)(&row);
  if (!IsNarrow(s.args)) return;
  uint8_t* to = output;
  for (uint32_t x = 0; x < s.columns; ++x, to += g.out_c) {
    FinishBytes(to, s.lanes, s.args.clamp_lo, s.args.clamp_hi, s.args.table);
  }
}

static void RunStrip(const Strip& s, Range rows) {
  const ConvGeometry& g = s.args.g;
  const Lanes lanes = PrepareLanes(s);
  Channel3x3 channels[kLanes];
  const bool in_pairs = g.kernel_h == 3 && g.kernel_w == 3 && g.dilation_h == 1 &&
                        g.dilation_w == 1 && g.stride_w <= 2 && !lanes.unfinished;
  if (in_pairs) PrepareChannels(s, lanes, channels);
  // Consecutive rows of the image take turns in the ring; those of a dilated window are widened
  // anew.
  const bool reuse = g.dilation_h == 1;
  uint32_t next = 0;  // first row that is not in the ring yet
  for (uint32_t y = (uint32_t)rows.begin; y < rows.end; ++y) {
    const uint32_t top = y * g.stride_h;
    uint32_t ky = reuse && y != rows.begin && next > top ? next - top : 0;
    for (; ky < g.kernel_h; ++ky) {
      const uint32_t ring_row = reuse ? (top + ky) % g.kernel_h : ky;
      const uint32_t row = top + ky * g.dilation_h - g.pad_top;
      if (in_pairs) {
        (s.lanes == kLanes ? PairRow<true> : PairRow<false>)(s, row, (size_t)s.pitch / 2 * 3,
                                                             reinterpret_cast<uint32_t*>(s.ring) +
                                                                 (size_t)ring_row * (s.pitch / 2));
      } else {
        WidenRow(s, row, s.ring + (size_t)ring_row * s.pitch);
      }
    }
    next = top + g.kernel_h;
    const uint32_t ring_row = reuse ? top % g.kernel_h : 0;
    if (in_pairs) {
      OutputRow3x3(s, channels, ring_row, y);
    } else {
      OutputRow(s, lanes, ring_row * s.pitch, y);
    }
  }
}

}  // namespace

void depthwise_conv_s8_cm4(const DepthwiseConvS8Args& args, Share share) {
  const ConvGeometry& g = args.g;
  const Range rows = RangeOf(g.out_h, share);
  if (rows.begin == rows.end) return;
  const DepthwiseRingCm4 ring = DepthwiseRingOfCm4(g);
  Pairs* const weights = reinterpret_cast<Pairs*>(args.scratch);
  Pairs* const pixels = weights + (size_t)g.kernel_h * g.kernel_w;
  for (uint32_t c = 0; c < g.out_c; c += kLanes) {
    const uint32_t lanes = g.out_c - c < kLanes ? g.out_c - c : kLanes;
    for (uint32_t x = 0; x < g.out_w; x += ring.columns) {
      const uint32_t columns = g.out_w - x < ring.columns ? g.out_w - x : ring.columns;
      RunStrip(Strip{args, c, lanes, x, columns, ring.pitch, weights, pixels}, rows);
    }
  }
}

}  // namespace octet
