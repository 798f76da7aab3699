// The AMX part of the int8 convolution: two tiles of up to 16 rows of activations against one or
// two blocks of 16 output channels, four accumulator tiles in all, and their requantization, which
// runs between the tile products of the following pair. Included once, by x86_amx.cc, inside no
// namespace; internal linkage only.
#include <string.h>

#include "runtime/kernels/conv/conv.h"
#include "runtime/kernels/conv/x86_immintrin.inl.h"
#include "runtime/kernels/conv/x86_requantize.inl.h"

namespace octet {
namespace {

constexpr uint32_t kBlock = 16;    // output channels of a tile
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

// What a block of 16 outputs needs. Where every shift s is 2..22 (or the multiplier is 0), rounding
// and zero point are one addition:
//   Requantize(acc) + zp = floor((acc * m + 2^(30+s)) / 2^(31+s)) + zp
//                        = (floor(acc * m / 2^32) + 2^(s-2) + zp * 2^(s-1)) >> (s-1)
// because 2^32 divides 2^(30+s); |acc * m / 2^32| <= 2^29 and zp = out_zero_point + 128 < 2^8 keep
// the sum below 2^31.
struct alignas(64) BlockAmx {
  int32_t start[16];  // of the sums: bias - 128 * weight_sum
  int32_t multiplier[16], multiplier_odd[16], rounding[16], shift[16];
};

// False where a shift is out of the range above.
static inline bool PrepareBlock(const blob::ChannelBlockS8& from, int32_t zero_point,
                                BlockAmx* to) {
  const __m512i bias = _mm512_loadu_si512(from.bias);
  const __m512i sum = _mm512_loadu_si512(from.weight_sum);
  const __m512i multiplier = _mm512_loadu_si512(from.multiplier);
  const __m512i two = _mm512_set1_epi32(2);
  const __mmask16 none = _mm512_testn_epi32_mask(multiplier, multiplier);
  const __m512i shift = _mm512_mask_mov_epi32(_mm512_loadu_si512(from.shift), none, two);
  const __m512i less = _mm512_sub_epi32(shift, _mm512_set1_epi32(1));
  const __m512i half = _mm512_sllv_epi32(_mm512_set1_epi32(1), _mm512_sub_epi32(shift, two));
  const __m512i offset = _mm512_sllv_epi32(_mm512_set1_epi32(zero_point + 128), less);
  _mm512_store_si512(to->start, _mm512_sub_epi32(bias, _mm512_slli_epi32(sum, 7)));
  _mm512_store_si512(to->multiplier, multiplier);
  _mm512_store_si512(to->multiplier_odd, _mm512_srli_epi64(multiplier, 32));
  _mm512_store_si512(to->rounding, _mm512_add_epi32(half, offset));
  _mm512_store_si512(to->shift, less);
  return _mm512_cmpgt_epu32_mask(_mm512_sub_epi32(shift, two), _mm512_set1_epi32(20)) == 0;
}

// How the real rows of a pair of tiles map to staged sums and output pixels, the same for every
// pair of a layer. `count` of one tile is even: an odd one has its last row once more, whose bytes
// are written twice.
struct RowMap {
  uint32_t count;
  uint32_t staged[2 * kMaxRows];  // byte offset within StagedAmx::sums, of block 0
  size_t output[2 * kMaxRows];    // byte offset from the tile's first pixel
};

// What all pairs of a layer share.
struct LayerAmx {
  RowMap rows;
  size_t row_stride;        // from one row of an activation tile to the next
  uint32_t runs_y, runs_x;  // taps; channels (and taps side by side) within a run are contiguous
  size_t step_y, step_x;    // bytes between runs
  uint32_t steps;           // products per run
  uint32_t step_bytes;      // bytes of a row per product
  size_t block_bytes;       // from one block of weights to the next
  int32_t out_zero_point, clamp_lo, clamp_hi, pre_shift;
  const int8_t* table;
};

// One pair of row tiles against one or two blocks.
struct PairAmx {
  const uint8_t* rows[2];
  uint8_t* output[2];
  const int8_t* weights;
  const int8_t* tail;  // the last step's weights of each block, or null: see TailWeights()
  const BlockAmx* blocks;
  uint32_t channels;  // written of each pixel: at most 16 * blocks
};

// Sums of a pair that wait for their requantization.
struct StagedAmx {
  alignas(64) int32_t sums[4][kMaxRows * kBlock];
  uint8_t* output[2];
  const BlockAmx* blocks;
  __mmask32 mask;  // channels
  uint32_t next, end;
};

template <int kBlocks>
struct RequantizerAmx {
  __m512i multiplier[kBlocks], multiplier_odd[kBlocks], rounding[kBlocks], shift[kBlocks];
  __m512i lo, hi, order;
};

template <int kBlocks>
static inline RequantizerAmx<kBlocks> MakeRequantizer(const LayerAmx& layer,
                                                      const BlockAmx* blocks) {
  RequantizerAmx<kBlocks> r;
#pragma GCC unroll 2
  for (int b = 0; b < kBlocks; ++b) {
    r.multiplier[b] = _mm512_load_si512(blocks[b].multiplier);
    r.multiplier_odd[b] = _mm512_load_si512(blocks[b].multiplier_odd);
    r.rounding[b] = _mm512_load_si512(blocks[b].rounding);
    r.shift[b] = _mm512_load_si512(blocks[b].shift);
  }
  r.lo = _mm512_set1_epi8((char)(layer.clamp_lo + 128));
  r.hi = _mm512_set1_epi8((char)(layer.clamp_hi + 128));
  r.order = _mm512_setr_epi32(0, 4, 8, 12, 1, 5, 9, 13, 2, 6, 10, 14, 3, 7, 11, 15);
  return r;
}

static inline const uint8_t* StagedRow(const StagedAmx& staged, const LayerAmx& layer, uint32_t row,
                                       uint32_t block) {
  return reinterpret_cast<const uint8_t*>(staged.sums[block]) + layer.rows.staged[row];
}

static inline uint8_t* OutputRow(const StagedAmx& staged, const LayerAmx& layer, uint32_t row) {
  return staged.output[row >= layer.rows.count] + layer.rows.output[row];
}

// Four vectors of sums, two rows of two blocks or four rows of one, to 64 bytes.
template <int kBlocks>
static inline void DrainRows(const StagedAmx& staged, const LayerAmx& layer,
                             const RequantizerAmx<kBlocks>& r, uint32_t row) {
  __m512i value[4];
#pragma GCC unroll 4
  for (int i = 0; i < 4; ++i) {
    const int b = i % kBlocks;
    const uint8_t* from = StagedRow(staged, layer, row + (uint32_t)(i / kBlocks), (uint32_t)b);
    // The odd lanes come down in the load: shuffles are scarce.
    const __m512i odd_lanes = _mm512_castps_si512(_mm512_movehdup_ps(_mm512_load_ps(from)));
    const __m512i even = _mm512_mul_epi32(_mm512_load_si512(from), r.multiplier[b]);
    const __m512i odd = _mm512_mul_epi32(odd_lanes, r.multiplier_odd[b]);
    const __m512i high = _mm512_mask_shuffle_epi32(odd, 0x5555, even, (_MM_PERM_ENUM)0xF5);
    value[i] = _mm512_srav_epi32(_mm512_add_epi32(high, r.rounding[b]), r.shift[b]);
  }
  // packs works within 128-bit lanes: lane l holds channels 4l..4l+3 of each vector, so that a
  // transposition of 4x4 double words puts them in order.
  const __m512i packed = _mm512_packus_epi16(_mm512_packs_epi32(value[0], value[1]),
                                             _mm512_packs_epi32(value[2], value[3]));
  __m512i bytes = _mm512_permutexvar_epi32(r.order, packed);
  bytes = _mm512_min_epu8(_mm512_max_epu8(bytes, r.lo), r.hi);
  if (kBlocks == 2) {
    _mm256_mask_storeu_epi8(OutputRow(staged, layer, row), staged.mask,
                            _mm512_castsi512_si256(bytes));
    _mm256_mask_storeu_epi8(OutputRow(staged, layer, row + 1), staged.mask,
                            _mm512_extracti64x4_epi64(bytes, 1));
  } else {
    const __mmask16 mask = (__mmask16)staged.mask;
    _mm_mask_storeu_epi8(OutputRow(staged, layer, row), mask, _mm512_castsi512_si128(bytes));
    _mm_mask_storeu_epi8(OutputRow(staged, layer, row + 1), mask,
                         _mm512_extracti32x4_epi32(bytes, 1));
    _mm_mask_storeu_epi8(OutputRow(staged, layer, row + 2), mask,
                         _mm512_extracti32x4_epi32(bytes, 2));
    _mm_mask_storeu_epi8(OutputRow(staged, layer, row + 3), mask,
                         _mm512_extracti32x4_epi32(bytes, 3));
  }
}

// Requantizes what is staged, at most so many times four vectors.
template <int kBlocks>
static inline void Drain(StagedAmx* staged, const LayerAmx& layer, const RequantizerAmx<kBlocks>& r,
                         uint32_t units) {
  for (; units != 0 && staged->next < staged->end; --units) {
    DrainRows<kBlocks>(*staged, layer, r, staged->next);
    staged->next += 4 / kBlocks;
  }
}

template <int kBlocks>
static void DrainAll(StagedAmx* staged, const LayerAmx& layer) {
  if (staged->next < staged->end) {
    Drain<kBlocks>(staged, layer, MakeRequantizer<kBlocks>(layer, staged->blocks), UINT32_MAX);
  }
}

// As DrainAll, for any shift, pre-shift and table.
static void DrainAny(StagedAmx* staged, const LayerAmx& layer,
                     const blob::ChannelBlockS8* channels) {
  const __m512i zero_point = _mm512_set1_epi32(layer.out_zero_point);
  const __m512i lo = _mm512_set1_epi32(layer.clamp_lo), hi = _mm512_set1_epi32(layer.clamp_hi);
  for (uint32_t b = 0; b < 2; ++b) {
    const uint32_t first = b * kBlock;
    const __mmask16 mask = (__mmask16)(staged->mask >> first);
    if (mask == 0) break;
    const Channels16 c = LoadChannels16(channels[b].multiplier, channels[b].shift);
    for (uint32_t row = 0; row < staged->end; ++row) {
      __m512i sums = _mm512_load_si512(StagedRow(*staged, layer, row, b));
      if (layer.pre_shift != 0) sums = PreShift16(sums, layer.pre_shift);
      const __m512i value = _mm512_add_epi32(Requantize16(sums, c), zero_point);
      const __m512i q = _mm512_min_epi32(_mm512_max_epi32(value, lo), hi);
      const __m128i bytes = _mm_xor_si128(_mm512_cvtepi32_epi8(q), _mm_set1_epi8((char)0x80));
      uint8_t* to = OutputRow(*staged, layer, row) + first;
      _mm_mask_storeu_epi8(to, mask, bytes);
      if (layer.table != nullptr) {
        ApplyTable(to, (uint32_t)__builtin_popcount((unsigned)mask), layer.table);
      }
    }
  }
  staged->next = staged->end;
}

// The last step of a block whose depth is no multiple of the step: its weights followed by zeros,
// against which the bytes behind the end of a row do not matter.
static inline void TailWeights(const LayerAmx& layer, const int8_t* weights, uint32_t blocks,
                               int8_t* tail) {
  const size_t before = (size_t)(layer.steps - 1) * layer.step_bytes * kBlock;
  const size_t bytes = layer.block_bytes - before;
  for (uint32_t b = 0; b < blocks; ++b, weights += layer.block_bytes, tail += kTileBytes) {
    memcpy(tail, weights + before, bytes);
    memset(tail + bytes, 0, kTileBytes - bytes);
  }
}

constexpr size_t kPrefetchBytes = 2048;

// Sums of one pair, while the staged ones are requantized; then these are staged.
template <int kBlocks>
static void RunPair(const LayerAmx& layer, const PairAmx& pair, StagedAmx* staged) {
  const RequantizerAmx<kBlocks> r = MakeRequantizer<kBlocks>(layer, staged->blocks);
  const uint32_t products = layer.runs_y * layer.runs_x * layer.steps;
  const uint32_t left = (staged->end - staged->next) * kBlocks / 4;
  const uint32_t units = (left + products - 1) / products;

  OCTET_TILE_LOAD(0, pair.blocks[0].start, kSameRow);
  OCTET_TILE_LOAD(2, pair.blocks[0].start, kSameRow);
  if (kBlocks == 2) {
    OCTET_TILE_LOAD(1, pair.blocks[1].start, kSameRow);
    OCTET_TILE_LOAD(3, pair.blocks[1].start, kSameRow);
  }
  const size_t weight_step = (size_t)layer.step_bytes * kBlock;
  const size_t lines = weight_step / 64;
  const int8_t* weights = pair.weights;
  for (uint32_t y = 0; y < layer.runs_y; ++y) {
    for (uint32_t x = 0; x < layer.runs_x; ++x) {
      const size_t run = y * layer.step_y + x * layer.step_x;
      const uint8_t* x0 = pair.rows[0] + run;
      const uint8_t* x1 = pair.rows[1] + run;
      for (uint32_t s = 0; s < layer.steps; ++s) {
        const int8_t* w0 = weights;
        const int8_t* w1 = weights + layer.block_bytes;
        if (pair.tail != nullptr && s + 1 == layer.steps) {
          w0 = pair.tail;
          w1 = pair.tail + kTileBytes;
        }
        OCTET_TILE_LOAD(4, x0, layer.row_stride);
        OCTET_TILE_LOAD(6, w0, kRow);
        OCTET_TILE_DOT(0, 4, 6);
        if (kBlocks == 2) {
          OCTET_TILE_LOAD(7, w1, kRow);
          OCTET_TILE_DOT(1, 4, 7);
        }
        OCTET_TILE_LOAD(5, x1, layer.row_stride);
        OCTET_TILE_DOT(2, 5, 6);
        if (kBlocks == 2) OCTET_TILE_DOT(3, 5, 7);
        for (size_t i = 0; i < lines; ++i) {
          _mm_prefetch(w0 + kPrefetchBytes + i * 64, _MM_HINT_T0);
          if (kBlocks == 2) _mm_prefetch(w1 + kPrefetchBytes + i * 64, _MM_HINT_T0);
        }
        Drain<kBlocks>(staged, layer, r, units);
        x0 += layer.step_bytes;
        x1 += layer.step_bytes;
        weights += weight_step;
      }
    }
  }
  Drain<kBlocks>(staged, layer, r, UINT32_MAX);

  OCTET_TILE_STORE(0, staged->sums[0]);
  OCTET_TILE_STORE(2, staged->sums[2]);
  if (kBlocks == 2) {
    OCTET_TILE_STORE(1, staged->sums[1]);
    OCTET_TILE_STORE(3, staged->sums[3]);
  }
  staged->output[0] = pair.output[0];
  staged->output[1] = pair.output[1];
  staged->blocks = pair.blocks;
  staged->mask = pair.channels >= 32 ? ~(__mmask32)0 : ((__mmask32)1 << pair.channels) - 1;
  staged->next = 0;
  staged->end = 2 * layer.rows.count;
}

}  // namespace
}  // namespace octet
