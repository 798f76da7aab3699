#include "runtime/motion/cells.h"

#include <string.h>

namespace octet {
namespace motion {
namespace {

// Values of a row of cells that are summed at a time; a multiple of the width of any cell.
constexpr uint32_t kMostRun = 1536;

struct Pixels {
  uint32_t values;  // of a pixel
  uint32_t pace;    // bytes from value to value
  uint32_t rows;    // one of so many counts: three values of a pixel have less noise than one
};

Pixels PixelsOf(octet_pixel_format format) {
  switch (format) {
    case OCTET_PIXELS_RGB24:
      return {3, 1, 4};
    case OCTET_PIXELS_YUYV:
      return {1, 2, 1};
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

// Value i of a row. i has as many bits as addresses, so that compilers see a stride.
template <uint32_t kPace>
uint8_t At(const uint8_t* row, size_t i) {
  return row[kPace * i];
}

uint8_t IsCut(uint8_t pixel) {
  return (uint8_t)(pixel - kBlack - 1) >= kWhite - kBlack - 1 ? 1 : 0;
}

// Of `rows` rows. The first two or four begin the sums; then four rows at a time, so that sums are
// loaded and stored once for them.
template <uint32_t kPace>
void SumColumns(const uint8_t* from, size_t stride, uint32_t rows, uint32_t count,
                Columns* columns) {
  uint16_t* const sums = columns->sums;
  uint8_t* const cut = columns->cut;
  for (uint32_t i = 0; i < count; ++i) cut[i] = IsCut(At<kPace>(from, i));
  uint32_t y = rows < 2 ? 1 : rows < 4 ? 2 : 4;
  {
    const uint8_t *r0 = from, *r1 = r0 + stride, *r2 = r1 + stride, *r3 = r2 + stride;
    if (y == 4) {
      for (uint32_t i = 0; i < count; ++i) {
        sums[i] =
            (uint16_t)(At<kPace>(r0, i) + At<kPace>(r1, i) + At<kPace>(r2, i) + At<kPace>(r3, i));
      }
    } else if (y == 2) {
      for (uint32_t i = 0; i < count; ++i)
        sums[i] = (uint16_t)(At<kPace>(r0, i) + At<kPace>(r1, i));
    } else {
      for (uint32_t i = 0; i < count; ++i) sums[i] = At<kPace>(r0, i);
    }
  }
  for (; y + 4 <= rows; y += 4) {
    const uint8_t *r0 = from + y * stride, *r1 = r0 + stride, *r2 = r1 + stride, *r3 = r2 + stride;
    for (uint32_t i = 0; i < count; ++i) {
      sums[i] = (uint16_t)(sums[i] + At<kPace>(r0, i) + At<kPace>(r1, i) + At<kPace>(r2, i) +
                           At<kPace>(r3, i));
    }
    for (uint32_t i = 0; i < count; ++i) cut[i] = (uint8_t)(cut[i] + IsCut(At<kPace>(r0, i)));
  }
  for (; y < rows; ++y) {
    const uint8_t* row = from + y * stride;
    for (uint32_t i = 0; i < count; ++i) sums[i] = (uint16_t)(sums[i] + At<kPace>(row, i));
    if (y % kCutRows != 0) continue;
    for (uint32_t i = 0; i < count; ++i) cut[i] = (uint8_t)(cut[i] + IsCut(At<kPace>(row, i)));
  }
}

// T holds the sum of a cell of 8 x 8 pixels: 64 * 255, or 48 pixels that are cut. side: of the
// cell. Such cells, of almost all pictures, have loops of a known length.
template <typename T>
uint32_t SumOf(const T* sums, uint32_t count, uint32_t side) {
  if (side == 8 && count == 8) {
    T sum = 0;
    for (uint32_t i = 0; i < 8; ++i) sum = (T)(sum + sums[i]);
    return sum;
  }
  if (side == 8 && count == 24) {
    T sum = 0;
    for (uint32_t i = 0; i < 24; ++i) sum = (T)(sum + sums[i]);
    return sum;
  }
  uint32_t sum = 0;
  for (uint32_t i = 0; i < count; ++i) sum += sums[i];
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
                                                             : (size_t)frame.width * pixels.values;
  return pixels.values != 0 && frame.width == state.width && frame.height == state.height &&
         frame.planes[0] != nullptr && frame.strides[0] >= row_bytes;
}

void MeanCells(const Parts& parts, const octet_frame& frame) {
  const State& state = *parts.state;
  const Pixels pixels = PixelsOf(frame.format);
  if (pixels.values == 0) return;  // IsFrameOf has refused it
  const uint32_t side = state.cell_pixels, cell_values = side * pixels.values;
  const uint32_t row_values = state.width * pixels.values;
  const uint32_t run = kMostRun / cell_values * cell_values;
  Columns columns;
  uint16_t* mean = parts.fresh;
  uint8_t* cut = parts.cut;
  for (uint32_t top = 0; top < state.height; top += side) {
    const uint32_t height = state.height - top < side ? state.height - top : side;
    const uint32_t rows = (height + pixels.rows - 1) / pixels.rows;
    const uint32_t cut_rows = (rows + kCutRows - 1) / kCutRows;
    const uint64_t inverse = InverseOf(cell_values * rows);
    const uint64_t cut_inverse = InverseOf(cell_values * cut_rows);
    const uint8_t* from = frame.planes[0] + top * frame.strides[0];
    const size_t stride = pixels.rows * frame.strides[0];
    for (uint32_t left = 0; left < row_values; left += run) {
      const uint32_t count = row_values - left < run ? row_values - left : run;
      if (pixels.pace == 2) {
        SumColumns<2>(from + 2 * left, stride, rows, count, &columns);
      } else {
        SumColumns<1>(from + left, stride, rows, count, &columns);
      }
      uint32_t at = 0;
      for (; at + cell_values <= count; at += cell_values) {
        *mean++ = MeanOf(SumOf(columns.sums + at, cell_values, side), inverse);
        *cut++ = ShareOf(SumOf(columns.cut + at, cell_values, side), cut_inverse);
      }
      if (at == count) continue;
      const uint32_t rest = count - at;
      *mean++ = MeanOf(SumOf(columns.sums + at, rest, side), InverseOf(rest * rows));
      *cut++ = ShareOf(SumOf(columns.cut + at, rest, side), InverseOf(rest * cut_rows));
    }
  }
}

}  // namespace motion
}  // namespace octet
