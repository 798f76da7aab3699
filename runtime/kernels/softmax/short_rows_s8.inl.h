// Int8 softmax of short rows, several in flight: all terms of a group of rows are looked up before
// they are added, and all sums are there before one vector division inverts them. Internal linkage.
//
// Quotients are taken from float products alone. Wanted is the integer nearest to N t / S (N codes
// are 1, a term t of the sum S). N / S in float is computed twice, from N less and plus 2^-21 of
// itself: rounding N, that difference, S and the quotient moves neither by more than 2^-22, so that
// they enclose the true one. An addition of 2^23 within the multiplication leaves the integer
// nearest to each product, rounded once, in the lower bits: where both are the same, it is the
// quotient. Others (ties, and about one term in 2^20 / N) have their row divided in integers.
//
// A Level of kLanes lanes is made from the arguments and brings
//
//   LookUp(x, rows, count, terms)     of dense rows; zeros up to a multiple of kLanes in each
//   Invert(terms, wide, sums, inverses)  of kRowsTogether rows, `wide` terms each
//   Store(terms, below, above, count, to)  one row of codes; false: not all are known
#include "runtime/kernels/kernel_table.h"
#include "runtime/kernels/share.h"
#include "runtime/kernels/softmax/probability.h"

namespace octet {
namespace {

constexpr uint32_t kRowsTogether = 16;  // are added and inverted
constexpr uint32_t kGroup = 64;
constexpr uint32_t kGroupTerms = 2048;
// A row's sum is below 2^31, and a group of such rows has its terms in the first-level cache.
constexpr uint32_t kLongestShortRow = kGroupTerms / kRowsTogether;

constexpr float kNearest = 8388608.0f;  // 2^23: 23 bits behind it count ones
constexpr int32_t kNearestBits = 0x4B000000;
constexpr float kQuotientMargin = 1.0f / (1 << 21);

// N / S of every row, less and plus the margin.
struct alignas(64) Inverses {
  float below[kRowsTogether], above[kRowsTogether];
};

template <typename Level>
static inline void RunShortRowsS8(const SoftmaxS8Args& args, Share share) {
  const Range range = RangeOf(args.rows, share);
  const uint32_t count = args.count;
  const uint32_t wide = (count + Level::kLanes - 1) / Level::kLanes * Level::kLanes;
  const Level level(args);
  alignas(64) uint32_t terms[kGroupTerms];
  alignas(64) uint32_t sums[kGroup];
  Inverses inverses[kGroup / kRowsTogether];
  const uint32_t fit = kGroupTerms / wide / kRowsTogether * kRowsTogether;
  const uint32_t group = fit < kGroup ? fit : kGroup;
  for (uint64_t first = range.begin; first < range.end; first += group) {
    const uint32_t rows = range.end - first < group ? (uint32_t)(range.end - first) : group;
    const uint8_t* x = args.input + first * count;
    uint8_t* y = args.output + first * count;
    level.LookUp(x, rows, count, terms);
    // Rows that the last ones lack are inverted as well.
    for (uint32_t r = rows; r % kRowsTogether != 0; ++r) {
      for (uint32_t i = 0; i < wide; ++i) terms[r * wide + i] = 1;
    }
    for (uint32_t r = 0; r < rows; r += kRowsTogether) {
      level.Invert(terms + r * wide, wide, sums + r, &inverses[r / kRowsTogether]);
    }
    for (uint32_t r = 0; r < rows; ++r, y += count) {
      const uint32_t* row = terms + r * wide;
      const Inverses& of = inverses[r / kRowsTogether];
      const uint32_t i = r % kRowsTogether;
      if (level.Store(row, of.below[i], of.above[i], count, y)) continue;
      const ProbabilityLine line = ProbabilityLineOf(sums[r], args.codes);
      for (uint32_t c = 0; c < count; ++c) {
        y[c] = (uint8_t)((uint8_t)ProbabilityS8(row[c], line, args.codes) ^ args.sign);
      }
    }
  }
}

}  // namespace
}  // namespace octet
