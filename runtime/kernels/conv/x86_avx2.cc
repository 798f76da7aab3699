// Convolution with 256-bit VPMADDUBSW where it is exact and VPMADDWD where it is not.
//
// VPMADDUBSW adds two products u * w of unsigned and signed bytes in 16 bits, with saturation. For
// any u <= 255 the sum of the products with weights a, b lies within
//   [255 * (min(a, 0) + min(b, 0)), 255 * (max(a, 0) + max(b, 0))],
// so that nothing saturates while the positive weights add up to at most 128 (32640 <= 32767), and
// the negative ones to at least -128. Most pairs are like that, but not all. The same holds for
// more products that are added in 16 bits: for four, where the positive ones of four weights add up
// to at most 128, and the negative ones to at least -128. When a session is bound, the groups of 4
// channels of every 8 outputs are listed by how they may be multiplied (conv/avx2_lists.h), and
// loops without branches run over the lists. Instructions for a pixel and a group:
//   twos    2.5: two groups whose sums of products still fit 16 bits together, and are widened once
//   alone   3: one group
//   others  4: the even channels of the group in 16 bits, then the odd ones, by VPMADDWD
// Where rows of a tile stay in the first cache with twice the room, a group has its four channels
// in one of three orders (x86_avx2_areas.inl.h).
//
// Rows of a tile are interleaved in scratch, [group of 4 channels][row][4 or 8 bytes], and once
// more as the even channels in 16 bits and as the odd ones, so that one address serves all rows.
#include <immintrin.h>
#include <stdint.h>

#include "runtime/kernels/conv/x86_avx2_keep.inl.h"
#include "runtime/kernels/conv/x86_avx2_panel.inl.h"
#include "runtime/kernels/conv/x86_winograd256.inl.h"

namespace octet {
namespace {

// One assembly statement with a single register for products: left to itself GCC 12 regroups the
// sums of several steps and spills them.
struct MaddPairs {
  static inline void Multiply(__m256i& acc, __m256i x, __m256i w) {
    __m256i product;
    __asm__("vpmaddwd %3, %2, %1\n\tvpaddd %1, %0, %0"
            : "+x"(acc), "=&x"(product)
            : "x"(x), "x"(w));
  }
};

}  // namespace

void conv_s8_avx2_keep(const ConvKeepArgs& args) {
  KeepLayer(args);
}

void conv_s8_avx2_10x1(const ConvS8Args& args, Share share) {
  RunConv<Avx2>(args, share);
}

void conv_s8_avx2(const ConvS8Args& args, Share share) {
  const ConvChoice choice = ChooseConv(kRulesAvx2, args.g, args.winograd, share.count);
  if (choice.way == ConvWay::kWinograd) return RunWinograd<Winograd256<MaddPairs>>(args, share);
  RunConv<Avx2>(args, share, choice.panel_blocks);
}

}  // namespace octet
