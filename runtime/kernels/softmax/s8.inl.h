// The walk of the vector versions of int8 softmax. Internal linkage. A Level brings
//
//   Largest(from, count, sign)                        the largest q of count >= 8 neighbours
//   LargestOfColumns(from, count, step, width, sign, max)   of each of `width` (1 .. 32) columns
//   Quotients                     ProbabilityLine of 8 lanes, from 8 of them (step 1) or one (0)
//   quotients.Store(t, sign, to)  ProbabilityS8() of 8 terms
//
// ProbabilityS8() in vectors: the same estimate q, then the remainder
//
//   R = one t + 2^15 S - q 2^16 S = (n - q whole) / 2,
//
// below 2^57 in magnitude (one t <= 2^51, 2^16 S <= 2^55, and q is at most one off), exact in 64
// bits however its terms wrap. The quotient is q - 1 where R < 0 and q + 1 where R >= 2^16 S.
#include <string.h>

#include "runtime/kernels/kernel_table.h"
#include "runtime/kernels/softmax/lines.inl.h"
#include "runtime/kernels/softmax/probability.h"

namespace octet {
namespace {

// Terms of a row that are kept between its two passes; longer rows look them up twice.
constexpr uint32_t kKeptTerms = 1024;
constexpr uint32_t kEight = 8;

// table[max - q] of `count` (up to kKeptTerms) neighbours and zeros up to a multiple of 8.
static inline uint64_t LookUpTerms(const uint32_t* table, int32_t max, const uint8_t* x,
                                   uint32_t count, uint8_t sign, uint32_t* terms) {
  uint64_t sum = 0;
  for (uint32_t i = 0; i < count; ++i) {
    const uint32_t t = table[max - (int8_t)(x[i] ^ sign)];
    terms[i] = t;
    sum += t;
  }
  for (uint32_t i = count; i % kEight != 0; ++i) terms[i] = 0;
  return sum;
}

template <typename Quotients>
static inline void StoreSome(const Quotients& quotients, const uint32_t* terms, uint8_t sign,
                             uint32_t count, uint8_t* to) {
  if (count >= kEight) return quotients.Store(terms, sign, to);
  uint8_t bytes[kEight];
  quotients.Store(terms, sign, bytes);
  for (uint32_t i = 0; i < count; ++i) to[i] = bytes[i];
}

template <typename Level>
static inline void SoftmaxRowByVectors(const SoftmaxS8Args& args, const uint8_t* x, uint8_t* y) {
  alignas(32) uint32_t terms[kKeptTerms];
  const int32_t max = Level::Largest(x, args.count, args.sign);
  const auto look_up = [&](uint32_t i) {
    const uint32_t left = args.count - i;
    return LookUpTerms(args.table, max, x + i, left < kKeptTerms ? left : kKeptTerms, args.sign,
                       terms);
  };
  uint64_t sum = 0;
  for (uint32_t i = 0; i < args.count; i += kKeptTerms) sum += look_up(i);
  const ProbabilityLine line = ProbabilityLineOf(sum, args.codes);
  const typename Level::Quotients quotients(&line, 0, args.codes);
  for (uint32_t i = 0; i < args.count; i += kEight) {
    if (i % kKeptTerms == 0 && args.count > kKeptTerms) look_up(i);
    StoreSome(quotients, terms + i % kKeptTerms, args.sign, args.count - i, y + i);
  }
}

template <typename Level>
static inline void RunSoftmaxS8(const SoftmaxS8Args& args, Share share) {
  const Range rows = RangeOf(args.rows, share);
  for (uint64_t row = rows.begin; row < rows.end; ++row) {
    const uint8_t* x = args.input + row * args.count;
    uint8_t* y = args.output + row * args.count;
    if (args.count < kEight) {
      SoftmaxRowS8(args, x, y);
    } else {
      SoftmaxRowByVectors<Level>(args, x, y);
    }
  }
}

// Columns first .. first + width - 1 (at most 8) of the lines.
template <typename Level>
static inline void StoreColumns(const AxisSoftmaxS8Args& args, const Lines& lines, uint32_t first,
                                const int32_t* max, const ProbabilityLine* line) {
  constexpr uint32_t kRows = kKeptTerms / kEight;
  const uint32_t width = lines.width - first < kEight ? lines.width - first : kEight;
  alignas(32) uint32_t terms[kKeptTerms] = {};
  const typename Level::Quotients quotients(line + first, 1, args.codes);
  const uint64_t start = lines.first + first;
  for (uint32_t k = 0; k < lines.count; k += kRows) {
    const uint32_t rows = lines.count - k < kRows ? lines.count - k : kRows;
    const uint64_t offset = start + k * lines.step;
    for (uint32_t r = 0; r < rows; ++r) {
      const uint8_t* x = args.input + offset + r * lines.step;
      for (uint32_t c = 0; c < width; ++c) {
        terms[r * kEight + c] = args.table[max[first + c] - (int8_t)(x[c] ^ args.sign)];
      }
    }
    for (uint32_t r = 0; r < rows; ++r) {
      StoreSome(quotients, terms + r * kEight, args.sign, width,
                args.output + offset + r * lines.step);
    }
  }
}

template <typename Level>
static inline void RunAxisSoftmaxS8(const AxisSoftmaxS8Args& args, Share share) {
  if (args.inner == 1) {
    return RunSoftmaxS8<Level>(SoftmaxS8Args{args.input, args.output, args.outer, args.count,
                                             args.table, args.codes, args.sign},
                               share);
  }
  ForEachLines(args, share, [&](const Lines& lines) {
    int32_t max[kSide];
    uint64_t sum[kSide] = {};
    const uint8_t* x = args.input + lines.first;
    Level::LargestOfColumns(x, lines.count, lines.step, lines.width, args.sign, max);
    for (uint32_t k = 0; k < lines.count; ++k, x += lines.step) {
      for (uint32_t c = 0; c < lines.width; ++c) {
        sum[c] += args.table[max[c] - (int8_t)(x[c] ^ args.sign)];
      }
    }
    // Lanes behind the last line have terms of 0 and any sum.
    ProbabilityLine line[kSide];
    for (uint32_t c = 0; c < kSide; ++c) {
      line[c] = ProbabilityLineOf(c < lines.width ? sum[c] : kSoftmaxOne, args.codes);
    }
    for (uint32_t c = 0; c < lines.width; c += kEight) {
      StoreColumns<Level>(args, lines, c, max, line);
    }
  });
}

}  // namespace
}  // namespace octet
