// Softmax, LogSoftmax and Hardmax along any axis, wherever the layout puts it.
#include <cmath>

#include "converter/lower/axes.h"

namespace octet::lower {
namespace {

// Before opset 13 everything from the axis on is one dimension; row-major, unless only one of these
// has more than one element.
Around Coerced(const graph::Shape& shape, Layout* layout, int64_t axis) {
  Around around;
  int64_t spanned = -1, count = 0;
  for (size_t d = 0; d < shape.size(); ++d) {
    const bool before = static_cast<int64_t>(d) < axis;
    (before ? around.outer : around.count) *= static_cast<uint32_t>(shape[d]);
    if (before || shape[d] == 1) continue;
    spanned = static_cast<int64_t>(d);
    ++count;
  }
  if (count == 1) return AroundAxis(shape, *layout, spanned);
  *layout = Layout::kRowMajor;
  return around;
}

Bytes Exponentials(float scale) {
  std::vector<uint32_t> table(256);
  for (int d = 0; d < 256; ++d) {
    table[static_cast<size_t>(d)] = static_cast<uint32_t>(
        std::floor(std::ldexp(std::exp(-static_cast<double>(scale) * d), 23) + 0.5));
  }
  return ToBytes(table);
}

blob::SoftmaxKind SoftmaxKindOf(const graph::Node& node) {
  if (node.op == "LogSoftmax") return blob::SoftmaxKind::kLogSoftmax;
  return node.op == "Hardmax" ? blob::SoftmaxKind::kHardmax : blob::SoftmaxKind::kSoftmax;
}

}  // namespace

void LowerSoftmax(Builder& builder, const graph::Node& node) {
  const graph::Shape& shape = builder.ShapeOf(node.inputs[0]);
  int64_t axis = node.Int("axis", -1);
  if (axis < 0) axis += static_cast<int64_t>(shape.size());
  const blob::SoftmaxKind kind = SoftmaxKindOf(node);
  const blob::Precision precision =
      kind == blob::SoftmaxKind::kSoftmax ? builder.PrecisionOf(node) : blob::Precision::kFp16;
  const blob::ElementType type = Builder::TypeOf(precision);
  Layout layout = builder.Existing(node.inputs[0]);
  // Rows along the last dimension have fast kernels, which are worth a transpose.
  const bool rows = kind == blob::SoftmaxKind::kSoftmax && shape.size() == 4;
  if (rows && axis == 1) layout = Layout::kImage;
  if (rows && axis == 3) layout = Layout::kRowMajor;
  const Around around = node.Int("octet_coerced", 0) != 0 ? Coerced(shape, &layout, axis)
                                                          : AroundAxis(shape, layout, axis);
  const int input = builder.Use(node.inputs[0], layout, type);
  const int output = builder.Define(node.outputs[0], layout, type);
  const bool last = kind == blob::SoftmaxKind::kSoftmax && around.inner == 1 &&
                    builder.At(input).dims[3] == around.count;
  Layer& layer = builder.Emit(node, last ? blob::Op::kSoftmax : blob::Op::kAxisSoftmax, precision,
                              {input}, output);
  if (last) {
    layer.Set(blob::SoftmaxParams{0});
  } else {
    layer.Set(blob::AxisSoftmaxParams{around.outer, around.count, around.inner, kind, {}});
  }
  if (precision == blob::Precision::kInt8) {
    layer.table = Exponentials(builder.At(input).scale);
  }
}

}  // namespace octet::lower
