#include "converter/lower/fusion.h"

namespace octet::lower {
namespace {

// The clamp of an int8 layer that its codes are anyway: it is done by what is rounded before the
// table, as if it were not there.
bool IsItsRange(const Builder& builder, const graph::Node& node) {
  if (builder.PrecisionOf(node) != blob::Precision::kInt8) return false;
  Tensor result;
  result.scale = builder.SchemeOf(node.outputs[0]).scale;
  result.zero_point = builder.SchemeOf(node.outputs[0]).zero_point;
  int8_t lo = 0, hi = 0;
  return ClampOf(ActivationFunction(node), result, &lo, &hi) && lo == -128 && hi == 127;
}

// Whether the model rounds what the layer computes to other codes than its result's: a clamp behind
// does not stand for both.
bool RoundsBetween(const Builder& builder, const graph::Node& node, const Fusion& fusion,
                   const Tensor& out) {
  if (fusion.absorbed == nullptr || builder.graph().At(node.outputs[0]).given == nullptr)
    return false;
  const quantize::TensorScheme& before = builder.SchemeOf(node.outputs[0]);
  return before.scale != out.scale || before.zero_point != out.zero_point;
}

}  // namespace

Fusion FuseActivation(const Builder& builder, const graph::Node& node) {
  Fusion fusion{ActivationFunction(node), node.outputs[0]};
  if (!node.activation.empty() && !IsItsRange(builder, node)) return fusion;
  // Tables by channel are a layer of their own.
  const bool int8 = builder.PrecisionOf(node) == blob::Precision::kInt8;
  if (int8 && !builder.SchemeOf(node.outputs[0]).channels.empty()) return fusion;
  const graph::Node* reader = builder.OnlyReader(node.outputs[0]);
  FunctionOf function;
  if (reader == nullptr || builder.PrecisionOf(*reader) != builder.PrecisionOf(node) ||
      !UnaryFunction(builder.graph(), *reader, &function)) {
    return fusion;
  }
  // A table of all halves is a layer of its own.
  if (!int8 && function.function == blob::Function::kTable16) return fusion;
  return Fusion{function, reader->outputs[0], reader};
}

Tensor Int8Tensor(const Builder& builder, graph::ValueId id) {
  const quantize::TensorScheme& scheme = builder.SchemeOf(id);
  Tensor tensor;
  tensor.scale = scheme.scale;
  tensor.zero_point =
      scheme.channels.empty() ? scheme.zero_point : TensorZeroPoint(scheme.channels);
  tensor.channels = scheme.channels;
  return tensor;
}

Target TargetOf(const Builder& builder, const graph::Node& node, const Fusion& fusion,
                const Tensor& out) {
  Target target{out};
  if (!RoundsBetween(builder, node, fusion, out) &&
      ClampOf(fusion.function, out, &target.clamp_lo, &target.clamp_hi)) {
    return target;
  }
  if (fusion.absorbed == nullptr) {
    NodeFail(node, "activation {} was fused before its range could be seen", node.activation);
  }
  const quantize::TensorScheme& before = builder.SchemeOf(node.outputs[0]);
  target.sums.scale = before.scale;
  target.sums.zero_point = before.zero_point;
  target.table = true;
  target.clamp_lo = -128;
  target.clamp_hi = 127;
  return target;
}

}  // namespace octet::lower
