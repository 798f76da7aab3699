#include "converter/passes/constant_through.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <string>
#include <unordered_set>
#include <utility>
#include <vector>

#include "converter/operators/operator.h"
#include "converter/passes/layer.h"
#include "converter/passes/read.h"
#include "converter/passes/spread.h"

namespace octet::passes {
namespace {

// Operators that are linear in all of their computed inputs together: f(x + k) = f(x) + f(k).
constexpr std::string_view kLinearInAll[] = {"Add", "Sub", "Concat"};
// Linear in input 0, the others being constant.
constexpr std::string_view kLinear[] = {
    "AveragePool", "Conv",   "Div",   "Expand", "Gather",     "Gemm",      "GlobalAveragePool",
    "Identity",    "Mul",    "Neg",   "Pad",    "ReduceMean", "ReduceSum", "Reshape",
    "Resample",    "Resize", "Slice", "Tile",   "Transpose"};
// f(x + k) = f(x) + k where k is one number, by which the bounds move.
constexpr std::string_view kClamps[] = {"Clip", "Relu"};
// The same of a constant operand, whatever k.
constexpr std::string_view kBounds[] = {"Max", "Min"};
// f(x + k) = f(x) + f(k) where k is the same all over a picture.
constexpr std::string_view kLargest[] = {"MaxPool", "GlobalMaxPool"};

template <size_t N>
bool IsIn(const std::string& op, const std::string_view (&list)[N]) {
  return std::find(std::begin(list), std::end(list), op) != std::end(list);
}

constexpr float kMost = std::numeric_limits<float>::max();  // of no bound

float Moved(float bound, float part) {
  return std::abs(bound) < kMost ? bound - part : bound;
}

}  // namespace

bool IsPlainFloat(const Editor& editor, ValueId id) {
  const graph::Value& value = editor.graph().At(id);
  return value.type == graph::DataType::kFloat && value.constant == nullptr && !value.given &&
         editor.KnownShape(id) != nullptr;
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
  return IsClamped(node) || IsIn(node.op, kClamps);
}

bool LetsConstantPass(const Editor& editor, const Node& node) {
  if (!node.activation.empty() && !IsClamped(node)) return false;
  if (!node.domain.empty() && node.domain != "ai.onnx") return false;
  if (node.outputs.size() != 1) return false;
  if (!IsPlainFloat(editor, node.outputs[0])) return false;
  if (node.op == "Conv" || node.op == "Gemm") return HasBias(editor, node);
  if (IsIn(node.op, kLinearInAll)) {
    return std::all_of(node.inputs.begin(), node.inputs.end(), [&editor](ValueId id) {
      return editor.KnownShape(id) != nullptr && editor.IsFloat(id);
    });
  }
  if (node.op == "Pad" && node.Has("value")) return false;  // an opset that passes have rewritten
  // Of positions outside a number of its own is taken.
  if (node.String("coordinate_transformation_mode", "") == "tf_crop_and_resize") return false;
  if (IsIn(node.op, kClamps)) return node.op == "Relu" || ReadClipBounds(editor.graph(), node);
  if (IsIn(node.op, kBounds) && node.inputs.size() != 2) return false;
  if (!IsIn(node.op, kLinear) && !IsIn(node.op, kLargest) && !IsIn(node.op, kBounds)) return false;
  int computed = 0;
  for (const ValueId id : node.inputs)
    computed += id != graph::kNoValue && !editor.IsConstant(id) ? 1 : 0;
  const bool any_place = node.op == "Mul" || IsIn(node.op, kBounds);
  return computed == 1 && (any_place || !editor.IsConstant(node.inputs[0]));
}

std::optional<Tensor> PartBehind(const Editor& editor, const Node& node, ValueId whole,
                                 const Tensor& part) {
  if (IsIn(node.op, kLargest) && !IsSameAllOver(part)) return std::nullopt;
  if (IsIn(node.op, kClamps)) return IsOneNumber(part) ? std::optional(part) : std::nullopt;
  if (IsIn(node.op, kBounds)) {
    const bool same = *editor.KnownShape(node.outputs[0]) == part.shape;
    return same ? std::optional(part) : std::nullopt;
  }
  std::vector<Tensor> made(node.inputs.size());
  std::vector<const Tensor*> inputs;
  for (size_t i = 0; i < node.inputs.size(); ++i) {
    const ValueId id = node.inputs[i];
    const bool is_added = IsIn(node.op, kLinearInAll) ||
                          (i == 2 && (node.op == "Conv" || node.op == "Gemm" || node.op == "Pad"));
    if (id == whole) {
      inputs.push_back(&part);
    } else if (id == graph::kNoValue) {
      inputs.push_back(nullptr);
    } else if (is_added) {
      const Shape& shape = *editor.KnownShape(id);
      made[i] = Tensor::Floats(shape,
                               std::vector<float>(static_cast<size_t>(graph::ElementCount(shape))));
      inputs.push_back(&made[i]);
    } else {
      inputs.push_back(editor.Constant(id));
    }
  }
  const Shape& shape = *editor.KnownShape(node.outputs[0]);
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
  if (IsIn(node.op, kClamps)) {
    const ClipBounds bounds =
        node.op == "Relu" ? ClipBounds{0, kMost} : *ReadClipBounds(editor.graph(), node);
    const std::string name = node.name + "_bound";
    const auto bound = [&](float value) {
      return editor.NewConstant(name, Tensor::Floats({}, {Moved(value, part.floats[0])}));
    };
    const ValueId low = bound(bounds.min), high = bound(bounds.max);
    editor.Become(n, "Clip", {node.inputs[0], low, high});
  } else if (IsIn(node.op, kBounds)) {
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
  const Shape& shape = *editor.KnownShape(node.outputs[0]);
  const Shape& own = bias->shape;
  if (by_channel) return shape.size() >= 2 && own == Shape{shape[1]};
  return own.size() <= shape.size() && std::equal(own.rbegin(), own.rend(), shape.rbegin());
}

int64_t ChannelsByPosition(const Editor& editor, ValueId id) {
  std::vector<ValueId> pending = {id};
  std::unordered_set<ValueId> met;
  int64_t channels = 0;
  while (!pending.empty()) {
    const ValueId value = pending.back();
    pending.pop_back();
    if (value == graph::kNoValue || editor.IsConstant(value) || !met.insert(value).second) continue;
    const int n = editor.Producer(value);
    if (n < 0) continue;
    const Node& node = editor.At(n);
    if (node.op == "MatMul") return -1;
    if (node.op == "Gemm" || node.op == "GlobalAveragePool") continue;
    if (node.op == "Conv") {
      const Shape* shape = editor.KnownShape(node.outputs[0]);
      if (shape == nullptr) return -1;
      const int64_t pixels =
          graph::ElementCount(*shape) / std::max<int64_t>(1, (*shape)[0] * (*shape)[1]);
      if (pixels > 1) channels = std::max(channels, (*shape)[1]);
      continue;
    }
    pending.insert(pending.end(), node.inputs.begin(), node.inputs.end());
  }
  return channels;
}

}  // namespace octet::passes
