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

struct Cursor {
  uint32_t y, x;
};

static inline void Advance(const ConvGeometry& g, Cursor* c) {
  if (++c->x == g.out_w) {
    c->x = 0;
    ++c->y;
  }
}

// Where the first tap of an output pixel lies, and whether its whole window is inside the image.
struct Window {
  int64_t y, x;
  bool inside;
};

static inline Window WindowOf(const ConvGeometry& g, Cursor c) {
  Window w;
  w.y = (int64_t)c.y * g.stride_h - g.pad_top;
  w.x = (int64_t)c.x * g.stride_w - g.pad_left;
  w.inside = w.y >= 0 && w.x >= 0 && w.y + (int64_t)(g.kernel_h - 1) * g.dilation_h < g.in_h &&
             w.x + (int64_t)(g.kernel_w - 1) * g.dilation_w < g.in_w;
  return w;
}

static inline const uint8_t* SourceOf(const ConvPlan& plan, const uint8_t* input, int64_t y,
                                      int64_t x) {
  if (y < 0 || y >= plan.g.in_h || x < 0 || x >= plan.g.in_w) return plan.padding;
  return input + ((size_t)y * plan.g.in_w + (size_t)x) * plan.g.in_c;
}

// pointers[tap][row] for `rows` output pixels from `first` on.
static void PointRows(const ConvPlan& plan, const uint8_t* input, uint64_t first, uint32_t rows) {
  const ConvGeometry& g = plan.g;
  const uint8_t** pointers = plan.pointers;
  if (plan.taps == 1 && g.stride_h == 1 && g.stride_w == 1 && g.pad_top == 0 && g.pad_left == 0 &&
      g.out_w == g.in_w) {
    const uint8_t* row = input + (size_t)first * g.in_c;
    for (uint32_t r = 0; r < rows; ++r, row += g.in_c) pointers[r] = row;
    return;
  }
  Cursor c = {(uint32_t)(first / g.out_w), (uint32_t)(first % g.out_w)};
  const size_t step = (size_t)g.dilation_w * g.in_c;
  for (uint32_t r = 0; r < rows; ++r, Advance(g, &c)) {
    const Window w = WindowOf(g, c);
    const uint8_t** out = pointers + r;
    for (uint32_t ky = 0; ky < g.kernel_h; ++ky) {
      const int64_t y = w.y + (int64_t)ky * g.dilation_h;
      const uint8_t* source = w.inside ? SourceOf(plan, input, y, w.x) : nullptr;
      for (uint32_t kx = 0; kx < g.kernel_w; ++kx, out += kMaxTileRows) {
        if (w.inside) {
          *out = source;
          source += step;
        } else {
          *out = SourceOf(plan, input, y, w.x + (int64_t)kx * g.dilation_w);
        }
      }
    }
  }
}

// memcpy by overlapping pieces of 16 or 8 bytes: a call of the library function costs as much as a
// short copy.
static inline void CopyShort(uint8_t* to, const uint8_t* from, size_t bytes) {
  if (bytes >= 16) {
    size_t i = 0;
    for (; i + 16 < bytes; i += 16) vst1q_u8(to + i, vld1q_u8(from + i));
    vst1q_u8(to + bytes - 16, vld1q_u8(from + bytes - 16));
  } else if (bytes >= 8) {
    const uint8x8_t a = vld1_u8(from), b = vld1_u8(from + bytes - 8);
    vst1_u8(to, a);
    vst1_u8(to + bytes - 8, b);
  } else {
    for (size_t i = 0; i < bytes; ++i) to[i] = from[i];
  }
}

// Packs rows of taps x channels, zero up to a multiple of 4, and points one tap at them.
static void PackRows(const ConvPlan& plan, const uint8_t* input, uint64_t first, uint32_t rows) {
  const ConvGeometry& g = plan.g;
  const size_t group_in = (size_t)plan.group_in;
  const size_t run = (size_t)g.kernel_w * group_in;
  const bool contiguous = g.dilation_w == 1 && group_in == g.in_c;
  Cursor c = {(uint32_t)(first / g.out_w), (uint32_t)(first % g.out_w)};
  for (uint32_t r = 0; r < rows; ++r, Advance(g, &c)) {
    const Window w = WindowOf(g, c);
    uint8_t* out = plan.packed + (size_t)r * (size_t)plan.deep;
    plan.pointers[r] = out;
    for (uint32_t ky = 0; ky < g.kernel_h; ++ky) {
      const int64_t y = w.y + (int64_t)ky * g.dilation_h;
      if (contiguous && w.inside) {
        CopyShort(out, SourceOf(plan, input, y, w.x), run);
        out += run;
        continue;
      }
      for (uint32_t kx = 0; kx < g.kernel_w; ++kx, out += group_in) {
        CopyShort(out, SourceOf(plan, input, y, w.x + (int64_t)kx * g.dilation_w), group_in);
      }
    }
    for (uint64_t k = plan.depth; k < plan.k_groups * 4; ++k) *out++ = 0;
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
#pragma GCC unroll 8
  for (uint32_t r = 0; r < rows; ++r) {
    StorePartial16(panel.output + r * panel.output_stride, q[r], panel.output_channels);
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
static void RunPart(const ConvS8Args& args, const ConvPlan& plan, uint64_t group, Range pixels,
                    uint32_t first, uint32_t last) {
  const ConvGeometry& g = plan.g;
  const LayerTailS8 tail = {MakeTail16(args.out_zero_point, args.clamp_lo, args.clamp_hi),
                            args.pre_shift, args.table};
  const uint8_t* input = args.input + group * plan.group_in;
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
    const uint32_t panels = (rows + kMaxPanelRows - 1) / kMaxPanelRows;
    if (plan.pack) {
      PackRows(plan, input, pixel, rows);
    } else {
      PointRows(plan, input, pixel, rows);
    }
    for (uint32_t block = first; block < last; ++block) {
      const uint32_t channel = block * kBlock;
      const uint64_t channels_left = plan.group_out - channel;
      panel.weights = weights + block * block_bytes;
      panel.channels = args.channels + group_block + block;
      panel.output_channels = channels_left < kBlock ? (uint32_t)channels_left : kBlock;
      uint8_t* output = args.output + pixel * g.out_c + group * plan.group_out + channel;
      for (uint32_t i = 0, row = 0; i < panels; ++i) {
        const uint32_t next = rows * (i + 1) / panels;
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
  // A block that spans groups would need another row for some of its lanes.
  if (g.groups > 1 && (plan.group_out % kBlock != 0 || plan.group_in % 4 != 0)) {
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
