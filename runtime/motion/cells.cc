#include "runtime/motion/cells.h"

#include <string.h>

namespace octet {
namespace motion {
namespace {

// Bytes of a row of cells that are summed at a time; a multiple of the width of any cell.
constexpr uint32_t kMostRun = 1536;

struct Pixels {
  uint32_t bytes;   // from pixel to pixel
  uint32_t counts;  // bytes of a pixel that count: the first ones
  uint32_t rows;    // one of so many counts: three bytes of a pixel have less noise than one
};

Pixels PixelsOf(octet_pixel_format format) {
  switch (format) {
    case OCTET_PIXELS_RGB24:
      return {3, 3, 4};
    case OCTET_PIXELS_YUYV:
      return {2, 1, 1};
    case OCTET_PIXELS_GREY8:
    case OCTET_PIXELS_NV12:
    case OCTET_PIXELS_YUV420P:
      return {1, 1, 1};
  }
  return {0, 0, 0};
}

// Of columns of pixels.
struct Columns {
  uint16_t sums[kMostRun];
  uint8_t cut[kMostRun];  // how many, of one of kCutRows rows
};
constexpr uint32_t kCutRows = 4;

uint8_t IsCut(uint8_t pixel) {
  return (uint8_t)(pixel - kBlack - 1) >= kWhite - kBlack - 1 ? 1 : 0;
}

// Of `rows` rows. The first two or four begin the sums; then four rows at a time, so that sums are
// loaded and stored once for them.
void SumColumns(const uint8_t* from, size_t stride, uint32_t rows, uint32_t count,
                Columns* columns) {
  uint16_t* const sums = columns->sums;
  uint8_t* const cut = columns->cut;
  for (uint32_t i = 0; i < count; ++i) cut[i] = IsCut(from[i]);
  uint32_t y = rows < 2 ? 1 : rows < 4 ? 2 : 4;
  {
    const uint8_t *r0 = from, *r1 = r0 + stride, *r2 = r1 + stride, *r3 = r2 + stride;
    if (y == 4) {
      for (uint32_t i = 0; i < count; ++i) sums[i] = (uint16_t)(r0[i] + r1[i] + r2[i] + r3[i]);
    } else if (y == 2) {
      for (uint32_t i = 0; i < count; ++i) sums[i] = (uint16_t)(r0[i] + r1[i]);
    } else {
      for (uint32_t i = 0; i < count; ++i) sums[i] = r0[i];
    }
  }
  for (; y + 4 <= rows; y += 4) {
    const uint8_t *r0 = from + y * stride, *r1 = r0 + stride, *r2 = r1 + stride, *r3 = r2 + stride;
    for (uint32_t i = 0; i < count; ++i) {
      sums[i] = (uint16_t)(sums[i] + r0[i] + r1[i] + r2[i] + r3[i]);
    }
    for (uint32_t i = 0; i < count; ++i) cut[i] = (uint8_t)(cut[i] + IsCut(r0[i]));
  }
  for (; y < rows; ++y) {
    const uint8_t* row = from + y * stride;
    for (uint32_t i = 0; i < count; ++i) sums[i] = (uint16_t)(sums[i] + row[i]);
    if (y % kCutRows != 0) continue;
    for (uint32_t i = 0; i < count; ++i) cut[i] = (uint8_t)(cut[i] + IsCut(row[i]));
  }
}

// T holds the sum of a cell of 8 x 8 pixels: 64 * 255, or 48 pixels that are cut. side: of the
// cell. Such cells, of almost all pictures, have loops of a known length.
template <typename T>
uint32_t SumOf(const T* sums, uint32_t count, uint32_t step, uint32_t side) {
  if (side == 8 && step == 1 && count == 8) {
    T sum = 0;
    for (uint32_t i = 0; i < 8; ++i) sum = (T)(sum + sums[i]);
    return sum;
  }
  if (side == 8 && step == 1 && count == 24) {
    T sum = 0;
    for (uint32_t i = 0; i < 24; ++i) sum = (T)(sum + sums[i]);
    return sum;
  }
  uint32_t sum = 0;
  for (uint32_t i = 0; i < count; i += step) sum += sums[i];
  return sum;
}

// 2^40 / count, so that the mean in q8 is the sum times it >> 32: at most 2^23 * 2^34 in between.
uint64_t InverseOf(uint32_t count) {
  return (((uint64_t)1 << 40) + count / 2) / count;
}

uint16_t MeanOf(uint32_t sum, uint64_t inverse) {
  return (uint16_t)((sum * inverse + ((uint64_t)1 << 31)) >> 32);
}

uint8_t ShareOf(uint32_t count, uint64_t inverse) {
  const uint32_t share = MeanOf(count, inverse);
  return (uint8_t)(share < 255 ? share : 255);
}

}  // namespace

bool IsFrameOf(const State& state, const octet_frame& frame) {
  const Pixels pixels = PixelsOf(frame.format);
  const size_t row_bytes = frame.format == OCTET_PIXELS_YUYV ? ((size_t)frame.width + 1) / 2 * 4
                                                             : (size_t)frame.width * pixels.bytes;
  return pixels.bytes != 0 && frame.width == state.width && frame.height == state.height &&
         frame.planes[0] != nullptr && frame.strides[0] >= row_bytes;
}

void MeanCells(const Parts& parts, const octet_frame& frame) {
  const State& state = *parts.state;
  const Pixels pixels = PixelsOf(frame.format);
  if (pixels.bytes == 0 || pixels.counts == 0) return;  // IsFrameOf has refused it
  const uint32_t side = state.cell_pixels, cell_bytes = side * pixels.bytes;
  const uint32_t row_bytes = state.width * pixels.bytes;
  const uint32_t step = pixels.bytes == pixels.counts ? 1 : pixels.bytes;
  const uint32_t run = kMostRun / cell_bytes * cell_bytes;
  Columns columns;
  uint16_t* mean = parts.fresh;
  uint8_t* cut = parts.cut;
  for (uint32_t top = 0; top < state.height; top += side) {
    const uint32_t height = state.height - top < side ? state.height - top : side;
    const uint32_t rows = (height + pixels.rows - 1) / pixels.rows;
    const uint32_t cut_rows = (rows + kCutRows - 1) / kCutRows;
    const uint64_t inverse = InverseOf(side * rows * pixels.counts);
    const uint64_t cut_inverse = InverseOf(side * cut_rows * pixels.counts);
    const uint8_t* from = frame.planes[0] + top * frame.strides[0];
    for (uint32_t left = 0; left < row_bytes; left += run) {
      const uint32_t count = row_bytes - left < run ? row_bytes - left : run;
      SumColumns(from + left, pixels.rows * frame.strides[0], rows, count, &columns);
      uint32_t at = 0;
      for (; at + cell_bytes <= count; at += cell_bytes) {
        *mean++ = MeanOf(SumOf(columns.sums + at, cell_bytes, step, side), inverse);
        *cut++ = ShareOf(SumOf(columns.cut + at, cell_bytes, step, side), cut_inverse);
      }
      if (at == count) continue;
      const uint32_t rest = count - at;
      const uint32_t across = rest / pixels.bytes * pixels.counts;
      *mean++ = MeanOf(SumOf(columns.sums + at, rest, step, side), InverseOf(across * rows));
      *cut++ = ShareOf(SumOf(columns.cut + at, rest, step, side), InverseOf(across * cut_rows));
    }
  }
}

}  // namespace motion
}  // namespace octet
