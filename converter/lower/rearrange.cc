// Operators that are one Move: what each takes from where, in strides and tables.
#include <algorithm>
#include <string>

#include "converter/lower/move.h"

namespace octet::lower {
namespace {

const graph::Tensor& ConstantInput(Builder& builder, const graph::Node& node, size_t input) {
  const graph::Tensor* tensor =
      HasInput(node, input) ? builder.Constant(node.inputs[input]) : nullptr;
  if (tensor == nullptr) {
    NodeFail(node, "input {} must be constant; export with fixed shapes", input);
  }
  return *tensor;
}

// Every dimension taken whole.
MoveMap Unmoved(Builder& builder, const graph::Node& node) {
  const graph::Shape& shape = builder.ShapeOf(node.inputs[0]);
  const auto strides = ElementStrides(shape, MoveLayout(builder, node));
  MoveMap map;
  for (size_t d = 0; d < shape.size(); ++d) map.dims.push_back({{shape[d], strides[d], {}}});
  return map;
}

int64_t AxisOf(const graph::Node& node, size_t rank, int64_t fallback) {
  const int64_t axis = node.Int("axis", fallback);
  return axis < 0 ? axis + static_cast<int64_t>(rank) : axis;
}

// The input as one dimension, row by row.
void AsList(Builder& builder, const graph::Node& node, const std::vector<int64_t>& sources,
            MoveMap* map) {
  const graph::Shape& shape = builder.ShapeOf(node.inputs[0]);
  const auto strides = ElementStrides(shape, MoveLayout(builder, node));
  std::vector<int64_t> positions;
  for (int64_t source : sources) {
    int64_t at = 0, rest = source;
    for (size_t d = shape.size(); d-- > 0; rest /= shape[d]) at += rest % shape[d] * strides[d];
    positions.push_back(source < 0 ? -1 : at);
  }
  map->dims.push_back({MapToAxis(positions, 1, &map->base)});
}

}  // namespace

// Expand and Tile: a dimension of the result runs through the input's again and again.
void LowerRepeat(Builder& builder, const graph::Node& node) {
  const graph::Shape& in = builder.ShapeOf(node.inputs[0]);
  const graph::Shape& out = builder.ShapeOf(node.outputs[0]);
  const auto strides = ElementStrides(in, MoveLayout(builder, node));
  const size_t added = out.size() - in.size();
  MoveMap map;
  for (size_t d = 0; d < out.size(); ++d) {
    const int64_t size = d < added ? 1 : in[d - added];
    const int64_t stride = d < added ? 0 : strides[d - added];
    map.dims.push_back({{out[d] / size, 0, {}}, {size, stride, {}}});
  }
  EmitMove(builder, node, map);
}

void LowerGatherConstant(Builder& builder, const graph::Node& node) {
  const graph::Shape& shape = builder.ShapeOf(node.inputs[0]);
  const graph::Tensor& indices = ConstantInput(builder, node, 1);
  const auto axis = static_cast<size_t>(AxisOf(node, shape.size(), 0));
  std::vector<int64_t> sources = indices.integers;
  for (int64_t& index : sources) index += index < 0 ? shape[axis] : 0;
  MoveMap map = Unmoved(builder, node);
  const int64_t stride = map.dims[axis][0].stride;
  std::vector<std::vector<MoveAxis>> dims(std::max<size_t>(indices.shape.size(), 1));
  dims[0] = {MapToAxis(sources, stride, &map.base)};
  map.row_major = dims.size() > 1;
  map.dims.erase(map.dims.begin() + static_cast<std::ptrdiff_t>(axis));
  if (!indices.shape.empty()) {
    map.dims.insert(map.dims.begin() + static_cast<std::ptrdiff_t>(axis), dims.begin(), dims.end());
  }
  EmitMove(builder, node, map);
}

// Compress with a constant condition: the chosen indices of an axis, or of the whole as a list.
void LowerCompress(Builder& builder, const graph::Node& node) {
  const graph::Tensor& condition = ConstantInput(builder, node, 1);
  std::vector<int64_t> chosen;
  for (size_t i = 0; i < condition.integers.size(); ++i) {
    if (condition.integers[i] != 0) chosen.push_back(static_cast<int64_t>(i));
  }
  MoveMap map;
  if (node.Has("axis")) {
    map = Unmoved(builder, node);
    auto& dim = map.dims[static_cast<size_t>(AxisOf(node, map.dims.size(), 0))];
    dim = {MapToAxis(chosen, dim[0].stride, &map.base)};
  } else {
    AsList(builder, node, chosen, &map);
  }
  EmitMove(builder, node, map);
}

void LowerLongTranspose(Builder& builder, const graph::Node& node,
                        const std::vector<int64_t>& perm) {
  const MoveMap source = Unmoved(builder, node);
  MoveMap map;
  for (int64_t axis : perm) map.dims.push_back(source.dims[static_cast<size_t>(axis)]);
  EmitMove(builder, node, map);
}

// Slice with steps backwards, or in more dimensions than the layer of its own has.
void LowerSteppedSlice(Builder& builder, const graph::Node& node,
                       const std::vector<int64_t>& begins, const std::vector<int64_t>& steps) {
  const graph::Shape& out = builder.ShapeOf(node.outputs[0]);
  MoveMap map = Unmoved(builder, node);
  for (size_t d = 0; d < out.size(); ++d) {
    MoveAxis& axis = map.dims[d][0];
    axis.size = out[d];
    map.base += begins[d] * axis.stride;
    axis.stride *= steps[d];
  }
  EmitMove(builder, node, map);
}

// Pad in every mode, `begins` and `ends` for every dimension; negative ones take away.
void LowerMappedPad(Builder& builder, const graph::Node& node, const std::string& mode,
                    const std::vector<int64_t>& begins, double value) {
  const graph::Shape& in = builder.ShapeOf(node.inputs[0]);
  const graph::Shape& out = builder.ShapeOf(node.outputs[0]);
  MoveMap map = Unmoved(builder, node);
  map.fill = value;
  for (size_t d = 0; d < out.size(); ++d) {
    std::vector<int64_t> sources;
    const int64_t size = in[d];
    for (int64_t o = 0; o < out[d]; ++o) {
      int64_t at = o - begins[d];
      if (at < 0 || at >= size) {
        if (mode == "edge") {
          at = std::clamp<int64_t>(at, 0, size - 1);
        } else if (mode == "reflect") {
          at = at < 0 ? -at : 2 * (size - 1) - at;
        } else if (mode == "wrap") {
          at = (at % size + size) % size;
        } else {
          at = -1;
        }
      }
      sources.push_back(at);
    }
    map.dims[d] = {MapToAxis(sources, map.dims[d][0].stride, &map.base)};
  }
  EmitMove(builder, node, map);
}

// The first lengths[b] steps of batch b backwards. Batch and time are the first two dimensions, in
// either order.
void LowerReverseSequence(Builder& builder, const graph::Node& node) {
  const graph::Shape& shape = builder.ShapeOf(node.inputs[0]);
  const graph::Tensor& lengths = ConstantInput(builder, node, 1);
  const bool time_first = node.Int("time_axis", 0) == 0;
  MoveMap map = Unmoved(builder, node);
  map.row_major = true;
  RequireTable(node, shape[0] * shape[1]);
  MoveAxis both{shape[0] * shape[1], 0, {}};
  for (int64_t i = 0; i < shape[0]; ++i) {
    for (int64_t j = 0; j < shape[1]; ++j) {
      const int64_t length = lengths.integers[static_cast<size_t>(time_first ? j : i)];
      int64_t from[2] = {i, j};
      int64_t& time = from[time_first ? 0 : 1];
      if (time < length) time = length - 1 - time;
      both.table.push_back(
          static_cast<uint32_t>(from[0] * map.dims[0][0].stride + from[1] * map.dims[1][0].stride));
    }
  }
  map.dims[0] = {both};
  map.dims[1].clear();
  EmitMove(builder, node, map);
}

// What lies on the other side of the diagonal becomes 0.
void LowerTrilu(Builder& builder, const graph::Node& node) {
  const graph::Shape& shape = builder.ShapeOf(node.inputs[0]);
  const bool upper = node.Int("upper", 1) != 0;
  int64_t k = 0;
  if (HasInput(node, 1)) {
    const graph::Tensor& diagonal = ConstantInput(builder, node, 1);
    if (!diagonal.integers.empty()) k = diagonal.integers[0];
  }
  MoveMap map = Unmoved(builder, node);
  map.row_major = true;
  auto& rows = map.dims[shape.size() - 2];
  auto& columns = map.dims[shape.size() - 1];
  RequireTable(node, rows[0].size * columns[0].size);
  MoveAxis both{rows[0].size * columns[0].size, 0, {}};
  for (int64_t i = 0; i < rows[0].size; ++i) {
    for (int64_t j = 0; j < columns[0].size; ++j) {
      const bool kept = upper ? j - i >= k : j - i <= k;
      both.table.push_back(kept ? static_cast<uint32_t>(i * rows[0].stride + j * columns[0].stride)
                                : blob::kNone);
    }
  }
  rows = {both};
  columns.clear();
  EmitMove(builder, node, map);
}

}  // namespace octet::lower
