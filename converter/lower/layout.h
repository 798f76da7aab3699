// Where the elements of a value stand in the arena.
#ifndef OCTET_CONVERTER_LOWER_LAYOUT_H_
#define OCTET_CONVERTER_LOWER_LAYOUT_H_

#include <cstdint>
#include <vector>

#include "converter/graph/tensor.h"

namespace octet::lower {

// Values of rank 4 are [N, C, H, W] in ONNX and [n, h, w, c] in the arena (kImage), or as ONNX has
// them (kRowMajor). For every other rank both are the same: row-major, leading 1s, everything in
// one dimension above rank 4.
enum class Layout : uint8_t { kImage, kRowMajor };

inline constexpr int kImageFromRowMajor[4] = {0, 2, 3, 1};  // NCHW -> NHWC
inline constexpr int kRowMajorFromImage[4] = {0, 3, 1, 2};  // NHWC -> NCHW

// Throws NotPossible for a shape that the arena cannot have.
void DimsOf(const graph::Shape& shape, Layout layout, uint32_t (&dims)[4]);
// Axis of `shape` as an index into the 4 arena dims under a layout.
int ArenaAxis(const graph::Shape& shape, int64_t axis, Layout layout);
// Logical dimensions in the order in which a tensor of this layout stores them, outermost first;
// and how far apart it keeps the elements of each logical dimension.
std::vector<size_t> StoredAxes(const graph::Shape& shape, Layout layout);
std::vector<int64_t> ArenaStrides(const graph::Shape& shape, Layout layout);

// [N, C, ...] to the image layout where that is asked for.
template <typename T>
std::vector<T> Arranged(const graph::Shape& shape, const std::vector<T>& values, Layout layout) {
  if (layout != Layout::kImage || shape.size() != 4) return values;
  const auto planes = static_cast<size_t>(shape[1]);
  const size_t pixels = static_cast<size_t>(shape[2] * shape[3]);
  std::vector<T> result(values.size());
  for (size_t i = 0; i < values.size(); ++i) {
    const size_t plane = i / pixels, pixel = i % pixels;
    const size_t image = plane / planes, channel = plane % planes;
    result[(image * pixels + pixel) * planes + channel] = values[i];
  }
  return result;
}

}  // namespace octet::lower

#endif  // OCTET_CONVERTER_LOWER_LAYOUT_H_
