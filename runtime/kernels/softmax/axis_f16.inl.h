// FP16 softmax along an axis and of short rows, in eights of lines; each line has the arithmetic of
// the reference. A Level brings Widen(from, count, to) and Narrow(from, count, to), halves to
// floats and back (floats up to a multiple of 8), and Exponentials(values, count), HalfExp() of a
// multiple of 8 in place. Internal linkage.
#include "runtime/core/float_math.h"
#include "runtime/kernels/kernel_table.h"
#include "runtime/kernels/softmax/lines.inl.h"

namespace octet {
namespace {

template <typename Level>
static inline void LinesF16(const AxisSoftmaxF16Args& args, const Lines& lines) {
  using blob::SoftmaxKind;
  alignas(32) float x[kSide] = {}, max[kSide], sum[kSide];
  uint32_t where[kSide];
  const uint32_t lanes = (lines.width + 7) / 8 * 8;
  const auto each = [&](auto body) {
    for (uint32_t i = 0; i < lanes; i += 8) {
      for (uint32_t c = i; c < i + 8; ++c) body(c);
    }
  };
  const auto widen = [&](uint32_t k) {
    Level::Widen(args.input + lines.first + k * lines.step, lines.width, x);
  };
  each([&](uint32_t c) {
    max[c] = -FloatInfinity();
    where[c] = 0;
    sum[c] = 0.0f;
  });
  for (uint32_t k = 0; k < lines.count; ++k) {
    widen(k);
    each([&](uint32_t c) {
      where[c] = x[c] > max[c] ? k : where[c];
      max[c] = x[c] > max[c] ? x[c] : max[c];
    });
  }
  const auto distances = [&](uint32_t k) {
    widen(k);
    each([&](uint32_t c) { x[c] = x[c] - max[c]; });
  };
  if (args.kind != SoftmaxKind::kHardmax) {
    for (uint32_t k = 0; k < lines.count; ++k) {
      distances(k);
      Level::Exponentials(x, lanes);
      each([&](uint32_t c) { sum[c] += x[c]; });
    }
  }
  if (args.kind == SoftmaxKind::kLogSoftmax) {
    for (uint32_t c = 0; c < lines.width; ++c) sum[c] = FloatLog(sum[c]);
  }
  for (uint32_t k = 0; k < lines.count; ++k) {
    if (args.kind == SoftmaxKind::kHardmax) {
      each([&](uint32_t c) { x[c] = where[c] == k ? 1.0f : 0.0f; });
    } else {
      distances(k);
      if (args.kind == SoftmaxKind::kSoftmax) {
        Level::Exponentials(x, lanes);
        each([&](uint32_t c) { x[c] = x[c] / sum[c]; });
      } else {
        each([&](uint32_t c) { x[c] = x[c] - sum[c]; });
      }
    }
    Level::Narrow(x, lines.width, args.output + lines.first + k * lines.step);
  }
}

template <typename Level>
static inline void RunAxisSoftmaxF16(const AxisSoftmaxF16Args& args, Share share) {
  constexpr uint32_t kFewLines = 4;  // of so few the reference is faster
  if (args.inner < kFewLines) return axis_softmax_f16_reference(args, share);
  ForEachLines(args, share, [&](const Lines& lines) { LinesF16<Level>(args, lines); });
}

// Rows of few elements (the 16 bins of a box's side among them): eight rows side by side, element
// by element, so that neither a sum in its order nor a largest element waits for its own lanes.
// Level::Transpose(from, from_step, to, to_step) turns a square of 8x8 floats.
constexpr uint32_t kFewElements = 32;

template <typename Level>
static inline void RunShortRowsF16(const SoftmaxF16Args& args, Share share) {
  constexpr uint32_t kRows = 8;
  const Range range = RangeOf(args.rows, share);
  const uint32_t count = args.count, wide = (count + 7) / 8 * 8;
  // Places without a row or an element hold zeros.
  alignas(32) float flat[kRows * kFewElements] = {}, x[kRows * kFewElements];
  alignas(32) float max[kRows], sum[kRows];
  for (uint64_t first = range.begin; first < range.end; first += kRows) {
    const uint32_t rows = range.end - first < kRows ? (uint32_t)(range.end - first) : kRows;
    const uint64_t offset = first * count;
    for (uint32_t r = 0; r < rows; ++r) {
      Level::Widen(args.input + offset + r * count, count, flat + r * wide);
    }
    for (uint32_t k = 0; k < wide; k += 8) {
      Level::Transpose(flat + k, wide, x + k * kRows, kRows);
    }
    for (uint32_t r = 0; r < kRows; ++r) {
      max[r] = -FloatInfinity();
      sum[r] = 0.0f;
    }
    for (uint32_t k = 0; k < count; ++k) {
      const float* values = x + k * kRows;
      for (uint32_t r = 0; r < kRows; ++r) max[r] = values[r] > max[r] ? values[r] : max[r];
    }
    for (uint32_t k = 0; k < count; ++k) {
      for (uint32_t r = 0; r < kRows; ++r) x[k * kRows + r] -= max[r];
    }
    Level::Exponentials(x, kRows * count);
    for (uint32_t k = 0; k < count; ++k) {
      for (uint32_t r = 0; r < kRows; ++r) sum[r] += x[k * kRows + r];
    }
    for (uint32_t k = 0; k < count; ++k) {
      for (uint32_t r = 0; r < kRows; ++r) x[k * kRows + r] /= sum[r];
    }
    for (uint32_t k = 0; k < wide; k += 8) {
      Level::Transpose(x + k * kRows, kRows, flat + k, wide);
    }
    for (uint32_t r = 0; r < rows; ++r) {
      Level::Narrow(flat + r * wide, count, args.output + offset + r * count);
    }
  }
}

}  // namespace
}  // namespace octet
