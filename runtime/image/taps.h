// How one output coordinate reads one axis of a picture: the two weightings of resize.h.
#ifndef OCTET_IMAGE_TAPS_H_
#define OCTET_IMAGE_TAPS_H_

#include <stdint.h>

namespace octet {

constexpr uint32_t kLinearTotal = 2048;  // 11-bit weights

// Source pixels first .. first + count - 1, whose weights add up to the axis' total. Only the two
// border weights of an area differ from `inner`.
struct Taps {
  uint32_t first, count;
  uint64_t first_weight, last_weight, inner_weight;
};

struct Axis {
  uint32_t in, out;
  bool area;
};

static inline Axis AxisOf(uint32_t in, uint32_t out) {
  return Axis{in, out, in > 2 * (uint64_t)out};
}

static inline uint64_t TotalOf(const Axis& axis) {
  return axis.area ? axis.in : kLinearTotal;
}

static inline uint64_t WeightOf(const Taps& taps, uint32_t i) {
  if (i == 0) return taps.first_weight;
  return i + 1 == taps.count ? taps.last_weight : taps.inner_weight;
}

static inline Taps LinearTaps(const Axis& axis, uint32_t i) {
  // Sizes are at most 2^16, so the product stays below 2^48.
  const uint64_t scaled = (2 * (uint64_t)i + 1) * axis.in * 32768u / axis.out;
  uint64_t position = scaled < 32768u ? 0 : scaled - 32768u;
  const uint64_t last = (uint64_t)(axis.in - 1) << 16;
  if (position > last) position = last;
  const uint32_t low = (uint32_t)(position >> 16);
  const uint32_t weight_high = (uint32_t)(position & 0xFFFFu) >> 5;
  const uint32_t count = low + 1 < axis.in ? 2 : 1;  // at the border the second tap is the first
  return Taps{low, count, count == 2 ? kLinearTotal - weight_high : kLinearTotal, weight_high, 0};
}

// In units of 1 / out source pixels: output i covers [i * in, (i + 1) * in), source pixel p [p *
// out, (p + 1) * out). Where in and out have been divided by a common factor, so are all weights.
static inline Taps AreaTaps(const Axis& axis, uint32_t i) {
  const uint64_t begin = (uint64_t)i * axis.in, end = begin + axis.in;
  const uint64_t first = begin / axis.out, last = (end - 1) / axis.out;
  const uint64_t covered = (first + 1) * axis.out - begin;
  // in > 2 * out: an output covers more than one source pixel. In equal numbers it is exactly one.
  return Taps{(uint32_t)first, (uint32_t)(last - first + 1),
              first == last ? (uint64_t)axis.in : covered, end - last * axis.out, axis.out};
}

static inline Taps TapsOf(const Axis& axis, uint32_t i) {
  return axis.area ? AreaTaps(axis, i) : LinearTaps(axis, i);
}

}  // namespace octet

#endif  // OCTET_IMAGE_TAPS_H_
