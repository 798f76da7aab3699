// Move: a copy whose every output axis walks the input by a stride or by a table.
#include "runtime/format/move.h"
#include "runtime/kernels/check.h"
#include "runtime/kernels/move/plane.h"
#include "runtime/kernels/share.h"

namespace octet {
namespace {

const blob::MoveParams& Params(const LayerView& v) {
  return ParamsOf<blob::MoveParams>(v);
}

bool IsIndexed(const blob::MoveParams& p, uint32_t axis) {
  return (p.indexed >> axis & 1) != 0;
}

const uint32_t* TablesOf(const LayerView& v) {
  return IsAbsent(v.layer->extra)
             ? nullptr
             : reinterpret_cast<const uint32_t*>(v.tables + v.layer->extra.offset);
}

// The axes with what each row of the output needs; `tables` is null for an axis of a stride.
struct Walk {
  uint32_t rank;
  uint64_t dims[blob::kMaxMoveRank];
  int64_t stride[blob::kMaxMoveRank];
  const uint32_t* table[blob::kMaxMoveRank];
};

Walk WalkOf(const LayerView& view) {
  const blob::MoveParams& p = Params(view);
  Walk walk = {};
  walk.rank = p.rank;
  const uint32_t* table = TablesOf(view);
  for (uint32_t d = 0; d < p.rank; ++d) {
    walk.dims[d] = p.dims[d];
    walk.stride[d] = p.stride[d];
    if (!IsIndexed(p, d)) continue;
    walk.table[d] = table;
    table += p.dims[d];
  }
  return walk;
}

// `count` elements of a row, from its element `first` on; `from` is where the row's element 0 comes
// from.
template <typename T>
void CopyPart(const KernelTable& kernels, const Walk& walk, T* to, const T* from, uint64_t first,
              uint64_t count, T fill) {
  const uint32_t last = walk.rank - 1;
  if (walk.table[last] == nullptr) {
    CopyPlane(kernels, to, from + (int64_t)first * walk.stride[last], 1, 0, count,
              walk.stride[last]);
    return;
  }
  const uint32_t* table = walk.table[last] + first;
  for (uint64_t i = 0; i < count; ++i) to[i] = table[i] == blob::kNone ? fill : from[table[i]];
}

// Where row `row` of the output begins in the input; false where it is all fill.
bool FindRow(const Walk& walk, uint32_t base, uint64_t row, int64_t* from) {
  *from = base;
  for (uint32_t d = walk.rank - 1; d-- > 0;) {
    const uint64_t i = row % walk.dims[d];
    row /= walk.dims[d];
    if (walk.table[d] == nullptr) {
      *from += (int64_t)i * walk.stride[d];
    } else if (walk.table[d][i] == blob::kNone) {
      return false;
    } else {
      *from += walk.table[d][i];
    }
  }
  return true;
}

template <typename T>
void Run(const LayerView& view, const RunContext& context, T fill) {
  const Walk walk = WalkOf(view);
  const uint32_t base = Params(view).base;
  const uint64_t width = walk.dims[walk.rank - 1];
  // Rows that one CopyPlane may take together.
  const bool planes =
      walk.rank > 1 && walk.table[walk.rank - 1] == nullptr && walk.table[walk.rank - 2] == nullptr;
  const uint64_t plane_rows = planes ? walk.dims[walk.rank - 2] : 1;
  const T* input = reinterpret_cast<const T*>(PlaceOf(context, InputOf(view, 0)));
  T* output = reinterpret_cast<T*>(PlaceOf(context, OutputOf(view)));
  // A share may begin and end within a row: one row may be all there is.
  const Range range = RangeOf(ElementCount(OutputOf(view)), context.share);
  for (uint64_t at = range.begin; at < range.end;) {
    const uint64_t row = at / width, first = at % width, left = range.end - at;
    uint64_t rows = first == 0 ? left / width : 0;
    const uint64_t rest = plane_rows - row % plane_rows;
    if (rows > rest) rows = rest;
    uint64_t count = width - first < left ? width - first : left;
    int64_t from = 0;
    if (!FindRow(walk, base, row, &from)) {
      for (uint64_t i = 0; i < count; ++i) output[at + i] = fill;
    } else if (planes && rows > 1) {
      CopyPlane(*context.kernels, output + at, input + from, rows, walk.stride[walk.rank - 2],
                width, walk.stride[walk.rank - 1]);
      count = rows * width;
    } else {
      CopyPart(*context.kernels, walk, output + at, input + from, first, count, fill);
    }
    at += count;
  }
}

}  // namespace

bool CheckMoveLayer(const LayerView& view) {
  if (!HasOneType(view, 1) || !SameQuantization(InputOf(view, 0), OutputOf(view))) return false;
  const blob::MoveParams& p = Params(view);
  if (p.rank == 0 || p.rank > blob::kMaxMoveRank || p.indexed >> p.rank != 0) return false;
  uint64_t count = 1, entries = 0;
  for (uint32_t d = 0; d < p.rank; ++d) {
    count = SaturatingMul(count, p.dims[d]);
    if (IsIndexed(p, d)) entries += p.dims[d];
  }
  // No dimension is 0, for the output has elements.
  if (count != ElementCount(OutputOf(view))) return false;
  const blob::DataRef& extra = view.layer->extra;
  if (entries == 0 ? !IsAbsent(extra)
                   : !HasData(extra, entries * sizeof(uint32_t), alignof(uint32_t))) {
    return false;
  }
  // Every share of an axis lies between its extremes, and every sum of shares between the sums of
  // these. The dims[d] - 1 add up to less than the product of the dims, which is below 2^31, so
  // that the sums of strides stay within 2^62.
  int64_t lowest = p.base, highest = p.base;
  const uint32_t* table = TablesOf(view);
  for (uint32_t d = 0; d < p.rank; ++d) {
    if (IsIndexed(p, d)) {
      uint32_t largest = 0;
      for (uint32_t i = 0; i < p.dims[d]; ++i) {
        if (table[i] != blob::kNone && table[i] > largest) largest = table[i];
      }
      highest += largest;
      table += p.dims[d];
      continue;
    }
    const int64_t reach = (int64_t)(p.dims[d] - 1) * p.stride[d];
    (reach < 0 ? lowest : highest) += reach;
  }
  return lowest >= 0 && (uint64_t)highest < ElementCount(InputOf(view, 0));
}

void RunMoveLayer(const LayerView& view, const RunContext& context) {
  const uint32_t fill = Params(view).fill;
  switch (ElementBytes(InputOf(view, 0))) {
    case 1:
      return Run<uint8_t>(view, context, (uint8_t)(fill ^ context.sign));
    case 2:
      return Run<uint16_t>(view, context, (uint16_t)fill);
    default:
      return Run<uint32_t>(view, context, fill);
  }
}

}  // namespace octet
