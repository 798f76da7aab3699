// Runs of a vector to four, in registers: whole vectors, and one that ends with the run and repeats
// bytes before it. Shorter and longer runs as copy.h has them. A Level brings Vector, Load(from),
// Store(to, x). Included by kernels only; internal linkage.
#include "runtime/kernels/copy.h"
#include "runtime/kernels/kernel_table.h"

namespace octet {
namespace {

// `kWhole` whole vectors, and the last one where `kHasLast`.
template <typename Level, uint32_t kWhole, bool kHasLast>
static inline void CopyVectors(const CopyRunsArgs& args) {
  constexpr size_t kBytes = sizeof(typename Level::Vector);
  const size_t last = args.bytes - kBytes;
  uint8_t* to = args.to;
  const uint8_t* from = args.from;
  const auto copy = [=](uint8_t* t, const uint8_t* f) {
    typename Level::Vector x[kWhole];
#pragma GCC unroll 4
    for (uint32_t v = 0; v < kWhole; ++v) x[v] = Level::Load(f + v * kBytes);
#pragma GCC unroll 4
    for (uint32_t v = 0; v < kWhole; ++v) Level::Store(t + v * kBytes, x[v]);
    if (kHasLast) Level::Store(t + last, Level::Load(f + last));
  };
  uint64_t left = args.count;
  const uint64_t t2 = 2 * args.to_step, f2 = 2 * args.from_step;
  if (kWhole == 1 && !kHasLast) {  // counting and moving on cost as much as copying
    const uint64_t t3 = 3 * args.to_step, f3 = 3 * args.from_step;
    for (; left >= 4; left -= 4, to += 4 * args.to_step, from += 4 * args.from_step) {
      const typename Level::Vector a = Level::Load(from), b = Level::Load(from + args.from_step),
                                   c = Level::Load(from + f2), d = Level::Load(from + f3);
      Level::Store(to, a);
      Level::Store(to + args.to_step, b);
      Level::Store(to + t2, c);
      Level::Store(to + t3, d);
    }
  }
  for (; left >= 2; left -= 2, to += t2, from += f2) {
    copy(to, from);
    copy(to + args.to_step, from + args.from_step);
  }
  if (left != 0) copy(to, from);
}

// False: the runs are shorter than a vector, or longer than four.
template <typename Level>
static inline bool CopyRunsOf(const CopyRunsArgs& args) {
  constexpr size_t kBytes = sizeof(typename Level::Vector);
  const bool has_last = args.bytes % kBytes != 0;
  switch (args.bytes / kBytes) {
    case 1:
      has_last ? CopyVectors<Level, 1, true>(args) : CopyVectors<Level, 1, false>(args);
      return true;
    case 2:
      has_last ? CopyVectors<Level, 2, true>(args) : CopyVectors<Level, 2, false>(args);
      return true;
    case 3:
      has_last ? CopyVectors<Level, 3, true>(args) : CopyVectors<Level, 3, false>(args);
      return true;
    case 4:
      if (has_last) return false;
      CopyVectors<Level, 4, false>(args);
      return true;
    default:
      return false;
  }
}

static inline void CopyOtherRuns(const CopyRunsArgs& a) {
  CopyRuns(a.to, a.to_step, a.from, a.from_step, a.count, a.bytes);
}

static inline bool AreOneRun(const CopyRunsArgs& args) {
  return args.count == 1 || (args.to_step == args.bytes && args.from_step == args.bytes);
}

}  // namespace
}  // namespace octet
