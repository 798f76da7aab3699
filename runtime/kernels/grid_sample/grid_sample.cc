// GridSample in FP16: the pixel of the input at each place that the second input names; equations
// at GridSampleParams in format/resample.h. Positions may be anything, NaN included: only those
// that were compared with the picture's size become indices.
#include "runtime/core/half.h"
#include "runtime/format/resample.h"
#include "runtime/kernels/check.h"
#include "runtime/kernels/share.h"

namespace octet {
namespace {

using blob::GridPadding;
using blob::GridSampling;

constexpr uint32_t kRun = 64;       // channels whose sums fit registers and L1
constexpr float kFar = 1073741824;  // 2^30: positions beyond are no pixels, and fit 32 bits

const blob::GridSampleParams& Params(const LayerView& v) {
  return ParamsOf<blob::GridSampleParams>(v);
}

// floor of any float; beyond 2^30 (where floats are whole) and for NaN the value itself.
float Floor(float x) {
  if (!(x > -kFar && x < kFar)) return x;
  const float whole = (float)(int32_t)x;
  return whole > x ? whole - 1 : whole;
}

// Halves to the even neighbour.
float Nearest(float x) {
  if (!(x > -kFar && x < kFar)) return x;
  const float low = Floor(x), above = x - low;
  const bool odd = ((int32_t)low & 1) != 0;
  return above > 0.5f || (above == 0.5f && odd) ? low + 1 : low;
}

float Clamp(float x, float size) {
  return x > 0 ? (x < size - 1 ? x : size - 1) : 0;
}

// One axis of the picture.
struct Axis {
  float size, low, high;
  GridPadding padding;
  uint8_t align_corners;

  Axis(uint32_t pixels, const blob::GridSampleParams& p)
      : size((float)pixels),
        low(p.align_corners != 0 ? 0.0f : -0.5f),
        high(size - (p.align_corners != 0 ? 1.0f : 0.5f)),
        padding(p.padding),
        align_corners(p.align_corners) {}

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
  float Position(float g, GridSampling mode) const {
    const float x = align_corners != 0 ? (g + 1) / 2 * (size - 1) : ((g + 1) * size - 1) / 2;
    return mode == GridSampling::kNearest ? Nearest(x) : x;
  }
  bool Beyond(float x) const { return x < low || x > high; }
  float Inside(float x) const {
    if (padding == GridPadding::kBorder) return Clamp(x, size);
    return padding == GridPadding::kReflection ? Reflected(x) : x;
  }
  // Pixel of a whole position, or -1: it counts as 0.
  int64_t Pixel(float x) const {
    if (padding == GridPadding::kBorder) x = Clamp(x, size);
    if (padding == GridPadding::kReflection) x = Reflected(x);
    return x > -1 && x < size ? (int64_t)x : -1;
  }
};

struct Taps {
  float first;
  uint32_t count;
  float weights[4];
};

float FarWeight(float d) {
  return ((-0.75f * d + 3.75f) * d - 6.0f) * d + 3.0f;
}
float NearWeight(float d) {
  return (1.25f * d - 2.25f) * d * d + 1.0f;
}

Taps TapsAt(GridSampling mode, float x) {
  if (mode == GridSampling::kNearest) return Taps{x, 1, {1, 0, 0, 0}};
  const float low = Floor(x), t = x - low;
  if (mode == GridSampling::kLinear) return Taps{low, 2, {1 - t, t, 0, 0}};
  return Taps{low - 1, 4, {FarWeight(t + 1), NearWeight(t), NearWeight(1 - t), FarWeight(2 - t)}};
}

}  // namespace

bool CheckGridSampleLayer(const LayerView& view) {
  if (!HasTypes(view, 2) || IsInt8(view)) return false;
  const blob::GridSampleParams& p = Params(view);
  const uint32_t* in = InputOf(view, 0).dims;
  const uint32_t* grid = InputOf(view, 1).dims;
  const uint32_t* out = OutputOf(view).dims;
  constexpr uint32_t kMostPixels = 1u << 24;  // a side: positions are floats
  return (uint32_t)p.mode <= (uint32_t)GridSampling::kCubic &&
         (uint32_t)p.padding <= (uint32_t)GridPadding::kReflection && p.align_corners <= 1 &&
         in[1] <= kMostPixels && in[2] <= kMostPixels && grid[0] == in[0] && grid[3] == 2 &&
         out[0] == in[0] && out[1] == grid[1] && out[2] == grid[2] && out[3] == in[3];
}

void RunGridSampleLayer(const LayerView& view, const RunContext& context) {
  const blob::GridSampleParams& p = Params(view);
  const uint32_t* in = InputOf(view, 0).dims;
  const uint32_t* out = OutputOf(view).dims;
  const Axis rows(in[1], p), columns(in[2], p);
  const uint16_t* input = reinterpret_cast<const uint16_t*>(PlaceOf(context, InputOf(view, 0)));
  const uint16_t* grid = reinterpret_cast<const uint16_t*>(PlaceOf(context, InputOf(view, 1)));
  uint16_t* output = reinterpret_cast<uint16_t*>(PlaceOf(context, OutputOf(view)));
  const uint64_t pixels = (uint64_t)out[1] * out[2];
  const Range range = RangeOf(out[0] * pixels, context.share);
  for (uint64_t i = range.begin; i < range.end; ++i) {
    float x = columns.Position(HalfToFloat(grid[2 * i]), p.mode);
    float y = rows.Position(HalfToFloat(grid[2 * i + 1]), p.mode);
    if (columns.Beyond(x) || rows.Beyond(y)) {
      x = columns.Inside(x);
      y = rows.Inside(y);
    }
    const Taps across = TapsAt(p.mode, x), down = TapsAt(p.mode, y);
    const uint16_t* image = input + i / pixels * in[1] * in[2] * in[3];
    for (uint32_t first = 0; first < in[3]; first += kRun) {
      const uint32_t count = in[3] - first < kRun ? in[3] - first : kRun;
      float acc[kRun] = {};
      for (uint32_t r = 0; r < down.count; ++r) {
        const int64_t row = rows.Pixel(down.first + (float)r);
        for (uint32_t k = 0; k < across.count; ++k) {
          const int64_t column = columns.Pixel(across.first + (float)k);
          if (row < 0 || column < 0) continue;
          const float weight = down.weights[r] * across.weights[k];
          const uint16_t* pixel =
              image + ((uint64_t)row * in[2] + (uint64_t)column) * in[3] + first;
          for (uint32_t c = 0; c < count; ++c) acc[c] += HalfToFloat(pixel[c]) * weight;
        }
      }
      for (uint32_t c = 0; c < count; ++c) output[i * in[3] + first + c] = FloatToHalf(acc[c]);
    }
  }
}

}  // namespace octet
