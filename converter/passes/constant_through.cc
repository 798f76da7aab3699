#include "converter/passes/constant_through.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <string>
#include <utility>
#include <vector>

#include "converter/operators/meaning.h"
#include "converter/operators/offset_function.h"
#include "converter/operators/operator.h"
#include "converter/operators/output_view.h"
#include "converter/operators/reading.h"
#include "converter/passes/layer.h"
#include "converter/passes/read.h"
#include "converter/passes/spread.h"

namespace octet::passes {
namespace {

using operators::Linearity;
using operators::LinearityOf;

constexpr float kMost = std::numeric_limits<float>::max();  // of no bound

float Moved(float bound, float part) {
  return std::abs(bound) < kMost ? bound - part : bound;
}

// The largest element of each channel. GlobalMaxPool has become a MaxPool before.
bool IsLargestOfAll(const Editor& editor, const Node& node) {
  if (operators::ReadingOf(node, 0) != operators::Reading::kMaximum || node.outputs.size() != 1) {
    return false;
  }
  const Shape& shape = editor.ShapeOf(node.outputs[0]);
  return shape.size() > 2 &&
         std::all_of(shape.begin() + 2, shape.end(), [](int64_t dim) { return dim == 1; });
}

}  // namespace

bool IsPlainFloat(const Editor& editor, ValueId id) {
  const graph::Value& value = editor.graph().At(id);
  return value.type == graph::DataType::kFloat && value.constant == nullptr && !value.given;
}

bool HasBias(const Editor& editor, Node node) {
  node.activation.clear();  // works on the sums
  return node.op != "ConvTranspose" && IsFoldable(editor, node);
}

bool IsClamped(const Node& node) {
  return node.activation == "Relu" || node.activation == "Clip";
}

void MoveFusedClamp(float part, Node* node) {
  if (node->activation.empty()) return;
  if (node->activation == "Relu") {
    node->activation = "Clip";
    node->alpha = 0;
    node->beta = kMost;
  }
  node->alpha = Moved(node->alpha, part);
  node->beta = Moved(node->beta, part);
}

bool NeedsOneNumber(const Node& node) {
  return IsClamped(node) || LinearityOf(node.op) == Linearity::kClamps;
}

bool LetsConstantPass(const Editor& editor, const Node& node) {
  if (!node.activation.empty() && !IsClamped(node)) return false;
  if (!node.domain.empty() && node.domain != "ai.onnx") return false;
  if (node.outputs.size() != 1) return false;
  if (!IsPlainFloat(editor, node.outputs[0])) return false;
  if (operators::HasBiasInput(node.op)) return HasBias(editor, node);
  const Linearity linearity = LinearityOf(node.op);
  if (linearity == Linearity::kInAll) {
    return std::all_of(node.inputs.begin(), node.inputs.end(),
                       [&editor](ValueId id) { return editor.IsFloat(id); });
  }
  if (node.op == "Pad" && node.Has("value")) return false;  // an opset that passes have rewritten
  // Of positions outside a number of its own is taken.
  if (node.String("coordinate_transformation_mode", "") == "tf_crop_and_resize") return false;
  if (linearity == Linearity::kClamps) {
    return node.op == "Relu" || ReadClipBounds(editor.graph(), node);
  }
  if (linearity == Linearity::kNone || linearity == Linearity::kIgnores) return false;
  const bool bounds = linearity == Linearity::kBounds;
  if (bounds && node.inputs.size() != 2) return false;
  int computed = 0;
  for (const ValueId id : node.inputs)
    computed += id != graph::kNoValue && !editor.IsConstant(id) ? 1 : 0;
  return computed == 1 && (bounds || node.op == "Mul" || !editor.IsConstant(node.inputs[0]));
}

std::optional<Tensor> PartBehind(const Editor& editor, const Node& node, ValueId whole,
                                 const Tensor& part) {
  const Linearity linearity = LinearityOf(node.op);
  if (linearity == Linearity::kLargest && !IsSameAllOver(part)) return std::nullopt;
  if (linearity == Linearity::kClamps) {
    return IsOneNumber(part) ? std::optional(part) : std::nullopt;
  }
  if (linearity == Linearity::kBounds) {
    const bool same = editor.ShapeOf(node.outputs[0]) == part.shape;
    return same ? std::optional(part) : std::nullopt;
  }
  std::vector<Tensor> made(node.inputs.size());
  std::vector<const Tensor*> inputs;
  for (size_t i = 0; i < node.inputs.size(); ++i) {
    const ValueId id = node.inputs[i];
    const bool is_added = linearity == Linearity::kInAll || operators::IsBeside(node, i);
    if (id == whole) {
      inputs.push_back(&part);
    } else if (id == graph::kNoValue) {
      inputs.push_back(nullptr);
    } else if (is_added) {
      const Shape& shape = editor.ShapeOf(id);
      made[i] = Tensor::Floats(shape,
                               std::vector<float>(static_cast<size_t>(graph::ElementCount(shape))));
      inputs.push_back(&made[i]);
    } else {
      inputs.push_back(editor.Constant(id));
    }
  }
  const Shape& shape = editor.ShapeOf(node.outputs[0]);
  std::vector<Tensor> results;
  results.push_back(
      Tensor::Floats(shape, std::vector<float>(static_cast<size_t>(graph::ElementCount(shape)))));
  operators::Workspace workspace;
  operators::Find(node.op)->execute(node, inputs, results, workspace);
  return std::move(results[0]);
}

void MoveBounds(Editor& editor, int n, const Tensor& part, const Tensor& behind) {
  MoveFusedClamp(behind.floats[0], &editor.At(n));
  const Node& node = editor.At(n);
  const Linearity linearity = LinearityOf(node.op);
  if (linearity == Linearity::kClamps) {
    const ClipBounds bounds =
        node.op == "Relu" ? ClipBounds{0, kMost} : *ReadClipBounds(editor.graph(), node);
    const std::string name = node.name + "_bound";
    const auto bound = [&](float value) {
      return editor.NewConstant(name, Tensor::Floats({}, {Moved(value, part.floats[0])}));
    };
    const ValueId low = bound(bounds.min), high = bound(bounds.max);
    editor.Become(n, "Clip", {node.inputs[0], low, high});
  } else if (linearity == Linearity::kBounds) {
    const size_t constant = editor.IsConstant(node.inputs[0]) ? 0 : 1;
    const Tensor& own = *editor.Constant(node.inputs[constant]);
    Tensor bounds = Spread(own.shape, own.floats, part.shape);
    for (size_t i = 0; i < bounds.floats.size(); ++i) {
      bounds.floats[i] = Moved(bounds.floats[i], part.floats[i]);
    }
    editor.SetConstantInput(n, constant, graph::Constant::Uncoded(Narrowed(bounds)),
                            node.name + "_bound");
  }
}

bool IsNorm(const Editor& editor, const Node& node) {
  const bool by_channel = node.op == "InstanceNormalization" || node.op == "GroupNormalization";
  if (!by_channel && node.op != "LayerNormalization") return false;
  if (!node.activation.empty() || node.outputs.size() != 1 || node.inputs.size() < 3) return false;
  if (!IsPlainFloat(editor, node.outputs[0])) return false;
  const Tensor* bias =
      node.inputs[2] == graph::kNoValue ? nullptr : editor.Constant(node.inputs[2]);
  if (bias == nullptr || !bias->IsFloat()) return false;
  const Shape& shape = editor.ShapeOf(node.outputs[0]);
  const Shape& own = bias->shape;
  if (by_channel) return shape.size() >= 2 && own == Shape{shape[1]};
  return own.size() <= shape.size() && std::equal(own.rbegin(), own.rend(), shape.rbegin());
}

int ConstantInput(const Editor& editor, const Node& node) {
  if (node.op != "Add" && node.op != "Sub") return -1;
  const bool first = editor.IsConstant(node.inputs[0]), second = editor.IsConstant(node.inputs[1]);
  if (first == second) return -1;
  return first ? 0 : 1;
}

std::optional<float> FactorOfAll(const Editor& editor, const Node& node) {
  if (!operators::SumsElements(node.op) && !IsLargestOfAll(editor, node)) return {};
  const Shape& shape = editor.ShapeOf(node.outputs[0]);
  const Shape& all = editor.ShapeOf(node.inputs[0]);
  if (graph::ElementCount(all) <= graph::ElementCount(shape)) return {};
  const std::optional<Tensor> behind =
      PartBehind(editor, node, node.inputs[0], Spread({}, {1}, all));
  if (!behind || !IsOneNumber(*behind) || behind->floats[0] == 0) return {};
  return behind->floats[0];
}

std::vector<bool> Computed(const graph::Graph& graph) {
  return operators::ViewOutputs(graph).needed;
}

bool IsFunction(const Editor& editor, const std::vector<bool>& computed, int n) {
  const Node& node = editor.At(n);
  return operators::MayBeOffset(editor.graph(), node) && IsPlainFloat(editor, node.outputs[0]) &&
         (static_cast<size_t>(n) >= computed.size() || computed[static_cast<size_t>(n)]);
}

std::vector<float> AddedBy(const Editor& editor, const Node& node, int input) {
  std::vector<float> own = editor.Constant(node.inputs[static_cast<size_t>(input)])->floats;
  if (node.op == "Sub" && input == 1) {
    for (float& number : own) number = -number;
  }
  return own;
}

}  // namespace octet::passes
