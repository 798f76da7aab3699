// Sums over source rows, then over columns, for every combination of weights: loops that the
// compiler turns into vectors of the including file's instruction set. Internal linkage.
#ifndef OCTET_KERNELS_FRAME_SUMS_INL_H_
#define OCTET_KERNELS_FRAME_SUMS_INL_H_

#include "runtime/kernels/frame/geometry.inl.h"

namespace octet {
namespace {

// sums[x] = (start ? 0 : sums[x]) + the weighted sum of kRows rows.
template <uint32_t kRows, bool kStart, class Sum>
static inline void AddRows(const RowTaps& taps, uint32_t count, Sum* __restrict sums) {
  const uint8_t* __restrict a = taps.rows[0];
  const uint8_t* __restrict b = taps.rows[1];
  const uint8_t* __restrict c = taps.rows[2];
  const uint8_t* __restrict d = taps.rows[3];
  const Sum wa = (Sum)taps.weights[0], wb = (Sum)taps.weights[1], wc = (Sum)taps.weights[2],
            wd = (Sum)taps.weights[3];
  uint32_t x = AddRowsVector<kRows, kStart>(taps, count, sums);
  for (; x < count; ++x) {
    Sum sum = (Sum)(wa * a[x]);
    if (kRows > 1) sum = (Sum)(sum + (Sum)(wb * b[x]));
    if (kRows > 2) sum = (Sum)(sum + (Sum)(wc * c[x]));
    if (kRows > 3) sum = (Sum)(sum + (Sum)(wd * d[x]));
    sums[x] = kStart ? sum : (Sum)(sums[x] + sum);
  }
}

template <bool kStart, class Sum>
static inline void AddRowsOf(uint32_t rows, const RowTaps& taps, uint32_t count, Sum* sums) {
  switch (rows) {
    case 1:
      return AddRows<1, kStart>(taps, count, sums);
    case 2:
      return AddRows<2, kStart>(taps, count, sums);
    case 3:
      return AddRows<3, kStart>(taps, count, sums);
    default:
      return AddRows<4, kStart>(taps, count, sums);
  }
}

// `count` bytes from `first` on of the rows of output y.
template <class Sum>
static inline void SumRows(const Plane& plane, const AxisWeights& weights, uint32_t y, size_t first,
                           uint32_t count, Sum* sums) {
  const Taps taps = TapsOf(weights.axis, y);
  const uint8_t* row = plane.pixels + (size_t)taps.first * plane.row_bytes + first;
  for (uint32_t r = 0; r < taps.count; r += 4) {
    const uint32_t rows = taps.count - r < 4 ? taps.count - r : 4;
    RowTaps some = {{row, row, row, row}, {0, 0, 0, 0}};
    for (uint32_t k = 0; k < rows; ++k, row += plane.row_bytes) {
      some.rows[k] = row;
      some.weights[k] = (uint32_t)WeightOf(taps, r + k) >> weights.shift;
    }
    if (r == 0) {
      AddRowsOf<true>(rows, some, count, sums);
    } else {
      AddRowsOf<false>(rows, some, count, sums);
    }
  }
}

// How the outputs of a strip read its sums, positions relative to the strip's first column.
struct SumColumns {
  uint16_t position[kStrip + 1];  // area: where the boundary before output i lies; linear: low tap
  uint16_t weight[kStrip + 1];    // area: the part of that column before it; linear: the high tap's
};

static inline void FillSumColumns(const AxisWeights& weights, uint32_t first, uint32_t count,
                                  uint32_t begin, SumColumns* columns) {
  const Axis& axis = weights.axis;
  if (weights.box != 0) return;
  for (uint32_t i = 0; i < count + (axis.area ? 1 : 0); ++i) {
    if (axis.area) {
      const uint64_t boundary = (uint64_t)(first + i) * axis.in;
      columns->position[i] = (uint16_t)(boundary / axis.out - begin);
      columns->weight[i] = (uint16_t)(boundary % axis.out);
    } else {
      const Taps taps = LinearTaps(axis, first + i);
      columns->position[i] = (uint16_t)(taps.first - begin);
      columns->weight[i] = (uint16_t)(taps.count == 2 ? taps.last_weight >> weights.shift : 0);
    }
  }
}

template <bool kWide>
static inline uint8_t Round(const Rounding& rounding, uint32_t sum) {
  const uint32_t n = 2 * sum + rounding.total;
  return kWide ? (uint8_t)((uint64_t)n * rounding.multiplier >> rounding.shift)
               : (uint8_t)((n * rounding.multiplier) >> rounding.shift);
}

template <uint32_t kBox, bool kWide, class Sum>
static inline void RoundBoxesOf(const Rounding& rounding, const Sum* __restrict sums,
                                uint32_t count, uint8_t* __restrict out) {
  const Rounding r = rounding;
  for (uint32_t i = 0; i < count; ++i) {
    uint32_t sum = 0;
    for (uint32_t k = 0; k < kBox; ++k) sum += sums[kBox * i + k];
    out[i] = Round<kWide>(r, sum);
  }
}

template <bool kWide, class Sum>
static inline void RoundBoxes(uint32_t box, const Rounding& rounding, const Sum* __restrict sums,
                              uint32_t count, uint8_t* __restrict out) {
  switch (box) {
    case 1:
      return RoundBoxesOf<1, kWide>(rounding, sums, count, out);
    case 2:
      return RoundBoxesOf<2, kWide>(rounding, sums, count, out);
    case 3:
      return RoundBoxesOf<3, kWide>(rounding, sums, count, out);
    case 4:
      return RoundBoxesOf<4, kWide>(rounding, sums, count, out);
    case 6:
      return RoundBoxesOf<6, kWide>(rounding, sums, count, out);
    default:
      for (uint32_t i = 0; i < count; ++i, sums += box) {
        uint32_t sum = 0;
        for (uint32_t k = 0; k < box; ++k) sum += sums[k];
        out[i] = Round<kWide>(rounding, sum);
      }
  }
}

// Every column is split between the outputs on both its sides once: what is left of it behind a
// boundary is where the next output begins.
template <bool kWide, class Sum>
static inline void RoundAreas(const Axis& axis, const SumColumns& columns, const Rounding& rounding,
                              const Sum* __restrict sums, uint32_t count, uint8_t* __restrict out) {
  const uint32_t unit = axis.out;
  uint32_t x = columns.position[0];
  uint32_t part = sums[x] * (unit - columns.weight[0]);
  for (uint32_t i = 0; i < count; ++i) {
    const uint32_t end = columns.position[i + 1], before = columns.weight[i + 1];
    uint32_t inner = 0;
    for (++x; x < end; ++x) inner += sums[x];
    // At the picture's end the boundary lies behind the last column, with nothing before it.
    const uint32_t last = sums[end];
    out[i] = Round<kWide>(rounding, part + inner * unit + last * before);
    part = last * (unit - before);
  }
}

template <bool kWide, class Sum>
static inline void RoundLinears(uint32_t total, const SumColumns& columns, const Rounding& rounding,
                                const Sum* __restrict sums, uint32_t count,
                                uint8_t* __restrict out) {
  for (uint32_t i = 0; i < count; ++i) {
    const uint32_t at = columns.position[i], high = columns.weight[i];
    out[i] = Round<kWide>(rounding, sums[at] * (total - high) + sums[at + 1] * high);
  }
}

template <bool kWide, class Sum>
static inline void RoundColumnsOf(const GroupPlan& plan, const SumColumns& columns, const Sum* sums,
                                  uint32_t count, uint8_t* out) {
  if (plan.columns.box != 0) {
    RoundBoxes<kWide>(plan.columns.box, plan.rounding, sums, count, out);
  } else if (plan.columns.axis.area) {
    RoundAreas<kWide>(plan.columns.axis, columns, plan.rounding, sums, count, out);
  } else {
    RoundLinears<kWide>(plan.columns.total, columns, plan.rounding, sums, count, out);
  }
}

template <class Sum>
static inline void RoundColumns(const GroupPlan& plan, const SumColumns& columns, const Sum* sums,
                                uint32_t count, uint8_t* out) {
  if (plan.rounding.wide) {
    RoundColumnsOf<true>(plan, columns, sums, count, out);
  } else {
    RoundColumnsOf<false>(plan, columns, sums, count, out);
  }
}

// Components out of interleaved pixels: to[k][i] = from[i * step + offsets[k]].
template <uint32_t kStep, class T>
static inline void SplitBy(const T* __restrict from, uint32_t count, uint32_t offset,
                           T* __restrict to) {
  for (uint32_t i = 0; i < count; ++i) to[i] = from[i * kStep + offset];
}

template <class T>
static inline void Split(uint32_t step, const T* from, uint32_t count, uint32_t offset, T* to) {
  if (step == 2) return SplitBy<2>(from, count, offset, to);
  if (step == 3) return SplitBy<3>(from, count, offset, to);
  SplitBy<4>(from, count, offset, to);
}

}  // namespace
}  // namespace octet

#endif  // OCTET_KERNELS_FRAME_SUMS_INL_H_
