// The products of Winograd's method in 256-bit registers. Pairs::Multiply(acc, x, w): acc += the
// sums of pairs of products of 16-bit lanes.
#include "runtime/kernels/conv/x86_winograd.inl.h"

namespace octet {
namespace {

// The hardware's prefetcher stops at every 4 KiB page.
constexpr size_t kAheadBytes = 2048;

template <typename Pairs>
struct Winograd256 : WinogradX86 {
  // kTiles tiles x 16 outputs. Two rows of weights interleave within lanes of 128 bits to the pairs
  // of outputs 0..3 and 8..11, and of 4..7 and 12..15.
  template <int kTiles>
  __attribute__((aligned(64))) static void MultiplyTiles(const int16_t* u, const int16_t* v,
                                                         size_t step, uint32_t in_c,
                                                         int32_t* products, size_t product_stride) {
    __m256i acc[kTiles][2];
#pragma GCC unroll 6
    for (int t = 0; t < kTiles; ++t) acc[t][0] = acc[t][1] = _mm256_setzero_si256();
    for (uint32_t c = 0; c < in_c; c += 8, v += step) {
#pragma GCC unroll 4
      for (int pair = 0; pair < 4; ++pair, u += 32) {
        _mm_prefetch(reinterpret_cast<const char*>(u) + kAheadBytes, _MM_HINT_T0);
        const __m256i row0 = _mm256_load_si256(reinterpret_cast<const __m256i*>(u));
        const __m256i row1 = _mm256_load_si256(reinterpret_cast<const __m256i*>(u + 16));
        const __m256i w0 = _mm256_unpacklo_epi16(row0, row1);
        const __m256i w1 = _mm256_unpackhi_epi16(row0, row1);
#pragma GCC unroll 6
        for (int t = 0; t < kTiles; ++t) {
          int32_t word;
          memcpy(&word, v + 8 * t + 2 * pair, 4);
          const __m256i x = _mm256_set1_epi32(word);
          Pairs::Multiply(acc[t][0], x, w0);
          Pairs::Multiply(acc[t][1], x, w1);
        }
      }
    }
#pragma GCC unroll 6
    for (int t = 0; t < kTiles; ++t, products += product_stride) {
      _mm256_storeu_si256(reinterpret_cast<__m256i*>(products),
                          _mm256_permute2x128_si256(acc[t][0], acc[t][1], 0x20));
      _mm256_storeu_si256(reinterpret_cast<__m256i*>(products + 8),
                          _mm256_permute2x128_si256(acc[t][0], acc[t][1], 0x31));
    }
  }

  static void Multiply(const int16_t* u, const int16_t* v, size_t tiles, uint32_t in_c,
                       int32_t* products, size_t product_stride) {
    constexpr size_t kMost = 6;  // 12 sums, 2 weights, a broadcast and a product
    typedef void (*TilesFn)(const int16_t*, const int16_t*, size_t, uint32_t, int32_t*, size_t);
    static constexpr TilesFn kTiles[kMost] = {MultiplyTiles<1>, MultiplyTiles<2>, MultiplyTiles<3>,
                                              MultiplyTiles<4>, MultiplyTiles<5>, MultiplyTiles<6>};
    const size_t parts = (tiles + kMost - 1) / kMost;
    for (size_t i = 0, tile = 0; i < parts; ++i) {
      const size_t next = tiles * (i + 1) / parts;
      kTiles[next - tile - 1](u, v + tile * 8, tiles * 8, in_c, products + tile * product_stride,
                              product_stride);
      tile = next;
    }
  }
};

}  // namespace
}  // namespace octet
