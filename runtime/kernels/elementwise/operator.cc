// Elementwise: the checks, and the walk over the output in rows, which the kernels compute.
#include <string.h>

#include "runtime/kernels/by_width.h"
#include "runtime/kernels/check.h"
#include "runtime/kernels/copy.h"
#include "runtime/kernels/share.h"

namespace octet {
namespace {

using blob::ElementType;
using blob::Elementwise;

constexpr uint32_t kOperands = blob::kMaxElementwiseOperands;

const blob::ElementwiseParams& Params(const LayerView& v) {
  return ParamsOf<blob::ElementwiseParams>(v);
}

// A power of two and no shift where the pre-shift must not be read.
bool HasInt8Rule(const LayerView& view, const ElementwiseTraits& traits) {
  const blob::ElementwiseParams& p = Params(view);
  if (p.clamp_lo > p.clamp_hi || p.pre_shift > kMaxPreShift) return false;
  const auto is_factor = [](int32_t m) { return m > -(1 << 30) && m < (1 << 30); };
  switch (traits.int8) {
    case Int8Rule::kSum:
      return is_factor(p.multiplier_a) && is_factor(p.multiplier_b) && p.shift >= 1 &&
             p.shift <= kMaxSumShift;
    case Int8Rule::kProduct:
      return IsMultiplier(p.multiplier_a, p.shift);
    case Int8Rule::kQuotient:
      return p.multiplier_a > 0 && p.shift >= 0 && p.shift <= 40;
    case Int8Rule::kTables:
      return HasData(view.layer->table, 2 * 256, 1);
    case Int8Rule::kSlope:
      return HasData(view.layer->table, 256, 1) && IsMultiplier(p.multiplier_a, p.shift);
    case Int8Rule::kNone:
      break;
  }
  return false;
}

// The tensors' types, which are those of the function, and the precision that goes with them.
bool HasElementTypes(const LayerView& view, const ElementwiseTraits& traits) {
  const bool is_where = Params(view).function == Elementwise::kWhere;
  const ElementType type = InputOf(view, is_where ? 1 : 0).type;
  for (uint32_t i = 0; i < view.layer->input_count; ++i) {
    const ElementType wanted = is_where && i == 0 ? ElementType::kInt32 : type;
    if (InputOf(view, i).type != wanted) return false;
  }
  if (OutputOf(view).type != (traits.is_test ? ElementType::kInt32 : type)) return false;
  if (type == ElementType::kInt8) return IsInt8(view) && HasInt8Rule(view, traits);
  if (view.layer->precision != blob::Precision::kFp16) return false;
  if (is_where) return true;
  return type == ElementType::kFp16 ? traits.on_halves : traits.on_integers;
}

// How far apart neighbours along a dim of the view stand in each operand.
struct Walk {
  uint64_t steps[kOperands][blob::kMaxElementwiseRank];
};

Walk WalkOf(const blob::ElementwiseParams& p, uint32_t operands) {
  Walk walk = {};
  for (uint32_t k = 0; k < operands; ++k) {
    uint64_t step = 1;
    for (uint32_t d = p.rank; d-- > 0;) {
      if ((p.stretched[k] >> d & 1) != 0) continue;
      walk.steps[k][d] = step;
      step *= p.dims[d];
    }
  }
  return walk;
}

// Rows of a few elements, the channels of a pixel, go to a kernel many at a time: as one row, where
// every operand is dense, is one value, or is copied here into a row of that length.
constexpr uint32_t kTileBytes = 512;

struct Tile {
  uint64_t from,
      rows;  // the element of the operand it was made from, and of how many rows; 0: none
  alignas(4) uint8_t bytes[kTileBytes];
};

// What joins the rows of the dims from `dim` on: so many indices of it, each a block of all dims
// behind it.
struct Joined {
  uint32_t dim;
  uint64_t block, rows;  // at most as many; 1: rows of the last dim are taken one by one
  bool dense[kOperands], one_value[kOperands];
};

Joined JoinedRowsOf(const LayerView& view, const Walk& walk) {
  const blob::ElementwiseParams& p = Params(view);
  Joined joined = {0, 1, 1, {}, {}};
  if (p.rank < 2) return joined;
  const uint32_t last = p.rank - 1u;
  uint32_t element_bytes = 1;
  for (uint32_t k = 0; k < view.layer->input_count; ++k) {
    const uint32_t bytes = ElementBytes(InputOf(view, k));
    if (bytes > element_bytes) element_bytes = bytes;
  }
  const uint64_t most = kTileBytes / element_bytes;
  joined.dim = last - 1;
  joined.block = p.dims[last];
  while (joined.dim > 0 && 2 * joined.block * p.dims[joined.dim] <= most) {
    joined.block *= p.dims[joined.dim--];
  }
  joined.rows = most / joined.block;
  if (joined.rows > p.dims[joined.dim]) joined.rows = p.dims[joined.dim];
  if (joined.rows == 0) joined.rows = 1;
  for (uint32_t k = 0; k < view.layer->input_count; ++k) {
    joined.dense[k] = joined.one_value[k] = true;
    uint64_t step = 1;
    for (uint32_t d = p.rank; d-- > joined.dim; step *= p.dims[d]) {
      joined.dense[k] = joined.dense[k] && walk.steps[k][d] == step;
      joined.one_value[k] = joined.one_value[k] && walk.steps[k][d] == 0;
    }
  }
  return joined;
}

// `count` times one value; returns where the next one goes.
template <typename T>
inline T* FillValue(T* to, T value, uint64_t count) {
  constexpr uint64_t kValues = 16 / sizeof(T);
  T values[kValues];
  for (T& each : values) each = value;
  uint64_t i = 0;
  for (; i + kValues <= count; i += kValues) {
    Copy16(reinterpret_cast<uint8_t*>(to + i), reinterpret_cast<const uint8_t*>(values));
  }
  for (; i < count; ++i) to[i] = value;
  return to + count;
}

// `count` elements, `step` apart.
template <typename T>
inline T* FillRow(T* to, const T* from, uint64_t step, uint64_t count) {
  if (step == 0) return FillValue(to, *from, count);
  for (uint64_t i = 0; i < count; ++i) to[i] = from[i * step];
  return to + count;
}

// `count` indices of dim d with all dims behind it, in the order of the output.
template <typename T>
T* Fill(T* to, const T* from, const uint64_t* steps, const uint32_t* dims, uint32_t d,
        uint32_t last, uint64_t count) {
  const uint64_t step = steps[d];
  if (d == last) return FillRow(to, from, step, count);
  if (step != 0 && d + 1 == last) {
    const uint64_t row = dims[last], inner = steps[last];
    if (inner == 0) {
      for (uint64_t i = 0; i < count; ++i) to = FillValue(to, from[i * step], row);
      return to;
    }
    for (uint64_t i = 0; i < count; ++i) to = FillRow(to, from + i * step, inner, row);
    return to;
  }
  if (step != 0) {
    for (uint64_t i = 0; i < count; ++i) {
      to = Fill(to, from + i * step, steps, dims, d + 1, last, dims[d + 1]);
    }
    return to;
  }
  // One is made; then as many follow as there are.
  const uint64_t made = (uint64_t)(Fill(to, from, steps, dims, d + 1, last, dims[d + 1]) - to);
  for (uint64_t done = made; done < made * count;) {
    const uint64_t left = made * count - done, more = done < left ? done : left;
    memcpy(to + done, to, (size_t)more * sizeof(T));
    done += more;
  }
  return to + made * count;
}

void RunRow(const ElementwiseArgs& args, const LayerView& view, const RunContext& context) {
  if (IsInt8(view)) return context.kernels->elementwise_s8(args, Share{0, 1});
  const bool on_halves = InputOf(view, view.layer->input_count - 1).type == ElementType::kFp16;
  if (on_halves) return context.kernels->elementwise_f16(args, Share{0, 1});
  RunElementwiseIntegers(args);
}

}  // namespace

bool CheckElementwiseLayer(const LayerView& view) {
  const blob::ElementwiseParams& p = Params(view);
  if ((uint8_t)p.function >= blob::kElementwiseCount || p.rank == 0 ||
      p.rank > blob::kMaxElementwiseRank || !HasFunction(p.activation, p.alpha, p.beta)) {
    return false;
  }
  const ElementwiseTraits& traits = TraitsOf(p.function);
  if (view.layer->input_count != traits.operands || !HasElementTypes(view, traits)) return false;
  // Sizes: of the view the output's, and what is left without the stretched dims the operand's.
  uint64_t count = 1;
  uint64_t operand_count[kOperands] = {1, 1, 1};
  for (uint32_t d = 0; d < p.rank; ++d) {
    if (p.dims[d] == 0) return false;
    count = SaturatingMul(count, p.dims[d]);
    for (uint32_t k = 0; k < traits.operands; ++k) {
      if ((p.stretched[k] >> d & 1) == 0) {
        operand_count[k] = SaturatingMul(operand_count[k], p.dims[d]);
      }
    }
  }
  if (count != ElementCount(OutputOf(view))) return false;
  for (uint32_t k = 0; k < traits.operands; ++k) {
    if (p.stretched[k] >> p.rank != 0 || operand_count[k] != ElementCount(InputOf(view, k))) {
      return false;
    }
  }
  return true;
}

LayerCost CostElementwiseLayer(const LayerView& view) {
  const blob::Elementwise function = ParamsOf<blob::ElementwiseParams>(view).function;
  // A long division of two halves.
  const bool long_division =
      function == blob::Elementwise::kMod || function == blob::Elementwise::kFmod;
  return LayerCost{0, long_division ? 64u : 1u, 1, 0};
}

void RunElementwiseLayer(const LayerView& view, const RunContext& context) {
  const blob::ElementwiseParams& p = Params(view);
  const uint32_t operands = view.layer->input_count;
  const blob::TensorRecord& out = OutputOf(view);
  const Walk walk = WalkOf(p, operands);
  const uint32_t last = p.rank - 1u;
  const uint64_t row = p.dims[last];
  const Range range = RangeOf(ElementCount(out), context.share);
  if (range.begin == range.end) return;

  uint64_t index[blob::kMaxElementwiseRank];
  uint64_t rest = range.begin;
  for (uint32_t d = p.rank; d-- > 0; rest /= p.dims[d]) index[d] = rest % p.dims[d];
  uint64_t at[kOperands] = {};  // of index, in elements
  for (uint32_t k = 0; k < operands; ++k) {
    for (uint32_t d = 0; d < p.rank; ++d) at[k] += index[d] * walk.steps[k][d];
  }
  const Joined joined = JoinedRowsOf(view, walk);
  Tile tiles[kOperands];
  for (Tile& tile : tiles) tile.from = tile.rows = 0;
  ElementwiseArgs args = {};
  args.params = &p;
  args.table = TableOf(view);
  args.zero_point_a = InputOf(view, 0).zero_point;
  args.zero_point_b = InputOf(view, operands > 1 ? 1 : 0).zero_point;
  args.out_zero_point = out.zero_point;
  args.sign = context.sign;
  for (uint64_t i = range.begin; i < range.end;) {
    uint64_t rows = joined.rows > 1 ? (range.end - i) / joined.block : 0;
    if (rows > joined.rows) rows = joined.rows;
    if (rows > p.dims[joined.dim] - index[joined.dim])
      rows = p.dims[joined.dim] - index[joined.dim];
    // A share may begin inside a block.
    for (uint32_t d = joined.dim + 1; d <= last; ++d) rows = index[d] == 0 ? rows : 0;
    const bool is_joined = rows > 1 || (rows == 1 && joined.dim + 1 < last);
    args.count = is_joined ? rows * joined.block : row - index[last];
    if (args.count > range.end - i) args.count = range.end - i;
    for (uint32_t k = 0; k < operands; ++k) {
      const blob::TensorRecord& in = InputOf(view, k);
      args.operand[k] = PlaceOf(context, in) + at[k] * ElementBytes(in);
      args.step[k] = (uint32_t)walk.steps[k][last];
      if (!is_joined || joined.dense[k] || joined.one_value[k]) continue;
      if (tiles[k].from != at[k] || tiles[k].rows < rows) {
        // Rows that repeat are made once, for as many as may follow.
        const uint64_t made = walk.steps[k][joined.dim] == 0 ? joined.rows : rows;
        ByWidth(ElementBytes(in), [&](auto one) {
          typedef decltype(one) T;
          Fill(reinterpret_cast<T*>(tiles[k].bytes), reinterpret_cast<const T*>(args.operand[k]),
               walk.steps[k], p.dims, joined.dim, last, made);
        });
        tiles[k].from = at[k];
        tiles[k].rows = made;
      }
      args.operand[k] = tiles[k].bytes;
      args.step[k] = 1;
    }
    args.output = PlaceOf(context, out) + i * ElementBytes(out);
    RunRow(args, view, context);
    i += args.count;
    const uint32_t moved = is_joined ? joined.dim : last;
    const uint64_t by = is_joined ? rows : args.count;
    index[moved] += by;
    for (uint32_t k = 0; k < operands; ++k) at[k] += by * walk.steps[k][moved];
    for (uint32_t d = moved; index[d] == p.dims[d] && d > 0; --d) {
      index[d] = 0;
      ++index[d - 1];
      for (uint32_t k = 0; k < operands; ++k) {
        at[k] += walk.steps[k][d - 1] - p.dims[d] * walk.steps[k][d];  // wraps back
      }
    }
  }
}

}  // namespace octet
