#include "converter/quantize/half_constants.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <utility>

#include "converter/operators/offset_function.h"
#include "converter/operators/powers.h"
#include "converter/operators/scaling.h"

namespace octet::quantize {
namespace {

using graph::Tensor;
using graph::ValueId;
using operators::Power;
using operators::Scaling;

// A bound that stands for none stays finite.
float Scaled(float value, int exponent) {
  constexpr float kMost = std::numeric_limits<float>::max();
  if (std::fabs(value) >= kMost) return value;
  return std::clamp(std::ldexp(value, exponent), -kMost, kMost);
}

class Rewriter {
 public:
  Rewriter(const HalfGroups& groups, HalfPlan* plan)
      : graph_(groups.graph()), groups_(groups), plan_(plan) {}

  void Rewrite(size_t n) {
    graph::Node& node = plan_->graph.nodes[n];
    const ValueId out = node.outputs.empty() ? graph::kNoValue : node.outputs[0];
    if (operators::PowerOf(graph_, node) != Power::kNone) RewritePower(&node);
    switch (operators::ScalingOf(node)) {
      case Scaling::kHomogeneous:
        for (size_t i = 0; i < node.inputs.size(); ++i) {
          if (operators::IsScaled(node, i)) Scale(&node, i, -FactorOf(node));
        }
        break;
      case Scaling::kBilinear:
        RewriteBilinear(&node, out);
        break;
      case Scaling::kQuotient: {
        const int data = groups_.DataInput(node);
        if (data < 0) break;
        const int in = groups_.ExponentOf(node.inputs[static_cast<size_t>(data)], 0);
        const int result = groups_.ExponentOf(out, 0);
        Scale(&node, data == 0 ? 1 : 0, data == 0 ? result - in : -result - in);
        break;
      }
      case Scaling::kInvariant: {
        const int e = groups_.ExponentOf(node.inputs[0], 0);
        const float epsilon = operators::EpsilonOf(node);
        if (e != 0 && epsilon > 0) node.attributes["epsilon"] = std::ldexp(epsilon, -2 * e);
        break;
      }
      case Scaling::kNone:
        break;
    }
    if (operators::FusedScalingOf(node) == operators::FusedScaling::kBounds) {
      node.alpha = Scaled(node.alpha, -groups_.ExponentOf(out, 0));
      node.beta = Scaled(node.beta, -groups_.ExponentOf(out, 0));
    }
  }

 private:
  // Squares and roots take the factor as it is; a table is made for it.
  void RewritePower(graph::Node* node) const {
    const Power power = operators::PowerOf(graph_, *node);
    const int e = groups_.ExponentOf(node->inputs[0], 0);
    if (e == 0 || power == Power::kSquare || power == Power::kRoot) return;
    operators::OffsetFunction scaled = operators::FunctionOfNode(graph_, *node);
    scaled.steps.insert(scaled.steps.begin(),
                        {operators::kScaleStep, std::ldexp(1.0f, e), scaled.from});
    scaled.from = 0;
    operators::SetOffsetFunction(scaled, node);
  }

  // The one exponent of a homogeneous node with constant inputs.
  int FactorOf(const graph::Node& node) const {
    for (const auto* ids : {&node.inputs, &node.outputs}) {
      for (ValueId id : *ids) {
        if (groups_.GroupOf(id) != nullptr) return groups_.ExponentOf(id, 0);
      }
    }
    return 0;
  }

  void RewriteBilinear(graph::Node* node, ValueId out) {
    const int data = groups_.DataInput(*node);
    if (data >= 0) {
      const ValueId in = node->inputs[static_cast<size_t>(data)];
      const size_t at = data == 0 ? 1 : 0;
      const Tensor& weights = *graph_.Constant(node->inputs[at]);
      Tensor scaled = weights;
      bool changed = false;
      float largest = 0;
      ForEachWeight(*node, weights, [&](size_t i, size_t row, size_t column) {
        const int e = groups_.ExponentOf(in, column) - groups_.ExponentOf(out, row);
        changed |= e != 0;
        scaled.floats[i] = std::ldexp(weights.floats[i], e);
        largest = std::max(largest, std::fabs(scaled.floats[i]));
      });
      if (largest > kLargestHalf && weights.Count() > 1 && plan_->cannot_store.empty()) {
        plan_->cannot_store =
            fmt::format("a weight of node '{}' ({}) is {:.4g}", node->name, node->op, largest);
      }
      if (changed) Replace(node, at, std::move(scaled));
    }
    const Tensor* bias = node->inputs.size() > 2 ? graph_.Constant(node->inputs[2]) : nullptr;
    if (bias == nullptr || !bias->IsFloat()) return;
    Tensor scaled = *bias;
    bool changed = false;
    for (size_t o = 0; o < scaled.floats.size(); ++o) {
      const int e = groups_.ExponentOf(out, o);
      changed |= e != 0;
      scaled.floats[o] = std::ldexp(scaled.floats[o], -e);
    }
    if (changed) Replace(node, 2, std::move(scaled));
  }

  void Scale(graph::Node* node, size_t input, int exponent) const {
    const Tensor* constant = graph_.Constant(node->inputs[input]);
    if (constant == nullptr || !constant->IsFloat() || exponent == 0) return;
    Tensor scaled = *constant;
    for (float& value : scaled.floats) value = Scaled(value, exponent);
    Replace(node, input, std::move(scaled));
  }

  void Replace(graph::Node* node, size_t input, Tensor tensor) const {
    const std::string name = graph_.At(node->inputs[input]).name;
    node->inputs[input] = plan_->graph.AddConstant(name, std::move(tensor));
  }

  const graph::Graph& graph_;
  const HalfGroups& groups_;
  HalfPlan* plan_;
};

}  // namespace

void RewriteForHalf(const HalfGroups& groups, size_t node, HalfPlan* plan) {
  Rewriter(groups, plan).Rewrite(node);
}

}  // namespace octet::quantize
