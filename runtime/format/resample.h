// Operators that read between the pixels; a part of blob.h.
#ifndef OCTET_FORMAT_RESAMPLE_H_
#define OCTET_FORMAT_RESAMPLE_H_

#include <stdint.h>

#include "runtime/format/blob.h"

namespace octet {
namespace blob {

// Separable weighted sums along at most three dimensions of a view of both tensors (row-major dims
// `in` and `out`, leading 1s). A dimension with taps[d] = 0 is copied; for every other, in order,
// layer.extra holds ResampleTap[out[d]][taps[d]]. A position whose first index is kNone lies
// outside the source, where the result is `outside` (int8: outside_q). Taps of weight 0 are not
// read. int8, n weighed dimensions, weights in 2^-14, |w| of a position together <= 2^16:
//   acc = sum of (q - zi) * w0 * w1 * w2;  a = (acc + 2^(14n - 13)) >> (14n - 12), acc for n = 0;
//   q = clamp(Requantize(PreShift(a), multiplier, shift) + zo).
// FP16: weights are float bits; acc += x * ((w0 * w1) * w2) in the order of the taps, in float.
constexpr uint32_t kResampleRank = 6;
struct ResampleTap {
  uint32_t index;
  uint32_t weight;  // int8: int32; FP16: bits of a float
};
struct ResampleParams {
  uint32_t in[kResampleRank], out[kResampleRank];
  uint16_t taps[kResampleRank];
  uint8_t pre_shift;
  int8_t outside_q;
  uint8_t reserved[2];
  int32_t multiplier, shift;
  float outside;
};

// FP16 alone. Output pixel (n, y, x) is the input [n, h, w, c] at the place (gx, gy) that the
// second input, [n, out_h, out_w, 2], names, in [-1, 1] over the width and height. Along an axis of
// `size` pixels the position is (g + 1) / 2 * (size - 1) with align_corners, else ((g + 1) * size -
// 1) / 2; kNearest rounds it, halves to even. Where one of the two lies beyond the edges (-0.5 and
// size - 0.5; with align_corners 0 and size - 1), kBorder clamps both to the pixels and kReflection
// reflects both at the edges. Taps: the pixel; floor and floor + 1 (linear); floor - 1 to floor + 2
// (cubic, a = -0.75); a tap outside is 0, the nearest pixel, or the reflected one, truncated. acc
// += x * (wy * wx), row by row.
enum class GridSampling : uint8_t { kLinear = 0, kNearest = 1, kCubic = 2 };
enum class GridPadding : uint8_t { kZeros = 0, kBorder = 1, kReflection = 2 };
struct GridSampleParams {
  GridSampling mode;
  GridPadding padding;
  uint8_t align_corners;
  uint8_t reserved;
};

static_assert(sizeof(ResampleTap) == 8, "ResampleTap layout");
static_assert(sizeof(ResampleParams) == 76, "ResampleParams layout");
static_assert(sizeof(GridSampleParams) == 4, "GridSampleParams layout");

}  // namespace blob
}  // namespace octet

#endif  // OCTET_FORMAT_RESAMPLE_H_
