// The AMX part of the int8 convolution: two tiles of up to 16 rows of activations against one or
// two blocks of 16 output channels, four accumulator tiles in all, and their requantization, which
// runs between the tile products of the following pair. Included once, by x86_amx.cc, inside no
// namespace; internal linkage only.
#include <string.h>

#include "runtime/kernels/conv/tiling.h"
#include "runtime/kernels/x86_blocks.inl.h"
#include "runtime/kernels/x86_immintrin.inl.h"

namespace octet {
namespace {

constexpr uint32_t kMaxRows = 16;  // rows of a tile
constexpr size_t kRow = 64;        // bytes of a tile's row
constexpr uint32_t kTileBytes = kMaxRows * kRow;
constexpr size_t kSameRow = 0;

// As assembly: GCC 12's intrinsics do not tell the compiler that tile loads read memory.
#define OCTET_TILE_LOAD(t, from, stride) \
  __asm__ volatile("tileloadd (%0,%1,1), %%tmm" #t ::"r"(from), "r"(stride) : "memory")
#define OCTET_TILE_STORE(t, to) \
  __asm__ volatile("tilestored %%tmm" #t ", (%0,%1,1)" ::"r"(to), "r"(kRow) : "memory")
// sums += unsigned activations * signed weights
#define OCTET_TILE_DOT(sums, x, w) \
  __asm__ volatile("tdpbusd %%tmm" #w ", %%tmm" #x ", %%tmm" #sums ::: "memory")

// Tiles 0..3: sums of (row tile 0, 1) x (block 0, 1); 4, 5: activations; 6, 7: weights.
static inline void ConfigureTiles(uint32_t rows, uint32_t row_bytes) {
  struct alignas(64) {
    uint8_t palette, start_row, reserved[14];
    uint16_t row_bytes[16];
    uint8_t rows[16];
  } config;
  memset(&config, 0, sizeof(config));
  config.palette = 1;
  for (uint32_t i = 0; i < 8; ++i) {
    config.rows[i] = (uint8_t)(i < 6 ? rows : row_bytes / 4);
    config.row_bytes[i] = (uint16_t)(i == 4 || i == 5 ? row_bytes : kRow);
  }
  __asm__ volatile("ldtilecfg %0" ::"m"(config) : "memory");
}

static inline void ReleaseTiles() {
  __asm__ volatile("tilerelease" ::: "memory");
}

// The real rows of a tile: `segments` runs of `length` rows each, `staged_step` bytes of staged
// sums and `output_step` bytes of output apart; the same for every tile of a layer. Only where
// images are narrower than a tile there are several.
struct SegmentsAmx {
  uint32_t segments, length;
  size_t staged_step, output_step;
};

// What all tiles of a layer share.
struct LayerAmx {
  SegmentsAmx rows;
  size_t output_stride;     // from one output pixel to the next
  size_t row_stride;        // from one row of an activation tile to the next
  uint32_t runs_y, runs_x;  // taps; channels (and taps side by side) within a run are contiguous
  size_t step_y, step_x;    // bytes between runs
  uint32_t steps;           // products per run
  uint32_t step_bytes;      // bytes of a row per product
  size_t block_bytes;       // from one block of weights to the next
  int32_t out_zero_point, clamp_lo, clamp_hi, pre_shift;
  const int8_t* table;
};

// Four tiles of sums: one or two tiles of rows against four, two or one blocks of outputs.
struct QuadAmx {
  const uint8_t* rows[2];
  uint8_t* output[2];
  const int8_t* weights;
  const int8_t* tail;  // the last step's weights of the last block, or null: see TailWeights()
  const PreparedBlock* blocks;
  uint32_t channels;  // written of each pixel: at most 16 * blocks
};

// Sums that wait for their requantization: tile t, block b at [half][t * blocks + b]. Two halves,
// because what a tile store writes can be read only when it has left the store queue: these sums
// are stored before the last ones are read.
struct StagedAmx {
  alignas(64) int32_t sums[2][4][kMaxRows * kChannelBlock];
  uint32_t half;
  uint8_t* output[2];
  const PreparedBlock* blocks;
  uint32_t channels;
  uint32_t pending;  // blocks a tile, 0: none
};

static inline __m512i RequantizeStaged(const uint8_t* from, __m512 factor, __m512 start) {
  return Fused16(_mm512_load_si512(from), factor, start);
}

// Requantizes staged sums, four vectors at a time: one row of four blocks, two rows of two, four
// rows of one. A segment whose length is no multiple of that ends with rows that were written
// before. Plain members and no arrays, so that everything stays in registers.
template <int kTiles, int kBlocks, bool kTable>
struct DrainAmx {
  static constexpr uint32_t kRows = 4 / kBlocks;

  __m512 factor0, factor1, factor2, factor3, start;
  __m512i lo, hi, order;
  __mmask64 mask;
  const int8_t* table;
  const uint8_t* segment;  // staged sums of block 0
  uint8_t* segment_output;
  const uint8_t* second;  // of the second tile
  uint8_t* second_output;
  uint32_t row, segments, tiles;
  uint32_t length;
  size_t stride, staged_step, output_step;

  __attribute__((always_inline)) inline DrainAmx(const StagedAmx& staged, const LayerAmx& layer) {
    factor0 = _mm512_load_ps(staged.blocks[0].factor);
    factor1 = _mm512_load_ps(staged.blocks[kBlocks > 1 ? 1 : 0].factor);
    factor2 = _mm512_load_ps(staged.blocks[kBlocks > 2 ? 2 : 0].factor);
    factor3 = _mm512_load_ps(staged.blocks[kBlocks > 3 ? 3 : kBlocks - 1].factor);
    start = _mm512_set1_ps(FusedStart(layer.out_zero_point));
    lo = _mm512_set1_epi8((char)(layer.clamp_lo + 128));
    hi = _mm512_set1_epi8((char)(layer.clamp_hi + 128));
    // packs works within 128-bit lanes: lane l holds channels 4l..4l+3 of each vector, so that a
    // transposition of 4x4 double words puts them in order.
    order = _mm512_setr_epi32(0, 4, 8, 12, 1, 5, 9, 13, 2, 6, 10, 14, 3, 7, 11, 15);
    mask = staged.channels >= 64 ? ~(__mmask64)0 : ((__mmask64)1 << staged.channels) - 1;
    segment = reinterpret_cast<const uint8_t*>(staged.sums[staged.half][0]);
    segment_output = staged.output[0];
    second = segment + (kTiles > 1 ? kBlocks : 0) * kTileBytes;
    second_output = staged.output[kTiles - 1];
    table = layer.table;
    row = 0;
    segments = layer.rows.segments;
    tiles = staged.pending != 0 ? kTiles : 0;
    length = layer.rows.length;
    stride = layer.output_stride;
    staged_step = layer.rows.staged_step;
    output_step = layer.rows.output_step;
  }

  __attribute__((always_inline)) inline void Four() {
    const uint32_t first = row + kRows <= length ? row : length - kRows;
    const uint8_t* from = segment + first * kRow;
    uint8_t* to = segment_output + first * stride;
    constexpr size_t kNextRow = kRow, kNextBlock = kTileBytes;
    __m512i v0, v1, v2, v3;
    v0 = RequantizeStaged(from, factor0, start);
    if (kBlocks == 4) {
      v1 = RequantizeStaged(from + kNextBlock, factor1, start);
      v2 = RequantizeStaged(from + 2 * kNextBlock, factor2, start);
      v3 = RequantizeStaged(from + 3 * kNextBlock, factor3, start);
    } else if (kBlocks == 2) {
      v1 = RequantizeStaged(from + kNextBlock, factor1, start);
      v2 = RequantizeStaged(from + kNextRow, factor0, start);
      v3 = RequantizeStaged(from + kNextRow + kNextBlock, factor1, start);
    } else {
      v1 = RequantizeStaged(from + kNextRow, factor0, start);
      v2 = RequantizeStaged(from + 2 * kNextRow, factor0, start);
      v3 = RequantizeStaged(from + 3 * kNextRow, factor0, start);
    }
    const __m512i packed =
        _mm512_packus_epi16(_mm512_packs_epi32(v0, v1), _mm512_packs_epi32(v2, v3));
    __m512i bytes = _mm512_permutexvar_epi32(order, packed);
    bytes = _mm512_min_epu8(_mm512_max_epu8(bytes, lo), hi);
    if (kTable) bytes = LookUp(bytes, table);
    if (kBlocks == 4) {
      _mm512_mask_storeu_epi8(to, mask, bytes);
    } else if (kBlocks == 2) {
      _mm256_mask_storeu_epi8(to, (__mmask32)mask, _mm512_castsi512_si256(bytes));
      _mm256_mask_storeu_epi8(to + stride, (__mmask32)mask, _mm512_extracti64x4_epi64(bytes, 1));
    } else {
      _mm_mask_storeu_epi8(to, (__mmask16)mask, _mm512_castsi512_si128(bytes));
      _mm_mask_storeu_epi8(to + stride, (__mmask16)mask, _mm512_extracti32x4_epi32(bytes, 1));
      _mm_mask_storeu_epi8(to + 2 * stride, (__mmask16)mask, _mm512_extracti32x4_epi32(bytes, 2));
      _mm_mask_storeu_epi8(to + 3 * stride, (__mmask16)mask, _mm512_extracti32x4_epi32(bytes, 3));
    }
    row += kRows;
  }

  // At most `units` times four vectors.
  __attribute__((always_inline)) inline void Some(const LayerAmx& layer, uint32_t units) {
    for (; units != 0 && tiles != 0; --units) {
      Four();
      if (row < length) continue;
      row = 0;
      segment += staged_step;
      segment_output += output_step;
      if (--segments != 0) continue;
      segments = layer.rows.segments;
      segment = second;
      segment_output = second_output;
      --tiles;
    }
  }

  static uint32_t Units(const StagedAmx& staged, const LayerAmx& layer) {
    const uint32_t segment_units = (layer.rows.length + kRows - 1) / kRows;
    return staged.pending != 0 ? kTiles * layer.rows.segments * segment_units : 0;
  }
};

template <int kTiles, int kBlocks>
static void DrainAs(const StagedAmx& staged, const LayerAmx& layer) {
  if (layer.table != nullptr) {
    DrainAmx<kTiles, kBlocks, true>(staged, layer).Some(layer, UINT32_MAX);
  } else {
    DrainAmx<kTiles, kBlocks, false>(staged, layer).Some(layer, UINT32_MAX);
  }
}

static void DrainAll(StagedAmx* staged, const LayerAmx& layer) {
  if (staged->pending == 4) DrainAs<1, 4>(*staged, layer);
  if (staged->pending == 2) DrainAs<2, 2>(*staged, layer);
  if (staged->pending == 1) DrainAs<2, 1>(*staged, layer);
  staged->pending = 0;
}

// As DrainAll, for layers that are not `fused`.
template <int kTiles, int kBlocks>
static void DrainAny(StagedAmx* staged, const LayerAmx& layer,
                     const blob::ChannelBlockS8* channels) {
  const __m512i zero_point = _mm512_set1_epi32(layer.out_zero_point);
  const __m512i lo = _mm512_set1_epi32(layer.clamp_lo), hi = _mm512_set1_epi32(layer.clamp_hi);
  for (uint32_t b = 0; b < kBlocks && b * kChannelBlock < staged->channels; ++b) {
    const uint32_t left = staged->channels - b * kChannelBlock,
                   count = left < kChannelBlock ? left : kChannelBlock;
    const Channels16 c = LoadChannels16(channels[b].multiplier, channels[b].shift);
    for (uint32_t i = 0; i < kTiles * layer.rows.segments * layer.rows.length; ++i) {
      const uint32_t row = i % layer.rows.length, segment = i / layer.rows.length;
      const uint32_t tile = segment / layer.rows.segments, s = segment % layer.rows.segments;
      const uint8_t* from =
          reinterpret_cast<const uint8_t*>(staged->sums[staged->half][tile * kBlocks + b]);
      __m512i sums = _mm512_load_si512(from + s * layer.rows.staged_step + row * kRow);
      if (layer.pre_shift != 0) sums = PreShift16(sums, layer.pre_shift);
      const __m512i value = _mm512_add_epi32(Requantize16(sums, c), zero_point);
      const __m512i q = _mm512_min_epi32(_mm512_max_epi32(value, lo), hi);
      const __m128i bytes = _mm_xor_si128(_mm512_cvtepi32_epi8(q), _mm_set1_epi8((char)0x80));
      uint8_t* to = staged->output[tile] + s * layer.rows.output_step + row * layer.output_stride +
                    b * kChannelBlock;
      _mm_mask_storeu_epi8(to, (__mmask16)((1u << count) - 1), bytes);
      if (layer.table != nullptr) ApplyTable(to, count, layer.table);
    }
  }
  staged->pending = 0;
}

// The last step of the last block of weights, followed by zeros: memory may end behind it. Other
// blocks are read on into the next one, against zeros behind the end of each row.
static inline void TailWeights(const LayerAmx& layer, const int8_t* weights, int8_t* tail) {
  const size_t before = (size_t)(layer.steps - 1) * layer.step_bytes * kChannelBlock;
  const size_t bytes = layer.block_bytes - before;
  memcpy(tail, weights + before, bytes);
  memset(tail + bytes, 0, kTileBytes - bytes);
}

// Weights of a quad beyond this come from the level 2 cache, and are fetched some steps ahead;
// where they stay in the level 1 cache, that costs more load slots than it gains.
constexpr size_t kResidentBytes = 40 * 1024;
constexpr size_t kAheadBytes = 2048;

// The sums of four tiles, while the staged ones are requantized; then these are staged.
template <int kTiles, int kBlocks, bool kTable>
__attribute__((noinline)) static void RunQuad(const LayerAmx& layer, const QuadAmx& quad,
                                              StagedAmx* staged) {
  typedef DrainAmx<kTiles, kBlocks, kTable> Drain;
  const uint32_t products = layer.runs_y * layer.runs_x * layer.steps;
  // Evenly between tile instructions, two places a step and one a store: no queue of the core is
  // long enough to overlap more than that by itself. In 65536ths of four vectors.
  const uint32_t share = Drain::Units(*staged, layer) * (65536 / (2 * products + 4) + 1);
  uint32_t due = 0;
  Drain drain(*staged, layer);

  OCTET_TILE_LOAD(0, quad.blocks[0].start, kSameRow);
  if (kBlocks > 1) OCTET_TILE_LOAD(1, quad.blocks[1].start, kSameRow);
  if (kTiles > 1) OCTET_TILE_LOAD(2, quad.blocks[0].start, kSameRow);
  if (kTiles > 1 && kBlocks > 1) OCTET_TILE_LOAD(3, quad.blocks[1].start, kSameRow);
  if (kBlocks > 2) OCTET_TILE_LOAD(2, quad.blocks[2].start, kSameRow);
  if (kBlocks > 3) OCTET_TILE_LOAD(3, quad.blocks[3].start, kSameRow);

  const size_t block = layer.block_bytes;
  const size_t weight_step = (size_t)layer.step_bytes * kChannelBlock;
  const size_t ahead = kBlocks * block > kResidentBytes ? weight_step : 0;
  const size_t row_stride = layer.row_stride;
  const uint32_t steps = layer.steps;
  const int8_t* weights = quad.weights;
  for (uint32_t y = 0; y < layer.runs_y; ++y) {
    for (uint32_t x = 0; x < layer.runs_x; ++x) {
      const size_t run = y * layer.step_y + x * layer.step_x;
      const uint8_t* x0 = quad.rows[0] + run;
      const uint8_t* x1 = quad.rows[1] + run;
      for (uint32_t s = 0; s < steps; ++s) {
        const int8_t* last = weights + (kBlocks - 1) * block;
        if (quad.tail != nullptr && s + 1 == steps) last = quad.tail;
        for (int half = 0; half < 2; ++half) {
          if (half == 0) {
            OCTET_TILE_LOAD(4, x0, row_stride);
            OCTET_TILE_LOAD(6, kBlocks == 1 ? last : weights, kRow);
            OCTET_TILE_DOT(0, 4, 6);
            if (kBlocks > 1) {
              OCTET_TILE_LOAD(7, kBlocks == 2 ? last : weights + block, kRow);
              OCTET_TILE_DOT(1, 4, 7);
            }
          } else {
            if (kTiles > 1) {
              OCTET_TILE_LOAD(5, x1, row_stride);
              OCTET_TILE_DOT(2, 5, 6);
              if (kBlocks > 1) OCTET_TILE_DOT(3, 5, 7);
            }
            if (kBlocks == 4) {
              OCTET_TILE_LOAD(6, weights + 2 * block, kRow);
              OCTET_TILE_DOT(2, 4, 6);
              OCTET_TILE_LOAD(7, last, kRow);
              OCTET_TILE_DOT(3, 4, 7);
            }
          }
          due += share;
          drain.Some(layer, due >> 16);
          due &= 0xffff;
        }
        for (size_t i = 0; i < ahead; i += 64) {
#pragma GCC unroll 4
          for (int b = 0; b < kBlocks; ++b) {
            _mm_prefetch(weights + (size_t)b * block + kAheadBytes + i, _MM_HINT_T0);
          }
        }
        x0 += layer.step_bytes;
        x1 += layer.step_bytes;
        weights += weight_step;
      }
    }
  }
  staged->half ^= 1;
  int32_t(*sums)[kMaxRows * kChannelBlock] = staged->sums[staged->half];
  for (int tile = 0; tile < 4; ++tile) {
    if (tile == 0) OCTET_TILE_STORE(0, sums[0]);
    if (tile == 1 && kBlocks > 1) OCTET_TILE_STORE(1, sums[1]);
    if (tile == 2) OCTET_TILE_STORE(2, sums[kTiles * kBlocks == 2 ? 1 : 2]);
    if (tile == 3 && kTiles * kBlocks == 4) OCTET_TILE_STORE(3, sums[3]);
    due += share;
    drain.Some(layer, tile == 3 ? UINT32_MAX : due >> 16);
    due &= 0xffff;
  }
  staged->output[0] = quad.output[0];
  staged->output[1] = quad.output[1];
  staged->blocks = quad.blocks;
  staged->channels = quad.channels;
  staged->pending = kBlocks;
}

}  // namespace
}  // namespace octet
