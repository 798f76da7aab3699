// Convolution with 256-bit VPDPBUSD: two registers hold the sums of 16 output channels of one
// pixel.
#include <immintrin.h>
#include <stdint.h>

namespace octet {
namespace {

constexpr uint32_t kMaxPanelBlocks = 1;
constexpr uint32_t kMaxRows = 6;  // 6 x 2 sums, 2 weights and 1 broadcast in 16 registers
constexpr uint32_t kMaxTileRows = 24;
constexpr uint32_t kMaxPackedTileRows = 24;
// Weights that come from beyond the level 2 cache: the hardware's prefetcher stops at every 4 KiB
// page.
constexpr size_t kPrefetchBytes = 2048;

}  // namespace
}  // namespace octet

#include "runtime/kernels/conv/x86_conv_s8_driver.inl.h"
#include "runtime/kernels/conv/x86_panel256.inl.h"

namespace octet {
namespace {

static uint32_t MaxPartBlocks(const ConvPlan&) {
  return kAllBlocks;
}

static bool PreparePart(const ConvPlan&, const int8_t*, uint64_t, uint32_t) {
  return false;
}

static void PrepareTile(const PanelS8&, uint32_t) {}

// acc += x * w. As assembly, because GCC 12 copies the accumulator around every VPDPBUSD of the
// intrinsic.
static inline void Dot(__m256i& acc, __m256i x, __m256i w) {
  __asm__("%{vex%} vpdpbusd %2, %1, %0" : "+x"(acc) : "x"(x), "x"(w));
}

template <int kRows>
static inline void Multiply(const PanelS8& p, __m256i (&acc)[kRows][2]) {
  const int8_t* weights = p.weights;
  const uint8_t* const* pointers = p.pointers;
  for (uint64_t tap = 0; tap < p.taps; ++tap, pointers += kMaxTileRows) {
    const uint8_t* in[kRows];
#pragma GCC unroll 6
    for (int r = 0; r < kRows; ++r) in[r] = pointers[r];
    for (size_t k = 0; k < p.k_groups * 4; k += 4, weights += 64) {
      _mm_prefetch(weights + kPrefetchBytes, _MM_HINT_T0);
      const __m256i w0 = _mm256_load_si256(reinterpret_cast<const __m256i*>(weights));
      const __m256i w1 = _mm256_load_si256(reinterpret_cast<const __m256i*>(weights + 32));
#pragma GCC unroll 6
      for (int r = 0; r < kRows; ++r) {
        int32_t word;
        memcpy(&word, in[r] + k, 4);
        const __m256i x = _mm256_set1_epi32(word);
        Dot(acc[r][0], x, w0);
        Dot(acc[r][1], x, w1);
      }
    }
  }
}

static void RunPanel(const PanelS8& panel, const TailS8& tail, uint32_t rows, uint32_t) {
  static constexpr PanelFn kPanels[kMaxRows] = {Panel<1>, Panel<2>, Panel<3>,
                                                Panel<4>, Panel<5>, Panel<6>};
  kPanels[rows - 1](panel, tail);
}

}  // namespace

void conv_s8_avxvnni(const ConvS8Args& args, Share share) {
  RunConvS8(args, share);
}

}  // namespace octet
