// Reductions and running sums.
#include <string_view>
#include <utility>

#include "converter/lower/axes.h"
#include "converter/lower/node_fail.h"
#include "converter/lower/weights.h"

namespace octet::lower {
namespace {

using blob::ReduceKind;

ReduceKind KindOf(const graph::Node& node) {
  constexpr std::pair<std::string_view, ReduceKind> kKinds[] = {
      {"ReduceSum", ReduceKind::kSum},       {"ReduceMean", ReduceKind::kMean},
      {"ReduceMax", ReduceKind::kMax},       {"ReduceMin", ReduceKind::kMin},
      {"ReduceProd", ReduceKind::kProd},     {"ReduceL1", ReduceKind::kL1},
      {"ReduceL2", ReduceKind::kL2},         {"ReduceSumSquare", ReduceKind::kSumSquare},
      {"ReduceLogSum", ReduceKind::kLogSum}, {"ReduceLogSumExp", ReduceKind::kLogSumExp},
      {"ArgMax", ReduceKind::kArgMax},       {"ArgMin", ReduceKind::kArgMin},
  };
  for (const auto& [op, kind] : kKinds) {
    if (op == node.op) return kind;
  }
  throw std::logic_error("no reduction " + node.op);
}

bool IsArg(ReduceKind kind) {
  return kind == ReduceKind::kArgMax || kind == ReduceKind::kArgMin;
}

std::vector<int64_t> AxesOf(Builder& builder, const graph::Node& node, ReduceKind kind) {
  if (IsArg(kind)) return {node.Int("axis", 0)};
  if (node.inputs.size() < 2 || node.inputs[1] == graph::kNoValue) return {};
  const graph::Tensor* axes = builder.Constant(node.inputs[1]);
  if (axes == nullptr) NodeFail(node, "its axes must be constant");
  return axes->integers;
}

// Where dropped axes leave the others in another order than the result wants them, the input has to
// be row-major.
Layout LayoutFor(const Builder& builder, const graph::Node& node,
                 const std::vector<bool>& reduced) {
  const Layout layout = builder.Existing(node.inputs[0]);
  if (node.Int("keepdims", 1) != 0) return layout;
  const graph::Shape& shape = builder.ShapeOf(node.inputs[0]);
  size_t last = 0;
  for (size_t axis : StoredAxes(shape, layout)) {
    if (reduced[axis] || shape[axis] == 1) continue;
    if (axis < last) return Layout::kRowMajor;
    last = axis;
  }
  return layout;
}

// Sums and extrema have an integer rule; sums only of so many values.
blob::Precision PrecisionFor(const Builder& builder, const graph::Node& node, ReduceKind kind,
                             int64_t reduced_count) {
  const bool wraps = kind == ReduceKind::kSum || kind == ReduceKind::kProd ||
                     kind == ReduceKind::kMax || kind == ReduceKind::kMin;
  if (builder.IsInteger(node.inputs[0]) && !wraps && !IsArg(kind)) {
    NodeFail(node, "cannot run on integers; cast its input to float in the model");
  }
  const bool copies = kind == ReduceKind::kMax || kind == ReduceKind::kMin;
  const bool sums = kind == ReduceKind::kSum || kind == ReduceKind::kMean;
  if (copies || (sums && reduced_count <= int64_t{blob::kMaxGroupS8})) {
    return builder.PrecisionOf(node);
  }
  return blob::Precision::kFp16;
}

}  // namespace

void LowerReduce(Builder& builder, const graph::Node& node) {
  const graph::Shape& shape = builder.ShapeOf(node.inputs[0]);
  const ReduceKind kind = KindOf(node);
  const bool all_when_empty = node.Int("noop_with_empty_axes", 0) == 0;
  const std::vector<bool> reduced =
      FlagsOf(AxesOf(builder, node, kind), shape.size(), all_when_empty);
  const int64_t reduced_count =
      graph::ElementCount(shape) / graph::ElementCount(builder.ShapeOf(node.outputs[0]));
  const blob::Precision precision = PrecisionFor(builder, node, kind, reduced_count);
  const blob::ElementType type = Builder::TypeOf(precision);
  const Layout layout = LayoutFor(builder, node, reduced);
  const bool keeps_rank = builder.ShapeOf(node.outputs[0]).size() == shape.size();
  const int input = builder.Use(node.inputs[0], layout, type);
  const int output = builder.Define(node.outputs[0], keeps_rank ? layout : Layout::kRowMajor, type);
  blob::ReduceParams params{};
  params.kind = kind;
  if (IsArg(kind)) {
    // The axis itself, even of one element.
    const Around around = AroundAxis(shape, layout, node.Int("axis", 0));
    params.view = {3, {around.outer, around.count, around.inner}, 2};
    params.select_last = node.Int("select_last_index", 0) != 0;
  } else {
    params.view = ViewOf(node, StoredAxesOf(shape, layout, reduced), nullptr);
  }
  const bool copies = params.kind == ReduceKind::kMax || params.kind == ReduceKind::kMin;
  if (precision == blob::Precision::kInt8 && copies) {
    builder.At(output).scale = builder.At(input).scale;
    builder.At(output).zero_point = builder.At(input).zero_point;
  } else if (precision == blob::Precision::kInt8) {
    double factor = static_cast<double>(builder.At(input).scale) / builder.At(output).scale;
    if (params.kind == ReduceKind::kMean) {
      factor /= static_cast<double>(reduced_count);
    }
    params.pre_shift = static_cast<uint8_t>(PreShiftFor(factor));
    const Multiplier m = MakeMultiplier(factor, params.pre_shift);
    params.multiplier = m.multiplier;
    params.shift = m.shift;
  }
  builder.Emit(node, blob::Op::kReduce, precision, {input}, output).Set(params);
}

void LowerCumSum(Builder& builder, const graph::Node& node) {
  const graph::Tensor* axis = builder.Constant(node.inputs[1]);
  if (axis == nullptr || axis->integers.size() != 1) {
    NodeFail(node, "its axis must be one constant");
  }
  constexpr blob::ElementType kHalf = blob::ElementType::kFp16;
  const Layout layout = builder.Existing(node.inputs[0]);
  const int input = builder.Use(node.inputs[0], layout, kHalf);
  const int output = builder.Define(node.outputs[0], layout, kHalf);
  const Around around = AroundAxis(builder.ShapeOf(node.inputs[0]), layout, axis->integers[0]);
  builder.Emit(node, blob::Op::kCumSum, blob::Precision::kFp16, {input}, output)
      .Set(blob::CumSumParams{around.outer,
                              around.count,
                              around.inner,
                              static_cast<uint8_t>(node.Int("exclusive", 0) != 0),
                              static_cast<uint8_t>(node.Int("reverse", 0) != 0),
                              {}});
}

}  // namespace octet::lower
