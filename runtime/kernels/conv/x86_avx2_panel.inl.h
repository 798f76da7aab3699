// What conv/x86_avx2.cc runs under the driver: the inner loops over interleaved tiles.
#include "runtime/kernels/conv/x86_avx2_windows.inl.h"

namespace octet {
namespace {

static inline __m256i Broadcast(const uint8_t* from) {
  int32_t word;
  memcpy(&word, from, 4);
  return _mm256_set1_epi32(word);
}

// `count` times kGroups groups whose products add up in 16 bits.
template <int kRows, int kGroups, bool kPaired>
static inline void MultiplyListed(const Areas& areas, const uint16_t* list, uint32_t count,
                                  const int8_t* weights, __m256i (&acc)[kRows]) {
  constexpr size_t kRow = kPaired ? 8 : 4;
  const __m256i ones = _mm256_set1_epi16(1);
  for (; count != 0; --count, list += kGroups) {
    __m256i w[kGroups];
    const uint8_t* in[kGroups];
#pragma GCC unroll 2
    for (int i = 0; i < kGroups; ++i) {
      const size_t window = kPaired ? list[i] % kAvx2Entry : 0, entry = list[i] - window;
      w[i] = Load32(weights + entry * (64 / kAvx2Entry));
      if (kPaired) w[i] = _mm256_shuffle_epi8(w[i], Load32(kWindows.order[window]));
      in[i] = areas.bytes + PlaceOf(areas, entry) * (kRow / 4) + window;
    }
#pragma GCC unroll 10
    for (int r = 0; r < kRows; ++r) {
      __m256i pairs = _mm256_maddubs_epi16(Broadcast(in[0] + kRow * (size_t)r), w[0]);
      if (kGroups == 2) {
        const __m256i x = Broadcast(in[kGroups - 1] + kRow * (size_t)r);
        pairs = _mm256_add_epi16(pairs, _mm256_maddubs_epi16(x, w[kGroups - 1]));
      }
      acc[r] = _mm256_add_epi32(acc[r], _mm256_madd_epi16(pairs, ones));
    }
  }
}

// `list` null: all groups.
template <int kRows>
static inline void MultiplyOther(const Areas& areas, const uint16_t* list, uint64_t count,
                                 const int8_t* weights, __m256i (&acc)[kRows]) {
  for (uint64_t i = 0; i < count; ++i) {
    const size_t entry = list != nullptr ? list[i] : i * kAvx2Entry;
    const __m256i w = Load32(weights + entry * (64 / kAvx2Entry));
    const __m256i w_even = _mm256_srai_epi16(_mm256_slli_epi16(w, 8), 8);
    const __m256i w_odd = _mm256_srai_epi16(w, 8);
    const size_t place = PlaceOf(areas, entry);
    const uint8_t *even = areas.even + place, *odd = areas.odd + place;
#pragma GCC unroll 10
    for (int r = 0; r < kRows; ++r) {
      acc[r] = _mm256_add_epi32(acc[r], _mm256_madd_epi16(Broadcast(even + 4 * r), w_even));
      acc[r] = _mm256_add_epi32(acc[r], _mm256_madd_epi16(Broadcast(odd + 4 * r), w_odd));
    }
  }
}

// One row (fully connected layers) x 16 outputs: the weights pass once.
static void MultiplyRow(const PanelS8& p, const PreparedBlock& block, __m256i (&sums)[2]) {
  constexpr size_t kAheadBytes = 2048;  // the hardware's prefetcher stops at every 4 KiB page
  const __m256i low_bytes = _mm256_set1_epi16(0x00FF);
  const int8_t* weights = p.weights;
  __m256i acc[2][2] = {};
  for (uint64_t tap = 0; tap < p.taps; ++tap) {
    const uint8_t* in = p.pointers[tap * kMaxRows];
    for (uint64_t k = 0; k < p.tap_bytes / 4; ++k, weights += 64, in += 4) {
      _mm_prefetch(weights + kAheadBytes, _MM_HINT_T0);
      const __m256i x = Broadcast(in);
      const __m256i even = _mm256_and_si256(x, low_bytes), odd = _mm256_srli_epi16(x, 8);
#pragma GCC unroll 2
      for (int h = 0; h < 2; ++h) {
        const __m256i w = _mm256_load_si256(reinterpret_cast<const __m256i*>(weights + 32 * h));
        const __m256i w_even = _mm256_srai_epi16(_mm256_slli_epi16(w, 8), 8);
        const __m256i w_odd = _mm256_srai_epi16(w, 8);
        acc[h][0] = _mm256_add_epi32(acc[h][0], _mm256_madd_epi16(even, w_even));
        acc[h][1] = _mm256_add_epi32(acc[h][1], _mm256_madd_epi16(odd, w_odd));
      }
    }
  }
#pragma GCC unroll 2
  for (int h = 0; h < 2; ++h) {
    const __m256i start = _mm256_load_si256(reinterpret_cast<const __m256i*>(block.start + 8 * h));
    sums[h] = _mm256_add_epi32(start, _mm256_add_epi32(acc[h][0], acc[h][1]));
  }
}

static inline __m256i Load8(const int32_t* from) {
  return _mm256_load_si256(reinterpret_cast<const __m256i*>(from));
}

// What few layers need.
__attribute__((noinline)) static void AdjustSums(const TailS8& tail, __m256i* sums, int count) {
  for (int r = 0; r < count; ++r) {
    if (tail.pre_shift != 0) sums[r] = PreShift8(sums[r], tail.pre_shift);
    if (tail.kind.doubled) sums[r] = Double8(sums[r]);
  }
}

// Words of two rows that still lack the zero point.
__attribute__((noinline)) static __m256i AddLateZero(const TailS8& tail, __m256i words) {
  return _mm256_adds_epi16(words, _mm256_set1_epi16((short)(tail.out_zero_point + 128)));
}

// Four rows of 8 outputs -> bytes: outputs 0..3 of the four rows, then outputs 4..7. By the rule's
// whole numbers, and by fused multiplications.
struct WholeRows {
  const TailS8& tail;
  RowChannels8 channels;
  WholeRows(const TailS8& of, const PreparedBlock& block, uint32_t half)
      : tail(of),
        channels(MakeRowChannels8(
            Load8(block.multiplier + 8 * half), Load8(block.multiplier_odd + 8 * half),
            Load8(block.rounding + 8 * half), Load8(block.shift + 8 * half))) {}
  inline __m256i operator()(const __m256i& a, const __m256i& b, const __m256i& c,
                            const __m256i& d) const {
    __m256i low = RequantizeRows8(a, b, channels), high = RequantizeRows8(c, d, channels);
    if (__builtin_expect(tail.kind.late_zero, false)) {
      low = AddLateZero(tail, low);
      high = AddLateZero(tail, high);
    }
    return OrderRows8(_mm256_packus_epi16(low, high));
  }
};
struct FusedRows {
  __m256 factor, start;
  __m256i middle;
  FusedRows(const TailS8& tail, const PreparedBlock& block, uint32_t half)
      : factor(_mm256_load_ps(block.factor + 8 * half)),
        start(_mm256_set1_ps(tail.fused_start)),
        middle(FusedMiddle8()) {}
  inline __m256i operator()(const __m256i& a, const __m256i& b, const __m256i& c,
                            const __m256i& d) const {
    const __m256i low =
        _mm256_packs_epi32(Fused8(a, factor, start, middle), Fused8(b, factor, start, middle));
    const __m256i high =
        _mm256_packs_epi32(Fused8(c, factor, start, middle), Fused8(d, factor, start, middle));
    return _mm256_packus_epi16(low, high);
  }
};

// Sums of kRows pixels x 8 outputs -> bytes.
template <class Rows, int kRows>
static inline void FinishRowsAs(const PanelS8& p, const PartAvx2& part, uint32_t half,
                                const __m256i (&sums)[kRows]) {
  const Rows rows(part.tail, part.constants[p.block], half);
  uint8_t* to = p.output + 8 * half;
  const size_t stride = p.output_stride;
  const uint32_t left = p.output_channels - 8 * half;
  const uint32_t count = left < 8 ? left : 8;
#pragma GCC unroll 3
  for (int r = 0; r < kRows; r += 4, to += 4 * stride) {
    constexpr int kLast = kRows - 1;
    const auto at = [&](int row) -> const __m256i& { return sums[row < kLast ? row : kLast]; };
    __m256i bytes = rows(at(r), at(r + 1), at(r + 2), at(r + 3));
    if (part.clamped) {
      bytes = _mm256_max_epu8(bytes, _mm256_set1_epi32(part.lo));
      bytes = _mm256_min_epu8(bytes, _mm256_set1_epi32(part.hi));
    }
    StoreRows8(bytes, to, stride, (uint32_t)(kRows - r < 4 ? kRows - r : 4), count);
  }
  if (part.tail.table != nullptr) {
    to = p.output + 8 * half;
    for (int r = 0; r < kRows; ++r) ApplyTable(to + (size_t)r * stride, count, part.tail.table);
  }
}

template <int kRows>
static inline void FinishRows(const PanelS8& p, const PartAvx2& part, uint32_t half,
                              __m256i (&sums)[kRows]) {
  if (part.tail.kind.fused) return FinishRowsAs<FusedRows>(p, part, half, sums);
  if (part.tail.unusual) AdjustSums(part.tail, sums, kRows);
  FinishRowsAs<WholeRows>(p, part, half, sums);
}

// The loops in a function of their own, so that all sums stay in registers; at a boundary of 64
// bytes, because chance placement costs up to 8 %.
template <int kRows, Way kWay>
__attribute__((noinline, aligned(64))) static void Multiply(const int32_t* start,
                                                            const int8_t* weights,
                                                            const Areas& areas,
                                                            const uint16_t* list, uint64_t groups,
                                                            __m256i (&sums)[kRows]) {
  __m256i acc[kRows];
#pragma GCC unroll 10
  for (int r = 0; r < kRows; ++r) acc[r] = Load8(start);
  if (kWay == Way::kHalves) {
    MultiplyOther<kRows>(areas, nullptr, groups, weights, acc);
  } else {
    constexpr bool kPaired = kWay == Way::kPaired;
    const uint32_t twos = list[0], alone = list[1];
    list += 2;
    MultiplyListed<kRows, 2, kPaired>(areas, list, twos, weights, acc);
    list += 2 * twos;
    MultiplyListed<kRows, 1, kPaired>(areas, list, alone, weights, acc);
    list += alone;
    MultiplyOther<kRows>(areas, list, groups - 2 * twos - alone, weights, acc);
  }
#pragma GCC unroll 10
  for (int r = 0; r < kRows; ++r) sums[r] = acc[r];
}

// kRows pixels x 16 outputs.
template <int kRows>
static void Panel(const PartAvx2& part, const PanelS8& p) {
  const Areas& areas = part.areas;
  const uint64_t groups = part.groups;
  const size_t step = Avx2ListBytes(groups);
  for (uint32_t half = 0; half < 2 && 8 * half < p.output_channels; ++half) {
    const int32_t* start = part.constants[p.block].start + 8 * half;
    const int8_t* weights = p.weights + 32 * half;
    const uint8_t* lists =
        part.lists + (part.way == Way::kHalves ? 0 : (2 * p.block + half) * step);
    const uint16_t* list = reinterpret_cast<const uint16_t*>(lists);
    __m256i sums[kRows];
    switch (part.way) {
      case Way::kHalves:
        Multiply<kRows, Way::kHalves>(start, weights, areas, list, groups, sums);
        break;
      case Way::kInOrder:
        Multiply<kRows, Way::kInOrder>(start, weights, areas, list, groups, sums);
        break;
      case Way::kPaired:
        Multiply<kRows, Way::kPaired>(start, weights, areas, list, groups, sums);
        break;
    }
    FinishRows<kRows>(p, part, half, sums);
  }
}

// Rows that are not interleaved, one after another.
static void RunRowByRow(const PartAvx2& part, PanelS8 one, uint32_t rows) {
  for (uint32_t r = 0; r < rows; ++r, ++one.pointers, one.output += one.output_stride) {
    __m256i sums[2];
    MultiplyRow(one, part.constants[one.block], sums);
    for (uint32_t half = 0; half < 2 && 8 * half < one.output_channels; ++half) {
      __m256i row[1] = {sums[half]};
      FinishRows<1>(one, part, half, row);
    }
  }
}

struct Avx2 {
  static constexpr ConvRules kRules = kRulesAvx2;
  typedef ConvS8Args Args;
  typedef PartAvx2 Part;
  static void FillPadding(const ConvS8Args& args, const ConvPlan& plan) {
    FillRowPadding(args, plan);
    FillPlaces(plan);
  }
  static void Begin(const ConvS8Args& args, const ConvPlan& plan, const ConvOutputs& outputs,
                    PanelS8* panel, Part* part) {
    BeginPart(args, outputs, part);
    part->plan = &plan;
    part->areas = AreasOf(plan);
    part->groups = GroupsOf(plan);
    part->clamped = args.clamp_lo != -128 || args.clamp_hi != 127;
    part->lo = (int32_t)((uint32_t)(args.clamp_lo + 128) * 0x01010101u);
    part->hi = (int32_t)((uint32_t)(args.clamp_hi + 128) * 0x01010101u);
    part->lists = args.kept;
    part->way = Way::kHalves;
    if (args.kept != nullptr) {
      part->way = args.kept[0] != 0 ? Way::kPaired : Way::kInOrder;
      part->lists += kAvx2ListsHead + 2 * outputs.first * Avx2ListBytes(part->groups);
      // Lists do not lead along the weights in order, which the hardware's prefetcher wants.
      for (size_t i = 0; i < outputs.blocks * plan.block_step; i += 64) {
        _mm_prefetch(panel->weights + i, _MM_HINT_T1);
      }
    }
    part->columns = ColumnsOf(part->areas, part->way);
    part->pointwise = plan.rows == Rows::kPointed && IsPointwise(plan.g);
    OrderShortWindow(plan, &part->window);
  }
  static uint32_t Prepare(const ConvS8Args& args, const ConvPlan& plan, uint64_t group,
                          uint64_t pixel, Part* part) {
    if (plan.columns != 0) return InterleaveLines(args, plan, group, pixel, *part);
    if (part->pointwise && !RowByRow(plan, TileRows(plan, pixel))) {
      const uint32_t rows = TileRows(plan, pixel);
      InterleavePointwise(args, plan, group, pixel, *part, rows);
      return rows;
    }
    uint32_t rows = TileRows(plan, pixel);
    if (part->window.fits) {
      PackShortRows(args, plan, pixel, rows, part->window);
    } else {
      rows = GatherRows(args, plan, group, pixel);
    }
    if (!RowByRow(plan, rows)) InterleaveTile(plan, *part, rows);
    return rows;
  }
  static void Run(const PartAvx2& part, const PanelS8& panel, uint32_t rows, uint32_t) {
    static constexpr void (*kPanels[])(const PartAvx2&, const PanelS8&) = {
        Panel<2>, Panel<3>, Panel<4>, Panel<5>, Panel<6>, Panel<7>, Panel<8>, Panel<9>, Panel<10>};
    if (RowByRow(*part.plan, rows)) return RunRowByRow(part, panel, rows);
    kPanels[rows - 2](part, panel);
  }
};

}  // namespace
}  // namespace octet
