// Convolution with VPMADDWD. Bytes are split into 16-bit halves, the even and the odd channels of
// each group of 4, so that two exact products of pairs stand for one VPDPBUSD: |255 * 128 * 2| is
// far below 2^31, nothing saturates. Activations are split once a tile in scratch, weights on the
// way into the registers.
#include <immintrin.h>
#include <stdint.h>

namespace octet {
namespace {

constexpr uint32_t kMaxPanelBlocks = 1;
constexpr uint32_t kMaxRows =
    5;  // 5 x 2 sums, 4 weights, 1 broadcast and 1 product in 16 registers
// Split rows take two bytes a value of the 32 rows of bytes that scratch holds; packed bytes stand
// beside them.
constexpr uint32_t kMaxTileRows = 15;
constexpr uint32_t kMaxPackedTileRows = 10;

}  // namespace
}  // namespace octet

#include "runtime/kernels/conv/x86_conv_s8_driver.inl.h"
#include "runtime/kernels/conv/x86_panel256.inl.h"

namespace octet {
namespace {

static_assert(2 * kMaxTileRows <= kTileRows && 3 * kMaxPackedTileRows <= kTileRows,
              "tiles fit scratch");

// `groups` groups of 4 bytes -> [c0 c2][c1 c3] as 16-bit values.
static inline void SplitRow(const uint8_t* from, uint64_t groups, uint8_t* to) {
  const __m128i low_bytes = _mm_set1_epi16(0x00FF);
  uint64_t i = 0;
  for (; i + 4 <= groups; i += 4, from += 16, to += 32) {
    const __m128i x = _mm_loadu_si128(reinterpret_cast<const __m128i*>(from));
    const __m128i even = _mm_and_si128(x, low_bytes);
    const __m128i odd = _mm_srli_epi16(x, 8);
    _mm_storeu_si128(reinterpret_cast<__m128i*>(to), _mm_unpacklo_epi32(even, odd));
    _mm_storeu_si128(reinterpret_cast<__m128i*>(to + 16), _mm_unpackhi_epi32(even, odd));
  }
  for (; i < groups; ++i, from += 4, to += 8) {
    uint32_t word;
    memcpy(&word, from, 4);
    const uint32_t even = word & 0x00FF00FFu, odd = (word >> 8) & 0x00FF00FFu;
    memcpy(to, &even, 4);
    memcpy(to + 4, &odd, 4);
  }
}

// One tap over split rows.
static void PrepareTile(PanelS8* panel, const uint8_t** pointers, uint32_t rows, uint8_t* packed,
                        uint64_t deep) {
  const bool packed_bytes = panel->taps == 1 && rows != 0 && pointers[0] == packed;
  uint8_t* split = packed_bytes ? packed + kMaxPackedTileRows * deep : packed;
  for (uint32_t r = 0; r < rows; ++r) {
    uint8_t* row = split + (size_t)r * 2 * deep;
    for (uint64_t tap = 0; tap < panel->taps; ++tap) {
      SplitRow(pointers[tap * kMaxTileRows + r], panel->k_groups, row + tap * panel->k_groups * 8);
    }
  }
  for (uint32_t r = 0; r < rows; ++r) pointers[r] = split + (size_t)r * 2 * deep;
  panel->k_groups *= panel->taps;
  panel->taps = 1;
}

static inline __m256i Broadcast(const uint8_t* from) {
  int32_t word;
  memcpy(&word, from, 4);
  return _mm256_set1_epi32(word);
}

template <int kRows>
static inline void Multiply(const PanelS8& p, __m256i (&acc)[kRows][2]) {
  const int8_t* weights = p.weights;
  const uint8_t* in[kRows];
#pragma GCC unroll 5
  for (int r = 0; r < kRows; ++r) in[r] = p.pointers[r];
  for (size_t k = 0; k < p.k_groups * 8; k += 8, weights += 64) {
    const __m256i w0 = _mm256_load_si256(reinterpret_cast<const __m256i*>(weights));
    const __m256i w1 = _mm256_load_si256(reinterpret_cast<const __m256i*>(weights + 32));
    const __m256i even0 = _mm256_srai_epi16(_mm256_slli_epi16(w0, 8), 8);
    const __m256i odd0 = _mm256_srai_epi16(w0, 8);
    const __m256i even1 = _mm256_srai_epi16(_mm256_slli_epi16(w1, 8), 8);
    const __m256i odd1 = _mm256_srai_epi16(w1, 8);
#pragma GCC unroll 5
    for (int r = 0; r < kRows; ++r) {
      const __m256i even = Broadcast(in[r] + k);
      acc[r][0] = _mm256_add_epi32(acc[r][0], _mm256_madd_epi16(even, even0));
      acc[r][1] = _mm256_add_epi32(acc[r][1], _mm256_madd_epi16(even, even1));
      const __m256i odd = Broadcast(in[r] + k + 4);
      acc[r][0] = _mm256_add_epi32(acc[r][0], _mm256_madd_epi16(odd, odd0));
      acc[r][1] = _mm256_add_epi32(acc[r][1], _mm256_madd_epi16(odd, odd1));
    }
  }
}

static void RunPanel(const PanelS8& panel, const TailS8& tail, uint32_t rows, uint32_t) {
  static constexpr PanelFn kPanels[kMaxRows] = {Panel<1>, Panel<2>, Panel<3>, Panel<4>, Panel<5>};
  kPanels[rows - 1](panel, tail);
}

}  // namespace

void conv_s8_avx2(const ConvS8Args& args, Share share) {
  RunConvS8(args, share);
}

}  // namespace octet
