// The walk of the vector versions of int8 normalizations. Internal linkage. A Level brings, for
// values q of bytes that lie as q ^ sign,
//
//   AddRun(from, count, sign, sum, squares)
//     adds sum q and sum q^2 of neighbours to *sum and *squares
//   AddColumns(from, rows, step, width, sign, sum, squares)
//     the same for `width` (1 .. 32) columns, a sum each; rows <= kRowsAtOnce
//   Root(x)           IntegerSqrt(x), 2^60 <= x < 2^62
//   Ratios            RatioS8 of 8 lanes, from 8 of them (step 1) or one (step 0)
//   Eight(from, ratios, channels, step, zero_point, sign, to)
//     NormalizedS8() of 8 bytes, each with channels of its own (step 1) or one (step 0); false, and
//     nothing stored, where a shift is beyond what it can do
//   LookUp(table, from, count, sign, to)     table[q + 128] for every byte
//
// Every value that is normalized took part in its group, where |q - mean| <= deviation sqrt(n - 1)
// and n <= 2^22 bound the ratio by 2^27 + 1: the limit of RatioOf() never acts, and no Level has
// it. A table of all 256 values has wrong entries for values outside that bound, which are not in
// the group and never read.
#include <string.h>

#include "runtime/kernels/kernel_table.h"
#include "runtime/kernels/normalize/element.h"
#include "runtime/kernels/reduce/walk.inl.h"

namespace octet {
namespace {

constexpr uint64_t kRowsAtOnce = 1u << 16;  // 128^2 * 2^16 = 2^30: squares fit 32 bits
constexpr uint32_t kEight = 8;
// A table costs as much as 256 elements and then saves more than half of each.
constexpr uint64_t kTableGroup = 1024;

struct GroupsS8 {
  RatioS8 ratio[kColumnLanes];
};

template <typename Level>
static inline void MeasureS8(const NormalizeS8Args& args, const AxesWalk& walk,
                             const AxesWalk::Unit& unit, GroupsS8* groups) {
  const blob::NormalizeParams& p = *args.params;
  int64_t sum[kColumnLanes] = {}, squares[kColumnLanes] = {};
  ForEachRun(
      walk.reduced, unit.place, [&](const Place& place, uint64_t run, uint64_t step, uint64_t) {
        const uint8_t* from = args.input + place.offset;
        if (!walk.columns) return Level::AddRun(from, run, args.sign, sum, squares);
        for (uint64_t i = 0; i < run; i += kRowsAtOnce) {
          const uint64_t rows = run - i < kRowsAtOnce ? run - i : kRowsAtOnce;
          Level::AddColumns(from + i * step, rows, step, unit.width, args.sign, sum, squares);
        }
      });
  const int64_t count = (int64_t)walk.reduced.count;
  const uint64_t across = walk.columns ? walk.kept.affine[walk.kept.rank - 1] : 0;
  const bool centred = p.kind == blob::NormalizeKind::kVariance;
  const int64_t z = centred ? 0 : args.in_zero_point;
  for (uint32_t c = 0; c < unit.width; ++c) {
    // sum (q - z)^2 = sum q^2 - 2 z sum q + n z^2, below 2^38 in magnitude throughout.
    const int64_t about = squares[c] - 2 * z * sum[c] + count * z * z;
    const int64_t around = centred ? sum[c] : count * z;
    const int64_t spread = count * about - (centred ? sum[c] * sum[c] : 0);
    const uint64_t epsilon = EpsilonOf(args, unit.place.affine + c * across);
    groups->ratio[c] = MakeRatioS8(count, around, (uint64_t)spread + epsilon, Level::Root);
  }
}

// Eight() where it can, else one by one. `count` neighbours, `step` in `channels`; those of a row
// have one ratio (lane 0), those of columns one each.
template <typename Level, bool kColumns>
static inline void NormalizeNeighbours(const NormalizeS8Args& args,
                                       const typename Level::Ratios* ratios, const GroupsS8& groups,
                                       uint64_t offset, uint64_t affine, uint64_t step,
                                       uint64_t count) {
  // Copies that no store of bytes can change: they stay in registers.
  const uint8_t* const input = args.input + offset;
  uint8_t* const output = args.output + offset;
  const blob::NormalizeChannelS8* const channels = args.channels + affine;
  const int32_t zero_point = args.out_zero_point;
  const uint8_t sign = args.sign;
  const auto some = [=, &args, &groups](uint64_t i, uint64_t width,
                                        const typename Level::Ratios& lanes) {
    if (width == kEight &&
        Level::Eight(input + i, lanes, channels + i * step, step, zero_point, sign, output + i)) {
      return;
    }
    for (uint64_t c = i; c < i + width; ++c) {
      const int32_t q = (int8_t)(input[c] ^ sign);
      output[c] = NormalizedS8(args, groups.ratio[kColumns ? c : 0], q, affine + c * step);
    }
  };
  uint64_t i = 0;
  for (; i + kEight <= count; i += kEight) some(i, kEight, ratios[kColumns ? i / kEight : 0]);
  if (i == count) return;
  if (count < kEight) return some(0, count, ratios[0]);
  // The last eight overlap those before: nothing behind them is touched.
  some(count - kEight, kEight, ratios[kColumns ? i / kEight : 0]);
}

template <typename Level>
static inline void FillTable(const NormalizeS8Args& args, const RatioS8& ratio, uint64_t affine,
                             uint8_t flip, uint8_t sign, uint8_t* table) {
  const typename Level::Ratios ratios(&ratio, 0);
  NormalizeS8Args one = args;  // for what Eight() cannot do
  one.sign = sign;
  for (uint32_t i = 0; i < 256; i += kEight) {
    uint8_t from[kEight];
    for (uint32_t k = 0; k < kEight; ++k) from[k] = (uint8_t)((i + k) ^ flip);
    if (Level::Eight(from, ratios, args.channels + affine, 0, args.out_zero_point, sign,
                     table + i)) {
      continue;
    }
    for (uint32_t k = 0; k < kEight; ++k) {
      table[i + k] = NormalizedS8(one, ratio, (int8_t)(from[k] ^ sign), affine);
    }
  }
}

// One group with one set of parameters: a table indexed by q + 128.
template <typename Level>
static inline void NormalizeByTable(const NormalizeS8Args& args, const AxesWalk& walk,
                                    const AxesWalk::Unit& unit, const GroupsS8& groups) {
  alignas(64) uint8_t table[256];
  FillTable<Level>(args, groups.ratio[0], unit.place.affine, 0x80, 0, table);
  ForEachRun(walk.reduced, unit.place, [&](const Place& place, uint64_t run, uint64_t, uint64_t) {
    Level::LookUp(reinterpret_cast<const int8_t*>(table), args.input + place.offset, run, args.sign,
                  args.output + place.offset);
  });
}

// The same for columns: a table each, indexed by arena bytes.
template <typename Level>
static inline void NormalizeByTables(const NormalizeS8Args& args, const AxesWalk& walk,
                                     const AxesWalk::Unit& unit, const GroupsS8& groups,
                                     uint64_t across) {
  uint8_t tables[kColumnLanes][256];
  for (uint32_t c = 0; c < unit.width; ++c) {
    FillTable<Level>(args, groups.ratio[c], unit.place.affine + c * across, 0, args.sign,
                     tables[c]);
  }
  ForEachRun(walk.reduced, unit.place,
             [&](const Place& place, uint64_t run, uint64_t step, uint64_t) {
               const uint8_t* from = args.input + place.offset;
               uint8_t* to = args.output + place.offset;
               for (uint64_t i = 0; i < run; ++i, from += step, to += step) {
                 uint32_t c = 0;
                 for (; c + 4 <= unit.width; c += 4) {
                   const uint8_t a = tables[c][from[c]], b = tables[c + 1][from[c + 1]];
                   const uint8_t d = tables[c + 2][from[c + 2]], e = tables[c + 3][from[c + 3]];
                   to[c] = a;
                   to[c + 1] = b;
                   to[c + 2] = d;
                   to[c + 3] = e;
                 }
                 for (; c < unit.width; ++c) to[c] = tables[c][from[c]];
               }
             });
}

template <typename Level>
static inline void NormalizeElements(const NormalizeS8Args& args, const AxesWalk& walk,
                                     const AxesWalk::Unit& unit, const GroupsS8& groups,
                                     uint64_t across) {
  if (!walk.columns) {
    const typename Level::Ratios ratios(groups.ratio, 0);
    return ForEachRun(walk.reduced, unit.place,
                      [&](const Place& place, uint64_t run, uint64_t, uint64_t affine_step) {
                        NormalizeNeighbours<Level, false>(args, &ratios, groups, place.offset,
                                                          place.affine, affine_step, run);
                      });
  }
  // Columns i .. i + 7 of every eight; the last eight end with the last column.
  typename Level::Ratios ratios[kColumnLanes / kEight];
  for (uint32_t i = 0; i < unit.width && unit.width >= kEight; i += kEight) {
    const uint32_t first = i + kEight <= unit.width ? i : unit.width - kEight;
    ratios[i / kEight] = typename Level::Ratios(groups.ratio + first, 1);
  }
  ForEachRun(walk.reduced, unit.place,
             [&](const Place& place, uint64_t run, uint64_t step, uint64_t affine_step) {
               for (uint64_t i = 0; i < run; ++i) {
                 NormalizeNeighbours<Level, true>(args, ratios, groups, place.offset + i * step,
                                                  place.affine + i * affine_step, across,
                                                  unit.width);
               }
             });
}

template <typename Level>
static inline void RunNormalizeS8(const NormalizeS8Args& args, Share share) {
  const AxesWalk walk = WalkOf(args.params->view, args.params->affine);
  bool one_set = walk.reduced.count >= kTableGroup;  // of parameters a group, in a large group
  for (uint32_t d = 0; d < walk.reduced.rank; ++d) one_set = one_set && walk.reduced.affine[d] == 0;
  const uint64_t across = walk.columns ? walk.kept.affine[walk.kept.rank - 1] : 0;
  const Range units = RangeOf(walk.unit_count, share);
  for (uint64_t u = units.begin; u < units.end; ++u) {
    const AxesWalk::Unit unit = walk.UnitAt(u);
    GroupsS8 groups;
    MeasureS8<Level>(args, walk, unit, &groups);
    if (!one_set) {
      NormalizeElements<Level>(args, walk, unit, groups, across);
    } else if (walk.columns) {
      NormalizeByTables<Level>(args, walk, unit, groups, across);
    } else {
      NormalizeByTable<Level>(args, walk, unit, groups);
    }
  }
}

}  // namespace
}  // namespace octet
