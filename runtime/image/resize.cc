#include "runtime/image/resize.h"

#include "runtime/image/taps.h"

namespace octet {
namespace {

constexpr uint32_t kMaxChannels = 4;

void SamplePixel(const Plane& plane, const Taps& rows, const Taps& columns, uint64_t total,
                 uint32_t channels, uint8_t* values) {
  uint64_t sums[kMaxChannels] = {0, 0, 0, 0};
  for (uint32_t r = 0; r < rows.count; ++r) {
    const uint8_t* pixel = plane.pixels + (size_t)(rows.first + r) * plane.row_bytes +
                           (size_t)columns.first * plane.step;
    const uint64_t row_weight = WeightOf(rows, r);
    for (uint32_t c = 0; c < columns.count; ++c, pixel += plane.step) {
      const uint64_t weight = row_weight * WeightOf(columns, c);
      for (uint32_t k = 0; k < channels; ++k) sums[k] += weight * pixel[k];
    }
  }
  // Two bilinear axes: (2 s + 2^22) / 2^23 is (s + 2^21) >> 22.
  for (uint32_t k = 0; k < channels; ++k) {
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

Plane CutPlane(const Plane& plane, const Region& region) {
  return Plane{plane.pixels + (size_t)region.y * plane.row_bytes + (size_t)region.x * plane.step,
               plane.row_bytes, plane.step, region.height, region.width};
}

void ResizePixel(const Plane& plane, uint32_t channels, uint32_t out_h, uint32_t out_w, uint32_t y,
                 uint32_t x, uint8_t* values) {
  const Axis rows = AxisOf(plane.height, out_h), columns = AxisOf(plane.width, out_w);
  if (rows.in == rows.out && columns.in == columns.out) {
    const uint8_t* pixel = plane.pixels + (size_t)y * plane.row_bytes + (size_t)x * plane.step;
    for (uint32_t k = 0; k < channels; ++k) values[k] = pixel[k];
    return;
  }
  SamplePixel(plane, TapsOf(rows, y), TapsOf(columns, x), TotalOf(rows) * TotalOf(columns),
              channels, values);
}

void ResizePicture(const uint8_t* pixels, uint32_t height, uint32_t width, uint32_t channels,
                   size_t row_bytes, uint32_t target_h, uint32_t target_w, blob::ResizeMode mode,
                   uint8_t letterbox_value, StorePixel store, void* context) {
  const Placement placement = PlacePicture(height, width, target_h, target_w, mode);
  const Region& to = placement.target;
  const Plane source =
      CutPlane(Plane{pixels, row_bytes, channels, height, width}, placement.source);
  const uint8_t bar[kMaxChannels] = {letterbox_value, letterbox_value, letterbox_value,
                                     letterbox_value};
  for (uint32_t y = 0; y < target_h; ++y) {
    const bool row_inside = y - to.y < to.height;  // wraps, and so is outside, above the region
    for (uint32_t x = 0; x < target_w; ++x) {
      if (!row_inside || x - to.x >= to.width) {
        store(context, y, x, bar);
      } else {
        uint8_t values[kMaxChannels];
        ResizePixel(source, channels, to.height, to.width, y - to.y, x - to.x, values);
        store(context, y, x, values);
      }
    }
  }
}

}  // namespace octet
