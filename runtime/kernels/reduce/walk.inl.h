// How reductions and normalizations go through a tensor under a blob::AxesView, and the one order
// in which they add floats.
//
// Order. Where the innermost dimension is reduced, a group (the elements of one result) is taken as
// its runs along that dimension, a run in rows of 8 elements, the last row filled up; else 32
// neighbouring results are taken side by side, a row being one element of each. Every lane of the
// rows is a sum of its own: 256 rows make a part, 256 parts a block, so that a sum of n terms is
// off by about 512 + n / 65536 roundings, not n. Of 8 lanes of one group, lane i takes lane i + 4,
// then i + 2, then i + 1.
//
// Included by files of every instruction set: everything here has internal linkage. A Level brings
// Widen(from, count, to) and Narrow(from, count, to): up to 32 halves to floats and back.
#ifndef OCTET_KERNELS_REDUCE_WALK_INL_H_
#define OCTET_KERNELS_REDUCE_WALK_INL_H_

#include <stdint.h>

#include "runtime/core/checked.h"
#include "runtime/core/half.h"
#include "runtime/format/axes_params.h"
#include "runtime/kernels/share.h"

namespace octet {
namespace {

constexpr uint32_t kRunLanes = 8;
constexpr uint32_t kColumnLanes = 32;

static inline bool IsAxesView(const blob::AxesView& view, uint64_t element_count) {
  if (view.rank == 0 || view.rank > blob::kMaxAxes || view.reduced >> view.rank != 0) return false;
  uint64_t count = 1;
  for (uint32_t d = 0; d < view.rank; ++d) count = SaturatingMul(count, view.dims[d]);
  return count != 0 && count == element_count;
}

// Dimensions of one kind, outermost first. `affine`: how far a step moves in the parameters of a
// normalization.
struct AxesList {
  uint32_t rank;
  uint64_t count;
  uint64_t size[blob::kMaxAxes], step[blob::kMaxAxes], affine[blob::kMaxAxes];
};

struct Place {
  uint64_t offset, affine;
};

static inline Place PlaceAt(const AxesList& list, uint64_t index) {
  Place place = {0, 0};
  for (uint32_t d = list.rank; d-- > 0;) {
    const uint64_t at = index % list.size[d];
    index /= list.size[d];
    place.offset += at * list.step[d];
    place.affine += at * list.affine[d];
  }
  return place;
}

struct AxesWalk {
  AxesList kept, reduced;
  bool columns;           // results lie side by side
  bool dense;             // the reduced dimensions are the innermost: groups lie behind one another
  uint64_t column_count;  // of them in a row; 1 without `columns`
  uint64_t unit_count;    // work to share out

  // Results [first, first + width) of unit `unit`, and where the first one's elements start.
  struct Unit {
    uint64_t first;
    uint32_t width;
    Place place;
  };
  Unit UnitAt(uint64_t unit) const {
    if (dense) return Unit{unit, 1, Place{unit * reduced.count, 0}};
    if (!columns) return Unit{unit, 1, PlaceAt(kept, unit)};
    const uint64_t blocks = (column_count + kColumnLanes - 1) / kColumnLanes;
    const uint64_t column = unit % blocks * kColumnLanes;
    const uint64_t first = unit / blocks * column_count + column;
    const uint64_t left = column_count - column;
    return Unit{first, (uint32_t)(left < kColumnLanes ? left : kColumnLanes), PlaceAt(kept, first)};
  }
};

static inline AxesWalk WalkOf(const blob::AxesView& view, uint32_t affine) {
  AxesWalk walk = {};
  walk.kept.count = walk.reduced.count = 1;
  uint64_t step[blob::kMaxAxes], affine_step[blob::kMaxAxes];
  uint64_t next = 1, affine_next = 1;
  for (uint32_t d = view.rank; d-- > 0;) {
    step[d] = next;
    next *= view.dims[d];
    const bool takes_part = ((affine >> d) & 1u) != 0;
    affine_step[d] = takes_part ? affine_next : 0;
    if (takes_part) affine_next *= view.dims[d];
  }
  for (uint32_t d = 0; d < view.rank; ++d) {
    AxesList* list = ((view.reduced >> d) & 1u) != 0 ? &walk.reduced : &walk.kept;
    list->size[list->rank] = view.dims[d];
    list->step[list->rank] = step[d];
    list->affine[list->rank++] = affine_step[d];
    list->count *= view.dims[d];
  }
  if (walk.reduced.rank == 0) {  // nothing is: every element is a group
    walk.reduced.rank = 1;
    walk.reduced.size[0] = 1;
  }
  walk.columns = ((view.reduced >> (view.rank - 1)) & 1u) == 0;
  const uint32_t kept = ~view.reduced & ((1u << view.rank) - 1);
  walk.dense = !walk.columns && (kept & (kept + 1)) == 0 && affine == 0;
  walk.column_count = walk.columns ? view.dims[view.rank - 1] : 1;
  walk.unit_count = walk.kept.count;
  if (walk.columns) {
    walk.unit_count = walk.kept.count / walk.column_count *
                      ((walk.column_count + kColumnLanes - 1) / kColumnLanes);
  }
  return walk;
}

// Calls f(place, count, step, affine_step) for every run along the innermost reduced dimension.
template <typename F>
static inline void ForEachRun(const AxesList& reduced, const Place& start, F f) {
  const uint32_t inner = reduced.rank - 1;
  uint64_t at[blob::kMaxAxes] = {};
  Place place = start;
  for (;;) {
    f(place, reduced.size[inner], reduced.step[inner], reduced.affine[inner]);
    uint32_t d = inner;
    for (; d > 0; --d) {
      place.offset += reduced.step[d - 1];
      place.affine += reduced.affine[d - 1];
      if (++at[d - 1] < reduced.size[d - 1]) break;
      place.offset -= reduced.step[d - 1] * reduced.size[d - 1];
      place.affine -= reduced.affine[d - 1] * reduced.size[d - 1];
      at[d - 1] = 0;
    }
    if (d == 0) return;
  }
}

// Calls add(element, lane) for every element of the results of a unit, in the order of the walk.
template <typename Add>
static inline void ForEachElement(const AxesWalk& walk, const AxesWalk::Unit& unit, Add add) {
  ForEachRun(walk.reduced, unit.place,
             [&](const Place& place, uint64_t count, uint64_t step, uint64_t) {
               for (uint64_t i = 0; i < count; ++i) {
                 const uint64_t at = place.offset + i * step;
                 for (uint32_t c = 0; c < unit.width; ++c) add(at + c, c);
               }
             });
}

// Lanes that keep the order above. Fold: what becomes of two values (an addition cascades).
template <uint32_t kWidth>
struct SumLanes {
  static constexpr uint32_t kRows = 256;
  float part[kWidth] = {}, block[kWidth] = {}, total[kWidth] = {};
  uint32_t rows = 0, parts = 0;

  void Add(const float (&x)[kWidth]) {
    for (uint32_t i = 0; i < kWidth; ++i) part[i] += x[i];
    if (++rows < kRows) return;
    Carry(part, block, &rows);
    if (++parts < kRows) return;
    Carry(block, total, &parts);
  }
  void Result(float (&out)[kWidth]) const {
    for (uint32_t i = 0; i < kWidth; ++i) out[i] = total[i] + (block[i] + part[i]);
  }
  static float Fold(float a, float b) { return a + b; }
  static constexpr float Neutral() { return 0.0f; }

 private:
  static void Carry(float (&from)[kWidth], float (&to)[kWidth], uint32_t* count) {
    for (uint32_t i = 0; i < kWidth; ++i) {
      to[i] += from[i];
      from[i] = 0.0f;
    }
    *count = 0;
  }
};

// Feeds every element of the results of a unit to `lanes`, mapped: map(value, lane). With columns a
// lane is a result; else all lanes belong to the one result, and `lane` is 0.
template <typename Level, uint32_t kWidth, typename Lanes, typename Map>
static inline void Feed(const AxesWalk& walk, const AxesWalk::Unit& unit, const uint16_t* input,
                        Map map, Lanes* lanes) {
  float x[kWidth] = {};
  ForEachRun(walk.reduced, unit.place,
             [&](const Place& place, uint64_t count, uint64_t step, uint64_t) {
               const uint16_t* from = input + place.offset;
               if (walk.columns) {
                 for (uint64_t i = 0; i < count; ++i, from += step) {
                   Level::Widen(from, unit.width, x);
                   for (uint32_t c = 0; c < unit.width; ++c) x[c] = map(x[c], c);
                   lanes->Add(x);
                 }
                 return;
               }
               for (uint64_t i = 0; i < count; i += kWidth) {
                 const uint32_t width = count - i < kWidth ? (uint32_t)(count - i) : kWidth;
                 Level::Widen(from + i, width, x);
                 for (uint32_t c = 0; c < kWidth; ++c) x[c] = map(x[c], 0u);
                 for (uint32_t c = width; c < kWidth; ++c) x[c] = Lanes::Neutral();
                 lanes->Add(x);
               }
             });
}

// The results of a unit: `unit.width` values.
template <typename Level, uint32_t kWidth, typename Lanes, typename Map>
static inline void ReduceUnit(const AxesWalk& walk, const AxesWalk::Unit& unit,
                              const uint16_t* input, Map map, float (&out)[kColumnLanes]) {
  Lanes lanes;
  Feed<Level, kWidth>(walk, unit, input, map, &lanes);
  float values[kWidth];
  lanes.Result(values);
  if (!walk.columns) {
    for (uint32_t half = kWidth / 2; half > 0; half /= 2) {
      for (uint32_t i = 0; i < half; ++i) values[i] = Lanes::Fold(values[i], values[i + half]);
    }
  }
  for (uint32_t c = 0; c < unit.width; ++c) out[c] = values[c];
}

// With the number of lanes that fits the walk.
template <typename Level, template <uint32_t> class Lanes, typename Map>
static inline void ReduceWith(const AxesWalk& walk, const AxesWalk::Unit& unit,
                              const uint16_t* input, Map map, float (&out)[kColumnLanes]) {
  if (walk.columns) {
    ReduceUnit<Level, kColumnLanes, Lanes<kColumnLanes>>(walk, unit, input, map, out);
  } else {
    ReduceUnit<Level, kRunLanes, Lanes<kRunLanes>>(walk, unit, input, map, out);
  }
}

}  // namespace
}  // namespace octet

#endif  // OCTET_KERNELS_REDUCE_WALK_INL_H_
