#include "runtime/image/resize.h"

namespace octet {
namespace {

constexpr uint32_t kMaxChannels = 4;
constexpr uint32_t kLinearTotal = 2048;  // 11-bit weights

// How one output coordinate reads one axis: source pixels first .. first + count - 1, whose weights
// add up to the axis' total. Only the two border weights of an area differ from `inner`.
struct Taps {
  uint32_t first, count;
  uint64_t first_weight, last_weight, inner_weight;
};

struct Axis {
  uint32_t in, out;
  bool area;
};

uint64_t TotalOf(const Axis& axis) {
  return axis.area ? axis.in : kLinearTotal;
}

uint64_t WeightOf(const Taps& taps, uint32_t i) {
  if (i == 0) return taps.first_weight;
  return i + 1 == taps.count ? taps.last_weight : taps.inner_weight;
}

Taps LinearTaps(const Axis& axis, uint32_t i) {
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
// out, (p + 1) * out).
Taps AreaTaps(const Axis& axis, uint32_t i) {
  const uint64_t begin = (uint64_t)i * axis.in, end = begin + axis.in;
  const uint64_t first = begin / axis.out, last = (end - 1) / axis.out;
  // in > 2 * out: an output covers more than one source pixel, so first < last.
  return Taps{(uint32_t)first, (uint32_t)(last - first + 1), (first + 1) * axis.out - begin,
              end - last * axis.out, axis.out};
}

Taps TapsOf(const Axis& axis, uint32_t i) {
  return axis.area ? AreaTaps(axis, i) : LinearTaps(axis, i);
}

struct Source {
  const uint8_t* pixels;  // of the region's upper left corner
  size_t row_bytes;
  uint32_t channels;
};

void SamplePixel(const Source& source, const Taps& rows, const Taps& columns, uint64_t total,
                 uint8_t* values) {
  uint64_t sums[kMaxChannels] = {0, 0, 0, 0};
  for (uint32_t r = 0; r < rows.count; ++r) {
    const uint8_t* pixel = source.pixels + (size_t)(rows.first + r) * source.row_bytes +
                           (size_t)columns.first * source.channels;
    const uint64_t row_weight = WeightOf(rows, r);
    for (uint32_t c = 0; c < columns.count; ++c, pixel += source.channels) {
      const uint64_t weight = row_weight * WeightOf(columns, c);
      for (uint32_t k = 0; k < source.channels; ++k) sums[k] += weight * pixel[k];
    }
  }
  // Two bilinear axes: (2 s + 2^22) / 2^23 is (s + 2^21) >> 22.
  for (uint32_t k = 0; k < source.channels; ++k) {
    values[k] = total == (uint64_t)kLinearTotal * kLinearTotal
                    ? (uint8_t)((sums[k] + (1u << 21)) >> 22)
                    : (uint8_t)((2 * sums[k] + total) / (2 * total));
  }
}

// numerator / denominator, half up, at least 1.
uint32_t RoundedRatio(uint64_t numerator, uint64_t denominator) {
  const uint64_t ratio = (2 * numerator + denominator) / (2 * denominator);
  return ratio == 0 ? 1 : (uint32_t)ratio;
}

}  // namespace

Placement PlacePicture(uint32_t source_h, uint32_t source_w, uint32_t target_h, uint32_t target_w,
                       blob::ResizeMode mode) {
  Placement placement = {{0, 0, source_w, source_h}, {0, 0, target_w, target_h}};
  const uint64_t source_aspect = (uint64_t)source_w * target_h;  // both over source_h * target_h
  const uint64_t target_aspect = (uint64_t)target_w * source_h;
  const bool wider = source_aspect > target_aspect;
  if (mode == blob::ResizeMode::kLetterbox) {
    Region* target = &placement.target;
    if (wider) {
      target->height = RoundedRatio((uint64_t)source_h * target_w, source_w);
      target->y = (target_h - target->height) / 2;
    } else {
      target->width = RoundedRatio((uint64_t)source_w * target_h, source_h);
      target->x = (target_w - target->width) / 2;
    }
  } else if (mode == blob::ResizeMode::kCrop) {
    Region* source = &placement.source;
    if (wider) {
      source->width = RoundedRatio(target_aspect, target_h);
      source->x = (source_w - source->width) / 2;
    } else {
      source->height = RoundedRatio(source_aspect, target_w);
      source->y = (source_h - source->height) / 2;
    }
  }
  return placement;
}

void ResizePicture(const uint8_t* pixels, uint32_t height, uint32_t width, uint32_t channels,
                   size_t row_bytes, uint32_t target_h, uint32_t target_w, blob::ResizeMode mode,
                   uint8_t letterbox_value, StorePixel store, void* context) {
  const Placement placement = PlacePicture(height, width, target_h, target_w, mode);
  const Region& from = placement.source;
  const Region& to = placement.target;
  const Source source = {pixels + (size_t)from.y * row_bytes + (size_t)from.x * channels, row_bytes,
                         channels};
  const Axis rows = {from.height, to.height, from.height > 2 * to.height};
  const Axis columns = {from.width, to.width, from.width > 2 * to.width};
  const bool copy = rows.in == rows.out && columns.in == columns.out;
  const uint64_t total = TotalOf(rows) * TotalOf(columns);
  const uint8_t bar[kMaxChannels] = {letterbox_value, letterbox_value, letterbox_value,
                                     letterbox_value};
  for (uint32_t y = 0; y < target_h; ++y) {
    const bool row_inside = y - to.y < to.height;  // wraps, and so is outside, above the region
    const Taps row_taps = row_inside ? TapsOf(rows, y - to.y) : Taps{0, 0, 0, 0, 0};
    for (uint32_t x = 0; x < target_w; ++x) {
      if (!row_inside || x - to.x >= to.width) {
        store(context, y, x, bar);
      } else if (copy) {
        store(context, y, x,
              source.pixels + (size_t)(y - to.y) * row_bytes + (size_t)(x - to.x) * channels);
      } else {
        uint8_t values[kMaxChannels];
        SamplePixel(source, row_taps, TapsOf(columns, x - to.x), total, values);
        store(context, y, x, values);
      }
    }
  }
}

}  // namespace octet
