// FP16 products of the x86 levels: as many rows as registers hold sums for, two vectors of columns
// of B. A product of two halves has 22 bits, so floats hold it exactly, and a fused sum has the
// bits of one in two steps. Included by x86_*.cc of this folder only; internal linkage.
#include "runtime/kernels/matmul/x86.inl.h"

namespace octet {
namespace {

struct LevelF16 : PackOneByOne {
  typedef float Value;
  static constexpr uint32_t kGroup = 1;
  struct Zero {};
  static inline Zero ZeroA(const MatMulF16Args&) { return Zero{}; }
  static inline Zero ZeroB(const MatMulF16Args&) { return Zero{}; }

  static inline void Pack(Zero, const uint16_t* from, uint64_t from_step, uint32_t count, float* to,
                          uint64_t to_step) {
    if (from_step == 1 && to_step == 1) return HalfRows::Widen(from, count, to);
    uint32_t i = 0;
    for (; to_step == 1 && i + 8 <= count; i += 8) {
      const uint16_t* x = from + i * from_step;
      const auto at = [=](uint64_t j) { return (short)x[j * from_step]; };
      const __m128i halves = _mm_set_epi16(at(7), at(6), at(5), at(4), at(3), at(2), at(1), at(0));
      _mm256_storeu_ps(to + i, _mm256_cvtph_ps(halves));
    }
    for (; i < count; ++i) {
      // Not _cvtsh_ss(), whose insertion GCC makes wait for the conversion before it.
      const __m128i half = _mm_cvtsi32_si128(from[i * from_step]);
      to[i * to_step] = _mm_cvtss_f32(_mm_cvtph_ps(half));
    }
  }

  static inline uint32_t PackTurned(const MatMulF16Args& args, const uint16_t* b, float* panel) {
    const uint32_t whole = args.params->depth / 8 * 8;
    for (uint32_t k = 0; k < whole; k += 8) {
      __m128i rows[8];
      Turn(reinterpret_cast<const uint8_t*>(b + k), args.params->b_strides[4] * sizeof(uint16_t),
           rows);
      float* to = panel + k * kMatMulPanel;
#pragma GCC unroll 8
      for (int i = 0; i < 8; ++i, to += kMatMulPanel)
        _mm256_storeu_ps(to, _mm256_cvtph_ps(rows[i]));
    }
    return whole;
  }

  static inline Floats MultiplyAdd(float x, Floats y, Floats sum) {
#if defined(__AVX512F__)
    return _mm512_fmadd_ps(_mm512_set1_ps(x), y, sum);
#else
    return _mm256_fmadd_ps(_mm256_set1_ps(x), y, sum);
#endif
  }

  // More rows than scratch has room for, which more sums share a load of B.
#if defined(__AVX512F__)
  static constexpr uint32_t kMostRows = 8;
#else
  static constexpr uint32_t kMostRows = 6;
#endif
  static constexpr uint64_t kRoomDepth = 512;
  struct Room {
    alignas(64) float tile[kMostRows * kRoomDepth];
  };
  static inline uint32_t TileRows(uint64_t deep) {
    return deep <= kRoomDepth ? kMostRows : kMatMulTile;
  }
  static inline float* TileIn(Room* room, uint64_t deep, float* scratch) {
    return deep <= kRoomDepth ? room->tile : scratch;
  }

#if !defined(__AVX512F__)
  [[gnu::noinline]] static void StoreRest(Floats x, uint32_t count, uint16_t* to) {
    StoreHalves(to, x, count);
  }
#endif
  static inline void Store(Floats x, uint32_t count, uint16_t* to) {
#if defined(__AVX512F__)
    const __mmask16 mask = count >= kLanes ? 0xFFFF : (__mmask16)((1u << count) - 1);
    _mm256_mask_storeu_epi16(to, mask, _mm512_cvtps_ph(x, _MM_FROUND_TO_NEAREST_INT));
#else
    if (count < kLanes) return StoreRest(x, count, to);
    StoreHalves(to, x, kLanes);
#endif
  }

  struct Part {
    const float *tile, *panel;
    uint64_t deep;
    uint32_t depth, columns;  // of these kVectors vectors
    uint16_t* out;
    uint64_t stride;
  };
  template <uint32_t kRows, uint32_t kVectors>
  [[gnu::noinline]] static void Sums(const Part& part) {
    Floats sums[kRows][kVectors];
#pragma GCC unroll 8
    for (uint32_t r = 0; r < kRows; ++r) {
#pragma GCC unroll 2
      for (uint32_t v = 0; v < kVectors; ++v) sums[r][v] = NoFloats();
    }
    const uint64_t deep = part.deep;
    const float *row = part.panel, *a = part.tile;
    for (uint32_t k = part.depth; k != 0; --k, row += kMatMulPanel, ++a) {
      Floats b[kVectors];
#pragma GCC unroll 2
      for (uint32_t v = 0; v < kVectors; ++v) b[v] = LoadFloats(row + v * kLanes);
#pragma GCC unroll 8
      for (uint32_t r = 0; r < kRows; ++r) {
#pragma GCC unroll 2
        for (uint32_t v = 0; v < kVectors; ++v) {
          sums[r][v] = MultiplyAdd(a[r * deep], b[v], sums[r][v]);
        }
      }
    }
    uint16_t* to = part.out;
#pragma GCC unroll 8
    for (uint32_t r = 0; r < kRows; ++r, to += part.stride) {
      if (kVectors == 2) Store(sums[r][0], kLanes, to);
      Store(sums[r][kVectors - 1], part.columns - (kVectors - 1) * kLanes,
            to + (kVectors - 1) * kLanes);
    }
  }

  template <uint32_t... kRow>
  struct AllSums {
    static constexpr void (*kOfRows[][2])(const Part&) = {{Sums<kRow, 1>, Sums<kRow, 2>}...};
  };
#if defined(__AVX512F__)
  typedef AllSums<1, 2, 3, 4, 5, 6, 7, 8> SumsUpToMost;
#else
  typedef AllSums<1, 2, 3, 4, 5, 6> SumsUpToMost;
#endif
  static inline void SumsOfRows(uint32_t rows, const Part& part) {
    SumsUpToMost::kOfRows[rows - 1][part.columns > kLanes](part);
  }

  static inline void Multiply(const MatMulF16Args& args, const float* tile, const float* panel,
                              uint32_t rows, uint32_t columns, uint16_t* out) {
    const blob::MatMulParams& p = *args.params;
    const uint64_t deep = MatMulDeep(p.depth);
    for (uint32_t first = 0; first < columns; first += kSide) {
      const uint32_t left = columns - first < kSide ? columns - first : kSide;
      Part part = {tile, panel + first, deep, p.depth, left, out + first, p.columns};
      // Panels of about equal size: one of a single row takes as long as one of four.
      const uint32_t panels = (rows + kMostRows - 1) / kMostRows;
      const uint32_t least = rows / panels, larger = rows % panels;
      for (uint32_t i = 0; i < panels; ++i) {
        const uint32_t count = i < larger ? least + 1 : least;
        SumsOfRows(count, part);
        part.tile += count * deep;
        part.out += (uint64_t)count * p.columns;
      }
    }
  }
};

// Rows of A that are packed once for all of B, where that packs fewer elements than B's panels once
// for all of A: the heads of a transformer, of few columns and depth.
constexpr uint64_t kRoomFloats = 8192;

static inline void RunMatMulF16(const MatMulF16Args& args, Share share) {
  const blob::MatMulParams& p = *args.params;
  const uint64_t deep = MatMulDeep(p.depth), most = kRoomFloats / deep;
  const uint64_t batches = (uint64_t)p.batch[0] * p.batch[1] * p.batch[2];
  if (most < LevelF16::kMostRows) return RunMatMul<LevelF16>(args, share);
  uint64_t blocks = CeilDiv(p.rows, most);
  if (share.count > 1 && batches * blocks < 2 * share.count) {
    blocks = CeilDiv(2 * share.count, batches);  // some for every thread
  }
  const uint64_t panels = CeilDiv(p.columns, kMatMulPanel);
  if (panels * p.rows + p.columns <= p.rows + blocks * p.columns) {
    return RunMatMul<LevelF16>(args, share);
  }
  alignas(64) float tile[kRoomFloats];
  float* const panel = reinterpret_cast<float*>(args.scratch);
  const Range units = RangeOf(batches * blocks, share);
  for (uint64_t unit = units.begin; unit < units.end; ++unit) {
    const uint64_t batch = unit / blocks, block = unit % blocks;
    const uint32_t at[3] = {(uint32_t)(batch / p.batch[2] / p.batch[1]),
                            (uint32_t)(batch / p.batch[2] % p.batch[1]),
                            (uint32_t)(batch % p.batch[2])};
    const uint64_t row = p.rows * block / blocks;
    const uint32_t rows = (uint32_t)(p.rows * (block + 1) / blocks - row);
    PackTile<LevelF16>(args, args.a + MatMulOffset(p.a_strides, at) + row * p.a_strides[3], rows,
                       tile);
    const uint16_t* b = args.b + MatMulOffset(p.b_strides, at);
    uint16_t* out = args.output + (batch * p.rows + row) * p.columns;
    for (uint32_t column = 0; column < p.columns; column += kMatMulPanel) {
      const uint32_t left = p.columns - column;
      const uint32_t columns = left < kMatMulPanel ? left : kMatMulPanel;
      PackPanel<LevelF16>(args, b + (uint64_t)column * p.b_strides[4], columns, panel);
      LevelF16::Multiply(args, tile, panel, rows, columns, out + column);
    }
  }
}

}  // namespace
}  // namespace octet
