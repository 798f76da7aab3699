// Softmax of FP16 rows, exponentials 8 at a time. A level brings
//
//   Widen(from, count, to)              1 .. 8 halves to 8 floats; those behind `count` are
//   anything LargerOf(values, max)               max[i] = values[i] > max[i] ? values[i] : max[i],
//   8 lanes Exponentials(values, max)           exp(values[i] - max) in place, 8 lanes
//   Store(values, sum, count, to)       values[i] / sum as halves
//
// Included by kernels only; internal linkage.
#include "runtime/core/float_math.h"
#include "runtime/kernels/share.h"
#include "runtime/kernels/softmax/softmax.h"

namespace octet {
namespace {

// Exponentials of a row that are kept between the two passes; longer rows compute them twice.
constexpr uint32_t kKeptExponentials = 1024;

template <typename Level>
static inline void SoftmaxRow(const uint16_t* x, uint32_t count, uint16_t* y) {
  alignas(32) float kept[kKeptExponentials];
  alignas(32) float lanes[8];
  for (float& lane : lanes) lane = -FloatInfinity();
  for (uint32_t i = 0; i < count; i += 8) {
    const uint32_t width = count - i < 8 ? count - i : 8;
    Level::Widen(x + i, width, kept);
    for (uint32_t c = width; c < 8; ++c) kept[c] = -FloatInfinity();
    Level::LargerOf(kept, lanes);
  }
  float max = lanes[0];
  for (uint32_t c = 1; c < 8; ++c) max = lanes[c] > max ? lanes[c] : max;
  const bool fits = count <= kKeptExponentials;
  const auto exponentials = [&](uint32_t i, uint32_t width) {
    float* to = fits ? kept + i : kept;
    Level::Widen(x + i, width, to);
    Level::Exponentials(to, max);
    return to;
  };
  float sum = 0.0f;
  for (uint32_t i = 0; i < count; i += 8) {
    const uint32_t width = count - i < 8 ? count - i : 8;
    const float* e = exponentials(i, width);
    for (uint32_t c = 0; c < width; ++c) sum += e[c];
  }
  for (uint32_t i = 0; i < count; i += 8) {
    const uint32_t width = count - i < 8 ? count - i : 8;
    Level::Store(fits ? kept + i : exponentials(i, width), sum, width, y + i);
  }
}

template <typename Level>
static inline void SoftmaxRows(const SoftmaxF16Args& args, Share share) {
  const Range rows = RangeOf(args.rows, share);
  for (uint64_t row = rows.begin; row < rows.end; ++row) {
    SoftmaxRow<Level>(args.input + row * args.count, args.count, args.output + row * args.count);
  }
}

}  // namespace
}  // namespace octet
