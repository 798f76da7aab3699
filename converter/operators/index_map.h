// Copies whose result coordinate on each axis alone decides the source coordinate on that axis:
// Slice, Pad, Tile, Expand, nearest Resize.
#ifndef OCTET_CONVERTER_OPERATORS_INDEX_MAP_H_
#define OCTET_CONVERTER_OPERATORS_INDEX_MAP_H_

#include <cstdint>
#include <vector>

#include "converter/operators/context.h"

namespace octet::operators {

// maps[axis][o] is the source index for result index o, or -1 for the fill value.
using IndexMaps = std::vector<std::vector<int64_t>>;

namespace internal {

template <typename T>
void CopyAxis(const IndexMaps& maps, const std::vector<int64_t>& in_strides,
              const std::vector<int64_t>& out_strides, size_t axis, const T* in, T* out, T fill) {
  const std::vector<int64_t>& map = maps[axis];
  if (axis + 1 == maps.size()) {
    for (size_t o = 0; o < map.size(); ++o) out[o] = map[o] < 0 ? fill : in[map[o]];
    return;
  }
  for (size_t o = 0; o < map.size(); ++o) {
    T* target = out + static_cast<int64_t>(o) * out_strides[axis];
    if (map[o] < 0) {
      for (int64_t i = 0; i < out_strides[axis]; ++i) target[i] = fill;
    } else {
      CopyAxis(maps, in_strides, out_strides, axis + 1, in + map[o] * in_strides[axis], target,
               fill);
    }
  }
}

}  // namespace internal

template <typename T>
void CopyMapped(const IndexMaps& maps, const Shape& in_shape, const T* in, const Shape& out_shape,
                T* out, T fill = T(0)) {
  if (graph::ElementCount(out_shape) == 0) return;
  if (maps.empty()) {
    out[0] = in[0];
    return;
  }
  internal::CopyAxis(maps, Strides(in_shape), Strides(out_shape), 0, in, out, fill);
}

inline std::vector<int64_t> IdentityMap(int64_t count) {
  std::vector<int64_t> map(static_cast<size_t>(count));
  for (size_t i = 0; i < map.size(); ++i) map[i] = static_cast<int64_t>(i);
  return map;
}

}  // namespace octet::operators

#endif  // OCTET_CONVERTER_OPERATORS_INDEX_MAP_H_
