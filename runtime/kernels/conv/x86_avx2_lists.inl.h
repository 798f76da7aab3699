// Which groups of 4 channels conv/x86_avx2.cc may multiply by VPMADDUBSW, and where they lie in
// scratch.
#include "runtime/kernels/conv/x86_s8.inl.h"

namespace octet {
namespace {

constexpr uint32_t kMaxRows =
    kRulesAvx2.tile_rows;  // 10 sums, 2 weights, ones and products in 16 registers

// A group of a row lies in 8 bytes, x0 x1 x2 x3 x0 x2 x1 x3, of which three windows of 4 pair its
// channels in three ways: (01)(23) at 0, (12)(30) at 1, (02)(13) at 4.
constexpr uint32_t kLineSlots = kAvx2Slots;
// A list entry is 8 times the number of a group, plus the window of its bytes.
constexpr uint32_t kEntry = 8;
constexpr uint64_t kMaxListed = kAvx2ListedDeep / 4;
static_assert(kMaxListed * kEntry <= UINT16_MAX + 1, "entries have 16 bits");
// Fewer pixels are not worth looking at the weights, fewer groups not worth lists.
constexpr uint64_t kMinPixels = 24;
constexpr uint64_t kMinGroups = 12;
// A list of few groups costs more than its groups alone.
constexpr uint64_t kFewGroups = 64, kMinPixelsOfFew = 64;
// Looking for the best pairs costs as much as multiplying some tens of pixels, and rows of 8 bytes
// a group must stay in the level 1 cache.
constexpr uint64_t kMinPairedPixels = 128;
constexpr uint64_t kPairedShare = 5;  // pays where more than one group in 5 is not exact as it is
constexpr uint64_t kTwosShare = 6;    // pays where one group in 6 is one of two

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
  uint16_t* lists;   // of every 8 outputs, in the order of Counts
};

static inline Areas AreasOf(const ConvPlan& plan) {
  const ConvPartsAvx2 at = Avx2PartsOf(plan.deep);
  return Areas{plan.packed + at.interleaved, plan.packed + at.even, plan.packed + at.odd,
               reinterpret_cast<uint64_t*>(plan.packed + at.places),
               reinterpret_cast<uint16_t*>(plan.packed + at.lists)};
}

// Of the group of a list's entry, without its window.
static inline size_t PlaceOf(const Areas& areas, size_t entry) {
  static_assert(sizeof(*areas.places) == kEntry, "an entry is an offset into the places");
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
  if (groups > kMaxListed) return;
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

// Rows are neither interleaved nor listed, MultiplyRow() reads the image.
static bool RowByRow(const ConvPlan& plan, uint32_t rows) {
  return rows == 1 || GroupsOf(plan) > kMaxListed;
}

// How the groups of 8 outputs are multiplied, in the order of their list.
struct Counts {
  uint16_t twos;   // entries of two groups, this one and the next
  uint16_t exact;  // entries of exact groups behind them; then come the others
};

enum class Way {
  kHalves,   // without lists, no group is taken for exact
  kInOrder,  // channels are paired as they come
  kPaired,   // as is best for every group: rows are interleaved with 8 bytes a group
};

// The interleaved arrays from one group on.
struct Columns {
  uint8_t *bytes, *even, *odd;  // bytes: null when not wanted
  bool paired;
};

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
  bool pointwise;  // a tile's rows are pixels next to each other
  bool clamped;    // by more than a byte's range
  int32_t lo, hi;  // the clamp as bytes of the arena, four times
  Way way;
  Counts counts[2 * kPreparedBlocks];  // of 8 outputs
  ShortWindow window;
};

// Weights as the windows have their channels.
struct Windows {
  alignas(32) uint8_t order[kEntry][32];
  constexpr Windows() : order() {
    constexpr uint8_t kEight[kEntry + 3] = {0, 1, 2, 3, 0, 2, 1, 3, 0, 1, 2};
    for (uint32_t window = 0; window < kEntry; ++window) {
      for (uint32_t i = 0; i < 32; ++i) {
        order[window][i] = (uint8_t)(i % 16 / 4 * 4 + kEight[window + i % 4]);
      }
    }
  }
};
constexpr Windows kWindows;
constexpr uint32_t kSwapped = 4;  // the window (02)(13)

// Sums of pairs of positive weights, and of negative ones.
struct PairSums {
  __m256i above, below;
};

static inline __m256i Positive(__m256i w) {
  return _mm256_max_epi8(w, _mm256_setzero_si256());
}

// Of (01)(23), in 16 bits.
static inline PairSums SumsInOrder(__m256i w) {
  const __m256i positive = Positive(w), ones = _mm256_set1_epi8(1);
  return {_mm256_maddubs_epi16(positive, ones),
          _mm256_maddubs_epi16(_mm256_sub_epi8(positive, w), ones)};
}
static inline PairSums Together(const PairSums& a, const PairSums& b) {
  return {_mm256_add_epi16(a.above, b.above), _mm256_add_epi16(a.below, b.below)};
}

// Whether all sums are at most 128.
static inline uint32_t Fit(const PairSums& s) {
  const __m256i largest = _mm256_max_epi16(s.above, s.below);
  return _mm256_movemask_epi8(_mm256_cmpgt_epi16(largest, _mm256_set1_epi16(128))) == 0;
}

// The same of any pairs, in bytes: `order` moves every byte's partner to its place.
static inline uint32_t PairsFit(__m256i w, __m256i order) {
  const __m256i positive = Positive(w);
  const __m256i negative = _mm256_sub_epi8(positive, w);
  const __m256i above = _mm256_adds_epu8(positive, _mm256_shuffle_epi8(positive, order));
  const __m256i below = _mm256_adds_epu8(negative, _mm256_shuffle_epi8(negative, order));
  const __m256i less = _mm256_subs_epu8(_mm256_max_epu8(above, below), _mm256_set1_epi8(1));
  return _mm256_movemask_epi8(less) == 0;
}

static inline __m256i Partners(int32_t of_4) {
  const __m128i first = _mm_set_epi32(0x0C0C0C0C, 0x08080808, 0x04040404, 0);
  return _mm256_broadcastsi128_si256(_mm_add_epi8(_mm_set1_epi32(of_4), first));
}

// Twice the positions of the bits set in a byte.
struct BitLists {
  uint8_t list[256][8];
  constexpr BitLists() : list() {
    for (int byte = 0; byte < 256; ++byte) {
      int count = 0;
      for (int bit = 0; bit < 8; ++bit) {
        if (byte & (1 << bit)) list[byte][count++] = (uint8_t)(2 * bit);
      }
    }
  }
};
constexpr BitLists kBitLists;

// Those of 8 entries whose bits are set, from `to` on; writes 8.
static inline void StoreListed(__m128i entries, uint32_t bits, uint16_t* to) {
  const __m128i at = _mm_loadl_epi64(reinterpret_cast<const __m128i*>(kBitLists.list[bits]));
  const __m128i order = _mm_add_epi8(_mm_unpacklo_epi8(at, at), _mm_set1_epi16(0x0100));
  _mm_storeu_si128(reinterpret_cast<__m128i*>(to), _mm_shuffle_epi8(entries, order));
}

// `value` where the bit of an entry is set.
static inline __m128i WhereBits(uint32_t bits, int16_t value) {
  const __m128i bit = _mm_set_epi16(128, 64, 32, 16, 8, 4, 2, 1);
  const __m128i set = _mm_cmpeq_epi16(_mm_and_si128(_mm_set1_epi16((int16_t)bits), bit), bit);
  return _mm_and_si128(set, _mm_set1_epi16(value));
}

static inline __m128i FirstEntries() {
  return _mm_set_epi16(7 * kEntry, 6 * kEntry, 5 * kEntry, 4 * kEntry, 3 * kEntry, 2 * kEntry,
                       kEntry, 0);
}

// Lists are made without branches, which could not be predicted. `rest` has room for two lists.
template <bool kTwos>
static Counts ListInOrder(const int8_t* weights, uint64_t groups, uint16_t* list, uint16_t* rest) {
  uint16_t *twos = list, *exact = rest, *other = rest + groups + 8;
  __m128i entries = FirstEntries();
  for (uint64_t k = 0; k < groups;
       k += 8, entries = _mm_add_epi16(entries, _mm_set1_epi16(8 * kEntry))) {
    const uint32_t count = groups - k < 8 ? (uint32_t)(groups - k) : 8;
    uint32_t fit = 0, together = 0, i = 0;  // a bit for each group
    for (; i + 2 <= count; i += 2, weights += 128) {
      const PairSums a = SumsInOrder(Load32(weights));
      const PairSums b = SumsInOrder(Load32(weights + 64));
      fit |= (Fit(a) + 2 * Fit(b)) << i;
      if (kTwos) together |= Fit(Together(a, b)) << i;
    }
    if (i < count) fit |= Fit(SumsInOrder(Load32(weights))) << i;
    const uint32_t alone = fit & ~(3 * together);
    if (kTwos) StoreListed(entries, together, twos);
    StoreListed(entries, alone, exact);
    StoreListed(entries, ~fit & 0xFF, other);
    twos += __builtin_popcount(together);
    exact += __builtin_popcount(alone);
    other += __builtin_popcount(~fit & 0xFF);
  }
  const uint64_t two_count = (uint64_t)(twos - list), exact_count = (uint64_t)(exact - rest);
  memcpy(twos, rest, exact_count * sizeof(uint16_t));
  memcpy(twos + exact_count, rest + groups + 8,
         (groups - 2 * two_count - exact_count) * sizeof(uint16_t));
  return {(uint16_t)two_count, (uint16_t)exact_count};
}

// By the best pairs of every group.
static Counts ListPaired(const int8_t* weights, uint64_t groups, uint16_t* list, uint16_t* rest) {
  const __m256i partners1 = Partners(0x00010203);
  const __m256i partners4 = Partners(0x01000302);
  uint16_t *exact = list, *other = rest;
  __m128i numbers = FirstEntries();
  for (uint64_t k = 0; k < groups;
       k += 8, numbers = _mm_add_epi16(numbers, _mm_set1_epi16(8 * kEntry))) {
    const uint32_t count = groups - k < 8 ? (uint32_t)(groups - k) : 8;
    uint32_t fit0 = 0, fit1 = 0, fit4 = 0;  // by windows, a bit for each group
    for (uint32_t i = 0; i < count; ++i, weights += 64) {
      const __m256i w = Load32(weights);
      fit0 |= Fit(SumsInOrder(w)) << i;
      fit1 |= PairsFit(w, partners1) << i;
      fit4 |= PairsFit(w, partners4) << i;
    }
    __m128i entries = _mm_add_epi16(numbers, WhereBits(fit1 & ~fit0, 1));
    entries = _mm_add_epi16(entries, WhereBits(fit4 & ~(fit0 | fit1), 4));
    const uint32_t fit = fit0 | fit1 | fit4;
    StoreListed(entries, fit, exact);
    StoreListed(entries, ~fit & 0xFF, other);
    exact += __builtin_popcount(fit);
    other += __builtin_popcount(~fit & 0xFF);
  }
  const uint64_t found = (uint64_t)(exact - list);
  memcpy(exact, rest, (groups - found) * sizeof(uint16_t));
  return {0, (uint16_t)found};
}

// The lists of a part's outputs.
static void MakeLists(const int8_t* weights, uint64_t pixels, uint32_t blocks, PartAvx2* part) {
  const ConvPlan& plan = *part->plan;
  const uint64_t groups = GroupsOf(plan);
  uint16_t* const lists = AreasOf(plan).lists;
  uint16_t* const rest = lists + 2 * blocks * groups + 8;  // behind what the last list may write
  part->way = Way::kHalves;
  const uint64_t least_pixels = groups < kFewGroups ? kMinPixelsOfFew : kMinPixels;
  if (groups < kMinGroups || groups > kMaxListed || pixels < least_pixels) return;
  // The first list tells how the others are made.
  Counts& first = part->counts[0];
  first = ListInOrder<true>(weights, groups, lists, rest);
  const uint64_t fit = 2u * first.twos + first.exact;
  const bool paired = pixels >= kMinPairedPixels && PairsFitCache(plan) &&
                      fit * kPairedShare < groups * (kPairedShare - 1);
  part->way = paired ? Way::kPaired : Way::kInOrder;
  const auto make = paired                                 ? ListPaired
                    : 2 * first.twos * kTwosShare < groups ? ListInOrder<false>
                                                           : ListInOrder<true>;
  for (uint32_t i = paired ? 0 : 1; i < 2 * blocks; ++i) {
    const int8_t* of = weights + (i / 2) * groups * 64 + 32 * (i % 2);
    part->counts[i] = make(of, groups, lists + i * groups, rest);
  }
}

}  // namespace
}  // namespace octet
