// How linear Resize goes through its output, a line of pixels at a time. Internal linkage.
#include "runtime/kernels/resize/linear.h"
#include "runtime/kernels/share.h"

namespace octet {
namespace {

// An output line: its two source lines and their weights.
template <typename T>
struct ResizeLine {
  const T *top, *bottom;
  const blob::ResizeTap* row;
  T* to;
};

template <typename T, typename Body>
static inline void ForEachLine(const T* input, T* output, const ResizeGeometry& g, Share share,
                               Body body) {
  const uint64_t in_line = (uint64_t)g.in_w * g.channels, out_line = (uint64_t)g.out_w * g.channels;
  const Range lines = RangeOf((uint64_t)g.batch * g.out_h, share);
  for (uint64_t line = lines.begin; line < lines.end; ++line) {
    const blob::ResizeTap* row = g.rows + line % g.out_h;
    const T* image = input + line / g.out_h * g.in_h * in_line;
    body(ResizeLine<T>{image + row->low * in_line, image + row->high * in_line, row,
                       output + line * out_line});
  }
}

// The four source pixels of an output pixel.
template <typename T>
struct Corners {
  const T *top_low, *top_high, *bottom_low, *bottom_high;
};

// Calls body(corners, column's tap, output pixel) for every pixel of the line.
template <typename T, typename Body>
static inline void ForEachPixel(const ResizeGeometry& g, const ResizeLine<T>& line, Body body) {
  for (uint32_t x = 0; x < g.out_w; ++x) {
    const blob::ResizeTap& column = g.columns[x];
    const uint64_t low = (uint64_t)column.low * g.channels;
    const uint64_t high = (uint64_t)column.high * g.channels;
    body(Corners<T>{line.top + low, line.top + high, line.bottom + low, line.bottom + high}, column,
         line.to + (uint64_t)x * g.channels);
  }
}

// The weights of a pixel as floats.
struct FloatWeights {
  float low, high, row_low, row_high;
};

static inline FloatWeights FloatWeightsOf(const blob::ResizeTap& column,
                                          const blob::ResizeTap& row) {
  constexpr float kUnit = 1.0f / (float)kResizeOne;
  return FloatWeights{(float)column.weight_low * kUnit, (float)column.weight_high * kUnit,
                      (float)row.weight_low * kUnit, (float)row.weight_high * kUnit};
}

static inline float Interpolate(float top_low, float top_high, float bottom_low, float bottom_high,
                                const FloatWeights& w) {
  const float top = top_low * w.low + top_high * w.high;
  const float bottom = bottom_low * w.low + bottom_high * w.high;
  return top * w.row_low + bottom * w.row_high;
}

// With fewer channels than a vector has lanes, a line is prepared as a whole where it fits here.
constexpr uint32_t kFewChannels = 8;
constexpr uint32_t kPreparedElements = 1024;

static inline bool IsNarrow(const ResizeGeometry& g) {
  return g.channels < kFewChannels && (uint64_t)g.in_w * g.channels <= kPreparedElements;
}

// int8: the rows are weighed first, by Level::Blend(line, count, sign, to), |to[i]| <= 2^18; then
// the columns, one by one.
template <typename Level>
static inline void NarrowLineS8(const ResizeLinearS8Args& args, const ResizeLine<uint8_t>& line) {
  const ResizeGeometry& g = args.geometry;
  int32_t blended[kPreparedElements];
  Level::Blend(line, g.in_w * g.channels, args.sign, blended);
  uint8_t* to = line.to;
  for (uint32_t x = 0; x < g.out_w; ++x) {
    const blob::ResizeTap& column = g.columns[x];
    const int32_t low = (int32_t)column.weight_low, high = (int32_t)column.weight_high;
    const int32_t* a = blended + column.low * g.channels;
    const int32_t* b = blended + column.high * g.channels;
    for (uint32_t c = 0; c < g.channels; ++c) {
      const int32_t v = a[c] * low + b[c] * high;
      *to++ = (uint8_t)((uint8_t)((v + (1 << 21)) >> 22) ^ args.sign);
    }
  }
}

// FP16: both source lines as floats first, by Level::Widen(from, count, to); results go back many
// at a time, by Level::Narrow(from, count, to). Both may go on to a multiple of 8 among the floats.
template <typename Level>
static inline void NarrowLineF16(const ResizeGeometry& g, const ResizeLine<uint16_t>& line) {
  constexpr uint32_t kBatch = 64;
  float top[kPreparedElements], bottom[kPreparedElements], results[kBatch] = {};
  Level::Widen(line.top, g.in_w * g.channels, top);
  Level::Widen(line.bottom, g.in_w * g.channels, bottom);
  uint16_t* to = line.to;
  uint32_t count = 0;
  for (uint32_t x = 0; x < g.out_w; ++x) {
    const FloatWeights w = FloatWeightsOf(g.columns[x], *line.row);
    const uint32_t low = g.columns[x].low * g.channels, high = g.columns[x].high * g.channels;
    for (uint32_t c = 0; c < g.channels; ++c) {
      results[count++] =
          Interpolate(top[low + c], top[high + c], bottom[low + c], bottom[high + c], w);
    }
    if (count + g.channels > kBatch || x + 1 == g.out_w) {
      Level::Narrow(results, count, to);
      to += count;
      count = 0;
    }
  }
}

// Pixels as Level::Pixel(corners, column's tap, row's tap, channels, sign, to) makes them, unless
// they are too small for it.
template <typename Level>
static inline void RunResizeLinearS8(const ResizeLinearS8Args& args, Share share) {
  ForEachLine(args.input, args.output, args.geometry, share, [&](const ResizeLine<uint8_t>& line) {
    if (IsNarrow(args.geometry)) return NarrowLineS8<Level>(args, line);
    ForEachPixel(args.geometry, line,
                 [&](const Corners<uint8_t>& s, const blob::ResizeTap& column, uint8_t* to) {
                   Level::Pixel(s, column, *line.row, args.geometry.channels, args.sign, to);
                 });
  });
}

// The same; Level::Pixel(corners, weights, channels, to).
template <typename Level>
static inline void RunResizeLinearF16(const ResizeLinearF16Args& args, Share share) {
  ForEachLine(args.input, args.output, args.geometry, share, [&](const ResizeLine<uint16_t>& line) {
    if (IsNarrow(args.geometry)) return NarrowLineF16<Level>(args.geometry, line);
    ForEachPixel(args.geometry, line,
                 [&](const Corners<uint16_t>& s, const blob::ResizeTap& column, uint16_t* to) {
                   Level::Pixel(s, FloatWeightsOf(column, *line.row), args.geometry.channels, to);
                 });
  });
}

}  // namespace
}  // namespace octet
