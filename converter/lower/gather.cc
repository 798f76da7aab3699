// Operators that take or put elements where computed integers say, and those that choose elements.
// All of them see their tensors as ONNX has them, row-major.
#include <algorithm>
#include <limits>
#include <string>

#include "converter/lower/move.h"
#include "converter/lower/node_fail.h"
#include "runtime/format/move.h"

namespace octet::lower {
namespace {

uint32_t Product(const graph::Shape& shape, size_t first, size_t last) {
  int64_t product = 1;
  for (size_t i = first; i < last; ++i) product *= shape[i];
  return static_cast<uint32_t>(product);
}

size_t AxisOf(const graph::Node& node, size_t rank, int64_t fallback) {
  const int64_t axis = node.Int("axis", fallback);
  return static_cast<size_t>(axis < 0 ? axis + static_cast<int64_t>(rank) : axis);
}

int UseRowMajor(Builder& builder, graph::ValueId id, blob::Precision precision) {
  return builder.Use(id, Layout::kRowMajor, Builder::TypeOf(precision));
}

// The result, at the scale of the data it is taken from.
int DefineLike(Builder& builder, graph::ValueId id, int data) {
  const int output = builder.Define(id, Layout::kRowMajor, builder.At(data).type);
  builder.At(output).scale = builder.At(data).scale;
  builder.At(output).zero_point = builder.At(data).zero_point;
  return output;
}

// Dims of the indices and how far apart the data keep what each of their dimensions counts; as
// GatherElementsParams and ScatterParams name them. Neighbours that both keep together are one.
template <typename Params>
void SetPlaces(const graph::Node& node, const graph::Shape& data, const graph::Shape& indices,
               size_t axis, Params* params) {
  const auto strides = operators::RowMajorStrides(data);
  params->axis_size = static_cast<uint32_t>(data[axis]);
  uint32_t rank = 0;
  bool behind_axis = false;
  for (size_t d = 0; d < indices.size(); ++d) {
    const auto size = static_cast<uint32_t>(indices[d]), stride = static_cast<uint32_t>(strides[d]);
    if (d != axis && size == 1) continue;
    const bool merges = rank > 0 && d != axis && !behind_axis &&
                        params->stride[rank - 1] == uint64_t{size} * stride;
    if (merges) {
      params->dims[rank - 1] *= size;
      params->stride[rank - 1] = stride;
      continue;
    }
    if (rank == blob::kMaxMoveRank) {
      NodeFail(node, "{} dimensions are too many; flatten some before the export", indices.size());
    }
    behind_axis = d == axis;
    if (d == axis) params->axis = rank;
    params->dims[rank] = size;
    params->stride[rank] = stride;
    ++rank;
  }
  params->rank = rank;
}

void EmitGatherElements(Builder& builder, const graph::Node& node, const graph::Shape& shape,
                        const graph::Shape& indices, size_t axis, std::vector<int> inputs,
                        int output) {
  blob::GatherElementsParams params{};
  SetPlaces(node, shape, indices, axis, &params);
  const bool int8 = builder.At(output).type == blob::ElementType::kInt8;
  builder
      .Emit(node, blob::Op::kGatherElements, int8 ? blob::Precision::kInt8 : blob::Precision::kFp16,
            std::move(inputs), output)
      .Set(params);
}

// Product of the leading `depth` dimensions behind `batch` of them, one by one.
void SetDims(const graph::Node& node, const graph::Shape& data, size_t batch, size_t depth,
             uint32_t (&dims)[blob::kMaxMoveRank]) {
  if (depth > blob::kMaxMoveRank) {
    NodeFail(node, "indices of {} dimensions are not supported", depth);
  }
  for (size_t d = 0; d < depth; ++d) dims[d] = static_cast<uint32_t>(data[batch + d]);
}

blob::ScatterReduction ReductionOf(const graph::Node& node) {
  const std::string name = node.String("reduction", "none");
  if (name == "add") return blob::ScatterReduction::kAdd;
  if (name == "mul") return blob::ScatterReduction::kMul;
  if (name == "min") return blob::ScatterReduction::kMin;
  if (name == "max") return blob::ScatterReduction::kMax;
  return blob::ScatterReduction::kReplace;
}

void EmitScatter(Builder& builder, const graph::Node& node, const blob::ScatterParams& params) {
  std::vector<int> inputs;
  for (graph::ValueId id : node.inputs) {
    inputs.push_back(UseRowMajor(builder, id, blob::Precision::kFp16));
  }
  const int output = DefineLike(builder, node.outputs[0], inputs[0]);
  builder.Emit(node, blob::Op::kScatter, blob::Precision::kFp16, std::move(inputs), output)
      .Set(params);
}

// A constant input of one number, or the fallback where it is left out.
double ConstantNumber(Builder& builder, const graph::Node& node, size_t input, double fallback) {
  if (input >= node.inputs.size() || node.inputs[input] == graph::kNoValue) return fallback;
  const graph::Tensor* tensor = builder.Constant(node.inputs[input]);
  if (tensor == nullptr || tensor->Count() != 1) {
    NodeFail(node, "input {} must be constant", input);
  }
  return tensor->IsFloat() ? static_cast<double>(tensor->floats[0])
                           : static_cast<double>(tensor->integers[0]);
}

}  // namespace

void LowerGather(Builder& builder, const graph::Node& node) {
  if (builder.Constant(node.inputs[1]) != nullptr && builder.Constant(node.inputs[0]) == nullptr) {
    return LowerGatherConstant(builder, node);
  }
  const blob::Precision precision = builder.PrecisionOf(node);
  const graph::Shape& shape = builder.ShapeOf(node.inputs[0]);
  const size_t axis = AxisOf(node, shape.size(), 0);
  const int data = UseRowMajor(builder, node.inputs[0], precision);
  const int indices = UseRowMajor(builder, node.inputs[1], precision);
  const int output = DefineLike(builder, node.outputs[0], data);
  blob::GatherParams params{};
  params.outer = Product(shape, 0, axis);
  params.axis = static_cast<uint32_t>(shape[axis]);
  params.inner = Product(shape, axis + 1, shape.size());
  params.count = static_cast<uint32_t>(builder.At(indices).Elements());
  builder.Emit(node, blob::Op::kGather, precision, {data, indices}, output).Set(params);
}

void LowerGatherElements(Builder& builder, const graph::Node& node) {
  const blob::Precision precision = builder.PrecisionOf(node);
  const graph::Shape& shape = builder.ShapeOf(node.inputs[0]);
  const int data = UseRowMajor(builder, node.inputs[0], precision);
  const int indices = UseRowMajor(builder, node.inputs[1], precision);
  EmitGatherElements(builder, node, shape, builder.ShapeOf(node.inputs[1]),
                     AxisOf(node, shape.size(), 0), {data, indices},
                     DefineLike(builder, node.outputs[0], data));
}

void LowerGatherNd(Builder& builder, const graph::Node& node) {
  const blob::Precision precision = builder.PrecisionOf(node);
  const graph::Shape& shape = builder.ShapeOf(node.inputs[0]);
  const graph::Shape& tuples = builder.ShapeOf(node.inputs[1]);
  const auto batch = static_cast<size_t>(node.Int("batch_dims", 0));
  const auto depth = static_cast<size_t>(tuples.back());
  blob::GatherNdParams params{};
  params.batch = Product(shape, 0, batch);
  params.count = Product(tuples, batch, tuples.size() - 1);
  params.depth = static_cast<uint32_t>(depth);
  params.inner = Product(shape, batch + depth, shape.size());
  SetDims(node, shape, batch, depth, params.dims);
  const int data = UseRowMajor(builder, node.inputs[0], precision);
  const int indices = UseRowMajor(builder, node.inputs[1], precision);
  const int output = DefineLike(builder, node.outputs[0], data);
  builder.Emit(node, blob::Op::kGatherNd, precision, {data, indices}, output).Set(params);
}

void LowerScatterElements(Builder& builder, const graph::Node& node) {
  const graph::Shape& shape = builder.ShapeOf(node.inputs[0]);
  blob::ScatterParams params{};
  params.reduction = ReductionOf(node);
  SetPlaces(node, shape, builder.ShapeOf(node.inputs[1]), AxisOf(node, shape.size(), 0), &params);
  EmitScatter(builder, node, params);
}

void LowerScatterNd(Builder& builder, const graph::Node& node) {
  const graph::Shape& shape = builder.ShapeOf(node.inputs[0]);
  const graph::Shape& tuples = builder.ShapeOf(node.inputs[1]);
  const auto depth = static_cast<size_t>(tuples.back());
  blob::ScatterParams params{};
  params.reduction = ReductionOf(node);
  params.depth = static_cast<uint32_t>(depth);
  params.count = Product(tuples, 0, tuples.size() - 1);
  params.inner = Product(shape, depth, shape.size());
  SetDims(node, shape, 0, depth, params.dims);
  EmitScatter(builder, node, params);
}

// A layer writes one tensor: the indices come first, and the values are gathered by them.
void LowerTopK(Builder& builder, const graph::Node& node) {
  const blob::Precision precision = builder.PrecisionOf(node);
  const graph::Shape& shape = builder.ShapeOf(node.inputs[0]);
  const graph::Shape& chosen = builder.ShapeOf(node.outputs[0]);
  const size_t axis = AxisOf(node, shape.size(), -1);
  const int input = UseRowMajor(builder, node.inputs[0], precision);
  int indices = -1;
  if (node.outputs.size() > 1 && node.outputs[1] != graph::kNoValue) {
    indices = builder.Define(node.outputs[1], Layout::kRowMajor, blob::ElementType::kInt32);
  } else {
    uint32_t dims[4];
    DimsOf(chosen, Layout::kRowMajor, dims);
    indices = builder.Temporary(node.name + "/indices", blob::ElementType::kInt32, dims, nullptr);
  }
  blob::TopKParams params{};
  params.outer = Product(shape, 0, axis);
  params.axis = static_cast<uint32_t>(shape[axis]);
  params.inner = Product(shape, axis + 1, shape.size());
  params.k = static_cast<uint32_t>(chosen[axis]);
  params.largest = node.Int("largest", 1) != 0 ? 1 : 0;
  builder.Emit(node, blob::Op::kTopK, precision, {input}, indices).Set(params);
  EmitGatherElements(builder, node, shape, chosen, axis, {input, indices},
                     DefineLike(builder, node.outputs[0], input));
}

void LowerNonMaxSuppression(Builder& builder, const graph::Node& node) {
  const graph::Shape& scores = builder.ShapeOf(node.inputs[1]);
  blob::NonMaxSuppressionParams params{};
  params.batch = static_cast<uint32_t>(scores[0]);
  params.classes = static_cast<uint32_t>(scores[1]);
  params.boxes = static_cast<uint32_t>(scores[2]);
  params.most = static_cast<uint32_t>(
      std::clamp<double>(ConstantNumber(builder, node, 2, 0), 1, static_cast<double>(scores[2])));
  params.most_overlap = static_cast<float>(ConstantNumber(builder, node, 3, 0));
  params.least_score = static_cast<float>(
      ConstantNumber(builder, node, 4, -std::numeric_limits<double>::infinity()));
  params.centre = node.Int("center_point_box", 0) != 0 ? 1 : 0;
  const int boxes = UseRowMajor(builder, node.inputs[0], blob::Precision::kFp16);
  const int candidates = UseRowMajor(builder, node.inputs[1], blob::Precision::kFp16);
  std::vector<int> operands{boxes, candidates};
  if (node.inputs.size() > 5) {
    operands.push_back(UseRowMajor(builder, node.inputs[5], blob::Precision::kFp16));
  }
  const int output = builder.Define(node.outputs[0], Layout::kRowMajor, blob::ElementType::kInt32);
  builder.Emit(node, blob::Op::kNonMaxSuppression, blob::Precision::kFp16, operands, output)
      .Set(params);
}

}  // namespace octet::lower
