// FP16 softmax along an axis, in eights of lines; each line has the arithmetic of the reference. A
// Level brings Widen(from, count, to) and Narrow(from, count, to), halves to floats and back
// (floats up to a multiple of 8), and Exponentials(values, count), HalfExp() of a multiple of 8 in
// place. Internal linkage.
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

}  // namespace
}  // namespace octet
