// int8 reductions, 16 bytes at a time, with the operations of a Level: sums of bytes as they lie in
// the arena, whose zero is kZero above that of q. They are exact, so that their order is free.
// Internal linkage. A Level brings
//
//   Bytes                          16 bytes of the arena
//   kZero                          128 where they are q + 128, unsigned; 0 where they are q, signed
//   Load(from), Store(to, bytes, count), All(byte), Select(mask, a, b)
//   Max(a, b), Min(a, b), MaxOf(bytes), MinOf(bytes)     in the order of the values
//   Sums, Add(bytes, sums), Write(sums, to)              16 sums, a lane each
//   Total, Add(bytes, total), Value(total)               one sum
//   Level(args, zeros), Finish(sums)                     `zeros` are taken off 16 sums; bytes of
//   them
#include <string.h>

#include "runtime/kernels/reduce/reduce.h"
#include "runtime/kernels/reduce/walk.inl.h"

namespace octet {
namespace {

constexpr uint32_t kBytes = 16;

// kBytes of all bits, then as many of none.
alignas(16) constexpr uint8_t kFirst[2 * kBytes] = {255, 255, 255, 255, 255, 255, 255, 255,
                                                    255, 255, 255, 255, 255, 255, 255, 255};

// The first `count` bytes (1 or more; 16 are taken at most), `rest` behind them. `end`: of what may
// be read.
template <typename Level>
static inline typename Level::Bytes LoadUpTo(const uint8_t* from, uint64_t count,
                                             const uint8_t* end, uint8_t rest) {
  if (count >= kBytes) return Level::Load(from);
  if ((uint64_t)(end - from) >= kBytes) {
    return Level::Select(Level::Load(kFirst + kBytes - count), Level::Load(from), Level::All(rest));
  }
  uint8_t bytes[kBytes];
  memset(bytes, rest, kBytes);
  for (uint64_t i = 0; i < count; ++i) bytes[i] = from[i];
  return Level::Load(bytes);
}

// Folds for a lane a result, and for one result of all. What is no element is `kRest`, which
// changes nothing.
template <typename Level>
struct SumBytes {
  static constexpr uint8_t kRest = 0;
  struct Lanes {
    typename Level::Sums sums = {};
    void Add(typename Level::Bytes x) { Level::Add(x, &sums); }
    void Write(int32_t* to) const { Level::Write(sums, to); }
  };
  struct One {
    typename Level::Total total = {};
    void Add(typename Level::Bytes x) { Level::Add(x, &total); }
    int32_t Value() const { return Level::Value(total); }
  };
  static int32_t Fold(int32_t a, int32_t b) { return a + b; }
  static int32_t Raw(uint8_t byte) { return Level::kZero != 0 ? byte : (int32_t)(int8_t)byte; }
};

template <typename Level, bool kMax>
struct Extremum {
  static constexpr uint8_t kRest =
      (uint8_t)((kMax ? 0 : 255) ^ (Level::kZero != 0 ? 0 : 0x80));  // the least, or the most
  static typename Level::Bytes Of(typename Level::Bytes a, typename Level::Bytes b) {
    return kMax ? Level::Max(a, b) : Level::Min(a, b);
  }
  struct Lanes {
    typename Level::Bytes best = Level::All(kRest);
    void Add(typename Level::Bytes x) { best = Of(best, x); }
    void Write(int32_t* to) const {
      uint8_t bytes[kBytes];
      Level::Store(bytes, best, kBytes);
      for (uint32_t i = 0; i < kBytes; ++i) to[i] = Raw(bytes[i]);
    }
  };
  struct One : Lanes {
    int32_t Value() const {
      return Raw(kMax ? Level::MaxOf(this->best) : Level::MinOf(this->best));
    }
  };
  static int32_t Fold(int32_t a, int32_t b) { return kMax == (a > b) ? a : b; }
  static int32_t Raw(uint8_t byte) { return SumBytes<Level>::Raw(byte); }
};

// Results that lie side by side: a lane each, 16 at a time.
template <typename Level, typename Kind>
static inline void ReduceColumns(const AxesWalk& walk, const AxesWalk::Unit& unit,
                                 const uint8_t* input, const uint8_t* end, int32_t* results) {
  for (uint32_t first = 0; first < unit.width; first += kBytes) {
    typename Kind::Lanes lanes;
    ForEachRun(walk.reduced, unit.place,
               [&](const Place& place, uint64_t count, uint64_t step, uint64_t) {
                 const uint8_t* from = input + place.offset + first;
                 for (uint64_t i = 0; i < count; ++i, from += step) {
                   lanes.Add(LoadUpTo<Level>(from, unit.width - first, end, Kind::kRest));
                 }
               });
    lanes.Write(results + first);
  }
}

// The same of few results whose rows lie behind one another: as many rows at a time as 16 bytes
// hold, each with lanes of its own.
template <typename Level, typename Kind>
static inline void ReduceFewColumns(const AxesWalk& walk, const AxesWalk::Unit& unit,
                                    const uint8_t* input, int32_t* results) {
  const uint32_t width = unit.width, rows = kBytes / width;
  typename Kind::Lanes lanes;
  int32_t rest[kBytes], values[kBytes];
  for (int32_t& value : rest) value = Kind::Raw(Kind::kRest);
  ForEachRun(walk.reduced, unit.place, [&](const Place& place, uint64_t count, uint64_t, uint64_t) {
    const uint8_t* from = input + place.offset;
    uint64_t left = count * width;
    for (; left >= kBytes; left -= rows * width, from += rows * width) lanes.Add(Level::Load(from));
    for (; left != 0; left -= width, from += width) {
      for (uint32_t c = 0; c < width; ++c) rest[c] = Kind::Fold(rest[c], Kind::Raw(from[c]));
    }
  });
  lanes.Write(values);
  for (uint32_t c = 0; c < width; ++c) {
    for (uint32_t r = 0; r < rows; ++r) rest[c] = Kind::Fold(rest[c], values[r * width + c]);
    results[c] = rest[c];
  }
}

// One result of elements that lie behind one another.
template <typename Level, typename Kind>
static inline int32_t ReduceRuns(const AxesWalk& walk, const AxesWalk::Unit& unit,
                                 const uint8_t* input, const uint8_t* end) {
  typename Kind::One one;
  const auto run = [&](const uint8_t* from, uint64_t count) {
    for (uint64_t i = 0; i < count; i += kBytes) {
      one.Add(LoadUpTo<Level>(from + i, count - i, end, Kind::kRest));
    }
  };
  if (walk.dense) {
    run(input + unit.place.offset, walk.reduced.count);
  } else {
    ForEachRun(walk.reduced, unit.place,
               [&](const Place& place, uint64_t count, uint64_t, uint64_t) {
                 run(input + place.offset, count);
               });
  }
  return one.Value();
}

// `finish(results, count, to)` makes bytes of up to 16 results.
template <typename Level, typename Kind, typename Finish>
static inline void ReduceUnits(const ReduceS8Args& args, const AxesWalk& walk, Share share,
                               const Finish& finish) {
  const Range units = RangeOf(walk.unit_count, share);
  const uint8_t* end = args.input + walk.kept.count * walk.reduced.count;
  int32_t results[kColumnLanes] = {};
  if (!walk.columns) {
    for (uint64_t u = units.begin; u < units.end;) {
      const uint32_t count = (uint32_t)(units.end - u < kBytes ? units.end - u : kBytes);
      for (uint32_t i = 0; i < count; ++i) {
        results[i] = ReduceRuns<Level, Kind>(walk, walk.UnitAt(u + i), args.input, end);
      }
      finish(results, count, args.output + u);
      u += count;
    }
    return;
  }
  const uint32_t inner = walk.reduced.rank - 1;
  const bool few = walk.column_count <= kBytes / 2 && walk.reduced.step[inner] == walk.column_count;
  for (uint64_t u = units.begin; u < units.end; ++u) {
    const AxesWalk::Unit unit = walk.UnitAt(u);
    if (few) {
      ReduceFewColumns<Level, Kind>(walk, unit, args.input, results);
    } else {
      ReduceColumns<Level, Kind>(walk, unit, args.input, end, results);
    }
    for (uint32_t c = 0; c < unit.width; c += kBytes) {
      const uint32_t left = unit.width - c;
      finish(results + c, left < kBytes ? left : kBytes, args.output + unit.first + c);
    }
  }
}

template <typename Level>
static inline void RunReduceS8(const ReduceS8Args& args, Share share) {
  const AxesWalk walk = WalkOf(args.params->view, 0);
  const auto copy = [](const int32_t* results, uint32_t count, uint8_t* to) {
    for (uint32_t i = 0; i < count; ++i) to[i] = (uint8_t)results[i];
  };
  switch (args.params->kind) {
    case blob::ReduceKind::kMax:
      return ReduceUnits<Level, Extremum<Level, true>>(args, walk, share, copy);
    case blob::ReduceKind::kMin:
      return ReduceUnits<Level, Extremum<Level, false>>(args, walk, share, copy);
    default: {
      // Each element brings the zero point, and what arena bytes carry beside q.
      const Level level(args, (args.zero_point + Level::kZero) * (int32_t)walk.reduced.count);
      const auto finish = [&](const int32_t* results, uint32_t count, uint8_t* to) {
        Level::Store(to, level.Finish(results), count);
      };
      return ReduceUnits<Level, SumBytes<Level>>(args, walk, share, finish);
    }
  }
}

}  // namespace
}  // namespace octet
