#include "converter/lower/axes.h"

#include "converter/lower/node_fail.h"

namespace octet::lower {

std::vector<Axis> StoredAxesOf(const graph::Shape& shape, Layout layout,
                               const std::vector<bool>& reduced) {
  std::vector<Axis> axes;
  for (size_t axis : StoredAxes(shape, layout)) {
    axes.push_back({shape[axis], reduced[axis], false, 0});
  }
  return axes;
}

blob::AxesView ViewOf(const graph::Node& node, const std::vector<Axis>& axes, uint32_t* affine) {
  std::vector<Axis> merged;
  for (const Axis& axis : axes) {
    if (axis.size == 1) continue;
    const bool joins = !merged.empty() && merged.back().reduced == axis.reduced &&
                       merged.back().affine == axis.affine;
    if (joins) {
      merged.back().size *= axis.size;
    } else {
      merged.push_back(axis);
    }
  }
  if (merged.empty()) merged.push_back({});
  if (merged.size() > blob::kMaxAxes) {
    NodeFail(node, "its axes form {} separate groups, more than {}", merged.size(), blob::kMaxAxes);
  }
  blob::AxesView view{};
  view.rank = static_cast<uint32_t>(merged.size());
  if (affine != nullptr) *affine = 0;
  for (size_t d = 0; d < merged.size(); ++d) {
    view.dims[d] = static_cast<uint32_t>(merged[d].size);
    if (merged[d].reduced) view.reduced |= 1u << d;
    if (affine != nullptr && merged[d].affine) *affine |= 1u << d;
  }
  return view;
}

std::vector<bool> FlagsOf(const std::vector<int64_t>& axes, size_t rank, bool empty_means_all) {
  std::vector<bool> flags(rank, axes.empty() && empty_means_all);
  for (int64_t axis : axes) {
    flags[static_cast<size_t>(axis < 0 ? axis + static_cast<int64_t>(rank) : axis)] = true;
  }
  return flags;
}

Around AroundAxis(const graph::Shape& shape, Layout layout, int64_t axis) {
  if (axis < 0) axis += static_cast<int64_t>(shape.size());
  Around around;
  bool before = true;
  for (size_t stored : StoredAxes(shape, layout)) {
    const auto size = static_cast<uint32_t>(shape[stored]);
    if (static_cast<int64_t>(stored) == axis) {
      around.count = size;
      before = false;
    } else {
      (before ? around.outer : around.inner) *= size;
    }
  }
  return around;
}

}  // namespace octet::lower
