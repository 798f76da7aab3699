// Which groups of 4 channels conv/x86_avx2.cc may multiply by VPMADDUBSW, and which of them
// together.
#include "runtime/kernels/conv/x86_avx2_areas.inl.h"

namespace octet {
namespace {

// Pairs are looked for among so many groups that follow each other.
constexpr uint32_t kPairWindow = 64;
constexpr uint8_t kMostPairSum = 128;
// The ways to pair the channels of a group, the first as they come.
constexpr uint32_t kWindowPlaces[] = {0, 1, kSwapped};
constexpr uint32_t kMostWindows = 3;

// Of 8 outputs: the sums of the positive weights of each pair of channels, then those of the
// negative ones, saturated.
static inline __m256i PairSums(__m256i w) {
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
  const __m256i beyond = _mm256_subs_epu8(sums, _mm256_set1_epi8((char)kMostPairSum));
  return _mm256_testz_si256(beyond, beyond) != 0;
}

// Lists that grow.
struct Lists {
  uint16_t *twos, *alone, *others;
};

// Groups of 8 outputs, by the first `windows` ways.
struct PairFinder {
  __m256i sums[kPairWindow][kMostWindows];
  uint8_t best[kPairWindow];   // of the ways: the one with the smallest largest sum
  uint8_t order[kPairWindow];  // those that fit alone, by that sum, the largest first
  uint32_t windows, left;
};

static void LookAt(const int8_t* weights, uint32_t count, PairFinder* f) {
  // Each sum has a chain.
  constexpr uint8_t kEnd = 0xFF;
  uint8_t head[kMostPairSum + 1], next[kPairWindow];
  memset(head, kEnd, sizeof(head));
  for (uint32_t i = count; i-- > 0;) {
    const __m256i w = Load32(weights + (size_t)i * 64);
    uint8_t least = 0xFF;
    for (uint32_t k = 0; k < f->windows; ++k) {
      const __m256i order = Load32(kWindows.order[kWindowPlaces[k]]);
      f->sums[i][k] = PairSums(_mm256_shuffle_epi8(w, order));
      const uint8_t largest = LargestByte(f->sums[i][k]);
      if (largest >= least && k != 0) continue;
      least = largest;
      f->best[i] = (uint8_t)k;
    }
    if (least > kMostPairSum) {
      f->best[i] = kEnd;
      continue;
    }
    next[i] = head[least];
    head[least] = (uint8_t)i;
  }
  f->left = 0;
  for (uint32_t size = sizeof(head); size-- > 0;) {
    for (uint8_t i = head[size]; i != kEnd; i = next[i]) f->order[f->left++] = i;
  }
}

// Whether two groups fit together, and by which ways.
static inline bool FitTogether(const PairFinder& f, uint8_t a, uint8_t b, uint32_t* way_a,
                               uint32_t* way_b) {
  for (uint32_t i = 0; i < f.windows; ++i) {
    for (uint32_t k = 0; k < f.windows; ++k) {
      if (!Fit(_mm256_adds_epu8(f.sums[a][i], f.sums[b][k]))) continue;
      *way_a = i;
      *way_b = k;
      return true;
    }
  }
  return false;
}

static inline uint16_t EntryOf(uint64_t group, uint32_t way) {
  return (uint16_t)(group * kAvx2Entry + kWindowPlaces[way]);
}

// The group with the largest sums that is left goes together with the largest one that fits. Lists
// are in the order of the weights, which the hardware's prefetcher knows.
static void ListWindow(const int8_t* weights, uint64_t first, uint32_t count, PairFinder* f,
                       Lists* lists) {
  LookAt(weights + first * 64, count, f);
  uint8_t partner[kPairWindow];
  for (uint32_t i = 0; i < count; ++i) partner[i] = (uint8_t)i;
  while (f->left != 0) {
    const uint8_t a = f->order[0];
    uint32_t way_a = 0, way_b = 0, at = 1;
    while (at < f->left && !FitTogether(*f, a, f->order[at], &way_a, &way_b)) ++at;
    if (at < f->left) {
      const uint8_t b = f->order[at];
      partner[a] = b;
      partner[b] = a;
      f->best[a] = (uint8_t)way_a;
      f->best[b] = (uint8_t)way_b;
    }
    uint32_t rest = 0;
    for (uint32_t i = 1; i < f->left; ++i) {
      if (i != at) f->order[rest++] = f->order[i];
    }
    f->left = rest;
  }
  for (uint32_t i = 0; i < count; ++i) {
    const uint32_t other = partner[i];
    if (other > i) {
      *lists->twos++ = EntryOf(first + i, f->best[i]);
      *lists->twos++ = EntryOf(first + other, f->best[other]);
    } else if (other == i && f->best[i] < kMostWindows) {
      *lists->alone++ = EntryOf(first + i, f->best[i]);
    } else if (other == i) {
      *lists->others++ = EntryOf(first + i, 0);
    }
  }
}

// Of 8 outputs. room: for three lists of all groups.
static void KeepLists(const int8_t* weights, uint64_t groups, uint32_t windows, uint16_t* room,
                      uint8_t* kept) {
  PairFinder finder;
  finder.windows = windows;
  Lists ends = {room, room + groups, room + 2 * groups};
  for (uint64_t k = 0; k < groups; k += kPairWindow) {
    const uint64_t left = groups - k;
    ListWindow(weights, k, left < kPairWindow ? (uint32_t)left : kPairWindow, &finder, &ends);
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
  uint16_t* const room = reinterpret_cast<uint16_t*>(args.scratch);
  uint8_t* kept = args.kept + kAvx2ListsHead;
  const uint32_t windows = PairsFitCache(plan) ? kMostWindows : 1;
  memset(args.kept, 0, kAvx2ListsHead);
  args.kept[0] = windows != 1;
  for (uint64_t b = 0; b < blocks; ++b) {
    for (uint32_t half = 0; half < 2; ++half, kept += Avx2ListBytes(groups)) {
      KeepLists(args.weights + b * groups * 64 + 32 * half, groups, windows, room, kept);
    }
  }
}

}  // namespace
}  // namespace octet
