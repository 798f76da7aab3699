// Depthwise convolution with SDOT. Stride 1: the four rows under the windows of two output rows are
// interleaved column by column, [channel][row 0, 1, 2, 3], so that one dot product adds three taps
// of four channels, with weights [ky 0, 1, 2, none] for the upper and [none, ky 0, 1, 2] for the
// lower output; an interleaved column serves all six outputs that cover it. Stride 2: the same with
// the three rows of one output row.
#include "runtime/kernels/depthwise_conv/arm_depthwise_s8.inl.h"
#include "runtime/kernels/kernel_table.h"

namespace octet {
namespace {

// 16 channels x [ky 0, 1, 2, none].
struct Column {
  int8x16_t x[4];
};

static inline Column Interleave(int8x16_t top, int8x16_t middle, int8x16_t bottom) {
  const int8x16_t none = vdupq_n_s8(0);
  const int16x8_t a = vreinterpretq_s16_s8(vzip1q_s8(top, middle));
  const int16x8_t b = vreinterpretq_s16_s8(vzip2q_s8(top, middle));
  const int16x8_t c = vreinterpretq_s16_s8(vzip1q_s8(bottom, none));
  const int16x8_t d = vreinterpretq_s16_s8(vzip2q_s8(bottom, none));
  return Column{{vreinterpretq_s8_s16(vzip1q_s16(a, c)), vreinterpretq_s8_s16(vzip2q_s16(a, c)),
                 vreinterpretq_s8_s16(vzip1q_s16(b, d)), vreinterpretq_s8_s16(vzip2q_s16(b, d))}};
}

// One output row x 16 channels.
struct Strip {
  const uint8_t* row[3];  // input rows at column 0, this block's channels
  uint32_t in_w;
  size_t step;  // from one input column to the next, and from one output to the next
  Column padding;
  Column w[3];  // by kx
  int32x4_t start[4];
  Scale16 scale;
  Tail16 tail;
  uint8_t* output;
  uint32_t lanes;
};

template <bool kFull>
static inline int8x16_t LoadLanes(const uint8_t* from, uint32_t lanes) {
  return kFull ? LoadBytes(from) : LoadPartial16(from, lanes);
}

template <bool kFull>
static inline Column LoadColumn(const Strip& s, uint32_t x) {
  if (x >= s.in_w) return s.padding;  // -1 is beyond, too
  const size_t at = x * s.step;
  return Interleave(LoadLanes<kFull>(s.row[0] + at, s.lanes),
                    LoadLanes<kFull>(s.row[1] + at, s.lanes),
                    LoadLanes<kFull>(s.row[2] + at, s.lanes));
}

template <bool kFull>
static inline void StoreOutput(const Strip& s, uint8_t* to, const Column& a, const Column& b,
                               const Column& c) {
  int32x4_t acc[4];
#pragma GCC unroll 4
  for (int i = 0; i < 4; ++i) {
    acc[i] = vdotq_s32(s.start[i], a.x[i], s.w[0].x[i]);
    acc[i] = vdotq_s32(acc[i], b.x[i], s.w[1].x[i]);
    acc[i] = vdotq_s32(acc[i], c.x[i], s.w[2].x[i]);
  }
  const int8x16_t q = RequantizeFinish16(acc, s.scale, s.tail);
  StorePartial16(to, q, kFull ? kBlock : s.lanes);
}

// Outputs of a row with `x` = the input column under the first tap of the first output. Neighbours
// share two columns (stride 1) or one (stride 2): rounds of outputs in which every column keeps its
// registers.
template <bool kFull, uint32_t kStride>
static void RunStrip(const Strip& strip, uint32_t x, uint32_t count) {
  const Strip s = strip;  // a copy that no store can alias stays in registers
  uint8_t* to = s.output;
  Column a = LoadColumn<kFull>(s, x++), b, c;
  if (kStride == 1) {
    for (b = LoadColumn<kFull>(s, x++);; to += s.step) {
      c = LoadColumn<kFull>(s, x++);
      StoreOutput<kFull>(s, to, a, b, c);
      if (--count == 0) return;
      to += s.step;
      a = LoadColumn<kFull>(s, x++);
      StoreOutput<kFull>(s, to, b, c, a);
      if (--count == 0) return;
      to += s.step;
      b = LoadColumn<kFull>(s, x++);
      StoreOutput<kFull>(s, to, c, a, b);
      if (--count == 0) return;
    }
  }
  for (;; to += s.step, x += 4) {
    b = LoadColumn<kFull>(s, x);
    c = LoadColumn<kFull>(s, x + 1);
    StoreOutput<kFull>(s, to, a, b, c);
    if (--count == 0) return;
    to += s.step;
    b = LoadColumn<kFull>(s, x + 2);
    a = LoadColumn<kFull>(s, x + 3);
    StoreOutput<kFull>(s, to, c, b, a);
    if (--count == 0) return;
  }
}

static void RunRow(const ConvS8Args& args, const DepthwisePlan& plan, uint32_t y, uint32_t block) {
  const ConvGeometry& g = args.g;
  const size_t channel = (size_t)block * kBlock;
  const int8_t* weights = args.weights + (size_t)block * 9 * kBlock;
  const int8x16_t zero_point = vdupq_n_s8((int8_t)args.in_zero_point);
  Strip s;
  s.in_w = g.in_w;
  s.step = g.in_c;
  s.padding = Interleave(zero_point, zero_point, zero_point);
  for (int i = 0; i < 4; ++i) s.start[i] = vld1q_s32(args.channels[block].bias + 4 * i);
  int8x16_t w[3][3];
  for (uint32_t ky = 0; ky < 3; ++ky) {
    const int64_t row = (int64_t)y * g.stride_h + ky - g.pad_top;
    const bool inside = row >= 0 && row < g.in_h;
    s.row[ky] = args.input + (inside ? (size_t)row * g.in_w * g.in_c : 0) + channel;
    for (uint32_t kx = 0; kx < 3; ++kx) {
      w[ky][kx] = vld1q_s8(weights + (3 * ky + kx) * kBlock);
      if (inside) continue;
      // A row of padding counts once for all outputs: zero point x weight.
      AddProducts(s.start, vmull_s8(vget_low_s8(zero_point), vget_low_s8(w[ky][kx])),
                  MultiplyHigh8(zero_point, w[ky][kx]));
      w[ky][kx] = vdupq_n_s8(0);
    }
  }
  for (int kx = 0; kx < 3; ++kx) s.w[kx] = Interleave(w[0][kx], w[1][kx], w[2][kx]);
  s.scale = LoadScale16(args.channels[block]);
  s.tail = plan.tail;
  s.output = args.output + (size_t)y * g.out_w * g.out_c + channel;
  const uint32_t first = 0u - g.pad_left;
  s.lanes = LanesOf(g, block);
  if (s.lanes == kBlock) {
    (g.stride_w == 1 ? RunStrip<true, 1> : RunStrip<true, 2>)(s, first, g.out_w);
  } else {
    (g.stride_w == 1 ? RunStrip<false, 1> : RunStrip<false, 2>)(s, first, g.out_w);
  }
  if (args.table != nullptr) ApplyTableToRow(args, y, block);
}

// What two output rows x 16 channels need; in this order for the assembly.
struct RowPair {
  int8x16_t w[2][3][4];  // [upper, lower][kx][quad of channels]
  int32x4_t start[4], multiplier[4], left_shift[4];
  int8x16_t zero_point_halves, lo, hi;
  int8x16_t columns[2][4];  // the first two of the strip
};

// Input rows of a strip: where they are now, and how far the next column is; 0 in the padding.
struct Lines {
  const uint8_t* at[4];
  size_t step[4];
};

static inline Column Interleave4(const int8x16_t* r) {
  const int16x8_t a = vreinterpretq_s16_s8(vzip1q_s8(r[0], r[1]));
  const int16x8_t b = vreinterpretq_s16_s8(vzip2q_s8(r[0], r[1]));
  const int16x8_t c = vreinterpretq_s16_s8(vzip1q_s8(r[2], r[3]));
  const int16x8_t d = vreinterpretq_s16_s8(vzip2q_s8(r[2], r[3]));
  return Column{{vreinterpretq_s8_s16(vzip1q_s16(a, c)), vreinterpretq_s8_s16(vzip2q_s16(a, c)),
                 vreinterpretq_s8_s16(vzip1q_s16(b, d)), vreinterpretq_s8_s16(vzip2q_s16(b, d))}};
}

// Column x, or padding beside the image.
static inline Column ColumnAt(const Lines& lines, int64_t x, uint32_t in_w, int8x16_t padding) {
  int8x16_t r[4] = {padding, padding, padding, padding};
  if (x >= 0 && x < in_w) {
    for (int i = 0; i < 4; ++i) r[i] = LoadBytes(lines.at[i] + (size_t)x * lines.step[i]);
  }
  return Interleave4(r);
}

// clang-format off
#define OCTET_DOT(acc0, acc1, acc2, acc3, c0, c1, c2, c3, w0, w1, w2, w3) \
  "sdot v" #acc0 ".4s, v" #c0 ".16b, v" #w0 ".16b\n\t"                  \
  "sdot v" #acc1 ".4s, v" #c1 ".16b, v" #w1 ".16b\n\t"                  \
  "sdot v" #acc2 ".4s, v" #c2 ".16b, v" #w2 ".16b\n\t"                  \
  "sdot v" #acc3 ".4s, v" #c3 ".16b, v" #w3 ".16b\n\t"
#define OCTET_UPPER(c0, c1, c2, c3) OCTET_DOT(12, 13, 14, 15, c0, c1, c2, c3, 20, 21, 22, 23)
#define OCTET_LOWER(c0, c1, c2, c3) OCTET_DOT(16, 17, 18, 19, c0, c1, c2, c3, 24, 25, 26, 27)
#define OCTET_LOAD4(a, b, c, d, at)                     \
  "ldp q" #a ", q" #b ", [%[pair], #" #at "]\n\t"       \
  "ldp q" #c ", q" #d ", [%[pair], #" #at " + 32]\n\t"
#define OCTET_BOTH(op, a, b, c)                         \
  op " v" #a ".4s, v" #a ".4s, v" #c ".4s\n\t"          \
  op " v" #b ".4s, v" #b ".4s, v" #c ".4s\n\t"
// One output of each row: columns a, b in registers, c loaded and interleaved.
#define OCTET_OUTPUTS(a0, a1, a2, a3, b0, b1, b2, b3, c0, c1, c2, c3)     \
  "ldr q24, [%[r0]]\n\t"                                                  \
  "ldr q25, [%[r1]]\n\t"                                                  \
  "ldr q26, [%[r2]]\n\t"                                                  \
  "ldr q27, [%[r3]]\n\t"                                                  \
  OCTET_LOAD4(12, 13, 14, 15, 384)                                        \
  OCTET_LOAD4(20, 21, 22, 23, 0)                                          \
  "add %[r0], %[r0], %[s0]\n\t"                                           \
  "zip1 v" #c0 ".16b, v24.16b, v25.16b\n\t"                               \
  "add %[r1], %[r1], %[s1]\n\t"                                           \
  "zip2 v" #c1 ".16b, v24.16b, v25.16b\n\t"                               \
  "add %[r2], %[r2], %[s2]\n\t"                                           \
  "zip1 v24.16b, v26.16b, v27.16b\n\t"                                    \
  "add %[r3], %[r3], %[s3]\n\t"                                           \
  "zip2 v25.16b, v26.16b, v27.16b\n\t"                                    \
  OCTET_UPPER(a0, a1, a2, a3)                                             \
  OCTET_LOAD4(16, 17, 18, 19, 384)                                        \
  "zip1 v" #c2 ".8h, v" #c1 ".8h, v25.8h\n\t"                             \
  "zip2 v" #c3 ".8h, v" #c1 ".8h, v25.8h\n\t"                             \
  "zip2 v" #c1 ".8h, v" #c0 ".8h, v24.8h\n\t"                             \
  "zip1 v" #c0 ".8h, v" #c0 ".8h, v24.8h\n\t"                             \
  OCTET_LOAD4(24, 25, 26, 27, 192)                                        \
  OCTET_LOAD4(20, 21, 22, 23, 64)                                         \
  OCTET_LOWER(a0, a1, a2, a3)                                             \
  OCTET_LOAD4(24, 25, 26, 27, 256)                                        \
  OCTET_UPPER(b0, b1, b2, b3)                                             \
  OCTET_LOAD4(20, 21, 22, 23, 128)                                        \
  OCTET_LOWER(b0, b1, b2, b3)                                             \
  OCTET_LOAD4(24, 25, 26, 27, 320)                                        \
  OCTET_UPPER(c0, c1, c2, c3)                                             \
  OCTET_LOAD4(20, 21, 22, 23, 448)                                        \
  OCTET_LOWER(c0, c1, c2, c3)                                             \
  OCTET_LOAD4(24, 25, 26, 27, 512)                                        \
  OCTET_BOTH("sqdmulh", 12, 16, 20)                                       \
  OCTET_BOTH("sqdmulh", 13, 17, 21)                                       \
  OCTET_BOTH("sqdmulh", 14, 18, 22)                                       \
  OCTET_BOTH("sqdmulh", 15, 19, 23)                                       \
  OCTET_BOTH("srshl", 12, 16, 24)                                         \
  OCTET_BOTH("srshl", 13, 17, 25)                                         \
  OCTET_BOTH("srshl", 14, 18, 26)                                         \
  OCTET_BOTH("srshl", 15, 19, 27)                                         \
  "sqxtn v12.4h, v12.4s\n\t"                                              \
  "sqxtn v16.4h, v16.4s\n\t"                                              \
  "sqxtn v14.4h, v14.4s\n\t"                                              \
  "sqxtn v18.4h, v18.4s\n\t"                                              \
  "sqxtn2 v12.8h, v13.4s\n\t"                                             \
  "sqxtn2 v16.8h, v17.4s\n\t"                                             \
  "sqxtn2 v14.8h, v15.4s\n\t"                                             \
  "sqxtn2 v18.8h, v19.4s\n\t"                                             \
  "sqadd v12.8h, v12.8h, v28.8h\n\t"                                      \
  "sqadd v16.8h, v16.8h, v28.8h\n\t"                                      \
  "sqadd v14.8h, v14.8h, v28.8h\n\t"                                      \
  "sqadd v18.8h, v18.8h, v28.8h\n\t"                                      \
  "sqxtn v12.8b, v12.8h\n\t"                                              \
  "sqxtn v16.8b, v16.8h\n\t"                                              \
  "sqxtn2 v12.16b, v14.8h\n\t"                                            \
  "sqxtn2 v16.16b, v18.8h\n\t"                                            \
  "smax v12.16b, v12.16b, v29.16b\n\t"                                    \
  "smax v16.16b, v16.16b, v29.16b\n\t"                                    \
  "smin v12.16b, v12.16b, v30.16b\n\t"                                    \
  "smin v16.16b, v16.16b, v30.16b\n\t"                                    \
  "str q16, [%[lower], %[to]]\n\t"                                       \
  "str q12, [%[upper], %[to]]\n\t"                                       \
  "add %[to], %[to], %[to_step]\n\t"
// clang-format on

// `count` outputs (at least 1) of two rows; `r`: the third column of the first. Both rows may be
// one and the same: the upper's value is stored last. In assembly for the pairs of loads and for
// two rows of latencies side by side, which the compiler does not keep apart.
static void RunPair(const RowPair& pair, const Lines& r, uint8_t* upper, uint8_t* lower,
                    size_t to_step, uint32_t count) {
  const uint8_t *r0 = r.at[0], *r1 = r.at[1], *r2 = r.at[2], *r3 = r.at[3];
  size_t to = 0;
  __asm__ volatile(
      // clang-format off
      "ldp q28, q29, [%[pair], #576]\n\t"
      "ldr q30, [%[pair], #608]\n\t"
      OCTET_LOAD4(0, 1, 2, 3, 624)
      OCTET_LOAD4(4, 5, 6, 7, 688)
      "1:\n\t"
      OCTET_OUTPUTS(0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11)
      "subs %w[count], %w[count], #1\n\t"
      "b.eq 2f\n\t"
      OCTET_OUTPUTS(4, 5, 6, 7, 8, 9, 10, 11, 0, 1, 2, 3)
      "subs %w[count], %w[count], #1\n\t"
      "b.eq 2f\n\t"
      OCTET_OUTPUTS(8, 9, 10, 11, 0, 1, 2, 3, 4, 5, 6, 7)
      "subs %w[count], %w[count], #1\n\t"
      "b.ne 1b\n\t"
      "2:\n\t"
      // clang-format on
      : [r0] "+r"(r0), [r1] "+r"(r1), [r2] "+r"(r2), [r3] "+r"(r3), [to] "+r"(to), [count] "+r"(count)
      : [upper] "r"(upper), [lower] "r"(lower), [pair] "r"(&pair), [s0] "r"(r.step[0]), [s1] "r"(r.step[1]), [s2] "r"(r.step[2]),
        [s3] "r"(r.step[3]), [to_step] "r"(to_step)
      : "cc", "memory", "v0", "v1", "v2", "v3", "v4", "v5", "v6", "v7", "v8", "v9", "v10", "v11",
        "v12", "v13", "v14", "v15", "v16", "v17", "v18", "v19", "v20", "v21", "v22", "v23", "v24",
        "v25", "v26", "v27", "v28", "v29", "v30");
}

#undef OCTET_DOT
#undef OCTET_UPPER
#undef OCTET_LOWER
#undef OCTET_LOAD4
#undef OCTET_BOTH
#undef OCTET_OUTPUTS

// The same for one output at a time with columns that may lie beside the image.
static inline int8x16_t EdgeOutput(const RowPair& pair, int row, const Column* c,
                                   const Tail16& tail) {
  int32x4_t acc[4];
  for (int i = 0; i < 4; ++i) {
    acc[i] = pair.start[i];
    for (int kx = 0; kx < 3; ++kx) acc[i] = vdotq_s32(acc[i], c[kx].x[i], pair.w[row][kx][i]);
    acc[i] = Requantize4(acc[i], pair.multiplier[i], pair.left_shift[i]);
  }
  return Finish16(acc[0], acc[1], acc[2], acc[3], tail);
}

// 16 channels from `channel` on, which need not be the first of a block: the last block of a layer
// is computed with channels of the one before it.
static void PreparePair(const ConvS8Args& args, const Tail16& tail, uint32_t channel,
                        RowPair* pair) {
  const uint32_t block = channel / kBlock, skip = channel % kBlock;
  int8x16_t w[3][3];
  Scale16 scale;
  if (skip == 0) {
    const int8_t* weights = args.weights + (size_t)block * 9 * kBlock;
    for (int t = 0; t < 9; ++t) w[t / 3][t % 3] = vld1q_s8(weights + t * kBlock);
    for (int i = 0; i < 4; ++i) pair->start[i] = vld1q_s32(args.channels[block].bias + 4 * i);
    scale = LoadScale16(args.channels[block]);
  } else {
    int8_t taps[9][kBlock];
    blob::ChannelBlockS8 channels;
    for (uint32_t lane = 0; lane < kBlock; ++lane) {
      const uint32_t at = skip + lane, b = block + at / kBlock, l = at % kBlock;
      for (uint32_t t = 0; t < 9; ++t) {
        taps[t][lane] = args.weights[((size_t)b * 9 + t) * kBlock + l];
      }
      channels.bias[lane] = args.channels[b].bias[l];
      channels.multiplier[lane] = args.channels[b].multiplier[l];
      channels.shift[lane] = args.channels[b].shift[l];
    }
    for (int t = 0; t < 9; ++t) w[t / 3][t % 3] = vld1q_s8(taps[t]);
    for (int i = 0; i < 4; ++i) pair->start[i] = vld1q_s32(channels.bias + 4 * i);
    scale = LoadScale16(channels);
  }
  const int8x16_t none = vdupq_n_s8(0);
  for (int kx = 0; kx < 3; ++kx) {
    const int8x16_t upper[4] = {w[0][kx], w[1][kx], w[2][kx], none};
    const int8x16_t lower[4] = {none, w[0][kx], w[1][kx], w[2][kx]};
    const Column u = Interleave4(upper), l = Interleave4(lower);
    for (int i = 0; i < 4; ++i) {
      pair->w[0][kx][i] = u.x[i];
      pair->w[1][kx][i] = l.x[i];
    }
  }
  for (int i = 0; i < 4; ++i) {
    pair->multiplier[i] = scale.multiplier[i];
    pair->left_shift[i] = scale.left_shift[i];
  }
  pair->zero_point_halves = vreinterpretq_s8_s16(tail.zero_point);
  pair->lo = tail.lo;
  pair->hi = tail.hi;
}

// Output rows y and, where it exists, y + 1.
static void RunTwoRows(const ConvS8Args& args, const DepthwisePlan& plan, uint32_t y,
                       uint32_t channel, RowPair* pair) {
  const ConvGeometry& g = args.g;
  Lines lines;
  for (uint32_t i = 0; i < 4; ++i) {
    const int64_t row = (int64_t)y + i - g.pad_top;
    const bool inside = row >= 0 && row < g.in_h;
    lines.at[i] = (inside ? args.input + (size_t)row * g.in_w * g.in_c : plan.padding) + channel;
    lines.step[i] = inside ? g.in_c : 0;
  }
  const int8x16_t padding = vdupq_n_s8((int8_t)args.in_zero_point);
  const int64_t first = -(int64_t)g.pad_left;
  for (int i = 0; i < 2; ++i) {
    const Column c = ColumnAt(lines, first + i, g.in_w, padding);
    for (int k = 0; k < 4; ++k) pair->columns[i][k] = c.x[k];
  }
  uint8_t* upper = args.output + (size_t)y * g.out_w * g.out_c + channel;
  uint8_t* lower = y + 1 < g.out_h ? upper + (size_t)g.out_w * g.out_c : upper;
  // Outputs whose third column is in the image.
  const int64_t third = first + 2;
  uint32_t count = third < g.in_w ? (uint32_t)(g.in_w - third) : 0;
  if (count > g.out_w) count = g.out_w;
  if (count != 0) {
    Lines from = lines;
    for (int i = 0; i < 4; ++i) from.at[i] += (size_t)third * lines.step[i];
    RunPair(*pair, from, upper, lower, g.out_c, count);
  }
  for (uint32_t x = count; x < g.out_w; ++x) {
    Column c[3];
    for (int i = 0; i < 3; ++i) c[i] = ColumnAt(lines, first + x + i, g.in_w, padding);
    const size_t at = (size_t)x * g.out_c;
    vst1q_u8(lower + at, vreinterpretq_u8_s8(EdgeOutput(*pair, 1, c, plan.tail)));
    vst1q_u8(upper + at, vreinterpretq_u8_s8(EdgeOutput(*pair, 0, c, plan.tail)));
  }
}

// Input bytes of the rows that are taken block by block before the next ones: most of a level 1
// cache.
constexpr uint64_t kBandBytes = 32 * 1024;

static void RunPairs(const ConvS8Args& args, const DepthwisePlan& plan, Share share) {
  const ConvGeometry& g = args.g;
  const uint64_t all = (g.out_h + (uint64_t)1) / 2;
  Range pairs = {0, all}, blocks = {0, plan.blocks};
  if (all < 2 * (uint64_t)share.count && plan.blocks >= share.count) {
    blocks = RangeOf(plan.blocks, share);
  } else {
    pairs = RangeOf(all, share);
  }
  const uint64_t row_bytes = (uint64_t)g.in_w * g.in_c;
  const uint64_t band = 1 + kBandBytes / (2 * row_bytes);
  for (uint64_t begin = pairs.begin; begin < pairs.end; begin += band) {
    const uint64_t end = begin + band < pairs.end ? begin + band : pairs.end;
    for (uint64_t block = blocks.begin; block < blocks.end; ++block) {
      const uint32_t start = (uint32_t)block * kBlock;
      // Fewer than 16 channels left: the last 16.
      const uint32_t channel = g.out_c - start < kBlock ? g.out_c - kBlock : start;
      RowPair pair;
      PreparePair(args, plan.tail, channel, &pair);
      for (uint64_t p = begin; p < end; ++p) {
        const uint32_t y = (uint32_t)(2 * p);
        RunTwoRows(args, plan, y, channel, &pair);
      }
    }
    if (args.table == nullptr) continue;
    for (uint64_t y = 2 * begin; y < 2 * end && y < g.out_h; ++y) {
      for (uint64_t block = blocks.begin; block < blocks.end; ++block) {
        ApplyTableToRow(args, (uint32_t)y, (uint32_t)block);
      }
    }
  }
}

// Where threads share the blocks, none may write channels of another's.
static bool TakesPairs(const ConvS8Args& args, Share share) {
  const ConvGeometry& g = args.g;
  const bool apart = share.count == 1 || g.out_c % kBlock == 0;
  return IsStripWindow(args) && g.stride_h == 1 && g.stride_w == 1 && g.pad_left <= 2 &&
         g.out_c >= kBlock && apart;
}

}  // namespace

void depthwise_conv_s8_dotprod(const DepthwiseConvS8Args& args, Share share) {
  const ConvGeometry& g = args.g;
  if (!IsStripWindow(args)) {
    RunDepthwiseAnyWindow(args, share);
    return;
  }
  const DepthwisePlan plan = PlanDepthwise(args);
  if (TakesPairs(args, share)) {
    RunPairs(args, plan, share);
    return;
  }
  const Range range = RangeOf((uint64_t)g.out_h * plan.blocks, share);
  for (uint64_t i = range.begin; i < range.end; ++i) {
    const uint32_t y = (uint32_t)(i / plan.blocks);
    const uint32_t block = (uint32_t)(i % plan.blocks);
    RunRow(args, plan, y, block);
  }
}

}  // namespace octet
