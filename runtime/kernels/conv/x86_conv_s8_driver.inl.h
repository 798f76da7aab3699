// The part of the int8 convolution that all x86 levels share: an indirect GEMM. Output pixels are
// taken in tiles of at most kTileRows rows; for every tap a row pointer says where the pixel's
// input channels lie (in the image, or in a row of zero-point bytes), and the level's own
// RunPanel() multiplies some rows by 1..kMaxPanelBlocks blocks of 16 output channels and
// requantizes them in registers. 1x1 convolutions need no copy at all; inputs whose channels are no
// multiple of 4 are first packed, tile by tile, into rows of taps x channels.
//
// Included once by each conv/x86_<level>.cc, which first defines kMaxPanelBlocks, kMaxTileRows and,
// in this anonymous namespace, PanelRows() and RunPanel(); everything has internal linkage, because
// one external copy compiled for AVX-512 would serve every level.
#include <string.h>

#include "runtime/format/scratch.h"
#include "runtime/kernels/kernel_table.h"
#include "runtime/kernels/share.h"
#include "runtime/kernels/x86_requantize.inl.h"

namespace octet {
namespace {

// Levels of this architecture keep q + 128 in the arena.
constexpr uint8_t kSign = 0x80;
constexpr uint32_t kBlock = 16;
constexpr uint32_t kAllBlocks = 1u << 30;  // for MaxPartBlocks()

struct ConvPlan;

// `rows` output pixels x `blocks` blocks of output channels.
struct PanelS8 {
  const uint8_t* const* pointers;  // [taps][kMaxTileRows], this panel's first row
  uint64_t taps;
  uint64_t k_groups;  // groups of 4 channels behind each pointer
  const int8_t* weights;
  size_t block_bytes;  // from one block of 16 outputs to the next
  const blob::ChannelBlockS8* channels;
  uint8_t* output;
  size_t output_stride;
  uint32_t output_channels;  // written: at most 16 * blocks
  // For levels that prepare weights and tiles in scratch:
  const ConvPlan* plan;
  uint32_t block;                  // of 16 outputs, counted from the first of the part
  bool prepared;                   // what PreparePart() said
  const PreparedBlock* constants;  // of the panel's blocks, where kPreparedBlocks is not 0
};

// What every panel of a layer shares.
struct TailS8 {
  int32_t out_zero_point, clamp_lo, clamp_hi, pre_shift;
  const int8_t* table;
  PreparedKind kind;
  bool unusual;  // sums are shifted or doubled before they are requantized
};

// Most rows RunPanel() takes with that many blocks.
static uint32_t PanelRows(uint32_t blocks);
static void RunPanel(const PanelS8& panel, const TailS8& tail, uint32_t rows, uint32_t blocks);
struct ConvPlan {
  ConvGeometry g;
  uint64_t taps, group_in, group_out, depth, deep;
  uint64_t k_groups;  // of a whole row
  uint32_t blocks;    // of 16 outputs, per group
  uint32_t chunks;    // panels across the outputs of a group
  bool pack;          // rows are flattened into scratch
  uint32_t tile_rows;
  const uint8_t** pointers;
  uint8_t* padding;
  uint8_t* packed;
};

// Most blocks of outputs that one pass over the pixels may take.
static uint32_t MaxPartBlocks(const ConvPlan& plan);
// Called once before the tiles of `pixels` output pixels x `blocks` blocks of outputs.
static bool PreparePart(const ConvPlan& plan, const int8_t* weights, uint64_t pixels,
                        uint32_t blocks);
// Called once for each tile after its pointers stand, before its panels; may use scratch from
// plan.packed on, behind the rows packed there.
static void PrepareTile(const PanelS8& panel, uint32_t rows);

struct Cursor {
  uint32_t y, x;
};

static inline Cursor CursorOf(const ConvGeometry& g, uint64_t pixel) {
  return Cursor{(uint32_t)(pixel / g.out_w), (uint32_t)(pixel % g.out_w)};
}

static inline void Advance(const ConvGeometry& g, Cursor* c) {
  if (++c->x == g.out_w) {
    c->x = 0;
    ++c->y;
  }
}

// The whole window of an output pixel lies inside the image.
struct Window {
  int64_t y, x;  // of the first tap
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
  return input + ((uint64_t)y * plan.g.in_w + (uint64_t)x) * plan.g.in_c;
}

// pointers[tap][row] for `rows` output pixels from `first` on.
static void PointRows(const ConvPlan& plan, const uint8_t* input, uint64_t first, uint32_t rows) {
  const ConvGeometry& g = plan.g;
  const uint8_t** pointers = plan.pointers;
  if (plan.taps == 1 && g.stride_h == 1 && g.stride_w == 1 && g.pad_top == 0 && g.pad_left == 0 &&
      g.out_w == g.in_w) {
    const uint8_t* row = input + first * g.in_c;
    for (uint32_t r = 0; r < rows; ++r) pointers[r] = row + (size_t)r * g.in_c;
    return;
  }
  Cursor c = CursorOf(g, first);
  for (uint32_t r = 0; r < rows; ++r, Advance(g, &c)) {
    const Window w = WindowOf(g, c);
    const uint8_t** out = pointers + r;
    for (uint32_t ky = 0; ky < g.kernel_h; ++ky) {
      const int64_t y = w.y + (int64_t)ky * g.dilation_h;
      if (w.inside) {
        const uint8_t* source = SourceOf(plan, input, y, w.x);
        const size_t step = (size_t)g.dilation_w * g.in_c;
        for (uint32_t kx = 0; kx < g.kernel_w; ++kx, out += kMaxTileRows, source += step) {
          *out = source;
        }
      } else {
        for (uint32_t kx = 0; kx < g.kernel_w; ++kx, out += kMaxTileRows) {
          *out = SourceOf(plan, input, y, w.x + (int64_t)kx * g.dilation_w);
        }
      }
    }
  }
}

// memcpy for a few bytes, by overlapping loads and stores of one size: a call of the library
// function costs as much as the copy.
static inline void CopyShort(uint8_t* to, const uint8_t* from, size_t bytes) {
  uint64_t a, b;
  if (bytes >= 8) {
    size_t i = 0;
    for (; i + 8 < bytes; i += 8) {
      memcpy(&a, from + i, 8);
      memcpy(to + i, &a, 8);
    }
    memcpy(&b, from + bytes - 8, 8);
    memcpy(to + bytes - 8, &b, 8);
    return;
  }
  for (size_t i = 0; i < bytes; ++i) to[i] = from[i];
}

// Most runs of a window (3 x 3 channels, 7 x 3) fit 32 bytes: two copies of a fixed size. What they
// write too much is overwritten by the next run, or lies behind the last row; what they would read
// too much has to lie within the input.
static inline void CopyRun(uint8_t* to, const uint8_t* from, size_t bytes, const uint8_t* end) {
  if (bytes > 32 || (size_t)(end - from) < 32) {
    CopyShort(to, from, bytes);
    return;
  }
  memcpy(to, from, 16);
  if (bytes > 16) memcpy(to + 16, from + 16, 16);
}

// Packs rows of taps x channels and points one tap at them. The up to 3 bytes behind a row meet
// zero weights.
static void PackRows(const ConvPlan& plan, const uint8_t* input, uint64_t first, uint32_t rows) {
  const ConvGeometry& g = plan.g;
  const size_t run = (size_t)g.kernel_w * plan.group_in;
  const size_t row_step = (size_t)g.dilation_h * g.in_w * g.in_c;
  const bool contiguous = g.dilation_w == 1 && plan.group_in == g.in_c;
  const uint8_t* end = input + (size_t)g.in_h * g.in_w * g.in_c;
  Cursor c = CursorOf(g, first);
  for (uint32_t r = 0; r < rows; ++r, Advance(g, &c)) {
    const Window w = WindowOf(g, c);
    uint8_t* out = plan.packed + (size_t)r * plan.deep;
    plan.pointers[r] = out;
    if (contiguous && w.inside) {
      const uint8_t* from = SourceOf(plan, input, w.y, w.x);
      for (uint32_t ky = 0; ky < g.kernel_h; ++ky, out += run, from += row_step) {
        CopyRun(out, from, run, end);
      }
      continue;
    }
    for (uint32_t ky = 0; ky < g.kernel_h; ++ky) {
      const int64_t y = w.y + (int64_t)ky * g.dilation_h;
      for (uint32_t kx = 0; kx < g.kernel_w; ++kx, out += plan.group_in) {
        CopyShort(out, SourceOf(plan, input, y, w.x + (int64_t)kx * g.dilation_w), plan.group_in);
      }
    }
  }
}

// Full panels first: a rest costs less than several panels that are not quite full.
static inline uint32_t FirstBlock(const ConvPlan& plan, uint32_t chunk) {
  const uint32_t block = chunk * kMaxPanelBlocks;
  return block < plan.blocks ? block : plan.blocks;
}

// Chunks [first, last) of the output channels of one group.
struct Part {
  uint64_t group;
  uint32_t first, last;
  uint64_t group_block;  // of the group's first output
  TailS8 tail;
  const PreparedBlock* constants;  // of its blocks, where kPreparedBlocks is not 0
};

static void BeginPart(const ConvS8Args& args, const ConvPlan& plan, uint64_t group, uint32_t first,
                      uint32_t last, PreparedBlock* constants, Part* part) {
  part->group = group;
  part->first = first;
  part->last = last;
  part->group_block = group * plan.group_out / kBlock;
  part->constants = constants;
  part->tail = TailS8{
      args.out_zero_point, args.clamp_lo, args.clamp_hi, args.pre_shift, args.table, {}, false};
  if (kPreparedBlocks != 0) {
    const uint32_t block = FirstBlock(plan, first);
    part->tail.kind = PrepareBlocks(args.channels + part->group_block + block,
                                    FirstBlock(plan, last) - block, args.out_zero_point, constants);
    part->tail.unusual = args.pre_shift != 0 || part->tail.kind.doubled;
  }
}

// `rows` output pixels from `pixel` on against the part's chunks; panel.taps, k_groups, pointers
// and block_bytes stand. `weights` are those of the part's first block.
static void RunTile(const ConvS8Args& args, const ConvPlan& plan, const Part& part,
                    const int8_t* weights, uint64_t pixel, uint32_t rows, PanelS8 panel) {
  const ConvGeometry& g = plan.g;
  const uint32_t first_block = FirstBlock(plan, part.first);
  const uint8_t* const* pointers = panel.pointers;
  panel.output_stride = g.out_c;
  for (uint32_t chunk = part.first; chunk < part.last; ++chunk) {
    const uint32_t block = FirstBlock(plan, chunk);
    const uint32_t blocks = FirstBlock(plan, chunk + 1) - block;
    const uint32_t channel = block * kBlock;
    const uint64_t channels_left = plan.group_out - channel;
    panel.weights = weights + (block - first_block) * panel.block_bytes;
    panel.channels = args.channels + part.group_block + block;
    panel.block = block - first_block;
    panel.constants = part.constants + (kPreparedBlocks == 0 ? 0 : panel.block);
    panel.output_channels =
        channels_left < blocks * kBlock ? (uint32_t)channels_left : blocks * kBlock;
    uint8_t* output = args.output + pixel * g.out_c + part.group * plan.group_out + channel;
    const uint32_t most = PanelRows(blocks);
    const uint32_t panels = (rows + most - 1) / most;
    for (uint32_t i = 0, row = 0; i < panels; ++i) {
      const uint32_t next = i + 1 == panels ? rows : rows * (i + 1) / panels;
      panel.pointers = pointers + row;
      panel.output = output + (size_t)row * g.out_c;
      RunPanel(panel, part.tail, next - row, blocks);
      row = next;
    }
  }
}

// Output pixels [begin, end) x chunks [first, last) of one group.
static void RunPart(const ConvS8Args& args, const ConvPlan& plan, uint64_t group, Range pixels,
                    uint32_t first, uint32_t last) {
  Part part;
  PreparedBlock constants[kPreparedBlocks == 0 ? 1 : kPreparedBlocks];
  BeginPart(args, plan, group, first, last, constants, &part);
  const uint8_t* input = args.input + group * plan.group_in;
  const uint32_t first_block = FirstBlock(plan, first);
  PanelS8 panel;
  panel.block_bytes = plan.k_groups * 4 * kBlock;
  const int8_t* weights = args.weights + (part.group_block + first_block) * panel.block_bytes;
  panel.plan = &plan;
  panel.pointers = plan.pointers;
  panel.prepared =
      PreparePart(plan, weights, pixels.end - pixels.begin, FirstBlock(plan, last) - first_block);
  for (uint64_t pixel = pixels.begin; pixel < pixels.end; pixel += plan.tile_rows) {
    const uint64_t left = pixels.end - pixel;
    const uint32_t rows = left < plan.tile_rows ? (uint32_t)left : plan.tile_rows;
    if (plan.pack) {
      PackRows(plan, input, pixel, rows);
      panel.taps = 1;
      panel.k_groups = plan.k_groups;
    } else {
      PointRows(plan, input, pixel, rows);
      panel.taps = plan.taps;
      panel.k_groups = plan.group_in / 4;
    }
    PrepareTile(panel, rows);
    RunTile(args, plan, part, weights, pixel, rows, panel);
  }
}

// Weights of this size stay in the level 2 cache beside the activations.
constexpr uint64_t kResidentWeightBytes = 512 * 1024;

// All pixels against a few chunks at a time when the weights would not stay in cache from one tile
// to the next.
static void RunGroup(const ConvS8Args& args, const ConvPlan& plan, uint64_t group, Range pixels,
                     uint32_t first, uint32_t last) {
  const uint64_t block_bytes = plan.k_groups * 4 * kBlock;
  const uint64_t bytes = (FirstBlock(plan, last) - FirstBlock(plan, first)) * block_bytes;
  uint32_t parts = 1;
  if (bytes > 2 * kResidentWeightBytes && pixels.end - pixels.begin > plan.tile_rows) {
    parts = (uint32_t)((bytes + kResidentWeightBytes - 1) / kResidentWeightBytes);
  }
  const uint32_t blocks = FirstBlock(plan, last) - FirstBlock(plan, first);
  const uint32_t most = MaxPartBlocks(plan);
  if (parts < (blocks + most - 1) / most) parts = (blocks + most - 1) / most;
  if (parts > last - first) parts = last - first;
  for (uint32_t i = 0; i < parts; ++i) {
    RunPart(args, plan, group, pixels, first + (uint32_t)((uint64_t)(last - first) * i / parts),
            first + (uint32_t)((uint64_t)(last - first) * (i + 1) / parts));
  }
}

// Small groups cost more to point at than to multiply: as many of them as have their constants
// prepared together take a tile in turn, whose pointers only move on by a group. They stay within
// the padding row, which is as long as a pixel.
static void RunSmallGroups(const ConvS8Args& args, const ConvPlan& plan, Range pixels) {
  const uint32_t most = kPreparedBlocks / plan.blocks;
  const uint64_t group_bytes = plan.blocks * plan.k_groups * 4 * kBlock;
  PanelS8 panel;
  panel.block_bytes = plan.k_groups * 4 * kBlock;
  panel.plan = &plan;
  panel.pointers = plan.pointers;
  panel.prepared = false;
  panel.taps = plan.taps;
  panel.k_groups = plan.group_in / 4;
  for (uint64_t first = 0; first < plan.g.groups; first += most) {
    const uint64_t left_groups = plan.g.groups - first;
    const uint32_t count = left_groups < most ? (uint32_t)left_groups : most;
    Part part;
    part.first = 0;
    part.last = plan.chunks;
    part.tail = TailS8{
        args.out_zero_point, args.clamp_lo, args.clamp_hi, args.pre_shift, args.table, {}, false};
    PreparedBlock constants[kPreparedBlocks == 0 ? 1 : kPreparedBlocks];
    part.tail.kind = PrepareBlocks(args.channels + first * plan.blocks, count * plan.blocks,
                                   args.out_zero_point, constants);
    part.tail.unusual = args.pre_shift != 0 || part.tail.kind.doubled;
    for (uint64_t pixel = pixels.begin; pixel < pixels.end; pixel += plan.tile_rows) {
      const uint64_t left = pixels.end - pixel;
      const uint32_t rows = left < plan.tile_rows ? (uint32_t)left : plan.tile_rows;
      PointRows(plan, args.input + first * plan.group_in, pixel, rows);
      for (uint32_t i = 0; i < count; ++i) {
        for (uint64_t tap = 0; i != 0 && tap < plan.taps; ++tap) {
          const uint8_t** row = plan.pointers + tap * kMaxTileRows;
          for (uint32_t r = 0; r < rows; ++r) row[r] += plan.group_in;
        }
        part.group = first + i;
        part.group_block = part.group * plan.blocks;
        part.constants = constants + i * plan.blocks;
        RunTile(args, plan, part, args.weights + part.group * group_bytes, pixel, rows, panel);
      }
    }
  }
}

}  // namespace
}  // namespace octet

#include "runtime/kernels/conv/x86_conv_strips.inl.h"

namespace octet {
namespace {

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
  plan.chunks = (plan.blocks + kMaxPanelBlocks - 1) / kMaxPanelBlocks;
  plan.pack = plan.group_in % 4 != 0;
  plan.tile_rows = plan.pack ? kMaxPackedTileRows : kMaxTileRows;
  plan.pointers = reinterpret_cast<const uint8_t**>(args.scratch);
  plan.padding = args.scratch + RoundUp64(plan.taps * kTileRows * 8);
  plan.packed = plan.padding + RoundUp64((uint64_t)g.in_c + 64);
  memset(plan.padding, (uint8_t)args.in_zero_point ^ kSign, g.in_c);

  if (kRowStrips && UseStrips(plan)) {
    RunStrips(args, plan, RangeOf(g.out_h, share));
    return;
  }
  const uint64_t pixels = (uint64_t)g.out_h * g.out_w;
  Range rows = {0, pixels};
  Range columns = {0, plan.chunks};
  // Few rows: dividing the outputs keeps every thread on weights of its own.
  if (pixels < 2 * (uint64_t)plan.tile_rows * share.count && plan.chunks >= share.count) {
    columns = RangeOf(plan.chunks, share);
  } else {
    rows = RangeOf(pixels, share);
  }
  if (rows.begin == rows.end || columns.begin == columns.end) return;
  if (kSmallGroups && g.groups > 1 && plan.blocks <= kPreparedBlocks / 2 && !plan.pack &&
      columns.end - columns.begin == plan.chunks) {
    return RunSmallGroups(args, plan, rows);
  }
  for (uint64_t group = 0; group < g.groups; ++group) {
    RunGroup(args, plan, group, rows, (uint32_t)columns.begin, (uint32_t)columns.end);
  }
}

}  // namespace
}  // namespace octet
