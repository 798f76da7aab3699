// Scratch one thread needs for one layer, from its shape alone: the reference takes as little as it
// can run with, every other level one formula, 16 KiB of pointers plus one tile of rows. Blobs say
// nothing of it, so a level may come with a formula of its own.
#ifndef OCTET_FORMAT_SCRATCH_H_
#define OCTET_FORMAT_SCRATCH_H_

#include "runtime/core/isa.h"
#include "runtime/format/blob.h"

namespace octet {

constexpr uint32_t kTileRows = 32;     // most output pixels an int8 kernel handles at once
constexpr uint32_t kTileRowsF16 = 16;  // FP16 kernels widen their rows to float

static inline uint64_t RoundUp64(uint64_t bytes) {
  return (bytes + 63) & ~(uint64_t)63;
}

// The reference's convolutions: rows of depth values (FP16: floats), as many as a small memory has
// room for. Weights are read once a tile.
constexpr uint32_t kReferenceTileBytes = 1024;
static inline uint32_t ReferenceTileRows(uint64_t depth, bool fp16) {
  const uint64_t deep = ((depth + 15) & ~(uint64_t)15) * (fp16 ? 4 : 1);
  const uint32_t most = fp16 ? kTileRowsF16 : kTileRows;
  const uint64_t rows = kReferenceTileBytes / deep;
  return rows < 1 ? 1 : rows > most ? most : (uint32_t)rows;
}
static inline uint64_t ScratchConvReference(uint64_t depth, bool fp16) {
  const uint64_t deep = ((depth + 15) & ~(uint64_t)15) * (fp16 ? 4 : 1);
  return ReferenceTileRows(depth, fp16) * deep;
}

// Int8 of the level cm4, parts in this order, each 64-byte aligned: three windows as pairs of 16
// bits, a window as bytes, a byte for each block of 16 outputs.
static inline uint64_t ScratchConvCm4(uint64_t depth, uint64_t out_c) {
  const uint64_t quads = (depth + 3) / 4;
  return RoundUp64(quads * 24) + RoundUp64(quads * 4) + RoundUp64((out_c + 15) / 16);
}

// Cortex-M without MVE can never run helium: what it would take is not linked there.
#if OCTET_ARCH_CORTEX_M && !(__ARM_FEATURE_MVE & 1)
constexpr bool kKnowsHelium = false;
#else
constexpr bool kKnowsHelium = true;
#endif
static inline bool TakesHeliumScratch(Isa level, bool int8) {
  return kKnowsHelium && level == Isa::kHelium && int8;
}

// Int8 of the level helium, parts in this order, each 64-byte aligned: weights of four outputs,
// sums of four outputs of a tile of pixels, rows of a tile: windows of `deep` bytes, the depth
// rounded up to 16 (the last copy may end in 16 bytes more). Few operations: boards link this for
// every level.
constexpr uint32_t kHeliumMostRows = 96;
constexpr uint32_t kHeliumPanelRows = 3;  // rows come in threes
constexpr uint32_t kHeliumRowsBytes = 8192;
static inline uint64_t RowsBytesOfHelium(uint64_t deep) {
  const uint64_t most = deep * kHeliumMostRows < kHeliumRowsBytes ? deep * kHeliumMostRows
                                                                  : (uint64_t)kHeliumRowsBytes;
  return most < deep * kHeliumPanelRows ? deep * kHeliumPanelRows : most;
}
static inline uint64_t ScratchConvHelium(uint64_t depth) {
  const uint64_t deep = (depth + 15) & ~(uint64_t)15;
  return 4 * deep + kHeliumMostRows * 16 + RoundUp64(RowsBytesOfHelium(deep) + 16);
}

// taps = kernel_h * kernel_w; depth = taps * input channels of a group (bounded by the validator).
// Parts, in this order, each 64-byte aligned: row pointers [kTileRows][taps] of 8 bytes; a row of
// padding (in_c elements); a packed tile of rows (int8: kTileRows x round_up(depth, 16) bytes;
// FP16: kTileRowsF16 x round_up(depth, 16) floats).
static inline uint64_t ScratchConv(uint64_t taps, uint64_t in_c, uint64_t depth, bool fp16) {
  const uint64_t deep = (depth + 15) & ~(uint64_t)15;
  return RoundUp64(taps * kTileRows * 8) + RoundUp64((in_c + 64) * (fp16 ? 4 : 1)) +
         (fp16 ? kTileRowsF16 * deep * 4 : kTileRows * deep);
}

// Int8 of the level avx2: behind the padding a tile in several forms, one of which only rows of a
// small depth have, and lists of the groups of 4 channels.
constexpr uint32_t kAvx2PairedDeep = 512;
constexpr uint32_t kAvx2PairedRows = 67, kAvx2Rows = 57;
static inline uint64_t ScratchConvAvx2(uint64_t taps, uint64_t in_c, uint64_t depth) {
  const uint64_t deep = (depth + 15) & ~(uint64_t)15;
  const uint32_t rows = deep <= kAvx2PairedDeep ? kAvx2PairedRows : kAvx2Rows;
  return ScratchConv(taps, in_c, depth, false) + (rows - kTileRows) * deep + 64;
}

// FP16 of the x86 levels, which widen weights too. Parts, in this order: a tile's rows of `deep`
// floats (the depth rounded up to 16); weights of two blocks of outputs, as much as 32 rows, which
// layers of fewer pixels than kLeastWideRows read as they are. What rows that share pixels leave,
// and kWideWeights, may hold those of a third. A tile stays in the level 2 cache, and is large
// since weights are widened anew for each.
constexpr uint32_t kWideWeights = 4096;
constexpr uint32_t kWideTileRows = 96;
constexpr uint32_t kWideBlocksRows = 32;
constexpr uint64_t kWideTileFloats = 50 * 1024;
constexpr uint64_t kLeastWideRows = 12;
static inline bool WidensWeights(Isa level) {
  return level == Isa::kAvx2 || level == Isa::kAvxVnni || level == Isa::kAvx512Vnni ||
         level == Isa::kAmx;
}
// pixels: of the output.
static inline uint64_t WideRows(uint64_t deep, uint64_t pixels) {
  uint64_t rows = kWideTileFloats / deep;
  if (rows < kTileRowsF16) rows = kTileRowsF16;
  if (rows > kWideTileRows) rows = kWideTileRows;
  return rows < pixels ? rows : pixels;
}
static inline uint64_t ScratchConvWide(uint64_t depth, uint64_t pixels) {
  const uint64_t deep = (depth + 15) & ~(uint64_t)15;
  const uint64_t rows = WideRows(deep, pixels) + (pixels < kLeastWideRows ? 0 : kWideBlocksRows);
  return (kWideWeights + rows * deep) * sizeof(float);
}
static inline uint64_t ScratchConvF16(Isa level, uint64_t taps, uint64_t in_c, uint64_t depth,
                                      uint64_t pixels) {
  return WidensWeights(level) ? ScratchConvWide(depth, pixels)
                              : ScratchConv(taps, in_c, depth, true);
}

// Winograd's method, output tiles of m x m (blob::Layout): so many tiles are transformed
// and multiplied at a time. Their V must stay in the level 2 cache of a small core, and 24 are
// enough to make the traffic of weights small beside the products.
constexpr uint64_t kWinogradInputBytes = 288 * 1024;
constexpr uint64_t kWinogradMaxTiles = 25;

static inline uint64_t WinogradPositions(uint64_t m) {
  return (m + 2) * (m + 2);
}
static inline uint64_t WinogradTileCount(uint64_t m, uint64_t out_h, uint64_t out_w) {
  return ((out_h + m - 1) / m) * ((out_w + m - 1) / m);
}
static inline uint64_t WinogradTileBlock(uint64_t m, uint64_t in_c, uint64_t out_h,
                                         uint64_t out_w) {
  uint64_t tiles = kWinogradInputBytes / (WinogradPositions(m) * in_c * 2);
  if (tiles > kWinogradMaxTiles) tiles = kWinogradMaxTiles;
  const uint64_t count = WinogradTileCount(m, out_h, out_w);
  if (tiles > count) tiles = count;
  return tiles == 0 ? 1 : tiles;
}

// Parts, in this order, each 64-byte aligned (in_c is a multiple of 8, the positions of 4): a pixel
// of padding; V of a block of tiles, int16 [positions][tiles][in_c] in any order; their products
// with 16 outputs, int32 [positions][tiles][16] in any order. A layer needs the larger of this and
// ScratchConv: its kernel may read either weights.
static inline uint64_t ScratchWinograd(uint64_t m, uint64_t in_c, uint64_t out_h, uint64_t out_w) {
  const uint64_t tiles = WinogradTileBlock(m, in_c, out_h, out_w);
  return RoundUp64(in_c) + WinogradPositions(m) * tiles * (in_c * 2 + 16 * 4);
}

// FP16 by Winograd's method (blob::Arithmetic::kWinograd), m = 2: so many tiles are transformed and
// multiplied at a time, by eights. Their V must stay in the level 2 cache, as above.
constexpr uint64_t kWinogradPositionsF16 = 16;
constexpr uint64_t kLeastWinogradChannelsF16 = 16;  // of the input: kernels take as many at a time
constexpr uint64_t kWinogradStepF16 = 8;
constexpr uint64_t kWinogradMostTilesF16 = 48;
static inline uint64_t WinogradTilesF16(Isa level, uint64_t in_c, uint64_t out_h, uint64_t out_w) {
  const uint64_t bytes = (WidensWeights(level) ? 512 : 256) * 1024;
  uint64_t tiles = bytes / (kWinogradPositionsF16 * sizeof(float) * in_c);
  if (tiles > kWinogradMostTilesF16) tiles = kWinogradMostTilesF16;
  const uint64_t count = WinogradTileCount(2, out_h, out_w);
  if (tiles > count) tiles = count + kWinogradStepF16 - 1;
  tiles = tiles / kWinogradStepF16 * kWinogradStepF16;
  return tiles == 0 ? kWinogradStepF16 : tiles;
}

// The reference: V of one tile, float [16][in_c]. Other levels, parts in this order, each 64-byte
// aligned: a pixel of zeros; V, float [16][tiles][in_c]; products with `blocks` blocks of 16
// outputs, float [blocks][16][tiles][16]; lines of the output, float [2][2 * tiles][16]; weights
// of those blocks as floats, where levels widen them.
struct WinogradPartsF16 {
  uint64_t tiles, blocks, v, sums, lines, weights, bytes;  // offsets, and of all
};
static inline WinogradPartsF16 WinogradPartsOfF16(Isa level, uint64_t in_c, uint64_t out_h,
                                                  uint64_t out_w) {
  WinogradPartsF16 parts;
  parts.tiles = WinogradTilesF16(level, in_c, out_h, out_w);
  parts.blocks = WidensWeights(level) ? 3 : 1;
  parts.v = RoundUp64(in_c * 2);
  parts.sums = parts.v + kWinogradPositionsF16 * parts.tiles * RoundUp64(in_c * 4);
  parts.lines = parts.sums + parts.blocks * kWinogradPositionsF16 * parts.tiles * 64;
  parts.weights = parts.lines + 4 * parts.tiles * 64;
  parts.bytes = parts.weights + (WidensWeights(level) ? parts.blocks * in_c * 64 : 0);
  return parts;
}
static inline uint64_t ScratchWinogradF16(Isa level, uint64_t in_c, uint64_t out_h,
                                          uint64_t out_w) {
  if (level == Isa::kReference || level >= Isa::kCm4) {
    return kWinogradPositionsF16 * in_c * sizeof(float);
  }
  return WinogradPartsOfF16(level, in_c, out_h, out_w).bytes;
}

// Depthwise: row pointers, a row of padding, one float/int32 accumulator row.
static inline uint64_t ScratchDepthwise(uint64_t taps, uint64_t channels, bool fp16) {
  return RoundUp64(taps * kTileRows * 8) + RoundUp64((channels + 64) * (fp16 ? 4 : 1)) +
         RoundUp64(channels * 4);
}

// Int8 of the level cm4: the weights of four channels as pairs of 16 bits (8 bytes a tap), and the
// rows under a window likewise, of as many output columns as fit a few KiB.
constexpr uint32_t kDepthwiseRingPixels = 512;
struct DepthwiseRingCm4 {
  uint32_t columns;  // most output pixels of a strip
  uint32_t pitch;    // pixels of a row, even
};
// extent: input columns under a window.
static inline DepthwiseRingCm4 DepthwiseRingOfCm4(uint32_t kernel_h, uint32_t stride_w,
                                                  uint32_t extent, uint32_t out_w) {
  const uint32_t most = kDepthwiseRingPixels / kernel_h;
  uint32_t columns = most > extent ? (most - extent) / stride_w + 1 : 1;
  if (columns > out_w) columns = out_w;
  return DepthwiseRingCm4{columns, ((columns - 1) * stride_w + extent + 1) & ~1u};
}
static inline uint64_t ScratchDepthwiseCm4(uint32_t kernel_h, uint32_t kernel_w, uint32_t stride_w,
                                           uint32_t extent, uint32_t out_w) {
  const DepthwiseRingCm4 ring = DepthwiseRingOfCm4(kernel_h, stride_w, extent, out_w);
  return RoundUp64(((uint64_t)kernel_w + ring.pitch) * kernel_h * 8);
}

// Int8 of the level helium, windows of nine taps: ten columns of weights, then the columns under
// bands of output rows (two of stride 1, one of stride 2), 64 bytes each: 16 channels of four rows.
// Behind them a pixel of padding.
constexpr uint32_t kHeliumWeightColumns = 10;
constexpr uint32_t kHeliumColumns = 130;  // at a time
static inline uint64_t ScratchDepthwiseHelium(uint64_t taps) {
  return taps == 9 ? (kHeliumWeightColumns + kHeliumColumns + 1) * 64 : 0;
}

// NonMaxSuppression: the candidates of one class in order.
static inline uint64_t ScratchNonMaxSuppression(uint64_t boxes) {
  return RoundUp64(boxes * 4);
}

// Batched matrix products: a panel of columns of B and a tile of rows of A, packed; int8 as 16 bits
// (the zero point taken off), FP16 as floats; the depth rounded up to pairs.
constexpr uint32_t kMatMulPanel = 32;
constexpr uint32_t kMatMulTile = 4;
// 255 * 255 * depth <= 2^30, the limit of accumulators.
constexpr uint32_t kMaxMatMulDepthS8 = (1u << 30) / (255 * 255);

static inline uint64_t MatMulDeep(uint64_t depth) {
  return (depth + 1) & ~(uint64_t)1;
}
static inline uint64_t ScratchMatMul(uint64_t depth, bool fp16) {
  return RoundUp64(MatMulDeep(depth) * (kMatMulPanel + kMatMulTile) * (fp16 ? 4 : 2));
}

}  // namespace octet

#endif  // OCTET_FORMAT_SCRATCH_H_
