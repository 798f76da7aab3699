// Convolution with AMX. Activation tiles are read where they lie when every row of a tile is one
// stride from the last (1x1 convolutions, windows without padding), from a padded copy of part of
// the image (other windows), or from packed windows (few channels). Layers that would leave tiles
// mostly empty go to the AVX-512 kernel.
#include "runtime/kernels/conv/x86_amx_rows.inl.h"
#include "runtime/kernels/conv/x86_amx_tiles.inl.h"

#include "runtime/kernels/kernel_table.h"

namespace octet {
namespace {

// Activations of a block of pixels stay in the level 2 cache (2 MiB on every CPU with AMX) while
// all weights are read.
constexpr uint64_t kBlockBytes = 256 * 1024;

enum class RowsAmx { kInImage, kPatch, kPacked };

// What a thread computes, in rectangles of output pixels that all have the same size: the last one
// of a row or column begins earlier instead.
struct PlanAmx {
  RowsAmx source;
  uint32_t area_y, area_x, area_h, area_w;  // this thread's output pixels; one row where `flat`
  uint32_t block_h, block_w;                // a rectangle
  uint32_t tile_h, tile_w;                  // output pixels of a tile
  bool flat;                                // pixels are numbered through all rows
  uint32_t pitch;                           // kPatch: pixels from row to row of the copy
  uint32_t patch_h, patch_w;
  size_t out_row_bytes;  // from the activations of one output row to those of the next
  bool tail;
  uint32_t first_block, last_block;  // of 16 outputs
  uint32_t panel_blocks;             // of the widest panels
};

// Drains write up to 4 rows at once, and a row that is divided among tiles leaves at least half.
constexpr uint32_t kFewestRows = 4;

// The fewest equal steps of at most 64 bytes, a multiple of 4 each; 0 where that wastes too much.
static uint32_t EqualSteps(uint64_t bytes) {
  if (bytes % 4 != 0) return 0;
  const uint64_t groups = bytes / 4, fewest = (groups + 15) / 16;
  for (uint64_t n = fewest; n <= fewest + fewest / 2; ++n) {
    if (groups % n == 0) return (uint32_t)n;
  }
  return 0;
}

// Rows of a tile so that pairs of tiles cover n pixels with the fewest rows; a product with fewer
// than 10 rows takes no less time.
static uint32_t RowsFor(uint32_t n) {
  uint32_t best = 0, least = UINT32_MAX;
  for (uint32_t tiles = CeilDiv32(n, kMaxRows), i = 0; i < 8 && tiles <= n; ++i, ++tiles) {
    const uint32_t rows = CeilDiv32(n, tiles);
    const uint32_t cost = (tiles + tiles % 2) * (rows < 10 ? 10 : rows);
    if (cost < least) {
      least = cost;
      best = rows;
    }
  }
  return best;
}

// Size of equal parts of at most `most`.
static uint32_t PartOf(uint32_t total, uint64_t most) {
  if (most >= total) return total;
  return CeilDiv32(total, CeilDiv32(total, (uint32_t)most));
}

static bool InsideImage(const ConvGeometry& g) {
  return g.pad_top == 0 && g.pad_left == 0 &&
         (uint64_t)(g.out_h - 1) * g.stride_h + (uint64_t)(g.kernel_h - 1) * g.dilation_h <
             g.in_h &&
         (uint64_t)(g.out_w - 1) * g.stride_w + (uint64_t)(g.kernel_w - 1) * g.dilation_w < g.in_w;
}

// This thread's part: outputs where weights outweigh activations, else output pixels.
static bool TakeShare(const ConvGeometry& g, Share share, uint64_t weight_bytes, PlanAmx* plan) {
  const uint32_t blocks = CeilDiv32(g.out_c, kChannelBlock), pairs = CeilDiv32(blocks, 2);
  const uint64_t pixels = (uint64_t)g.out_h * g.out_w;
  Range columns = {0, pairs};
  Range part = {0, plan->flat ? pixels : g.out_h};
  if (pairs >= share.count &&
      (pixels < 128 * (uint64_t)share.count || weight_bytes > pixels * g.in_c)) {
    columns = RangeOf(pairs, share);
  } else {
    part = RangeOf(part.end, share);
  }
  plan->first_block = (uint32_t)columns.begin * 2;
  plan->last_block = columns.end == pairs ? blocks : (uint32_t)columns.end * 2;
  const uint32_t length = (uint32_t)(part.end - part.begin);
  plan->area_x = plan->flat ? (uint32_t)part.begin : 0;
  plan->area_y = plan->flat ? 0 : (uint32_t)part.begin;
  plan->area_w = plan->flat ? length : g.out_w;
  plan->area_h = plan->flat ? 1 : length;
  return length != 0 && plan->first_block < plan->last_block;
}

// How the sums of a pixel are cut into tile products, and where their rows come from.
static void ChooseSteps(const ConvGeometry& g, PlanAmx* plan, LayerAmx* layer) {
  const bool beside = g.dilation_w == 1 || g.kernel_w == 1;  // taps of a row are one run
  const uint64_t depth = (uint64_t)g.kernel_h * g.kernel_w * g.in_c;
  uint64_t run = beside ? (uint64_t)g.kernel_w * g.in_c : g.in_c;
  layer->runs_y = g.kernel_h;
  layer->runs_x = beside ? 1 : g.kernel_w;
  layer->steps = EqualSteps(run);
  plan->tail = false;
  plan->source = InsideImage(g) ? RowsAmx::kInImage : RowsAmx::kPatch;
  if (layer->steps == 0) {
    plan->source = RowsAmx::kPacked;
    run = (depth + 3) / 4 * 4;
    layer->runs_y = layer->runs_x = 1;
    layer->steps = EqualSteps(run);
    plan->tail = layer->steps == 0;
  }
  if (plan->tail) {
    layer->steps = (uint32_t)((run + kRow - 1) / kRow);
    layer->step_bytes = kRow;
  } else {
    layer->step_bytes = (uint32_t)(run / layer->steps);
  }
  layer->block_bytes = (depth + 3) / 4 * 4 * kChannelBlock;
}

static void ChooseTiles(const ConvGeometry& g, PlanAmx* plan, LayerAmx* layer) {
  plan->tile_h = 1;
  uint32_t between = 0;  // rows from one output row to the next within a tile
  if (plan->flat) {
    plan->tile_w = RowsFor(plan->block_w);
  } else {
    plan->tile_w = CeilDiv32(plan->block_w, CeilDiv32(plan->block_w, kMaxRows));
    if (plan->tile_w == plan->block_w && plan->out_row_bytes % layer->row_stride == 0) {
      const uint64_t rows = plan->out_row_bytes / layer->row_stride;
      if (rows + plan->tile_w <= kMaxRows) {
        between = (uint32_t)rows;
        plan->tile_h = (kMaxRows - plan->tile_w) / between + 1;
        if (plan->tile_h > plan->block_h) plan->tile_h = plan->block_h;
      }
    }
  }
  layer->output_stride = g.out_c;
  layer->rows = {plan->tile_h, plan->tile_w, between * kRow, (size_t)g.out_w * g.out_c};
  ConfigureTiles((plan->tile_h - 1) * between + plan->tile_w, layer->step_bytes);
}

static uint64_t SpanOf(uint32_t outputs, uint32_t stride, uint32_t kernel, uint32_t dilation) {
  return (uint64_t)(outputs - 1) * stride + (uint64_t)(kernel - 1) * dilation + 1;
}

// Outputs of part of a row that a patch has to hold at least.
constexpr uint32_t kNarrowestPatch = 16;

static uint64_t ScratchOf(const ConvGeometry& g) {
  const uint64_t taps = (uint64_t)g.kernel_h * g.kernel_w;
  return TilePartsOf(taps, g.in_c, taps * g.in_c, false).bytes;
}

// Whether scratch holds a useful patch: the same for every thread.
static bool PatchFits(const ConvGeometry& g) {
  const uint32_t outputs = g.out_w < kNarrowestPatch ? g.out_w : kNarrowestPatch;
  return SpanOf(1, g.stride_h, g.kernel_h, g.dilation_h) *
             SpanOf(outputs, g.stride_w, g.kernel_w, g.dilation_w) * g.in_c <=
         ScratchOf(g);
}

// A rectangle whose patch fits scratch: whole rows, else part of one.
static void ChoosePatch(const ConvGeometry& g, PlanAmx* plan) {
  const uint64_t capacity = ScratchOf(g) / g.in_c;
  const uint64_t lines = SpanOf(1, g.stride_h, g.kernel_h, g.dilation_h);
  uint64_t columns = SpanOf(plan->area_w, g.stride_w, g.kernel_w, g.dilation_w);
  const uint64_t left = g.pad_left, image = left + g.in_w;
  const uint64_t right = columns > image ? columns - image : 0;
  uint64_t pitch = columns - (right < left ? right : left);
  const uint64_t fitting = capacity >= columns ? (capacity - columns) / pitch + 1 : 0;
  plan->block_w = plan->area_w;
  if (fitting >= lines) {
    plan->block_h = PartOf(plan->area_h, (fitting - lines) / g.stride_h + 1);
  } else {
    const uint64_t narrowest = SpanOf(1, g.stride_w, g.kernel_w, g.dilation_w);
    plan->block_h = 1;
    plan->block_w = PartOf(plan->area_w, (capacity / lines - narrowest) / g.stride_w + 1);
    pitch = columns = SpanOf(plan->block_w, g.stride_w, g.kernel_w, g.dilation_w);
  }
  plan->patch_h = (uint32_t)SpanOf(plan->block_h, g.stride_h, g.kernel_h, g.dilation_h);
  plan->patch_w = (uint32_t)columns;
  plan->pitch = (uint32_t)pitch;
}

// Rectangles and strides.
static void ChooseBlocks(const ConvGeometry& g, PlanAmx* plan, LayerAmx* layer) {
  layer->row_stride = (size_t)g.stride_w * g.in_c;
  layer->step_x = (size_t)g.dilation_w * g.in_c;
  uint64_t pitch = g.in_w;
  if (plan->source == RowsAmx::kPacked) {
    layer->row_stride = layer->steps * (size_t)layer->step_bytes;
    const uint64_t most = (ScratchOf(g) - kPackSlack) / layer->row_stride;
    plan->block_h = 1;
    plan->block_w = PartOf(plan->area_w, most > 32 ? most / 32 * 32 : most);
  } else if (plan->source == RowsAmx::kPatch) {
    ChoosePatch(g, plan);
    pitch = plan->pitch;
  } else {
    const uint64_t bytes = plan->flat ? g.in_c : (uint64_t)g.stride_h * g.in_w * g.in_c;
    uint64_t most = kBlockBytes / bytes;
    if (most < kMaxRows) most = kMaxRows;
    plan->block_h = plan->flat ? 1 : PartOf(plan->area_h, most);
    plan->block_w = plan->flat ? PartOf(plan->area_w, most) : plan->area_w;
  }
  layer->step_y = (size_t)g.dilation_h * pitch * g.in_c;
  plan->out_row_bytes = (size_t)g.stride_h * pitch * g.in_c;
}

struct Work {
  const ConvS8Args* args;
  const PlanAmx* plan;
  const LayerAmx* layer;
  StagedAmx* staged;
  PreparedBlock* blocks;  // [2][4]: those of the staged sums, those of the running ones
  int8_t* tail;           // kTileBytes
  uint32_t half;
  bool tail_ready;
};

// Multiplies one rectangle by kBlocks blocks of weights.
template <int kTiles, int kBlocks>
static void RunColumn(Work* work, const uint8_t* rows, uint8_t* output, uint32_t block) {
  const PlanAmx& plan = *work->plan;
  const LayerAmx& layer = *work->layer;
  const ConvGeometry& g = work->args->g;
  if (work->staged->pending != kBlocks) DrainAll(work->staged, layer);
  PreparedBlock* blocks = work->blocks + work->half * 4;
  work->half ^= 1;
  const blob::ChannelBlockS8* channels = work->args->channels + block;
  const bool fused = PrepareBlocks(*work->args, block, kBlocks, blocks).fused;
  QuadAmx quad;
  quad.weights = work->args->weights + block * layer.block_bytes;
  quad.tail = nullptr;
  if (plan.tail && (block + kBlocks) * kChannelBlock >= g.out_c) {
    if (!work->tail_ready) {
      TailWeights(layer, quad.weights + (kBlocks - 1) * layer.block_bytes, work->tail);
    }
    work->tail_ready = true;
    quad.tail = work->tail;
  }
  quad.blocks = blocks;
  quad.channels = g.out_c - block * kChannelBlock;
  if (quad.channels > kBlocks * kChannelBlock) quad.channels = kBlocks * kChannelBlock;
  output += block * kChannelBlock;

  const uint32_t across = CeilDiv32(plan.block_w, plan.tile_w);
  const uint32_t tiles = across * CeilDiv32(plan.block_h, plan.tile_h);
  uint32_t tile_y = 0, tile_x = 0;
  for (uint32_t i = 0; i < tiles; i += kTiles) {
    for (uint32_t half = 0; half < 2; ++half) {
      if (half == kTiles || i + half == tiles) {  // an odd number: the last one twice
        quad.rows[1] = quad.rows[0];
        quad.output[1] = quad.output[0];
        break;
      }
      uint32_t y = tile_y * plan.tile_h, x = tile_x * plan.tile_w;
      if (y > plan.block_h - plan.tile_h) y = plan.block_h - plan.tile_h;
      if (x > plan.block_w - plan.tile_w) x = plan.block_w - plan.tile_w;
      quad.rows[half] = rows + y * plan.out_row_bytes + x * layer.row_stride;
      quad.output[half] = output + ((size_t)y * g.out_w + x) * g.out_c;
      if (++tile_x == across) {
        tile_x = 0;
        ++tile_y;
      }
    }
    if (layer.table != nullptr) {
      RunQuad<kTiles, kBlocks, true>(layer, quad, work->staged);
    } else {
      RunQuad<kTiles, kBlocks, false>(layer, quad, work->staged);
    }
    if (!fused) DrainAny<kTiles, kBlocks>(work->staged, layer, channels);
  }
}

// Four blocks of outputs share a cache line of every pixel: one tile of rows against four writes
// whole lines, which layers with few products per sum need. The weights of four blocks have to stay
// in the level 1 cache beside the rows.
constexpr uint64_t kWideBytes = 24 * 1024;

// Multiplies one rectangle by all of this thread's weights.
static void RunBlock(Work* work, const uint8_t* rows, uint8_t* output) {
  const PlanAmx& plan = *work->plan;
  uint32_t block = plan.first_block;
  while (plan.panel_blocks >= 4 && block + 4 <= plan.last_block &&
         4 * work->layer->block_bytes <= kWideBytes) {
    RunColumn<1, 4>(work, rows, output, block);
    block += 4;
  }
  for (; plan.panel_blocks >= 2 && block + 2 <= plan.last_block; block += 2) {
    RunColumn<2, 2>(work, rows, output, block);
  }
  for (; block < plan.last_block; ++block) RunColumn<2, 1>(work, rows, output, block);
}

static void RunBlocks(Work* work) {
  const ConvS8Args& args = *work->args;
  const PlanAmx& plan = *work->plan;
  const ConvGeometry& g = args.g;
  const SourceAmx source = {g, args.input, (uint8_t)((uint8_t)args.in_zero_point ^ args.sign)};
  const uint32_t down = CeilDiv32(plan.area_h, plan.block_h);
  const uint32_t across = CeilDiv32(plan.area_w, plan.block_w);
  for (uint32_t i = 0; i < down; ++i) {
    uint32_t y = i * plan.block_h;
    if (y > plan.area_h - plan.block_h) y = plan.area_h - plan.block_h;
    y += plan.area_y;
    for (uint32_t j = 0; j < across; ++j) {
      uint32_t x = j * plan.block_w;
      if (x > plan.area_w - plan.block_w) x = plan.area_w - plan.block_w;
      x += plan.area_x;
      const uint8_t* rows = args.scratch;
      if (plan.source == RowsAmx::kPacked) {
        PackWindows(source, x, plan.block_w, work->layer->row_stride, plan.tail, args.scratch);
      } else if (plan.source == RowsAmx::kPatch) {
        CopyPatch(source, (int64_t)y * g.stride_h - g.pad_top, (int64_t)x * g.stride_w - g.pad_left,
                  plan.patch_h, plan.patch_w, plan.pitch, args.scratch);
      } else {
        rows = args.input + (size_t)y * plan.out_row_bytes + (size_t)x * work->layer->row_stride;
      }
      RunBlock(work, rows, args.output + ((size_t)y * g.out_w + x) * g.out_c);
    }
  }
  DrainAll(work->staged, *work->layer);
}

static void RunAmx(const ConvS8Args& args, Share share, uint32_t panel_blocks) {
  const ConvGeometry& g = args.g;
  PlanAmx plan;
  plan.panel_blocks = panel_blocks;
  LayerAmx layer;
  ChooseSteps(g, &plan, &layer);
  plan.flat = plan.source == RowsAmx::kPacked ||
              (plan.source == RowsAmx::kInImage && g.kernel_h == 1 && g.kernel_w == 1 &&
               g.stride_h == 1 && g.stride_w == 1 && g.out_w == g.in_w);
  // The same decision in every thread.
  const uint64_t row = plan.flat ? (uint64_t)g.out_h * g.out_w / share.count / 2 : g.out_w;
  if (g.groups != 1 || row < kFewestRows || (plan.source == RowsAmx::kPatch && !PatchFits(g))) {
    conv_s8_avx512vnni(args, share);
    return;
  }
  const uint32_t blocks = CeilDiv32(g.out_c, kChannelBlock);
  if (!TakeShare(g, share, blocks * layer.block_bytes, &plan)) return;
  ChooseBlocks(g, &plan, &layer);
  layer.out_zero_point = args.out_zero_point;
  layer.clamp_lo = args.clamp_lo;
  layer.clamp_hi = args.clamp_hi;
  layer.pre_shift = args.pre_shift;
  layer.table = args.table;

  // On the stack, under 8 KiB: sums of four tiles (4), weights of the last step (1), channels
  // (3).
  StagedAmx staged;
  PreparedBlock channels[8];
  alignas(64) int8_t tail[kTileBytes];
  memset(channels, 0, sizeof(channels));
  staged.half = 0;
  staged.pending = 0;
  staged.blocks = channels;
  staged.channels = 0;
  staged.output[0] = staged.output[1] = nullptr;
  Work work = {&args, &plan, &layer, &staged, channels, tail, 0, false};
  ChooseTiles(g, &plan, &layer);
  RunBlocks(&work);
  ReleaseTiles();
}

}  // namespace

void conv_s8_amx_32x1(const ConvS8Args& args, Share share) {
  RunAmx(args, share, 1);
}
void conv_s8_amx_32x2(const ConvS8Args& args, Share share) {
  RunAmx(args, share, 2);
}
void conv_s8_amx_16x4(const ConvS8Args& args, Share share) {
  RunAmx(args, share, 4);
}

void conv_s8_amx(const ConvS8Args& args, Share share) {
  RunAmx(args, share, 4);
}

}  // namespace octet
