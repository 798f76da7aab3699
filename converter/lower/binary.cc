#include <algorithm>
#include <stdexcept>

#include "converter/lower/builder.h"
#include "converter/lower/elementwise.h"
#include "converter/lower/factors.h"
#include "converter/lower/node_fail.h"

namespace octet::lower {
namespace {

using Dims = uint32_t[4];

bool BroadcastOf(const Dims& a, const Dims& b, blob::Broadcast* kind) {
  const auto is = [&b](uint32_t n, uint32_t h, uint32_t w, uint32_t c) {
    return b[0] == n && b[1] == h && b[2] == w && b[3] == c;
  };
  if (is(a[0], a[1], a[2], a[3]))
    *kind = blob::Broadcast::kNone;
  else if (is(1, 1, 1, 1))
    *kind = blob::Broadcast::kScalar;
  else if (is(1, 1, 1, a[3]))
    *kind = blob::Broadcast::kChannel;
  else if (a[0] == 1 && is(1, a[1], a[2], 1))
    *kind = blob::Broadcast::kSpatial;
  else
    return false;
  return true;
}

// Whether the kernels of Add, Mul and Div can broadcast these operands where they stand in
// `layout`.
bool CanBroadcast(const graph::Shape& a, const graph::Shape& b, size_t rank, Layout layout) {
  if (rank > 4) return a == b;
  Dims dims[2];
  const graph::Shape* shapes[2] = {&a, &b};
  for (int i = 0; i < 2; ++i) {
    graph::Shape full = *shapes[i];
    full.insert(full.begin(), rank - std::min(rank, full.size()), 1);
    DimsOf(full, layout, dims[i]);
  }
  blob::Broadcast unused;
  return BroadcastOf(dims[0], dims[1], &unused) || BroadcastOf(dims[1], dims[0], &unused);
}

// The layout the first computed operand has, unless only the other one puts the stretched axis
// last.
Layout LayoutFor(const Builder& builder, const graph::Node& node) {
  const size_t rank = builder.ShapeOf(node.outputs[0]).size();
  Layout layout = builder.Natural(node.outputs[0]);
  for (graph::ValueId input : node.inputs) {
    if (builder.Constant(input) == nullptr && builder.ShapeOf(input).size() == rank) {
      layout = builder.Existing(input);
      break;
    }
  }
  const graph::Shape &a = builder.ShapeOf(node.inputs[0]), &b = builder.ShapeOf(node.inputs[1]);
  if (rank != 4 || CanBroadcast(a, b, rank, layout)) return layout;
  const Layout other = layout == Layout::kImage ? Layout::kRowMajor : Layout::kImage;
  return CanBroadcast(a, b, rank, other) ? other : layout;
}

// A sum whose codes the model says: those of 16-bit factors are others once in ten thousand, and
// some tens of layers later in one of twenty.
bool IsSumOfCodes(const Builder& builder, const graph::Node& node) {
  return (node.op == "Add" || node.op == "Sub") &&
         builder.PrecisionOf(node) == blob::Precision::kInt8 &&
         builder.graph().At(node.outputs[0]).given != nullptr;
}

}  // namespace

void LowerBinary(Builder& builder, const graph::Node& node) {
  FunctionOf unary;
  if (UnaryFunction(builder.graph(), node, &unary)) return LowerUnary(builder, node);
  const graph::Shape& shape = builder.ShapeOf(node.outputs[0]);
  const Layout layout = LayoutFor(builder, node);
  if (builder.IsInteger(node.outputs[0]) || IsSumOfCodes(builder, node) ||
      !CanBroadcast(builder.ShapeOf(node.inputs[0]), builder.ShapeOf(node.inputs[1]), shape.size(),
                    layout)) {
    return LowerElementwise(builder, node);
  }
  const blob::Precision precision = builder.PrecisionOf(node);
  const blob::ElementType type = Builder::TypeOf(precision);
  int a = builder.UseBroadcast(node.inputs[0], shape.size(), layout, type);
  int b = builder.UseBroadcast(node.inputs[1], shape.size(), layout, type);
  blob::BinaryParams params{};
  const bool swapped = !BroadcastOf(builder.At(a).dims, builder.At(b).dims, &params.broadcast);
  if (swapped) {
    std::swap(a, b);
    if (!BroadcastOf(builder.At(a).dims, builder.At(b).dims, &params.broadcast)) {
      throw std::logic_error("node " + node.name + ": no operand has the shape of the result");
    }
  }
  const FunctionOf function = ActivationFunction(node);
  if (node.op == "Sub" && swapped && precision == blob::Precision::kFp16) {
    // b - a as -(a) + b: negate the larger operand first.
    const Tensor source = builder.At(a);
    const int negated = builder.Temporary(source.name + "/negated", type, source.dims, nullptr);
    builder.Emit(node, blob::Op::kUnary, precision, {a}, negated)
        .Set(blob::UnaryParams{blob::Function::kNeg, {}, 0, 0});
    a = negated;
  }
  const int output = builder.Define(node.outputs[0], layout, type);
  const Tensor &ta = builder.At(a), &tb = builder.At(b), &to = builder.At(output);
  blob::Op op = blob::Op::kAdd;
  params.function = function.function;
  params.alpha = function.alpha;
  params.beta = function.beta;
  params.clamp_lo = -128;
  params.clamp_hi = 127;
  if (precision == blob::Precision::kInt8 &&
      !ClampOf(function, to, &params.clamp_lo, &params.clamp_hi)) {
    NodeFail(node, "activation {} cannot be fused behind {}", node.activation, node.op);
  }
  const double sa = ta.scale, sb = tb.scale, so = to.scale;
  if (node.op == "Mul") {
    op = blob::Op::kMul;
    SetMulFactor(sa * sb / so, &params);
  } else if (node.op == "Div") {
    op = blob::Op::kDiv;
    params.swap = swapped;
    SetDivFactor(swapped ? sb / (sa * so) : sa / (sb * so), &params);
  } else {
    const bool subtract = node.op == "Sub";
    params.negate_b = subtract && !swapped;
    const double sign_a = subtract && swapped ? -1 : 1, sign_b = subtract && !swapped ? -1 : 1;
    SetAddFactors(sign_a * sa / so, sign_b * sb / so, FactorBits::k16, &params);
  }
  if (precision == blob::Precision::kFp16) {
    params.multiplier_a = params.multiplier_b = 0;
    params.shift = 1;
    params.pre_shift = 0;
  }
  Layer& layer = builder.Emit(node, op, precision, {a, b}, output);
  layer.fused = node.activation;
  layer.activation = ActivationOf(function, 0);
  layer.Set(params);
}

}  // namespace octet::lower
