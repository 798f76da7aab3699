// Where the parts of a thread's scratch lie in a convolution, level by level. Kernels take their
// parts from here, and the size of a layer is the end of its last part (ConvScratchS8,
// ConvScratchF16). Blobs say nothing of it.
//
// Each record holds offsets, 64-byte aligned; the part that its comment names first is at 0. taps =
// kernel_h * kernel_w; depth = taps * input channels of a group (bounded by the validator); `deep`
// is the depth rounded up to 16.
#ifndef OCTET_KERNELS_CONV_SCRATCH_H_
#define OCTET_KERNELS_CONV_SCRATCH_H_

#include "runtime/core/round_up.h"
#include "runtime/kernels/conv/avx2_lists.h"
#include "runtime/kernels/conv/helium_scratch.h"
#include "runtime/kernels/conv/needs.h"
#include "runtime/kernels/conv/rules.h"

namespace octet {

// The reference: rows of `deep` values (FP16: floats), as many as a small memory has room for.
// Weights are read once for all of them.
constexpr uint32_t kReferenceTileBytes = 1024;
struct ConvPartsReference {
  uint32_t rows;
  uint64_t bytes;
};
static inline ConvPartsReference ReferencePartsOf(uint64_t depth, bool fp16) {
  const uint64_t row_bytes = DeepOf(depth) * (fp16 ? 4 : 1);
  const uint32_t most = fp16 ? kTileRowsF16 : kTileRows;
  const uint64_t fitting = kReferenceTileBytes / row_bytes;
  const uint32_t rows = fitting < 1 ? 1 : fitting > most ? most : (uint32_t)fitting;
  return ConvPartsReference{rows, rows * row_bytes};
}

// Int8 of the level cm4: windows of three output pixels as pairs of 16 bits; a window as bytes; a
// byte for each block of outputs.
constexpr uint32_t kCm4PanelRows = 3;
struct ConvPartsCm4 {
  uint64_t packed, unfinished, bytes;
};
static inline ConvPartsCm4 Cm4PartsOf(uint64_t depth, uint64_t out_c) {
  const uint64_t quads = (depth + 3) / 4;
  ConvPartsCm4 parts;
  parts.packed = RoundUp64(quads * 4 * 2 * kCm4PanelRows);
  parts.unfinished = parts.packed + RoundUp64(quads * 4);
  parts.bytes = parts.unfinished + RoundUp64(CeilDiv(out_c, kChannelBlock));
  return parts;
}

// Levels with tiles (conv/tiling.h): row pointers [taps][kTileRows] of 8 bytes; a row of padding
// (in_c elements); a packed tile of rows (int8: kTileRows x deep bytes; FP16: kTileRowsF16 x deep
// floats).
struct ConvParts {
  uint64_t padding, packed, bytes;
};
static inline uint64_t PointerBytes(uint64_t taps) {
  return taps * kTileRows * 8;
}
static inline ConvParts TilePartsOf(uint64_t taps, uint64_t in_c, uint64_t depth, bool fp16) {
  ConvParts parts;
  parts.padding = RoundUp64(PointerBytes(taps));
  parts.packed = parts.padding + RoundUp64((in_c + 64) * (fp16 ? 4 : 1));
  parts.bytes = parts.packed + DeepOf(depth) * (fp16 ? kTileRowsF16 * 4 : kTileRows);
  return parts;
}

// Int8 of the level avx2, from the packed tile on: rows of bytes, where the driver packs them; the
// rows interleaved, 4 bytes a group of 4 channels, of a small depth 8; their even halves; their odd
// halves; where each group lies.
constexpr uint64_t kAvx2PairedDeep = 1024;
constexpr uint32_t kAvx2Slots = 12;  // of a line: the rows of a tile and the pixels beside them
struct ConvPartsAvx2 {
  uint64_t interleaved, even, odd, places, bytes;
};
static inline ConvPartsAvx2 Avx2PartsOf(uint64_t deep) {
  const uint64_t rows = kRulesAvx2.tile_rows * deep;
  ConvPartsAvx2 parts;
  parts.interleaved = rows;
  parts.even = parts.interleaved + (deep <= kAvx2PairedDeep ? 2 : 1) * rows;
  parts.odd = parts.even + rows;
  parts.places = parts.odd + rows;
  parts.bytes = parts.places + 2 * deep;
  return parts;
}

// FP16 of the x86 levels, which widen weights too, in floats: a tile of at most `rows` rows of
// `deep` floats; weights of two blocks of outputs, as much as 32 rows, which layers of fewer pixels
// than kLeastWideRows read as they are. What rows that share pixels leave, and kWideWeights, may
// hold those of a third. A tile stays in the level 2 cache, and is large since weights are widened
// anew for each.
constexpr uint32_t kWideWeights = 4096;
constexpr uint32_t kWideBlocksRows = 32;
constexpr uint64_t kWideTileFloats = 100 * 1024;
// Of weights: a slice of the depth stays in the first cache while all rows of a tile meet it.
// AVX-512 fetches weights in time, and takes longer slices from the second cache.
constexpr uint64_t kWideSliceFloats = 6 * 1024;
constexpr uint64_t kWideLongSlice = 32 * 1024;
static inline bool WidensWeights(Isa level) {
  constexpr uint32_t kWide = IsaLevelsWith(Isa::kAvx2);
  return IsaIsOneOf(level, kWide);
}
struct ConvPartsWide {
  uint64_t rows, floats, bytes;
};
// pixels: of the output.
static inline ConvPartsWide WidePartsOf(uint64_t depth, uint64_t pixels) {
  const uint64_t deep = DeepOf(depth);
  ConvPartsWide parts;
  parts.rows = kWideTileFloats / deep;
  if (parts.rows < kTileRowsF16) parts.rows = kTileRowsF16;
  if (parts.rows > kWideTileRows) parts.rows = kWideTileRows;
  if (parts.rows > pixels) parts.rows = pixels;
  const uint64_t weights = pixels < kLeastWideRows ? 0 : kWideBlocksRows;
  parts.floats = kWideWeights + (parts.rows + weights) * deep;
  parts.bytes = parts.floats * sizeof(float);
  return parts;
}

// Winograd's method, int8 (in_c is a multiple of 8, the positions of 4): a pixel of padding; V of a
// block of tiles, int16 [positions][tiles][in_c] in any order; their products with 16 outputs,
// int32 [positions][tiles][16] in any order.
struct WinogradParts {
  uint64_t tiles;  // of a block
  uint64_t v, products, bytes;
};
static inline WinogradParts WinogradPartsOf(uint64_t m, uint64_t in_c, uint64_t out_h,
                                            uint64_t out_w) {
  WinogradParts parts;
  parts.tiles = WinogradTileBlock(m, in_c, out_h, out_w);
  parts.v = RoundUp64(in_c);
  parts.products = parts.v + WinogradPositions(m) * parts.tiles * in_c * sizeof(int16_t);
  parts.bytes =
      parts.products + WinogradPositions(m) * parts.tiles * kChannelBlock * sizeof(int32_t);
  return parts;
}

// The same of FP16, m = 2: so many tiles are transformed and multiplied at a time, by eights. Their
// V must stay in the level 2 cache.
constexpr uint64_t kWinogradStepF16 = 8;
constexpr uint64_t kWinogradMostTilesF16 = 48;
static inline uint64_t WinogradTilesF16(Isa level, uint64_t in_c, uint64_t out_h, uint64_t out_w) {
  const uint64_t bytes = (WidensWeights(level) ? 512 : 256) * kKiB;
  uint64_t tiles = bytes / (kWinogradPositionsF16 * sizeof(float) * in_c);
  if (tiles > kWinogradMostTilesF16) tiles = kWinogradMostTilesF16;
  const uint64_t count = WinogradTileCount(2, out_h, out_w);
  if (tiles > count) tiles = count + kWinogradStepF16 - 1;
  tiles = tiles / kWinogradStepF16 * kWinogradStepF16;
  return tiles == 0 ? kWinogradStepF16 : tiles;
}

// A pixel of zeros; V, float [16][tiles][in_c]; products with `blocks` blocks of 16 outputs, float
// [blocks][16][tiles][16]; lines of the output, float [2][2 * tiles][16]; weights of those blocks
// as floats, where levels widen them.
struct WinogradPartsF16 {
  uint64_t tiles, blocks;
  uint64_t v, sums, lines, weights, bytes;
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

// What the functions of scratch.inc answer.
static inline uint64_t ReferenceBytesS8(const ConvNeeds& n) {
  return ReferencePartsOf(n.depth, false).bytes;
}
static inline uint64_t Cm4BytesS8(const ConvNeeds& n) {
  return Cm4PartsOf(n.depth, n.out_c).bytes;
}
// A layer with transformed weights needs the larger of two: its kernel may read either weights.
static inline uint64_t OrWinogradS8(const ConvNeeds& n, uint64_t direct) {
  if (n.winograd == 0) return direct;
  const uint64_t transformed = WinogradPartsOf(n.winograd, n.in_c, n.out_h, n.out_w).bytes;
  return transformed > direct ? transformed : direct;
}
static inline uint64_t TileBytesS8(const ConvNeeds& n) {
  return OrWinogradS8(n, TilePartsOf(n.taps, n.in_c, n.depth, false).bytes);
}
static inline uint64_t Avx2BytesS8(const ConvNeeds& n) {
  const ConvParts tile = TilePartsOf(n.taps, n.in_c, n.depth, false);
  return OrWinogradS8(n, tile.packed + Avx2PartsOf(DeepOf(n.depth)).bytes);
}
static inline uint64_t ReferenceBytesF16(const ConvNeeds& n) {  // Winograd's: V of one tile
  return n.winograd != 0 ? kWinogradPositionsF16 * n.in_c * sizeof(float)
                         : ReferencePartsOf(n.depth, true).bytes;
}
static inline uint64_t WideBytesF16(const ConvNeeds& n) {
  if (n.winograd != 0) return WinogradPartsOfF16(Isa::kAvx2, n.in_c, n.out_h, n.out_w).bytes;
  return WidePartsOf(n.depth, n.out_h * n.out_w).bytes;
}
static inline uint64_t TileBytesF16(const ConvNeeds& n) {
  if (n.winograd != 0) return WinogradPartsOfF16(Isa::kNeon, n.in_c, n.out_h, n.out_w).bytes;
  return TilePartsOf(n.taps, n.in_c, n.depth, true).bytes;
}

typedef uint64_t (*ConvBytesFn)(const ConvNeeds& needs);
#define OCTET_SCRATCH(precision, word, isa, Bytes) \
  constexpr ConvBytesFn k_conv_##precision##_##word = &(Bytes);
#include "runtime/kernels/conv/scratch.inc"
#undef OCTET_SCRATCH

// The level's function: of its own kernel, or of its nearest parent's. Null for an operator that
// this program leaves out, and for a level that it leaves out (engine/selection.h).
ConvBytesFn ConvBytesOf(Isa level, bool int8);
// Of what the level's own kernel of int8 layers keeps; null where it keeps nothing.
typedef uint64_t (*ConvKeptFn)(const ConvGeometry& g, uint32_t winograd);
ConvKeptFn ConvKeptOf(Isa level);

// Bytes of one thread for an int8 layer, of a level that is linked. winograd: m of the layer's
// transformed weights, or 0.
static inline uint64_t ConvScratchS8(Isa level, const ConvGeometry& g, uint32_t winograd) {
  return ConvBytesOf(level, true)(NeedsOf(g, winograd));
}
// What a session keeps of the layer at the level, from bind on (ConvS8Args::kept).
static inline uint64_t ConvKeptS8(Isa level, const ConvGeometry& g, uint32_t winograd) {
  const ConvKeptFn bytes = ConvKeptOf(level);
  return bytes == nullptr ? 0 : bytes(g, winograd);
}
// The same of an FP16 layer. winograd: its weights are transformed.
static inline uint64_t ConvScratchF16(Isa level, const ConvGeometry& g, bool winograd) {
  return ConvBytesOf(level, false)(NeedsOf(g, winograd ? 2 : 0));
}

}  // namespace octet

#endif  // OCTET_KERNELS_CONV_SCRATCH_H_
