#include "converter/passes/layer.h"

#include <algorithm>
#include <cmath>

#include "converter/operators/weights.h"

namespace octet::passes {

namespace {

const Tensor* Bias(const Editor& editor, const Node& node) {
  return node.inputs.size() > 2 ? editor.Constant(node.inputs[2]) : nullptr;
}

bool HasPadding(const Node& node) {
  const std::vector<int64_t> pads = node.Ints("pads");
  return node.String("auto_pad", "NOTSET").starts_with("SAME") ||
         std::any_of(pads.begin(), pads.end(), [](int64_t pad) { return pad != 0; });
}

// Index of the output channel each weight belongs to. Conv and Gemm: [O, ...]; ConvTranspose: [I, O
// / groups, ...], where group g holds inputs [g * I / groups, ...) and outputs [g * O / groups,
// ...).
template <typename Visit>
void ForEachWeight(const Node& node, const Shape& shape, Visit visit) {
  const int64_t first = shape[0], second = shape[1];
  const int64_t inner = graph::ElementCount(shape) / std::max<int64_t>(1, first * second);
  const int64_t groups = node.op == "Gemm" ? 1 : node.Int("group", 1);
  size_t at = 0;
  for (int64_t a = 0; a < first; ++a) {
    const int64_t group = a / (first / groups);
    for (int64_t b = 0; b < second; ++b) {
      const int64_t across = group * second + b;
      const bool transposed = node.op == "ConvTranspose";
      for (int64_t i = 0; i < inner; ++i, ++at) {
        visit(at, /*output=*/static_cast<size_t>(transposed ? across : a),
              /*input=*/static_cast<size_t>(transposed ? a : across));
      }
    }
  }
}

// Sums that no codes of the model say any longer.
void SetBias(Editor& editor, int n, std::vector<float> bias) {
  const auto count = static_cast<int64_t>(bias.size());
  editor.SetConstantInput(n, 2, graph::Constant::Uncoded(Tensor::Floats({count}, std::move(bias))),
                          editor.At(n).name + "_bias");
}

}  // namespace

bool IsFoldable(const Editor& editor, const Node& node) {
  if (node.op != "Conv" && node.op != "ConvTranspose" && node.op != "Gemm") return false;
  if (!node.activation.empty() || node.inputs.size() < 2) return false;
  const Tensor* weights = editor.Constant(node.inputs[1]);
  if (weights == nullptr || !weights->IsFloat() || weights->shape.size() < 2) return false;
  const bool has_bias = node.inputs.size() > 2 && node.inputs[2] != graph::kNoValue;
  const Tensor* bias = Bias(editor, node);
  if (has_bias && (bias == nullptr || !bias->IsFloat() || bias->shape.size() != 1)) return false;
  if (node.op != "Gemm") return true;
  return node.Int("transA", 0) == 0 && node.Int("transB", 0) == 1 && node.Float("alpha", 1) == 1 &&
         node.Float("beta", 1) == 1;
}

int FoldableProducer(const Editor& editor, ValueId id) {
  if (id == graph::kNoValue || !editor.IsPrivate(id)) return -1;
  const int node = editor.PlainProducer(id);
  if (node < 0 || !operators::HasBiasInput(editor.At(node).op)) return -1;
  return IsFoldable(editor, editor.At(node)) ? node : -1;
}

int64_t OutputChannels(const Editor& editor, const Node& node) {
  const Shape& shape = editor.Constant(node.inputs[1])->shape;
  return node.op == "ConvTranspose" ? shape[1] * node.Int("group", 1) : shape[0];
}

int64_t InputChannels(const Editor& editor, const Node& node) {
  const Shape& shape = editor.Constant(node.inputs[1])->shape;
  if (node.op == "ConvTranspose") return shape[0];
  return node.op == "Conv" ? shape[1] * node.Int("group", 1) : shape[1];
}

void ScaleOutputs(Editor& editor, int n, const ScaleShift& by) {
  const Node& node = editor.At(n);
  const graph::Constant& weights = editor.Value(node.inputs[1]).constant;
  std::vector<float> factors(weights->floats.size());
  ForEachWeight(node, weights->shape,
                [&](size_t at, size_t output, size_t) { factors[at] = by.scale[output]; });
  const Tensor* old_bias = Bias(editor, node);
  std::vector<float> bias = by.shift;
  for (size_t o = 0; old_bias != nullptr && o < bias.size(); ++o) {
    bias[o] =
        static_cast<float>(static_cast<double>(old_bias->floats[o]) * by.scale[o] + by.shift[o]);
  }
  const std::string name = node.name;
  editor.SetConstantInput(n, 1, weights.Multiplied(factors), name + "_weight");
  SetBias(editor, n, std::move(bias));
}

void ShiftOutputs(Editor& editor, int n, const std::vector<float>& shift) {
  const Tensor* old_bias = Bias(editor, editor.At(n));
  std::vector<float> bias = shift;
  for (size_t o = 0; old_bias != nullptr && o < bias.size(); ++o) bias[o] += old_bias->floats[o];
  SetBias(editor, n, std::move(bias));
}

bool ScaleInputs(Editor& editor, int n, const ScaleShift& by) {
  const Node& node = editor.At(n);
  const bool shifts = std::any_of(by.shift.begin(), by.shift.end(), [](float s) { return s != 0; });
  if (node.op == "ConvTranspose" || (shifts && HasPadding(node))) return false;
  const graph::Constant& weights = editor.Value(node.inputs[1]).constant;
  std::vector<float> factors(weights->floats.size());
  std::vector<double> sums(static_cast<size_t>(OutputChannels(editor, node)), 0.0);
  ForEachWeight(node, weights->shape, [&](size_t at, size_t output, size_t input) {
    sums[output] += static_cast<double>(weights->floats[at]) * by.shift[input];
    factors[at] = by.scale[input];
  });
  const Tensor* old_bias = Bias(editor, node);
  std::vector<float> bias;
  for (size_t o = 0; o < sums.size(); ++o) {
    bias.push_back(static_cast<float>(
        sums[o] + (old_bias != nullptr ? static_cast<double>(old_bias->floats[o]) : 0.0)));
  }
  const std::string name = node.name;
  editor.SetConstantInput(n, 1, weights.Multiplied(factors), name + "_weight");
  if (shifts) SetBias(editor, n, std::move(bias));
  return true;
}

std::optional<ChannelConstant> ReadChannelConstant(const Editor& editor, const Node& node) {
  if ((node.op != "Mul" && node.op != "Add") || !node.activation.empty()) return std::nullopt;
  for (size_t i = 0; i < 2; ++i) {
    const ValueId data = node.inputs[1 - i];
    const Tensor* constant = editor.Constant(node.inputs[i]);
    if (constant == nullptr || editor.IsConstant(data) || !editor.IsFloat(data)) continue;
    const Shape& shape = editor.ShapeOf(data);
    if (shape.size() < 2) return std::nullopt;
    const int64_t rank = static_cast<int64_t>(shape.size());
    const auto values = PerAxisConstant(*constant, rank, 1, shape[1]);
    if (!values) return std::nullopt;
    if (node.op == "Mul")
      return ChannelConstant{data, {*values, std::vector<float>(values->size(), 0.0f)}};
    return ChannelConstant{data, {std::vector<float>(values->size(), 1.0f), *values}};
  }
  return std::nullopt;
}

}  // namespace octet::passes
