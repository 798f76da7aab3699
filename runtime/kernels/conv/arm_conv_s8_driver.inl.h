// The part of the int8 convolution that the ARM levels share: an indirect GEMM. Output pixels are
// taken in tiles of kMaxTileRows; for every tap a row pointer says where the pixel's input channels
// lie (in the image, or in a row of zero-point bytes). The level's RunPanel() multiplies up to
// kMaxPanelRows rows by one block of 16 output channels and requantizes in registers. Where the
// channels of a tap are no multiple of 4, or too few to fill a loop, the taps of a tile are first
// flattened into scratch.
//
// Included once by conv/arm_<level>.cc, which first defines kMaxPanelRows; everything has internal
// linkage.
#include <string.h>

#include "runtime/format/scratch.h"
#include "runtime/kernels/arm_requantize.inl.h"
#include "runtime/kernels/conv/arm_rows.inl.h"
#include "runtime/kernels/kernel_table.h"
#include "runtime/kernels/share.h"

namespace octet {
namespace {

constexpr uint32_t kBlock = 16;
constexpr uint32_t kMaxTileRows = kTileRows / kMaxPanelRows * kMaxPanelRows;
// Narrower taps than this are packed.
constexpr uint32_t kMinTapChannels = 16;

// `rows` output pixels x one block of output channels.
struct PanelS8 {
  const uint8_t* const* pointers;  // [taps][kMaxTileRows], this panel's first row
  uint64_t taps;
  size_t tap_bytes;  // behind each pointer, a multiple of 4
  const int8_t* weights;
  const blob::ChannelBlockS8* channels;
  uint8_t* output;
  size_t output_stride;
  uint32_t output_channels;  // written: at most 16
};

// What every panel of a layer shares.
struct LayerTailS8 {
  Tail16 tail;
  int32_t pre_shift;
  const int8_t* table;
};

// `small_weights`: all weights of the panel are in [-127, 127].
static void RunPanel(const PanelS8& panel, const LayerTailS8& tail, uint32_t rows,
                     bool small_weights);
// Whether weights have to be looked through for -128 before RunPanel() sees them.
static bool NeedsWeightRange(uint64_t pixels);

struct ConvPlan {
  ConvGeometry g;
  uint64_t taps, group_in, group_out, depth, deep;
  uint64_t k_groups;  // of a whole row
  uint32_t blocks;    // of 16 outputs, per group
  bool pack;          // rows are flattened into scratch
  const uint8_t** pointers;
  uint8_t* padding;
  uint8_t* packed;
};

// at[i] = first + i * step for i < count.
static inline void Progress(const uint8_t** at, const uint8_t* first, size_t step, uint32_t count) {
  uint32_t i = 0;
#if defined(__aarch64__)
  const uint64_t start = (uint64_t)first;
  uint64x2_t pair = vcombine_u64(vdup_n_u64(start), vdup_n_u64(start + step));
  const uint64x2_t next = vdupq_n_u64(2 * step);
  for (; i + 2 <= count; i += 2, pair = vaddq_u64(pair, next)) {
    vst1q_u64(reinterpret_cast<uint64_t*>(at + i), pair);
  }
#endif
  for (; i < count; ++i) at[i] = first + i * step;
}

// pointers[tap][row] for `rows` output pixels from `first` on.
__attribute__((noinline)) static void PointRows(const ConvPlan& plan, const RowSource& source,
                                                uint64_t first, uint32_t rows) {
  const ConvGeometry& g = plan.g;
  if (plan.taps == 1 && g.stride_h == 1 && g.stride_w == 1 && g.pad_top == 0 && g.pad_left == 0 &&
      g.out_w == g.in_w) {
    Progress(plan.pointers, source.input + (size_t)first * g.in_c, g.in_c, rows);
    return;
  }
  Cursor c = CursorOf(g, first);
  const size_t right = (size_t)g.dilation_w * g.in_c;
  const size_t down = (size_t)g.dilation_h * g.in_w * g.in_c;
  for (uint32_t r = 0; r < rows;) {
    const Window w = WindowOf(g, c);
    const uint8_t** out = plan.pointers + r;
    if (!w.inside) {
      for (uint32_t ky = 0; ky < g.kernel_h; ++ky) {
        const int64_t y = w.y + (int64_t)ky * g.dilation_h;
        for (uint32_t kx = 0; kx < g.kernel_w; ++kx, out += kMaxTileRows) {
          *out = SourceOf(source, y, w.x + (int64_t)kx * g.dilation_w);
        }
      }
      ++r;
      Advance(g, &c);
      continue;
    }
    // The pixels to the right whose windows are inside as well.
    const uint32_t span = (g.kernel_w - 1) * g.dilation_w + 1;
    uint32_t run = ((uint32_t)(g.in_w - w.x) - span) / g.stride_w + 1;
    if (run > g.out_w - c.x) run = g.out_w - c.x;
    if (run > rows - r) run = rows - r;
    const uint8_t* line = SourceOf(source, w.y, w.x);
    for (uint32_t ky = 0; ky < g.kernel_h; ++ky, line += down) {
      const uint8_t* from = line;
      for (uint32_t kx = 0; kx < g.kernel_w; ++kx, out += kMaxTileRows, from += right) {
        Progress(out, from, (size_t)g.stride_w * g.in_c, run);
      }
    }
    r += run;
    c.x += run;
    if (c.x == g.out_w) c = Cursor{c.y + 1, 0};
  }
}

// Packs rows of taps x channels, zero up to a multiple of 4, and points one tap at them.
__attribute__((noinline)) static void PackRows(const ConvPlan& plan, const RowSource& source,
                                               uint64_t first, uint32_t rows) {
  Cursor c = CursorOf(plan.g, first);
  for (uint32_t r = 0; r < rows; ++r, Advance(plan.g, &c)) {
    uint8_t* out = plan.packed + (size_t)r * (size_t)plan.deep;
    plan.pointers[r] = out;
    PackRow(source, c, out, (size_t)plan.k_groups * 4, r + 1 < kTileRows);
  }
}

// acc[4] of one pixel, requantized and stored.
static inline void StoreRows(const PanelS8& panel, const LayerTailS8& tail, uint32_t rows,
                             int32x4_t (*acc)[4]) {
  const Scale16 scale = LoadScale16(*panel.channels);
  int8x16_t q[kMaxPanelRows];
  if (tail.pre_shift != 0) {
    for (uint32_t r = 0; r < rows; ++r) {
      for (int i = 0; i < 4; ++i) acc[r][i] = PreShift4(acc[r][i], tail.pre_shift);
    }
  }
#pragma GCC unroll 8
  for (uint32_t r = 0; r < rows; ++r) q[r] = RequantizeFinish16(acc[r], scale, tail.tail);
  if (tail.table != nullptr) ApplyTable(q, (int)rows, tail.table);
  uint8_t* to = panel.output;
  if (panel.output_channels == kBlock) {
#pragma GCC unroll 8
    for (uint32_t r = 0; r < rows; ++r, to += panel.output_stride) {
      vst1q_u8(to, vreinterpretq_u8_s8(q[r]));
    }
    return;
  }
  for (uint32_t r = 0; r < rows; ++r, to += panel.output_stride) {
    StorePartial16(to, q[r], panel.output_channels);
  }
}

// No weight is -128.
static bool WeightsAreSmall(const int8_t* weights, size_t bytes) {
  int8x16_t a = vdupq_n_s8(0), b = a, c = a, d = a;
  for (size_t i = 0; i < bytes; i += 64) {  // blocks are whole groups of 64 bytes
    a = vminq_s8(a, vld1q_s8(weights + i));
    b = vminq_s8(b, vld1q_s8(weights + i + 16));
    c = vminq_s8(c, vld1q_s8(weights + i + 32));
    d = vminq_s8(d, vld1q_s8(weights + i + 48));
  }
  return Smallest(vminq_s8(vminq_s8(a, b), vminq_s8(c, d))) > -128;
}

// Output pixels `pixels` x blocks [first, last) of one group.
__attribute__((noinline)) static void RunPart(const ConvS8Args& args, const ConvPlan& plan,
                                              uint64_t group, Range pixels, uint32_t first,
                                              uint32_t last) {
  const ConvGeometry& g = plan.g;
  const LayerTailS8 tail = {MakeTail16(args.out_zero_point, args.clamp_lo, args.clamp_hi),
                            args.pre_shift, args.table};
  const RowSource source = {g, args.input + group * plan.group_in,
                            args.input + (size_t)g.in_h * g.in_w * g.in_c, plan.padding,
                            (size_t)plan.group_in};
  const uint64_t group_block = group * plan.group_out / kBlock;
  const size_t block_bytes = (size_t)plan.k_groups * 4 * kBlock;
  const int8_t* weights = args.weights + group_block * block_bytes;
  const bool small_weights =
      NeedsWeightRange(pixels.end - pixels.begin) &&
      WeightsAreSmall(weights + first * block_bytes, (last - first) * block_bytes);
  PanelS8 panel;
  panel.taps = plan.pack ? 1 : plan.taps;
  panel.tap_bytes = (size_t)(plan.pack ? plan.k_groups * 4 : plan.group_in);
  panel.output_stride = g.out_c;
  for (uint64_t pixel = pixels.begin; pixel < pixels.end; pixel += kMaxTileRows) {
    const uint64_t left = pixels.end - pixel;
    const uint32_t rows = left < kMaxTileRows ? (uint32_t)left : kMaxTileRows;
    if (plan.pack) {
      PackRows(plan, source, pixel, rows);
    } else {
      PointRows(plan, source, pixel, rows);
    }
    for (uint32_t block = first; block < last; ++block) {
      const uint32_t channel = block * kBlock;
      const uint64_t channels_left = plan.group_out - channel;
      panel.weights = weights + block * block_bytes;
      panel.channels = args.channels + group_block + block;
      panel.output_channels = channels_left < kBlock ? (uint32_t)channels_left : kBlock;
      uint8_t* output = args.output + pixel * g.out_c + group * plan.group_out + channel;
      // Full panels first: they are the fast ones.
      for (uint32_t row = 0; row < rows;) {
        const uint32_t next = rows - row < kMaxPanelRows ? rows : row + kMaxPanelRows;
        panel.pointers = plan.pointers + row;
        panel.output = output + (size_t)row * g.out_c;
        RunPanel(panel, tail, next - row, small_weights);
        row = next;
      }
    }
  }
}

// Weights of this size stay in the level 2 cache of a small core beside the activations.
constexpr uint64_t kResidentWeightBytes = 256 * 1024;

// All pixels against a part of the outputs at a time when the weights would not stay in cache from
// one tile to the next.
static void RunGroup(const ConvS8Args& args, const ConvPlan& plan, uint64_t group, Range pixels,
                     Range blocks) {
  const uint64_t count = blocks.end - blocks.begin;
  const uint64_t bytes = count * plan.k_groups * 4 * kBlock;
  uint64_t parts = 1;
  if (bytes > 2 * kResidentWeightBytes && pixels.end - pixels.begin > kMaxTileRows) {
    parts = (bytes + kResidentWeightBytes - 1) / kResidentWeightBytes;
    if (parts > count) parts = count;
  }
  for (uint64_t i = 0; i < parts; ++i) {
    RunPart(args, plan, group, pixels, (uint32_t)(blocks.begin + count * i / parts),
            (uint32_t)(blocks.begin + count * (i + 1) / parts));
  }
}

static void RunConvS8(const ConvS8Args& args, Share share) {
  ConvPlan plan;
  plan.g = args.g;
  const ConvGeometry& g = plan.g;
  plan.taps = (uint64_t)g.kernel_h * g.kernel_w;
  plan.group_in = g.in_c / g.groups;
  plan.group_out = g.out_c / g.groups;
  if (!GroupsFitKernels(g.groups, g.in_c, g.out_c, false)) {
    conv_s8_reference(args, share);
    return;
  }
  plan.depth = plan.taps * plan.group_in;
  plan.deep = (plan.depth + 15) & ~(uint64_t)15;
  plan.k_groups = (plan.depth + 3) / 4;
  plan.blocks = (uint32_t)((plan.group_out + kBlock - 1) / kBlock);
  plan.pack = plan.group_in % 4 != 0 || (plan.taps > 1 && plan.group_in < kMinTapChannels);
  plan.pointers = reinterpret_cast<const uint8_t**>(args.scratch);
  plan.padding = args.scratch + RoundUp64(plan.taps * kTileRows * 8);
  plan.packed = plan.padding + RoundUp64((uint64_t)g.in_c + 64);
  memset(plan.padding, args.in_zero_point, (size_t)plan.group_in);

  const uint64_t pixels = (uint64_t)g.out_h * g.out_w;
  Range rows = {0, pixels};
  Range blocks = {0, plan.blocks};
  // Few rows: dividing the outputs keeps every thread on weights of its own.
  if (pixels < 2 * (uint64_t)kMaxTileRows * share.count && plan.blocks >= share.count) {
    blocks = RangeOf(plan.blocks, share);
  } else {
    rows = RangeOf(pixels, share);
  }
  if (rows.begin == rows.end || blocks.begin == blocks.end) return;
  for (uint64_t group = 0; group < g.groups; ++group) RunGroup(args, plan, group, rows, blocks);
}

}  // namespace
}  // namespace octet
