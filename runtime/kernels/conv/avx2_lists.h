// What a session keeps of an int8 layer at the level avx2 (conv/x86_avx2.cc says why): how its
// groups of 4 channels are multiplied. A head, whose first byte says whether rows are interleaved
// with 8 bytes a group. Then for every 8 outputs a list: how many twos there are, how many groups
// alone, and all groups, in 16 bits each: those of the twos, those alone, the others.
#ifndef OCTET_KERNELS_CONV_AVX2_LISTS_H_
#define OCTET_KERNELS_CONV_AVX2_LISTS_H_

#include "runtime/kernels/conv/rules.h"
#include "runtime/kernels/convolution.h"

namespace octet {

// An entry is 8 times the number of its group, plus the window of its bytes.
constexpr uint32_t kAvx2Entry = 8;
constexpr uint64_t kAvx2MostGroups = 1 << 13;
static_assert(kAvx2MostGroups * kAvx2Entry <= UINT16_MAX + 1, "entries have 16 bits");
// Loops over lists of fewer groups cost more than they save.
constexpr uint64_t kAvx2LeastGroups = 12;

constexpr uint64_t kAvx2ListsHead = 8;
// Bytes of the list of 8 outputs.
static inline uint64_t Avx2ListBytes(uint64_t groups) {
  return (2 * (2 + groups) + 7) / 8 * 8;
}

// Groups of 4 channels of all taps.
static inline uint64_t Avx2GroupsOf(const ConvGeometry& g) {
  return CeilDiv((uint64_t)g.kernel_h * g.kernel_w * (g.in_c / g.groups), 4);
}

// Bytes of a layer. A single pixel is multiplied without lists, and so are layers that another
// kernel takes. winograd: m of its transformed weights, or 0.
static inline uint64_t Avx2KeptBytesS8(const ConvGeometry& g, uint32_t winograd) {
  static_assert(kWinogradAvx2.least_tiles == 0, "the number of threads decides nothing");
  const uint64_t groups = Avx2GroupsOf(g);
  if (groups < kAvx2LeastGroups || groups > kAvx2MostGroups || OutputPixels(g) < 2) return 0;
  if (!GroupsFitKernels(g.groups, g.in_c, g.out_c, false)) return 0;
  if (ChooseConv(kRulesAvx2, g, winograd, 1).way != ConvWay::kTiles) return 0;
  return kAvx2ListsHead + 2 * CeilDiv(g.out_c, 16) * Avx2ListBytes(groups);
}

}  // namespace octet

#endif  // OCTET_KERNELS_CONV_AVX2_LISTS_H_
