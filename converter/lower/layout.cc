#include "converter/lower/layout.h"

#include "converter/support/not_possible.h"

namespace octet::lower {

void DimsOf(const graph::Shape& shape, Layout layout, uint32_t (&dims)[4]) {
  for (uint32_t& dim : dims) dim = 1;
  for (int64_t dim : shape) {
    if (dim < 1 || dim > INT32_MAX)
      RuleOut("a tensor of shape {} is too large; give a smaller --input-shape",
              graph::ToString(shape));
  }
  if (shape.size() > 4) {
    dims[3] = static_cast<uint32_t>(graph::ElementCount(shape));
    return;
  }
  const size_t shift = 4 - shape.size();
  for (size_t i = 0; i < shape.size(); ++i) dims[i + shift] = static_cast<uint32_t>(shape[i]);
  if (layout == Layout::kImage && shape.size() == 4) {
    for (int i = 0; i < 4; ++i)
      dims[i] = static_cast<uint32_t>(shape[static_cast<size_t>(kImageFromRowMajor[i])]);
  }
}

int ArenaAxis(const graph::Shape& shape, int64_t axis, Layout layout) {
  const auto rank = static_cast<int64_t>(shape.size());
  if (axis < 0) axis += rank;
  if (rank == 4 && layout == Layout::kImage) return kRowMajorFromImage[axis];
  return static_cast<int>(axis + 4 - rank);
}

std::vector<size_t> StoredAxes(const graph::Shape& shape, Layout layout) {
  std::vector<size_t> axes;
  for (size_t i = 0; i < shape.size(); ++i) {
    const bool image = shape.size() == 4 && layout == Layout::kImage;
    axes.push_back(image ? static_cast<size_t>(kImageFromRowMajor[i]) : i);
  }
  return axes;
}

std::vector<int64_t> ArenaStrides(const graph::Shape& shape, Layout layout) {
  const std::vector<size_t> axes = StoredAxes(shape, layout);
  std::vector<int64_t> strides(shape.size());
  int64_t step = 1;
  for (size_t i = axes.size(); i-- > 0;) {
    strides[axes[i]] = step;
    step *= shape[axes[i]];
  }
  return strides;
}

}  // namespace octet::lower
