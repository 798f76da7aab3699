// Tiles of conv/x86_avx2.cc: pixels interleaved, [group of 4 channels][kSlots][4 or 8 bytes].
// Windows have a slot for each row of the tile. Lines have some for the pixels beside them too.
#include "runtime/kernels/conv/x86_avx2_areas.inl.h"

namespace octet {
namespace {

static inline __m128i Load16(const uint8_t* from) {
  return _mm_loadu_si128(reinterpret_cast<const __m128i*>(from));
}

static inline __m256i EvenHalves(__m256i x) {
  return _mm256_and_si256(x, _mm256_set1_epi16(0x00FF));
}

// Pixels 0 to 7 of one group.
template <uint32_t kSlots>
static inline void Store8(const Columns& to, uint64_t k, __m256i x) {
  const uint64_t at = k * 4 * kSlots;
  if (to.paired) {
    const __m256i y = _mm256_shuffle_epi8(x, Load32(kWindows.order[kSwapped]));
    const __m256i low = _mm256_unpacklo_epi32(x, y), high = _mm256_unpackhi_epi32(x, y);
    __m256i* out = reinterpret_cast<__m256i*>(to.bytes + 2 * at);
    _mm256_storeu_si256(out, _mm256_permute2x128_si256(low, high, 0x20));
    _mm256_storeu_si256(out + 1, _mm256_permute2x128_si256(low, high, 0x31));
  } else if (to.bytes != nullptr) {
    _mm256_storeu_si256(reinterpret_cast<__m256i*>(to.bytes + at), x);
  }
  _mm256_storeu_si256(reinterpret_cast<__m256i*>(to.even + at), EvenHalves(x));
  _mm256_storeu_si256(reinterpret_cast<__m256i*>(to.odd + at), _mm256_srli_epi16(x, 8));
}

// 16 bytes, or 8.
template <bool kAll>
static inline void StoreSome(uint8_t* to, __m128i x) {
  if constexpr (kAll) {
    _mm_storeu_si128(reinterpret_cast<__m128i*>(to), x);
  } else {
    _mm_storel_epi64(reinterpret_cast<__m128i*>(to), x);
  }
}

// The pixels from 8 on.
template <uint32_t kSlots>
static inline void StoreRest(const Columns& to, uint64_t k, __m128i x) {
  constexpr bool kFour = kSlots == 12;
  const uint64_t at = k * 4 * kSlots + 32;
  if (to.paired) {
    const __m128i y = _mm_shuffle_epi8(x, Load16(kWindows.order[kSwapped]));
    StoreSome<true>(to.bytes + 2 * at, _mm_unpacklo_epi32(x, y));
    if (kFour) StoreSome<true>(to.bytes + 2 * at + 16, _mm_unpackhi_epi32(x, y));
  } else if (to.bytes != nullptr) {
    StoreSome<kFour>(to.bytes + at, x);
  }
  StoreSome<kFour>(to.even + at, _mm_and_si128(x, _mm_set1_epi16(0x00FF)));
  StoreSome<kFour>(to.odd + at, _mm_srli_epi16(x, 8));
}

static inline __m256i Load16x2(const uint8_t* low, const uint8_t* high) {
  return _mm256_inserti128_si256(_mm256_castsi128_si256(Load16(low)), Load16(high), 1);
}

// 4 groups from k on.
template <uint32_t kSlots>
static inline void InterleaveGroups(const uint8_t* const (&in)[kSlots], uint32_t count, uint64_t k,
                                    const Columns& to) {
  __m256i x[4];
#pragma GCC unroll 4
  for (int r = 0; r < 4; ++r) x[r] = Load16x2(in[r] + 4 * k, in[r + 4] + 4 * k);
  const __m256i low01 = _mm256_unpacklo_epi32(x[0], x[1]);
  const __m256i high01 = _mm256_unpackhi_epi32(x[0], x[1]);
  const __m256i low23 = _mm256_unpacklo_epi32(x[2], x[3]);
  const __m256i high23 = _mm256_unpackhi_epi32(x[2], x[3]);
  Store8<kSlots>(to, k, _mm256_unpacklo_epi64(low01, low23));
  Store8<kSlots>(to, k + 1, _mm256_unpackhi_epi64(low01, low23));
  Store8<kSlots>(to, k + 2, _mm256_unpacklo_epi64(high01, high23));
  Store8<kSlots>(to, k + 3, _mm256_unpackhi_epi64(high01, high23));
  if (count <= 8) return;
  static_assert(kSlots == 10 || kSlots == 12, "what StoreRest() writes");
  __m128i ab[2], cd[2] = {};
  const __m128i a = Load16(in[8] + 4 * k), b = Load16(in[9] + 4 * k);
  ab[0] = _mm_unpacklo_epi32(a, b);
  ab[1] = _mm_unpackhi_epi32(a, b);
  if constexpr (kSlots == 12) {
    const __m128i c = Load16(in[10] + 4 * k), d = Load16(in[11] + 4 * k);
    cd[0] = _mm_unpacklo_epi32(c, d);
    cd[1] = _mm_unpackhi_epi32(c, d);
  }
#pragma GCC unroll 2
  for (uint32_t i = 0; i < 2; ++i) {
    StoreRest<kSlots>(to, k + 2 * i, _mm_unpacklo_epi64(ab[i], cd[i]));
    const __m128i high =
        kSlots == 12 ? _mm_unpackhi_epi64(ab[i], cd[i]) : _mm_unpackhi_epi64(ab[i], ab[i]);
    StoreRest<kSlots>(to, k + 2 * i + 1, high);
  }
}

// `groups` groups of `count` pixels. All pointers are valid. The last four groups may be done
// twice.
template <uint32_t kSlots>
static inline void InterleavePixels(const uint8_t* const (&in)[kSlots], uint32_t count,
                                    uint64_t groups, const Columns& to) {
  if (groups >= 4) {
    for (uint64_t k = 0; k + 4 <= groups; k += 4) InterleaveGroups<kSlots>(in, count, k, to);
    if (groups % 4 != 0) InterleaveGroups<kSlots>(in, count, groups - 4, to);
    return;
  }
  for (uint64_t k = 0; k < groups; ++k) {
    for (uint32_t r = 0; r < count; ++r) {
      const uint64_t at = (k * kSlots + r) * 4;
      uint32_t word;
      memcpy(&word, in[r] + 4 * k, 4);
      const uint32_t even = word & 0x00FF00FFu, odd = (word >> 8) & 0x00FF00FFu;
      if (to.paired) {
        const uint32_t middle = (word >> 8 & 0xFF00u) | (word << 8 & 0xFF0000u);
        const uint32_t swapped = (word & 0xFF0000FFu) | middle;
        memcpy(to.bytes + 2 * at, &word, 4);
        memcpy(to.bytes + 2 * at + 4, &swapped, 4);
      } else if (to.bytes != nullptr) {
        memcpy(to.bytes + at, &word, 4);
      }
      memcpy(to.even + at, &even, 4);
      memcpy(to.odd + at, &odd, 4);
    }
  }
}

static inline Columns ColumnsOf(const Areas& areas, Way way) {
  return Columns{way != Way::kHalves ? areas.bytes : nullptr, areas.even, areas.odd,
                 way == Way::kPaired};
}

static inline Columns Behind(Columns to, size_t bytes) {
  if (to.bytes != nullptr) to.bytes += to.paired ? 2 * bytes : bytes;
  to.even += bytes;
  to.odd += bytes;
  return to;
}

// Windows of a pointwise layer: the same pixels of input and output, without pointers.
static inline void InterleavePointwise(const ConvS8Args& args, const ConvPlan& plan, uint64_t group,
                                       uint64_t pixel, const PartAvx2& part, uint32_t rows) {
  const size_t step = plan.g.in_c;
  const uint8_t* const first = args.input + group * plan.group_in + pixel * step;
  const uint8_t* in[kMaxRows];
#pragma GCC unroll 10
  for (uint32_t r = 0; r < kMaxRows; ++r) in[r] = first + (r < rows ? r : rows - 1) * step;
  InterleavePixels<kMaxRows>(in, rows, plan.group_in / 4, part.columns);
}

// Windows of `rows` output pixels, each tap by itself.
static void InterleaveTile(const ConvPlan& plan, const PartAvx2& part, uint32_t rows) {
  Columns to = part.columns;
  const bool packed = plan.rows == Rows::kPacked;
  const uint64_t taps = packed ? 1 : plan.taps;
  const uint64_t step = (packed ? GroupsOf(plan) : plan.group_in / 4) * 4 * kMaxRows;
  for (uint64_t tap = 0; tap < taps; ++tap, to = Behind(to, step)) {
    const uint8_t* in[kMaxRows];
    for (uint32_t r = 0; r < kMaxRows; ++r) {
      in[r] = plan.pointers[tap * kMaxRows + (r < rows ? r : rows - 1)];
    }
    // Packed rows are readable to their full depth, a multiple of 4 groups.
    InterleavePixels<kMaxRows>(in, rows, packed ? plan.deep / 4 : plan.group_in / 4, to);
  }
}

// A series of `count` pixels of each line of the image, stride_w apart: those from `first` to `end`
// are inside.
struct Series {
  uint32_t first, end;
  int64_t x;  // of the first one inside
};

static inline Series SeriesOf(const ConvGeometry& g, int64_t x, uint32_t count) {
  const int64_t step = g.stride_w;
  Series s = {0, count, x};
  for (; s.first < count && s.x < 0; s.x += step) ++s.first;
  while (s.end > s.first && x + (int64_t)(s.end - 1) * step >= g.in_w) --s.end;
  return s;
}

// The slots of a line; those outside the image, and that nothing reads, are padding.
static inline void PointSeries(const RowSource& source, const Series& s, int64_t y,
                               const uint8_t* (&in)[kLineSlots]) {
  const ConvGeometry& g = source.g;
#pragma GCC unroll 12
  for (uint32_t i = 0; i < kLineSlots; ++i) in[i] = source.padding;
  if (y < 0 || y >= g.in_h || s.first == s.end) return;
  Progress(in + s.first, source.input + ((size_t)y * g.in_w + (size_t)s.x) * g.in_c,
           (size_t)g.stride_w * g.in_c, s.end - s.first);
}

// The output pixels from `pixel` on, part of a line: the pixels under them are interleaved once for
// all taps of a row of the window. Returns how many; tiles of a line are about equally wide.
static uint32_t InterleaveLines(const ConvS8Args& args, const ConvPlan& plan, uint64_t group,
                                uint64_t pixel, const PartAvx2& part) {
  const ConvGeometry& g = plan.g;
  const Pixel p = PixelOf(g, pixel);
  const RowSource source = SourceOfGroup(args, plan, group);
  const uint32_t left = g.out_w - p.x;
  const uint32_t rows = CeilDiv32(left, CeilDiv32(left, plan.columns));
  const int64_t y = (int64_t)p.y * g.stride_h - g.pad_top;
  const int64_t x = (int64_t)p.x * g.stride_w - g.pad_left;
  const uint64_t groups = plan.group_in / 4;
  const uint32_t residues = ResiduesOf(g);
  const size_t step = groups * 4 * kLineSlots, line = residues * step;
  const Columns& all = part.columns;
  for (uint32_t i = 0; i < residues; ++i) {
    const uint32_t count = rows + (g.kernel_w - 1 - i) / g.stride_w;
    const Series series = SeriesOf(g, x + i, count);
    Columns to = Behind(all, i * step);
    for (uint32_t ky = 0; ky < g.kernel_h; ++ky, to = Behind(to, line)) {
      const uint8_t* in[kLineSlots];
      PointSeries(source, series, y + (int64_t)ky * g.dilation_h, in);
      InterleavePixels<kLineSlots>(in, count, groups, to);
    }
  }
  return rows;
}

}  // namespace
}  // namespace octet
