// Depthwise convolution with SDOT, stride 1: the four rows under the windows of two output rows are
// interleaved column by column, [channel][row 0, 1, 2, 3], so that one dot product adds three taps
// of four channels, with weights [ky 0, 1, 2, none] for the upper and [none, ky 0, 1, 2] for the
// lower output; an interleaved column serves all six outputs that cover it. Included by
// depthwise_conv/arm_dotprod.cc only; internal linkage.
#ifndef OCTET_KERNELS_DEPTHWISE_CONV_ARM_DOTPROD_PAIRS_INL_H_
#define OCTET_KERNELS_DEPTHWISE_CONV_ARM_DOTPROD_PAIRS_INL_H_

#include "runtime/kernels/depthwise_conv/arm_depthwise_s8.inl.h"

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

// What one quad of channels needs, in the order in which the assembly loads it.
struct Quad {
  int32x4_t start;
  int8x16_t w[2][3];  // [upper, lower][kx]
  int32x4_t multiplier, left_shift;
};

// What two output rows x 16 channels need; in this order for the assembly.
struct RowPair {
  Quad quads[4];
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
// A column: 16 channels of four rows (v16 to v19), interleaved into c0 to c3.
#define OCTET_COLUMN(c0, c1, c2, c3)                      \
  "ldr q16, [%[r0]]\n\t"                                  \
  "ldr q17, [%[r1]]\n\t"                                  \
  "ldr q18, [%[r2]]\n\t"                                  \
  "ldr q19, [%[r3]]\n\t"                                  \
  "add %[r0], %[r0], %[s0]\n\t"                           \
  "zip1 v" #c0 ".16b, v16.16b, v17.16b\n\t"               \
  "add %[r1], %[r1], %[s1]\n\t"                           \
  "zip2 v" #c1 ".16b, v16.16b, v17.16b\n\t"               \
  "add %[r2], %[r2], %[s2]\n\t"                           \
  "zip1 v16.16b, v18.16b, v19.16b\n\t"                    \
  "add %[r3], %[r3], %[s3]\n\t"                           \
  "zip2 v17.16b, v18.16b, v19.16b\n\t"                    \
  "zip1 v" #c2 ".8h, v" #c1 ".8h, v17.8h\n\t"             \
  "zip2 v" #c3 ".8h, v" #c1 ".8h, v17.8h\n\t"             \
  "zip2 v" #c1 ".8h, v" #c0 ".8h, v16.8h\n\t"             \
  "zip1 v" #c0 ".8h, v" #c0 ".8h, v16.8h\n\t"
#define OCTET_SDOT(acc, column, w) "sdot v" #acc ".4s, v" #column ".16b, v" #w ".16b\n\t"
#define OCTET_FOUR(op, x)                                 \
  op " v16.4s, v16.4s, v" #x ".4s\n\t"                    \
  op " v17.4s, v17.4s, v" #x ".4s\n\t"                    \
  op " v18.4s, v18.4s, v" #x ".4s\n\t"                    \
  op " v19.4s, v19.4s, v" #x ".4s\n\t"
#define OCTET_AT(x, at) "ldr q" #x ", [%[pair], #" #at "]\n\t"
// A quad of channels of four outputs, upper left (v16), upper right, lower left, lower right, from
// the quad's part of columns a to d; `narrow` puts them where they wait.
#define OCTET_QUAD(at, a, b, c, d, narrow)                \
  OCTET_AT(16, at)                                        \
  OCTET_AT(20, at + 16)                                   \
  OCTET_AT(21, at + 64)                                   \
  OCTET_AT(22, at + 32)                                   \
  OCTET_AT(23, at + 80)                                   \
  "mov v17.16b, v16.16b\n\t"                              \
  "mov v18.16b, v16.16b\n\t"                              \
  "mov v19.16b, v16.16b\n\t"                              \
  OCTET_SDOT(16, a, 20)                                   \
  OCTET_SDOT(17, b, 20)                                   \
  OCTET_AT(20, at + 48)                                   \
  OCTET_SDOT(18, a, 21)                                   \
  OCTET_SDOT(19, b, 21)                                   \
  OCTET_AT(21, at + 96)                                   \
  OCTET_SDOT(16, b, 22)                                   \
  OCTET_SDOT(17, c, 22)                                   \
  OCTET_AT(22, at + 112)                                  \
  OCTET_SDOT(18, b, 23)                                   \
  OCTET_SDOT(19, c, 23)                                   \
  OCTET_AT(23, at + 128)                                  \
  OCTET_SDOT(16, c, 20)                                   \
  OCTET_SDOT(17, d, 20)                                   \
  OCTET_SDOT(18, c, 21)                                   \
  OCTET_SDOT(19, d, 21)                                   \
  OCTET_FOUR("sqdmulh", 22)                               \
  OCTET_FOUR("srshl", 23)                                 \
  narrow
#define OCTET_NARROW(op, form, a, b, c, d)                \
  op " v" #a "." form ", v16.4s\n\t"                      \
  op " v" #b "." form ", v17.4s\n\t"                      \
  op " v" #c "." form ", v18.4s\n\t"                      \
  op " v" #d "." form ", v19.4s\n\t"
#define OCTET_EACH(op, a, b, c, d, form, x)               \
  op " v" #a "." form ", v" #a "." form ", v" #x "." form "\n\t" \
  op " v" #b "." form ", v" #b "." form ", v" #x "." form "\n\t" \
  op " v" #c "." form ", v" #c "." form ", v" #x "." form "\n\t" \
  op " v" #d "." form ", v" #d "." form ", v" #x "." form "\n\t"
// Two outputs of each row: columns a, b in registers, c, d loaded.
#define OCTET_OUTPUTS(a0, a1, a2, a3, b0, b1, b2, b3, c0, c1, c2, c3, d0, d1, d2, d3)    \
  OCTET_COLUMN(c0, c1, c2, c3)                                                          \
  OCTET_COLUMN(d0, d1, d2, d3)                                                          \
  OCTET_QUAD(0, a0, b0, c0, d0, OCTET_NARROW("sqxtn", "4h", 24, 25, 26, 27))            \
  OCTET_QUAD(144, a1, b1, c1, d1, OCTET_NARROW("sqxtn2", "8h", 24, 25, 26, 27))         \
  OCTET_QUAD(288, a2, b2, c2, d2, OCTET_NARROW("sqxtn", "4h", 28, 29, 30, 31))          \
  OCTET_QUAD(432, a3, b3, c3, d3, OCTET_NARROW("sqxtn2", "8h", 28, 29, 30, 31))         \
  OCTET_AT(20, 576)                                                                     \
  OCTET_AT(21, 592)                                                                     \
  OCTET_AT(22, 608)                                                                     \
  OCTET_EACH("sqadd", 24, 25, 26, 27, "8h", 20)                                         \
  OCTET_EACH("sqadd", 28, 29, 30, 31, "8h", 20)                                         \
  "sqxtn v24.8b, v24.8h\n\t"                                                            \
  "sqxtn v25.8b, v25.8h\n\t"                                                            \
  "sqxtn v26.8b, v26.8h\n\t"                                                            \
  "sqxtn v27.8b, v27.8h\n\t"                                                            \
  "sqxtn2 v24.16b, v28.8h\n\t"                                                          \
  "sqxtn2 v25.16b, v29.8h\n\t"                                                          \
  "sqxtn2 v26.16b, v30.8h\n\t"                                                          \
  "sqxtn2 v27.16b, v31.8h\n\t"                                                          \
  OCTET_EACH("smax", 24, 25, 26, 27, "16b", 21)                                         \
  OCTET_EACH("smin", 24, 25, 26, 27, "16b", 22)                                         \
  "str q26, [%[lower], %[to]]\n\t"                                                      \
  "str q24, [%[upper], %[to]]\n\t"                                                      \
  "add %[to], %[to], %[to_step]\n\t"                                                    \
  "str q27, [%[lower], %[to]]\n\t"                                                      \
  "str q25, [%[upper], %[to]]\n\t"                                                      \
  "add %[to], %[to], %[to_step]\n\t"
// clang-format on

// `count` outputs (even, at least 2) of two rows; `r`: the third column of the first. Both rows may
// be one and the same: the upper's values are stored last. In assembly because four outputs that
// share every load of weights need all registers.
static void RunPair(const RowPair& pair, const Lines& r, uint8_t* upper, uint8_t* lower,
                    size_t to_step, uint32_t count) {
  const uint8_t *r0 = r.at[0], *r1 = r.at[1], *r2 = r.at[2], *r3 = r.at[3];
  size_t to = 0;
  __asm__ volatile(
      // clang-format off
      "ldp q0, q1, [%[pair], #624]\n\t"
      "ldp q2, q3, [%[pair], #656]\n\t"
      "ldp q4, q5, [%[pair], #688]\n\t"
      "ldp q6, q7, [%[pair], #720]\n\t"
      "1:\n\t"
      OCTET_OUTPUTS(0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15)
      "subs %w[count], %w[count], #2\n\t"
      "b.eq 2f\n\t"
      OCTET_OUTPUTS(8, 9, 10, 11, 12, 13, 14, 15, 0, 1, 2, 3, 4, 5, 6, 7)
      "subs %w[count], %w[count], #2\n\t"
      "b.ne 1b\n\t"
      "2:\n\t"
      // clang-format on
      : [r0] "+r"(r0), [r1] "+r"(r1), [r2] "+r"(r2), [r3] "+r"(r3), [to] "+r"(to),
        [count] "+r"(count)
      : [upper] "r"(upper), [lower] "r"(lower), [pair] "r"(&pair), [s0] "r"(r.step[0]),
        [s1] "r"(r.step[1]), [s2] "r"(r.step[2]), [s3] "r"(r.step[3]), [to_step] "r"(to_step)
      : "cc", "memory", "v0", "v1", "v2", "v3", "v4", "v5", "v6", "v7", "v8", "v9", "v10", "v11",
        "v12", "v13", "v14", "v15", "v16", "v17", "v18", "v19", "v20", "v21", "v22", "v23", "v24",
        "v25", "v26", "v27", "v28", "v29", "v30", "v31");
}

#undef OCTET_COLUMN
#undef OCTET_SDOT
#undef OCTET_FOUR
#undef OCTET_AT
#undef OCTET_QUAD
#undef OCTET_NARROW
#undef OCTET_EACH
#undef OCTET_OUTPUTS

// The same for one output at a time with columns that may lie beside the image.
static inline int8x16_t EdgeOutput(const RowPair& pair, int row, const Column* c,
                                   const Tail16& tail) {
  int32x4_t acc[4];
  for (int i = 0; i < 4; ++i) {
    const Quad& quad = pair.quads[i];
    acc[i] = quad.start;
    for (int kx = 0; kx < 3; ++kx) acc[i] = vdotq_s32(acc[i], c[kx].x[i], quad.w[row][kx]);
    acc[i] = Requantize4(acc[i], quad.multiplier, quad.left_shift);
  }
  return Finish16(acc[0], acc[1], acc[2], acc[3], tail);
}

// 16 channels from `channel` on, which need not be the first of a block: the last block of a layer
// is computed with channels of the one before it.
static void PreparePair(const ConvS8Args& args, const Tail16& tail, uint32_t channel,
                        RowPair* pair) {
  const uint32_t block = channel / kChannelBlock, skip = channel % kChannelBlock;
  int8x16_t w[3][3];
  Scale16 scale;
  if (skip == 0) {
    const int8_t* weights = args.weights + (size_t)block * 9 * kChannelBlock;
    for (int t = 0; t < 9; ++t) w[t / 3][t % 3] = vld1q_s8(weights + t * kChannelBlock);
    for (int i = 0; i < 4; ++i) pair->quads[i].start = vld1q_s32(args.channels[block].bias + 4 * i);
    scale = LoadScale16(args.channels[block]);
  } else {
    int8_t taps[9][kChannelBlock];
    blob::ChannelBlockS8 channels;
    for (uint32_t lane = 0; lane < kChannelBlock; ++lane) {
      const uint32_t at = skip + lane, b = block + at / kChannelBlock, l = at % kChannelBlock;
      for (uint32_t t = 0; t < 9; ++t) {
        taps[t][lane] = args.weights[((size_t)b * 9 + t) * kChannelBlock + l];
      }
      channels.bias[lane] = args.channels[b].bias[l];
      channels.multiplier[lane] = args.channels[b].multiplier[l];
      channels.shift[lane] = args.channels[b].shift[l];
    }
    for (int t = 0; t < 9; ++t) w[t / 3][t % 3] = vld1q_s8(taps[t]);
    for (int i = 0; i < 4; ++i) pair->quads[i].start = vld1q_s32(channels.bias + 4 * i);
    scale = LoadScale16(channels);
  }
  const int8x16_t none = vdupq_n_s8(0);
  for (int kx = 0; kx < 3; ++kx) {
    const int8x16_t upper[4] = {w[0][kx], w[1][kx], w[2][kx], none};
    const int8x16_t lower[4] = {none, w[0][kx], w[1][kx], w[2][kx]};
    const Column u = Interleave4(upper), l = Interleave4(lower);
    for (int i = 0; i < 4; ++i) {
      pair->quads[i].w[0][kx] = u.x[i];
      pair->quads[i].w[1][kx] = l.x[i];
    }
  }
  for (int i = 0; i < 4; ++i) {
    pair->quads[i].multiplier = scale.multiplier[i];
    pair->quads[i].left_shift = scale.left_shift[i];
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
  // Pairs of outputs whose last column is in the image.
  const int64_t third = first + 2;
  uint32_t count = third < g.in_w ? (uint32_t)(g.in_w - third) : 0;
  if (count > g.out_w) count = g.out_w;
  count -= count % 2;
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
      const uint32_t start = (uint32_t)block * kChannelBlock;
      // Fewer than 16 channels left: the last 16.
      const uint32_t channel = g.out_c - start < kChannelBlock ? g.out_c - kChannelBlock : start;
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
  const bool apart = share.count == 1 || g.out_c % kChannelBlock == 0;
  return IsStripWindow(args) && g.stride_h == 1 && g.stride_w == 1 && g.pad_left <= 2 &&
         g.out_c >= kChannelBlock && apart;
}

}  // namespace
}  // namespace octet

#endif  // OCTET_KERNELS_DEPTHWISE_CONV_ARM_DOTPROD_PAIRS_INL_H_
