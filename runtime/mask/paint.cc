#include <string.h>

#include "octet/mask.h"
#include "runtime/core/sized.h"
#include "runtime/mask/polygon.h"

namespace octet {
namespace mask {
namespace {

// The middle of the range: black would look like a picture at night.
constexpr uint8_t kGrey = 128, kGreyY = 126, kNoColour = 128;

// Positions are pixels, 2^-16. Points are within +-16 pictures of at most 65535 pixels: 2^20 shares
// times 2^16 pixels is within 2^36 of them, and a product of a difference (2^37) and a share of a
// row (2^16) within 2^53.
using Position = int64_t;
constexpr Position kPixel = 65536;

Position Across(int32_t share, uint32_t pixels) {
  return (Position)share * (Position)pixels;
}

// Where the edge from a to b is at height y, between theirs; rounded down.
Position EdgeAt(Position ax, Position ay, Position bx, Position by, Position y) {
  // (bx - ax) * (y - ay) may have 75 bits: whole heights first, then the rest of 2^-16 of a height.
  const Position dx = bx - ax, dy = by - ay, way = y - ay;
  const Position share = ((way << 16) / dy);  // 0 to 2^16, rounded down
  return ax + ((dx >> 16) * share) + (((dx & 65535) * share) >> 16);
}

struct Canvas {
  octet_pixel_format format;
  uint32_t width, height;
  uint8_t* planes[3];
  size_t strides[3];
};

void PaintRun(const Canvas& c, uint32_t y, uint32_t from, uint32_t to) {
  uint8_t* const row = c.planes[0] + y * c.strides[0];
  switch (c.format) {
    case OCTET_PIXELS_RGB24:
      memset(row + (size_t)3 * from, kGrey, (size_t)3 * (to - from));
      return;
    case OCTET_PIXELS_GREY8:
      memset(row + from, kGrey, to - from);
      return;
    case OCTET_PIXELS_NV12:
      memset(row + from, kGreyY, to - from);
      memset(c.planes[1] + y / 2 * c.strides[1] + from / 2 * 2, kNoColour,
             (size_t)(to + 1) / 2 * 2 - from / 2 * 2);
      return;
    case OCTET_PIXELS_YUV420P:
      memset(row + from, kGreyY, to - from);
      for (uint32_t p = 1; p < 3; ++p) {
        memset(c.planes[p] + y / 2 * c.strides[p] + from / 2, kNoColour, (to + 1) / 2 - from / 2);
      }
      return;
    case OCTET_PIXELS_YUYV:
      for (uint32_t x = from; x < to; ++x) row[(size_t)2 * x] = kGreyY;
      for (uint32_t pair = from / 2; pair < (to + 1) / 2; ++pair) {
        row[(size_t)4 * pair + 1] = row[(size_t)4 * pair + 3] = kNoColour;
      }
      return;
  }
}

// The pixels that [from, to] touches. An error of EdgeAt is below a pixel of 2^5 to each side of a
// picture of 2^16; one pixel more on each side is above it.
void PaintSpan(const Canvas& c, uint32_t y, Position from, Position to) {
  const Position first = (from >> 16) - 1, last = (to >> 16) + 2, width = c.width;
  const Position begin = first < 0 ? 0 : first, end = last > width ? width : last;
  if (begin < end) PaintRun(c, y, (uint32_t)begin, (uint32_t)end);
}

void Sort(Position* values, uint32_t count) {
  for (uint32_t i = 1; i < count; ++i) {
    const Position value = values[i];
    uint32_t at = i;
    for (; at > 0 && values[at - 1] > value; --at) values[at] = values[at - 1];
    values[at] = value;
  }
}

// A pixel that a polygon touches has a part of an edge in it, or lies whole inside: then the middle
// of its row is inside between two crossings.
void PaintRow(const Canvas& c, const octet_polygon& polygon, uint32_t row) {
  const Position top = row * kPixel, bottom = top + kPixel, middle = top + kPixel / 2;
  Position crossings[OCTET_ZONES_MOST_POINTS];
  uint32_t crossing_count = 0;
  for (uint32_t i = 0, before = polygon.point_count - 1; i < polygon.point_count; before = i++) {
    const octet_zone_point *a = &polygon.points[before], *b = &polygon.points[i];
    if (a->y > b->y) {
      const octet_zone_point* const swap = a;
      a = b, b = swap;
    }
    const Position ax = Across(a->x, c.width), ay = Across(a->y, c.height);
    const Position bx = Across(b->x, c.width), by = Across(b->y, c.height);
    if (by < top || ay > bottom) continue;
    const Position from = ay >= top || ay == by ? ax : EdgeAt(ax, ay, bx, by, top);
    const Position to = by <= bottom || ay == by ? bx : EdgeAt(ax, ay, bx, by, bottom);
    PaintSpan(c, row, from < to ? from : to, from < to ? to : from);
    if (ay <= middle && by > middle) crossings[crossing_count++] = EdgeAt(ax, ay, bx, by, middle);
  }
  Sort(crossings, crossing_count);
  for (uint32_t i = 0; i + 1 < crossing_count; i += 2) {
    PaintSpan(c, row, crossings[i], crossings[i + 1]);
  }
}

// Planes and least strides as octet_set_input_frame asks for.
bool CanPaint(const octet_frame& f) {
  if (f.width == 0 || f.width > 65535 || f.height == 0 || f.height > 65535) return false;
  const size_t w = f.width, half = (w + 1) / 2;
  size_t least[3] = {0, 0, 0};
  switch (f.format) {
    case OCTET_PIXELS_RGB24:
      least[0] = 3 * w;
      break;
    case OCTET_PIXELS_GREY8:
      least[0] = w;
      break;
    case OCTET_PIXELS_NV12:
      least[0] = w, least[1] = 2 * half;
      break;
    case OCTET_PIXELS_YUV420P:
      least[0] = w, least[1] = least[2] = half;
      break;
    case OCTET_PIXELS_YUYV:
      least[0] = 4 * half;
      break;
    default:
      return false;
  }
  for (uint32_t i = 0; i < 3; ++i) {
    if (least[i] != 0 && (f.planes[i] == nullptr || f.strides[i] < least[i])) return false;
  }
  return true;
}

}  // namespace
}  // namespace mask
}  // namespace octet

octet_status octet_mask_paint(const octet_frame* of_caller, const octet_polygon* polygons,
                              uint32_t count) {
  using namespace octet::mask;
  octet_frame frame;
  if (!octet::ReadSized(of_caller, &frame) || !CanPaint(frame) || !ArePolygons(polygons, count)) {
    return {OCTET_INVALID_ARGUMENT, 0};
  }
  Canvas canvas = {frame.format, frame.width, frame.height, {}, {}};
  for (uint32_t i = 0; i < 3; ++i) {
    canvas.planes[i] = const_cast<uint8_t*>(frame.planes[i]);
    canvas.strides[i] = frame.strides[i];
  }
  for (uint32_t p = 0; p < count; ++p) {
    for (uint32_t y = 0; y < frame.height; ++y) PaintRow(canvas, polygons[p], y);
  }
  return {OCTET_OK, 0};
}
