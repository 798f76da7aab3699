// RoiAlign in FP16: equations at RoiAlignParams in format/roi_align.h. Regions may hold anything,
// NaN included: only positions that were compared with the picture's size become indices, and the
// number of samples of a cell is bounded.
#include "runtime/format/roi_align.h"
#include "runtime/core/half.h"
#include "runtime/kernels/check.h"
#include "runtime/kernels/share.h"

namespace octet {
namespace {

constexpr uint32_t kRun = 64;           // channels whose sums fit registers and L1
constexpr uint32_t kMostSamples = 256;  // of a cell along one axis

const blob::RoiAlignParams& Params(const LayerView& v) {
  return ParamsOf<blob::RoiAlignParams>(v);
}

const uint32_t* BatchOf(const LayerView& v) {
  return reinterpret_cast<const uint32_t*>(v.tables + v.layer->extra.offset);
}

// Samples of a cell: given, or one a pixel.
uint32_t SamplesOf(uint32_t given, float cell) {
  if (given != 0) return given;
  if (!(cell > 0)) return 0;
  if (!(cell < (float)kMostSamples)) return kMostSamples;
  const uint32_t whole = (uint32_t)cell;
  return (float)whole < cell ? whole + 1 : whole;
}

// One axis of a region.
struct Axis {
  float begin, cell;
  uint32_t samples, size;

  Axis(float from, float to, const blob::RoiAlignParams& p, uint32_t cells, uint32_t pixels) {
    const float offset = p.half_pixel != 0 ? 0.5f : 0.0f;
    begin = from * p.spatial_scale - offset;
    float length = to * p.spatial_scale - offset - begin;
    if (p.half_pixel == 0 && !(length > 1)) length = 1;
    cell = length / (float)cells;
    samples = SamplesOf(p.sampling_ratio, cell);
    size = pixels;
  }

  // The two pixels around sample s of cell i, and the weight of the second; false outside.
  bool At(uint32_t i, uint32_t s, uint32_t (&index)[2], float* weight) const {
    float x = begin + (float)i * cell + ((float)s + 0.5f) * cell / (float)samples;
    if (!(x >= -1 && x <= (float)size)) return false;
    if (!(x > 0)) x = 0;
    if (x > (float)(size - 1)) x = (float)(size - 1);
    index[0] = (uint32_t)x;
    index[1] = index[0] + 1 < size ? index[0] + 1 : size - 1;
    *weight = x - (float)index[0];
    return true;
  }
};

void PoolCell(const Axis& rows, const Axis& columns, uint32_t cy, uint32_t cx, bool maximum,
              const uint16_t* image, uint32_t channels, uint32_t count, float (&acc)[kRun]) {
  const uint32_t total = rows.samples * columns.samples;
  bool first = true;
  for (uint32_t c = 0; c < count; ++c) acc[c] = 0;
  for (uint32_t s = 0; s < total; ++s) {
    uint32_t y[2] = {}, x[2] = {};
    float down = 0, across = 0;
    const bool inside = rows.At(cy, s / columns.samples, y, &down) &&
                        columns.At(cx, s % columns.samples, x, &across);
    const float weights[4] = {(1 - down) * (1 - across), (1 - down) * across, down * (1 - across),
                              down * across};
    for (uint32_t k = 0; k < 4; ++k) {
      const uint16_t* pixel = image + ((uint64_t)y[k / 2] * columns.size + x[k % 2]) * channels;
      for (uint32_t c = 0; c < count; ++c) {
        const float term = inside ? HalfToFloat(pixel[c]) * weights[k] : 0;
        if (!maximum) {
          acc[c] += term;
        } else if (first || term > acc[c]) {
          acc[c] = term;
        }
      }
      first = false;
    }
  }
  if (maximum || total == 0) return;
  for (uint32_t c = 0; c < count; ++c) acc[c] /= (float)total;
}

}  // namespace

bool CheckRoiAlignLayer(const LayerView& view) {
  if (!HasTypes(view, 2) || IsInt8(view)) return false;
  const blob::RoiAlignParams& p = Params(view);
  const uint32_t* in = InputOf(view, 0).dims;
  const uint32_t* rois = InputOf(view, 1).dims;
  const uint32_t* out = OutputOf(view).dims;
  constexpr uint32_t kMostPixels = 1u << 24;  // a side: positions are floats
  if (in[1] > kMostPixels || in[2] > kMostPixels || rois[0] != 1 || rois[1] != 1 || rois[3] != 4 ||
      out[0] != rois[2] || out[3] != in[3] || p.sampling_ratio > kMostSamples || p.maximum > 1 ||
      p.half_pixel > 1 || !IsFiniteFloat(p.spatial_scale) ||
      !HasData(view.layer->extra, (uint64_t)rois[2] * sizeof(uint32_t), alignof(uint32_t))) {
    return false;
  }
  for (uint32_t r = 0; r < rois[2]; ++r) {
    if (BatchOf(view)[r] >= in[0]) return false;
  }
  return true;
}

LayerCost CostRoiAlignLayer(const LayerView& view) {
  const uint64_t ratio = Params(view).sampling_ratio;
  const uint64_t samples = ratio == 0 ? kMostSamples : ratio;
  return LayerCost{0, 4 * samples * samples, 1, 0};
}

void RunRoiAlignLayer(const LayerView& view, const RunContext& context) {
  const blob::RoiAlignParams& p = Params(view);
  const uint32_t* in = InputOf(view, 0).dims;
  const uint32_t* out = OutputOf(view).dims;
  const uint16_t* input = reinterpret_cast<const uint16_t*>(PlaceOf(context, InputOf(view, 0)));
  const uint16_t* rois = reinterpret_cast<const uint16_t*>(PlaceOf(context, InputOf(view, 1)));
  uint16_t* output = reinterpret_cast<uint16_t*>(PlaceOf(context, OutputOf(view)));
  const uint64_t cells = (uint64_t)out[1] * out[2];
  const Range range = RangeOf(out[0] * cells, context.share);
  for (uint64_t i = range.begin; i < range.end; ++i) {
    const uint16_t* roi = rois + i / cells * 4;
    const Axis columns(HalfToFloat(roi[0]), HalfToFloat(roi[2]), p, out[2], in[2]);
    const Axis rows(HalfToFloat(roi[1]), HalfToFloat(roi[3]), p, out[1], in[1]);
    const uint16_t* image = input + (uint64_t)BatchOf(view)[i / cells] * in[1] * in[2] * in[3];
    const uint32_t cy = (uint32_t)(i % cells / out[2]), cx = (uint32_t)(i % out[2]);
    for (uint32_t first = 0; first < in[3]; first += kRun) {
      const uint32_t count = in[3] - first < kRun ? in[3] - first : kRun;
      float acc[kRun];
      PoolCell(rows, columns, cy, cx, p.maximum != 0, image + first, in[3], count, acc);
      for (uint32_t c = 0; c < count; ++c) output[i * in[3] + first + c] = FloatToHalf(acc[c]);
    }
  }
}

}  // namespace octet
