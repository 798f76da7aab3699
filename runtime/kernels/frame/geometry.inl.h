// How a group of components is resized: which path, with which weights, in which strips of output
// columns. Included by the vector versions only; internal linkage.
//
// Weights that have a common factor are divided by it: sum and total then shrink alike, and the
// quotient of the rule, floor((2 sum + total) / (2 total)), stays. An area of in to out has weights
// of at most out' that add up to in' (in' / out' in lowest terms); bilinear halving is the mean of
// two pixels, and bilinear by a ratio whose out' is a power of two has weights in 1 / (2 out').
#ifndef OCTET_KERNELS_FRAME_GEOMETRY_INL_H_
#define OCTET_KERNELS_FRAME_GEOMETRY_INL_H_

#include <stddef.h>

#include "runtime/image/taps.h"
#include "runtime/kernels/frame/frame.h"

namespace octet {
namespace {

constexpr uint32_t kStrip = 320;       // most output columns at once
constexpr uint32_t kSlack = 48;        // elements that a vector may touch behind the last one
constexpr uint32_t kWorkBytes = 4096;  // sums of a strip, or two rows of it split by component

struct Strip {
  uint32_t first, count;  // output columns
};

enum class Path : uint8_t {
  kCopy,    // equal sizes
  kBox4,    // rows and columns by 4, one component a pixel: in registers
  kBox2,    // rows and columns by 2, one component or a pair a pixel: in registers
  kLinear,  // both axes bilinear
  kSums,    // sums over the rows, then over the columns
  kSlow,    // pixel by pixel, for what the others have no room for
};

struct AxisWeights {
  Axis axis;       // in lowest terms where `area`
  uint32_t total;  // what the weights of one output add up to
  uint32_t shift;  // of linear weights: their common power of two
  uint32_t box;    // whole source pixels an output, all with weight 1; 0 where it is not that
};

static inline uint32_t GreatestCommonDivisor(uint32_t a, uint32_t b) {
  while (b != 0) {
    const uint32_t rest = a % b;
    a = b;
    b = rest;
  }
  return a;
}

static inline AxisWeights WeightsOf(uint32_t in, uint32_t out) {
  const uint32_t divisor = GreatestCommonDivisor(in, out);
  const uint32_t low_in = in / divisor, low_out = out / divisor;
  if (in > 2 * (uint64_t)out || low_out == 1) {
    return AxisWeights{{low_in, low_out, true}, low_in, 0, low_out == 1 ? low_in : 0};
  }
  AxisWeights weights = {{in, out, false}, kLinearTotal, 0, 0};
  // Positions are odd multiples of in' 2^15 / out' less 2^15: weights are multiples of 2^10 / out'.
  if (low_out <= 1024 && (low_out & (low_out - 1)) == 0) {
    weights.total = 2 * low_out;
    while ((kLinearTotal >> weights.shift) != weights.total) ++weights.shift;
  }
  return weights;
}

// floor((2 sum + total) / (2 total)) as ((2 sum + total) * multiplier) >> shift: with d = 2 total,
// multiplier = ceil(2^shift / d) and n = 2 sum + total < 256 d it is exact where 256 d^2 <= 2^shift
// (the excess n (multiplier d - 2^shift) / (d 2^shift) stays below 1 / d). 32 bits hold the product
// where d <= 256 (shift 24: 256 d (2^24 / d + 1) / ... < 2^32 as n <= 255.5 d) and where d is a
// power of two; otherwise 64 do, shift being 32 or more.
struct Rounding {
  uint32_t total, multiplier, shift;
  bool wide;
};

constexpr uint32_t kMaxTotal = 1u << 21;  // 2 sum + total < 2^30, multiplier < 2^32

static inline Rounding RoundingOf(uint32_t total) {
  const uint64_t d = 2 * (uint64_t)total;
  if ((d & (d - 1)) == 0) {
    uint32_t shift = 1;
    while (((uint64_t)1 << shift) != d) ++shift;
    return Rounding{total, 1, shift, false};
  }
  uint32_t shift = 24;
  if (d > 256) {
    shift = 32;
    while (((uint64_t)1 << shift) < 256 * d * d) ++shift;
  }
  return Rounding{total, (uint32_t)((((uint64_t)1 << shift) + d - 1) / d), shift, shift > 24};
}

// Rows of one output and their weights, for boxes of columns that are summed before the rows.
constexpr uint32_t kMaxBoxRows = 20;
struct BoxRows {
  const uint8_t* first;  // the strip's first column
  size_t row_bytes;
  uint32_t count;
  uint16_t weights[kMaxBoxRows];
};

struct GroupPlan {
  Path path;
  bool boxes;      // kSums: columns by 2 or 4, and all sums in 16 bits
  bool wide_sums;  // sums of rows in 32 bits, not 16
  AxisWeights rows, columns;
  Rounding rounding;
};

static inline GroupPlan PlanGroup(const ComponentGroup& group, const Region& target) {
  GroupPlan plan = {Path::kSlow,
                    false,
                    false,
                    WeightsOf(group.plane.height, target.height),
                    WeightsOf(group.plane.width, target.width),
                    Rounding{}};
  const uint64_t total = (uint64_t)plan.rows.total * plan.columns.total;
  const uint32_t step = group.plane.step, box = plan.rows.box;
  plan.wide_sums = plan.rows.total > 257;  // 257 * 255 = 65535
  if (box == 1 && plan.columns.box == 1) {
    plan.path = Path::kCopy;
  } else if (box == plan.columns.box && (box == 4 || box == 2) && step == 1) {
    plan.path = box == 4 ? Path::kBox4 : Path::kBox2;
  } else if (box == 2 && plan.columns.box == 2 && step == 2 && group.count == 2) {
    plan.path = Path::kBox2;
  } else if (!plan.rows.axis.area && !plan.columns.axis.area) {
    if (group.plane.width >= 16) plan.path = Path::kLinear;
  } else if (total <= kMaxTotal) {
    plan.path = Path::kSums;
    plan.rounding = RoundingOf((uint32_t)total);
    // An output reads fewer than in / out + 3 rows.
    plan.boxes = (plan.columns.box == 2 || plan.columns.box == 4) && total * 255 <= 65535 &&
                 plan.rows.axis.in / plan.rows.axis.out + 3 <= kMaxBoxRows;
  }
  return plan;
}

// Up to four source rows of an output row.
struct RowTaps {
  const uint8_t* rows[4];
  uint32_t weights[4];
};

// Source columns of outputs [first, first + count).
struct Span {
  uint32_t begin, end;
};

static inline Span SpanOf(const Axis& axis, uint32_t first, uint32_t count) {
  const Taps last = TapsOf(axis, first + count - 1);
  return Span{TapsOf(axis, first).first, last.first + last.count};
}

// Columns that RoundBoxes has vectors for.
static inline bool IsVectorBox(const GroupPlan& plan) {
  const uint32_t box = plan.columns.box;
  return !plan.wide_sums && ((box >= 1 && box <= 4) || box == 6);
}

}  // namespace
}  // namespace octet

#endif  // OCTET_KERNELS_FRAME_GEOMETRY_INL_H_
