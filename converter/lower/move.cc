#include "converter/lower/move.h"

#include <algorithm>
#include <utility>

#include "converter/lower/weights.h"
#include "runtime/core/half.h"
#include "runtime/format/move.h"

namespace octet::lower {
namespace {

bool IsFill(const MoveAxis& axis, int64_t i) {
  return !axis.table.empty() && axis.table[static_cast<size_t>(i)] == blob::kNone;
}

int64_t ShareOf(const MoveAxis& axis, int64_t i) {
  return axis.table.empty() ? i * axis.stride : axis.table[static_cast<size_t>(i)];
}

bool LieTogether(const MoveAxis& outer, const MoveAxis& inner) {
  return outer.table.empty() && inner.table.empty() && outer.stride == inner.size * inner.stride;
}

// Both axes as one table. Positions in it are not negative: what lies before 0 moves to the base.
MoveAxis Tabulate(const MoveAxis& outer, const MoveAxis& inner, int64_t* base) {
  MoveAxis joined{outer.size * inner.size, 0, {}};
  int64_t lowest = 0;
  for (const MoveAxis* axis : {&outer, &inner}) {
    if (axis->table.empty()) lowest += std::min<int64_t>(0, (axis->size - 1) * axis->stride);
  }
  for (int64_t o = 0; o < outer.size; ++o) {
    for (int64_t i = 0; i < inner.size; ++i) {
      const bool fill = IsFill(outer, o) || IsFill(inner, i);
      joined.table.push_back(
          fill ? blob::kNone
               : static_cast<uint32_t>(ShareOf(outer, o) + ShareOf(inner, i) - lowest));
    }
  }
  *base += lowest;
  return joined;
}

uint32_t FillBits(const Tensor& tensor, double exact) {
  if (tensor.type == blob::ElementType::kInt32) {
    return static_cast<uint32_t>(static_cast<int32_t>(exact));
  }
  const auto value = static_cast<float>(exact);
  if (tensor.type == blob::ElementType::kFp16) return FloatToHalf(value);
  int8_t q = 0, unused = 0;
  ClampOf(FunctionOf{blob::Function::kClamp, value, value}, tensor, &q, &unused);
  return static_cast<uint8_t>(q);
}

}  // namespace

void RequireTable(const graph::Node& node, int64_t entries) {
  // 16 MiB of positions: more than any picture has rows, columns or channels in two dimensions.
  constexpr int64_t kLongestTable = int64_t{1} << 22;
  if (entries <= kLongestTable) return;
  NodeFail(node,
           "needs a table of {} positions, at most {} are supported; split the node "
           "before the export",
           entries, kLongestTable);
}

MoveAxis MapToAxis(const std::vector<int64_t>& map, int64_t stride, int64_t* base) {
  MoveAxis axis{static_cast<int64_t>(map.size()), 0, {}};
  const int64_t step = map.size() > 1 ? map[1] - map[0] : 0;
  bool affine = map[0] >= 0;
  for (size_t i = 1; i < map.size(); ++i) affine &= map[i] >= 0 && map[i] - map[i - 1] == step;
  if (affine) {
    *base += map[0] * stride;
    axis.stride = step * stride;
    return axis;
  }
  for (int64_t from : map) {
    axis.table.push_back(from < 0 ? blob::kNone : static_cast<uint32_t>(from * stride));
  }
  return axis;
}

std::vector<int64_t> ElementStrides(const graph::Shape& shape, Layout layout) {
  if (shape.size() != 4 || layout != Layout::kImage) return operators::RowMajorStrides(shape);
  const int64_t c = shape[1], w = shape[3], h = shape[2];
  return {h * w * c, 1, w * c, c};
}

std::vector<MoveAxis> MergeAxes(const graph::Node& node, std::vector<MoveAxis> axes,
                                int64_t* base) {
  std::vector<MoveAxis> merged;
  for (MoveAxis& axis : axes) {
    if (axis.size == 1 && !IsFill(axis, 0)) {
      *base += ShareOf(axis, 0);
    } else if (!merged.empty() && LieTogether(merged.back(), axis)) {
      merged.back().size *= axis.size;
      merged.back().stride = axis.stride;
    } else {
      merged.push_back(std::move(axis));
    }
  }
  if (merged.empty()) merged.push_back(MoveAxis{});
  while (merged.size() > blob::kMaxMoveRank) {
    size_t best = 0;
    for (size_t i = 1; i + 1 < merged.size(); ++i) {
      const auto length = [&](size_t at) { return merged[at].size * merged[at + 1].size; };
      if (length(i) < length(best)) best = i;
    }
    RequireTable(node, merged[best].size * merged[best + 1].size);
    merged[best] = Tabulate(merged[best], merged[best + 1], base);
    merged.erase(merged.begin() + static_cast<std::ptrdiff_t>(best) + 1);
  }
  return merged;
}

Layout MoveLayout(Builder& builder, const graph::Node& node) {
  return builder.Existing(node.inputs[0]);
}

void EmitMove(Builder& builder, const graph::Node& node, const MoveMap& map) {
  const blob::Precision precision = builder.PrecisionOf(node);
  const blob::ElementType type = Builder::TypeOf(precision);
  const Layout from = MoveLayout(builder, node);
  const int input = builder.Use(node.inputs[0], from, type);
  const size_t rank = map.dims.size();
  const bool image = rank == 4 && from == Layout::kImage && !map.row_major &&
                     builder.ShapeOf(node.inputs[0]).size() == 4;
  const Layout to = image ? Layout::kImage : Layout::kRowMajor;
  const int output = builder.Define(node.outputs[0], to, type);
  builder.At(output).scale = builder.At(input).scale;
  builder.At(output).zero_point = builder.At(input).zero_point;

  std::vector<MoveAxis> axes;
  for (size_t i = 0; i < rank; ++i) {
    constexpr size_t kImageOrder[4] = {0, 2, 3, 1};
    const auto& dim = map.dims[image ? kImageOrder[i] : i];
    axes.insert(axes.end(), dim.begin(), dim.end());
  }
  int64_t base = map.base;
  axes = MergeAxes(node, std::move(axes), &base);

  blob::MoveParams params{};
  params.rank = static_cast<uint32_t>(axes.size());
  std::vector<uint32_t> tables;
  for (size_t d = 0; d < axes.size(); ++d) {
    params.dims[d] = static_cast<uint32_t>(axes[d].size);
    params.stride[d] = static_cast<int32_t>(axes[d].stride);
    if (axes[d].table.empty()) continue;
    params.indexed |= 1u << d;
    tables.insert(tables.end(), axes[d].table.begin(), axes[d].table.end());
  }
  params.base = static_cast<uint32_t>(base);
  params.fill = FillBits(builder.At(output), map.fill);
  Layer& layer = builder.Emit(node, blob::Op::kMove, precision, {input}, output);
  layer.Set(params);
  if (!tables.empty()) layer.extra = ToBytes(tables);
}

}  // namespace octet::lower
