#include "converter/operators/scaling.h"

#include "converter/operators/operator.h"

namespace octet::operators {
namespace {

const Scales& Of(const graph::Node& node) {
  const Operator* op = Find(node.op);
  return op == nullptr ? scales::kNone : op->scales;
}

}  // namespace

Scaling ScalingOf(const graph::Node& node) {
  return node.String("reduction", "none") == "mul" ? Scaling::kNone : Of(node).scaling;
}

FusedScaling FusedScalingOf(const graph::Node& node) {
  if (node.activation.empty() || node.activation == "Relu") return FusedScaling::kPasses;
  return node.activation == "Clip" ? FusedScaling::kBounds : FusedScaling::kNone;
}

bool IsScaled(const graph::Node& node, size_t input) {
  const uint32_t inputs = Of(node).inputs;
  return inputs == Scales::kAllInputs || (input < 32 && (inputs >> input & 1) != 0);
}

bool KeepsChannelsApart(const graph::Node& node) {
  const Scales& scales = Of(node);
  return scales.scaling == Scaling::kHomogeneous && scales.by_channel;
}

bool NormalizesEachChannel(const graph::Node& node) {
  const Scales& scales = Of(node);
  return scales.scaling == Scaling::kInvariant && scales.by_channel;
}

bool ScalesLastAxis(const graph::Node& node) {
  return Of(node).multiplies_last_axis;
}

float EpsilonOf(const graph::Node& node) {
  const float own = Of(node).epsilon;
  return own == 0 ? 0 : node.Float("epsilon", own);
}

bool SilencesLargeNegatives(const graph::Node& node) {
  return Of(node).silences_large_negatives;
}

}  // namespace octet::operators
