// How GridSample goes through its output: the pixels that a place names and their weights, which a
// Level sums over the channels. Internal linkage. A Level brings
//
//   Widen(from, count, to)             up to 32 halves to floats, in whole vectors of 8
//   Sum(taps, count, channels, to)     to[c] = 0 + taps[0].pixel[c] * taps[0].weight + ...
#include "runtime/kernels/grid_sample/grid_sample.h"

namespace octet {
namespace {

using blob::GridPadding;
using blob::GridSampling;

constexpr float kFar = 1073741824;  // 2^30: positions beyond are no pixels, and fit 32 bits
constexpr uint32_t kMostTaps = 4;   // an axis

// A pixel's channels, and what they are multiplied by.
struct GridTap {
  const uint16_t* pixel;
  float weight;
};

// floor of any float; beyond 2^30 (where floats are whole) and for NaN the value itself.
static inline float Floor(float x) {
  if (!(x > -kFar && x < kFar)) return x;
  const float whole = (float)(int32_t)x;
  return whole > x ? whole - 1 : whole;
}

// Halves to the even neighbour.
static inline float Nearest(float x) {
  if (!(x > -kFar && x < kFar)) return x;
  const float low = Floor(x), above = x - low;
  const bool odd = ((int32_t)low & 1) != 0;
  return above > 0.5f || (above == 0.5f && odd) ? low + 1 : low;
}

static inline float Clamp(float x, float size) {
  return x > 0 ? (x < size - 1 ? x : size - 1) : 0;
}

static inline float FarWeight(float d) {
  return ((-0.75f * d + 3.75f) * d - 6.0f) * d + 3.0f;
}
static inline float NearWeight(float d) {
  return (1.25f * d - 2.25f) * d * d + 1.0f;
}

// What one coordinate of a place reads: pixels of the axis, and their weights.
struct AxisTaps {
  uint32_t count;
  int32_t pixel[kMostTaps];  // -1: outside, counts as 0
  float weight[kMostTaps];
};

// One axis of the picture.
struct Axis {
  float size, low, high;
  GridSampling mode;
  GridPadding padding;
  bool align_corners;

  Axis(uint32_t pixels, const blob::GridSampleParams& p)
      : size((float)pixels),
        low(p.align_corners != 0 ? 0.0f : -0.5f),
        high(size - (p.align_corners != 0 ? 1.0f : 0.5f)),
        mode(p.mode),
        padding(p.padding),
        align_corners(p.align_corners != 0) {}

  float Position(float g) const {
    const float x = align_corners ? (g + 1) / 2 * (size - 1) : ((g + 1) * size - 1) / 2;
    return mode == GridSampling::kNearest ? Nearest(x) : x;
  }
  bool Beyond(float x) const { return x < low || x > high; }
  float Inside(float x) const {
    if (padding == GridPadding::kBorder) return Clamp(x, size);
    return padding == GridPadding::kReflection ? Reflected(x) : x;
  }
  void TapsAt(float x, AxisTaps* taps) const {
    if (mode == GridSampling::kNearest) {
      taps->count = 1;
      taps->pixel[0] = Pixel(x);
      taps->weight[0] = 1;
      return;
    }
    const float below = Floor(x), t = x - below;
    if (mode == GridSampling::kLinear) {
      taps->count = 2;
      taps->pixel[0] = Pixel(below);
      taps->pixel[1] = Pixel(below + 1);
      taps->weight[0] = 1 - t;
      taps->weight[1] = t;
      return;
    }
    taps->count = 4;
    for (uint32_t i = 0; i < 4; ++i) taps->pixel[i] = Pixel(below - 1 + (float)i);
    taps->weight[0] = FarWeight(t + 1);
    taps->weight[1] = NearWeight(t);
    taps->weight[2] = NearWeight(1 - t);
    taps->weight[3] = FarWeight(2 - t);
  }

 private:
  float Reflected(float x) const {
    const float range = high - low;
    if (!(range > 0)) return 0;
    const bool below = x < low;
    if (!below && !(x > high)) return x;
    const float beyond = below ? low - x : x - high;
    const float times = Floor(beyond / range);
    const float rest = beyond - times * range;
    const bool even = times - 2 * Floor(times / 2) == 0;
    return below == even ? low + rest : high - rest;
  }
  // Pixel of a whole position.
  int32_t Pixel(float x) const {
    if (padding == GridPadding::kBorder) x = Clamp(x, size);
    if (padding == GridPadding::kReflection) x = Reflected(x);
    return x > -1 && x < size ? (int32_t)x : -1;
  }
};

// The pixels at a place, row by row, without those outside. Not inlined: it is long.
__attribute__((noinline)) static uint32_t TapsOf(const Axis& rows, const Axis& columns, float x,
                                                 float y, const uint16_t* image,
                                                 const GridSampleF16Args& args, GridTap* taps) {
  x = columns.Position(x);
  y = rows.Position(y);
  if (columns.Beyond(x) || rows.Beyond(y)) {
    x = columns.Inside(x);
    y = rows.Inside(y);
  }
  AxisTaps across, down;
  columns.TapsAt(x, &across);
  rows.TapsAt(y, &down);
  uint32_t count = 0;
  for (uint32_t r = 0; r < down.count; ++r) {
    if (down.pixel[r] < 0) continue;
    const uint16_t* row = image + (size_t)(uint32_t)down.pixel[r] * args.in_w * args.channels;
    for (uint32_t k = 0; k < across.count; ++k) {
      if (across.pixel[k] < 0) continue;
      taps[count++] = GridTap{row + (size_t)(uint32_t)across.pixel[k] * args.channels,
                              down.weight[r] * across.weight[k]};
    }
  }
  return count;
}

template <typename Level>
static inline void RunGridSampleF16(const GridSampleF16Args& args, Share share) {
  constexpr uint64_t kBlock = 16;  // places
  const Axis rows(args.in_h, args.params), columns(args.in_w, args.params);
  const size_t image_size = (size_t)args.in_h * args.in_w * args.channels;
  const Range range = RangeOf(args.batch * args.out_pixels, share);
  for (uint64_t i = range.begin; i < range.end;) {
    const uint64_t image = i / args.out_pixels, image_end = (image + 1) * args.out_pixels;
    const uint16_t* pixels = args.input + image * image_size;
    const uint64_t end = image_end < range.end ? image_end : range.end;
    while (i < end) {
      const uint32_t count = (uint32_t)(end - i < kBlock ? end - i : kBlock);
      float places[2 * kBlock];
      Level::Widen(args.grid + 2 * i, 2 * count, places);
      for (uint32_t k = 0; k < count; ++k, ++i) {
        GridTap taps[kMostTaps * kMostTaps];
        const uint32_t found =
            TapsOf(rows, columns, places[2 * k], places[2 * k + 1], pixels, args, taps);
        Level::Sum(taps, found, args.channels, args.output + i * args.channels);
      }
    }
  }
}

}  // namespace
}  // namespace octet
