// Sums over source rows, then over columns, for every combination of weights, with the vectors of
// the including file (driver.inl.h lists what it defines). Internal linkage.
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

// Any other columns: the value low_weight * line[x] + high_weight * line[x + 1] of a line of
// 32-bit numbers, x = at / sizeof(uint32_t), positions relative to the strip's first column.
// Bilinear: the line is the sums, the value the output's sum. Area: the line holds the sum of all
// columns before, the value is that sum up to the boundary before output i (whole columns, and a
// part of the next one), and the output's sum the difference of two neighbours. 32 bits may
// overflow in between, not in the difference.
struct SumColumns {
  uint16_t at[kStrip + 8];  // in bytes
  uint16_t low_weight[kStrip + 8], high_weight[kStrip + 8];
};

static inline void FillSumColumns(const AxisWeights& weights, const Strip& strip, uint32_t begin,
                                  SumColumns* columns) {
  const Axis& axis = weights.axis;
  // Up to a whole number of vectors, and the boundary behind the last output.
  const uint32_t padded = (strip.count + 8) & ~7u;
  for (uint32_t i = 0; i < padded; ++i) {
    uint32_t at = 0, low = 0, high = 0;
    if (axis.area) {
      const uint64_t boundary = (uint64_t)(strip.first + i) * axis.in;
      at = (uint32_t)(boundary / axis.out) - begin;
      high = (uint32_t)(boundary % axis.out);
      low = axis.out - high;
    } else if (i < strip.count) {
      const Taps taps = LinearTaps(axis, strip.first + i);
      at = taps.first - begin;
      high = taps.count == 2 ? (uint32_t)taps.last_weight >> weights.shift : 0;
      low = weights.total - high;
    }
    const bool inside = i <= strip.count;
    columns->at[i] = (uint16_t)(inside ? at * sizeof(uint32_t) : 0);
    columns->low_weight[i] = (uint16_t)low;
    columns->high_weight[i] = (uint16_t)high;
  }
}

template <uint32_t kBox, bool kWide>
static inline void RoundBoxesOf(const VectorRounding& rounding, const uint16_t* sums,
                                uint32_t count, uint8_t* out) {
  for (size_t i = 0; i < count; i += 8) {
    StoreRounded<kWide>(rounding, BoxSums<kBox>(sums + kBox * i), out + i);
  }
}

template <bool kWide>
static inline void RoundBoxes(uint32_t box, const VectorRounding& rounding, const uint16_t* sums,
                              uint32_t count, uint8_t* out) {
  switch (box) {
    case 1:
      return RoundBoxesOf<1, kWide>(rounding, sums, count, out);
    case 2:
      return RoundBoxesOf<2, kWide>(rounding, sums, count, out);
    case 3:
      return RoundBoxesOf<3, kWide>(rounding, sums, count, out);
    case 4:
      return RoundBoxesOf<4, kWide>(rounding, sums, count, out);
    default:
      return RoundBoxesOf<6, kWide>(rounding, sums, count, out);
  }
}

static inline void WeighPairs(const SumColumns& columns, uint32_t count, const uint32_t* line,
                              uint32_t* values) {
  for (size_t i = 0; i < count; i += 8) {
    StoreSums(WeighPairs8(line, columns.at + i, columns.low_weight + i, columns.high_weight + i),
              values + i);
  }
}

// line: room for width + kSlack; values: room for count + 16.
template <bool kWide, class Sum>
static inline void RoundColumnsOf(const GroupPlan& plan, const SumColumns& columns, const Sum* sums,
                                  uint32_t width, uint32_t count, uint32_t* line, uint32_t* values,
                                  uint8_t* out) {
  const VectorRounding rounding = MakeVectorRounding(plan.rounding);
  if (plan.columns.axis.area) {
    RunningSums(sums, width, line);
    WeighPairs(columns, count + 1, line, values);
    for (size_t i = 0; i < count; i += 8) {
      StoreRounded<kWide>(rounding, Difference(LoadSums(values + i + 1), LoadSums(values + i)),
                          out + i);
    }
    return;
  }
  for (size_t x = 0; x < width; x += 8) StoreSums(LoadSums(sums + x), line + x);
  for (size_t i = 0; i < count; i += 8) {
    StoreRounded<kWide>(
        rounding,
        WeighPairs8(line, columns.at + i, columns.low_weight + i, columns.high_weight + i),
        out + i);
  }
}

static inline void RoundColumns(const GroupPlan& plan, const SumColumns& columns,
                                const uint16_t* sums, uint32_t width, uint32_t count,
                                uint32_t* line, uint32_t* values, uint8_t* out) {
  if (IsVectorBox(plan)) {
    const VectorRounding rounding = MakeVectorRounding(plan.rounding);
    if (plan.rounding.wide) return RoundBoxes<true>(plan.columns.box, rounding, sums, count, out);
    return RoundBoxes<false>(plan.columns.box, rounding, sums, count, out);
  }
  if (plan.rounding.wide) {
    RoundColumnsOf<true>(plan, columns, sums, width, count, line, values, out);
  } else {
    RoundColumnsOf<false>(plan, columns, sums, width, count, line, values, out);
  }
}

static inline void RoundColumns(const GroupPlan& plan, const SumColumns& columns,
                                const uint32_t* sums, uint32_t width, uint32_t count,
                                uint32_t* line, uint32_t* values, uint8_t* out) {
  if (plan.rounding.wide) {
    RoundColumnsOf<true>(plan, columns, sums, width, count, line, values, out);
  } else {
    RoundColumnsOf<false>(plan, columns, sums, width, count, line, values, out);
  }
}

// One component out of interleaved pixels: to[i] = from[i * step + offset].
template <uint32_t kStep, class T>
static inline void SplitBy(const T* from, uint32_t count, uint32_t offset, T* to) {
  uint32_t i = SplitVector<kStep>(from, count, offset, to);
  for (; i < count; ++i) to[i] = from[i * kStep + offset];
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
