// How conv/x86_avx2.cc is to multiply the groups of 4 channels of every 8 outputs.
#include "runtime/kernels/conv/x86_avx2_areas.inl.h"

namespace octet {
namespace {

// A partner is looked for among so many groups that follow each other.
constexpr uint32_t kSearched = 64;
// Of the positive weights behind one sum of 16 bits, and of the negative ones: 255 * 128 <= 32767.
constexpr uint8_t kMostWeights = 128;
// The orders of a group's channels, by the byte where their window begins.
constexpr uint32_t kOrders[] = {0, 1, kSwapped};
constexpr uint32_t kMostOrders = 3;

// Of 8 outputs and a group: the sums of the positive weights behind each sum of 16 bits, then those
// of the negative ones, saturated.
static inline __m256i WeightSums(__m256i w) {
  const __m256i ones = _mm256_set1_epi8(1);
  const __m256i positive = _mm256_max_epi8(w, _mm256_setzero_si256());
  const __m256i negative = _mm256_sub_epi8(positive, w);
  return _mm256_packus_epi16(_mm256_maddubs_epi16(positive, ones),
                             _mm256_maddubs_epi16(negative, ones));
}

static inline uint8_t LargestByte(__m256i x) {
  const __m128i of16 = _mm_max_epu8(_mm256_castsi256_si128(x), _mm256_extracti128_si256(x, 1));
  const __m128i of8 = _mm_max_epu8(of16, _mm_srli_epi16(of16, 8));  // in the even bytes
  const __m128i turned = _mm_andnot_si128(of8, _mm_set1_epi16(0xFF));
  return (uint8_t)~_mm_extract_epi16(_mm_minpos_epu16(turned), 0);
}

static inline bool Fit(__m256i sums) {
  const __m256i beyond = _mm256_subs_epu8(sums, _mm256_set1_epi8((char)kMostWeights));
  return _mm256_testz_si256(beyond, beyond) != 0;
}

// Lists that grow.
struct Lists {
  uint16_t *twos, *alone, *others;
};

// A group by the orders in which it is exact: by which of kOrders, and its sums.
struct Exact {
  __m256i sums[kMostOrders];
  uint8_t orders[kMostOrders];
  uint8_t count;
  uint8_t chosen;  // of `orders`; at first the one whose largest sum is the smallest
};

constexpr uint8_t kNone = 0xFF;
struct Finder {
  Exact groups[kSearched];
  // A chain of the exact ones without a partner, those with the largest sums first.
  uint8_t first, next[kSearched];
};

// By the first `orders` of kOrders.
static void LookAt(const int8_t* weights, uint32_t count, uint32_t orders, Finder* f) {
  uint8_t
      with_largest[kMostWeights + 1];  // of groups with one largest sum: where their chain begins
  memset(with_largest, kNone, sizeof(with_largest));
  for (uint32_t i = count; i-- > 0;) {
    const __m256i w = Load32(weights + (size_t)i * 64);
    Exact& group = f->groups[i];
    group.count = 0;
    uint8_t least = kMostWeights + 1;
    for (uint32_t k = 0; k < orders; ++k) {
      const __m256i order = Load32(kWindows.order[kOrders[k]]);
      const __m256i sums = WeightSums(_mm256_shuffle_epi8(w, order));
      const uint8_t largest = LargestByte(sums);
      if (largest > kMostWeights) continue;
      if (largest < least) {
        least = largest;
        group.chosen = group.count;
      }
      group.sums[group.count] = sums;
      group.orders[group.count++] = (uint8_t)k;
    }
    if (group.count == 0) continue;
    f->next[i] = with_largest[least];
    with_largest[least] = (uint8_t)i;
  }
  f->first = kNone;
  for (const uint8_t begin : with_largest) {
    for (uint8_t i = begin, next; i != kNone; i = next) {
      next = f->next[i];
      f->next[i] = f->first;
      f->first = i;
    }
  }
}

// Whether two groups are exact together, and if so by the orders chosen then.
static inline bool FitTogether(Exact* a, Exact* b) {
  for (uint32_t i = 0; i < a->count; ++i) {
    for (uint32_t k = 0; k < b->count; ++k) {
      if (!Fit(_mm256_adds_epu8(a->sums[i], b->sums[k]))) continue;
      a->chosen = (uint8_t)i;
      b->chosen = (uint8_t)k;
      return true;
    }
  }
  return false;
}

// The group with the largest sums that is left goes together with the largest one that fits. Lists
// are in the order of the weights, which the hardware's prefetcher knows.
static void ListGroups(const int8_t* weights, uint64_t first, uint32_t count, uint32_t orders,
                       Finder* f, Lists* lists) {
  LookAt(weights + first * 64, count, orders, f);
  uint8_t partner[kSearched];
  for (uint32_t i = 0; i < count; ++i) partner[i] = (uint8_t)i;
  for (; f->first != kNone; f->first = f->next[f->first]) {
    const uint8_t a = f->first;
    uint8_t before = a, b = f->next[a];
    while (b != kNone && !FitTogether(&f->groups[a], &f->groups[b])) {
      before = b;
      b = f->next[b];
    }
    if (b == kNone) continue;
    partner[a] = b;
    partner[b] = a;
    f->next[before] = f->next[b];
  }
  const auto entry = [&](uint32_t i) {
    const Exact& group = f->groups[i];
    const uint32_t window = group.count == 0 ? 0 : kOrders[group.orders[group.chosen]];
    return (uint16_t)((first + i) * kAvx2Entry + window);
  };
  for (uint32_t i = 0; i < count; ++i) {
    const uint32_t other = partner[i];
    if (other > i) {
      *lists->twos++ = entry(i);
      *lists->twos++ = entry(other);
    } else if (other == i) {
      *(f->groups[i].count == 0 ? lists->others : lists->alone)++ = entry(i);
    }
  }
}

// Of 8 outputs. room: for three lists of all groups.
static void KeepLists(const int8_t* weights, uint64_t groups, uint32_t orders, uint16_t* room,
                      uint8_t* kept) {
  Finder finder;
  Lists ends = {room, room + groups, room + 2 * groups};
  for (uint64_t k = 0; k < groups; k += kSearched) {
    const uint64_t left = groups - k;
    ListGroups(weights, k, left < kSearched ? (uint32_t)left : kSearched, orders, &finder, &ends);
  }
  const size_t in_twos = (size_t)(ends.twos - room), alone = (size_t)(ends.alone - room) - groups;
  const size_t others = groups - in_twos - alone;
  uint16_t* const list = reinterpret_cast<uint16_t*>(kept);
  list[0] = (uint16_t)(in_twos / 2);
  list[1] = (uint16_t)alone;
  memcpy(list + 2, room, in_twos * sizeof(*list));
  memcpy(list + 2 + in_twos, room + groups, alone * sizeof(*list));
  memcpy(list + 2 + in_twos + alone, room + 2 * groups, others * sizeof(*list));
}

static void KeepLayer(const ConvKeepArgs& args) {
  ConvPlan plan = PlanLayer(args.g, kRulesAvx2, PanelsOf(kRulesAvx2).most_blocks, args.scratch);
  CutBytes(kRulesAvx2, &plan);
  const uint64_t groups = Avx2GroupsOf(args.g), blocks = CeilDiv(args.g.out_c, 16);
  // 6 bytes a group, of 40 and more that a tile has for each.
  uint16_t* const room = reinterpret_cast<uint16_t*>(args.scratch);
  uint8_t* kept = args.kept + kAvx2ListsHead;
  const uint32_t orders = PairsFitCache(plan) ? kMostOrders : 1;
  memset(args.kept, 0, kAvx2ListsHead);
  args.kept[0] = orders != 1;
  for (uint64_t b = 0; b < blocks; ++b) {
    for (uint32_t half = 0; half < 2; ++half, kept += Avx2ListBytes(groups)) {
      KeepLists(args.weights + b * groups * 64 + 32 * half, groups, orders, room, kept);
    }
  }
}

}  // namespace
}  // namespace octet
