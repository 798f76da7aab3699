// Where the groups of 4 channels of a tile lie in the scratch of conv/x86_avx2.cc.
#ifndef OCTET_KERNELS_CONV_X86_AVX2_AREAS_INL_H_
#define OCTET_KERNELS_CONV_X86_AVX2_AREAS_INL_H_

#include "runtime/kernels/conv/x86_s8.inl.h"

namespace octet {
namespace {

constexpr uint32_t kMaxRows =
    kRulesAvx2.tile_rows;  // 10 sums, 2 weights, ones and products in 16 registers
constexpr uint32_t kLineSlots = kAvx2Slots;

// Groups of 4 values of a whole row.
static inline uint64_t GroupsOf(const ConvPlan& plan) {
  return plan.block_step / 64;
}

static inline __m256i Load32(const void* from) {
  return _mm256_load_si256(static_cast<const __m256i*>(from));
}

struct Areas {
  uint8_t *bytes, *even, *odd;
  uint64_t* places;  // from the start of `even`, of every group of weights
};

static inline Areas AreasOf(const ConvPlan& plan) {
  const ConvPartsAvx2 at = Avx2PartsOf(plan.deep);
  return Areas{plan.packed + at.interleaved, plan.packed + at.even, plan.packed + at.odd,
               reinterpret_cast<uint64_t*>(plan.packed + at.places)};
}

// Of the group of a list's entry, without its window.
static inline size_t PlaceOf(const Areas& areas, size_t entry) {
  static_assert(sizeof(*areas.places) == kAvx2Entry, "an entry is an offset into the places");
  uint64_t place;
  memcpy(&place, reinterpret_cast<const uint8_t*>(areas.places) + entry, sizeof(place));
  return (size_t)place;
}

// Pixels of a line that lie stride_w apart are next to each other. A line has so many such series.
static inline uint32_t ResiduesOf(const ConvGeometry& g) {
  return g.stride_w < g.kernel_w ? g.stride_w : g.kernel_w;
}

static void FillPlaces(const ConvPlan& plan) {
  const uint64_t groups = GroupsOf(plan);
  if (groups > kAvx2MostGroups) return;
  uint64_t* places = AreasOf(plan).places;
  if (plan.columns == 0) {
    for (uint64_t k = 0; k < groups; ++k) places[k] = k * 4 * kMaxRows;
    return;
  }
  const ConvGeometry& g = plan.g;
  const uint64_t of_tap = plan.group_in / 4;
  const uint32_t residues = ResiduesOf(g);
  for (uint32_t ky = 0; ky < g.kernel_h; ++ky) {
    for (uint32_t kx = 0; kx < g.kernel_w; ++kx) {
      uint64_t place =
          (ky * residues + kx % g.stride_w) * of_tap * 4 * kLineSlots + kx / g.stride_w * 4;
      for (uint64_t k = 0; k < of_tap; ++k, place += 4 * kLineSlots) *places++ = place;
    }
  }
}

// Whether an interleaved tile has room for 8 bytes a group, also in the level 1 cache.
static inline bool PairsFitCache(const ConvPlan& plan) {
  if (plan.columns == 0) return plan.deep <= kAvx2PairedDeep;
  const uint64_t lines = (uint64_t)plan.g.kernel_h * ResiduesOf(plan.g) * plan.group_in;
  const bool has_room =
      plan.deep <= kAvx2PairedDeep || 2 * kLineSlots * lines <= kMaxRows * plan.deep;
  return lines <= kAvx2PairedDeep && has_room;
}

// Rows are not interleaved, MultiplyRow() reads the image.
static bool RowByRow(const ConvPlan& plan, uint32_t rows) {
  return rows == 1 || GroupsOf(plan) > kAvx2MostGroups;
}

// How a layer's groups are multiplied.
enum class Way {
  kHalves,   // without lists, none is taken for exact
  kInOrder,  // channels are paired as they come
  kPaired,   // as lists say: rows are interleaved with 8 bytes a group
};

// The interleaved arrays from one group on.
struct Columns {
  uint8_t *bytes, *even, *odd;  // bytes: null when not wanted
  bool paired;                  // with 8 bytes a group
};

// A group of a row lies in 4 bytes, or in 8, x0 x1 x2 x3 x0 x2 x1 x3, of which three windows of 4
// pair its channels in three ways: (01)(23) at 0, (12)(30) at 1, (02)(13) at 4. Weights have the
// same order.
struct Windows {
  alignas(32) uint8_t order[kAvx2Entry][32];
  constexpr Windows() : order() {
    constexpr uint8_t kEight[kAvx2Entry + 3] = {0, 1, 2, 3, 0, 2, 1, 3, 0, 1, 2};
    for (uint32_t window = 0; window < kAvx2Entry; ++window) {
      for (uint32_t i = 0; i < 32; ++i) {
        order[window][i] = (uint8_t)(i % 16 / 4 * 4 + kEight[window + i % 4]);
      }
    }
  }
};
constexpr Windows kWindows;
constexpr uint32_t kSwapped = 4;  // the window (02)(13)

// Windows that are packed in registers (conv/x86_avx2_windows.inl.h).
constexpr uint32_t kShortLines = 3;
struct ShortWindow {
  uint8_t order[kShortLines][2][16];
  bool fits;
};

struct PartAvx2 : PartX86 {
  const ConvPlan* plan;
  Areas areas;
  Columns columns;
  uint64_t groups;
  Way way;
  const uint8_t* lists;  // of the first 8 outputs, or null
  bool pointwise;        // a tile's rows are pixels next to each other
  bool clamped;          // by more than a byte's range
  int32_t lo, hi;        // the clamp as bytes of the arena, four times
  ShortWindow window;
};

}  // namespace
}  // namespace octet

#endif  // OCTET_KERNELS_CONV_X86_AVX2_AREAS_INL_H_
