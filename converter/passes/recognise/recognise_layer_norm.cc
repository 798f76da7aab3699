// Normalizations written out, as exporters before opset 17 and networks of their own do: d = x -
// mean(x), d / sqrt(mean(d^2) + epsilon), then a scale and a bias along the last dimensions or a
// channel. Without the mean it is an RMSNormalization. The root is a divisor, or its inverse a
// factor. What LayerNormalization and InstanceNormalization would both do is the latter, whose
// parameters are a number a channel, unless the factor behind it is a layer's.

#include "converter/passes/editor.h"
#include "converter/passes/layer.h"
#include "converter/passes/product.h"
#include "converter/passes/read.h"

namespace octet::passes {

namespace {

// The input of a mean over the last dimensions that keeps them, and the first of these; -1: none.
struct Mean {
  ValueId of = graph::kNoValue;
  int64_t axis = -1;
};
Mean ReadMean(Editor& editor, ValueId id) {
  const int n = editor.ProducerIf(id, "ReduceMean");
  if (n < 0) return {};
  const Node& node = editor.At(n);
  const int64_t rank = editor.Rank(node.inputs[0]);
  const auto axes = ReadAxes(editor.graph(), node, 1, rank);
  if (!axes || axes->empty() || node.Int("keepdims", 1) == 0) return {};
  for (size_t i = 0; i < axes->size(); ++i) {
    if ((*axes)[axes->size() - 1 - i] != rank - 1 - static_cast<int64_t>(i)) return {};
  }
  return {node.inputs[0], axes->front()};
}

// x of d = x - mean(x).
Mean ReadDistance(Editor& editor, ValueId id) {
  const int n = editor.ProducerIf(id, "Sub");
  if (n < 0) return {};
  const Mean mean = ReadMean(editor, editor.At(n).inputs[1]);
  return mean.of == editor.At(n).inputs[0] ? mean : Mean{};
}

// What a power is taken of; kNoValue: another exponent, or none.
ValueId ReadPower(Editor& editor, ValueId id, float exponent) {
  const int pow = editor.ProducerIf(id, "Pow");
  if (pow < 0 || ConstantScalar(editor.graph(), editor.At(pow).inputs[1]) != exponent) {
    return graph::kNoValue;
  }
  return editor.At(pow).inputs[0];
}

// The d of d^2.
ValueId ReadSquare(Editor& editor, ValueId id) {
  const int mul = editor.ProducerIf(id, "Mul");
  if (mul >= 0 && editor.At(mul).inputs[0] == editor.At(mul).inputs[1]) {
    return editor.At(mul).inputs[0];
  }
  return ReadPower(editor, id, 2.0f);
}

// The s of sqrt(s).
ValueId ReadRoot(Editor& editor, ValueId id) {
  const int root = editor.ProducerIf(id, "Sqrt");
  return root >= 0 ? editor.At(root).inputs[0] : ReadPower(editor, id, 0.5f);
}

// The s of 1 / sqrt(s).
ValueId ReadInverseRoot(Editor& editor, ValueId id) {
  const int inverse = editor.ProducerIf(id, "Reciprocal");
  if (inverse >= 0) return ReadRoot(editor, editor.At(inverse).inputs[0]);
  const int div = editor.ProducerIf(id, "Div");
  if (div >= 0 && ConstantScalar(editor.graph(), editor.At(div).inputs[0]) == 1.0f) {
    return ReadRoot(editor, editor.At(div).inputs[1]);
  }
  return ReadPower(editor, id, -0.5f);
}

// x of x / sqrt(s), and s.
struct Quotient {
  ValueId x = graph::kNoValue, s = graph::kNoValue;
};
Quotient ReadQuotient(Editor& editor, const Node& node) {
  if (node.op == "Div") return {node.inputs[0], ReadRoot(editor, node.inputs[1])};
  for (const size_t i : {size_t{0}, size_t{1}}) {
    const ValueId s = ReadInverseRoot(editor, node.inputs[1 - i]);
    if (s != graph::kNoValue) return {node.inputs[i], s};
  }
  return {};
}

// One number for each channel (axis 1) of a value of that shape.
bool IsByChannel(const Tensor& tensor, const Shape& shape) {
  return tensor.Count() == shape[1] &&
         PerAxisConstant(tensor, static_cast<int64_t>(shape.size()), 1, shape[1]).has_value();
}

// Normalized over all dimensions behind the channels: of pictures unless a factor for each of these
// follows, of rows where a factor a channel does.
bool IsInstance(Editor& editor, ValueId result, const Shape& shape, int64_t axis) {
  if (axis != 2) return false;
  const int next = editor.OnlyConsumer(result, {"Mul", "Add"});
  const Tensor* operand = nullptr;
  if (next >= 0) {
    const Node& reader = editor.At(next);
    operand = editor.Constant(reader.inputs[reader.inputs[0] == result ? 1 : 0]);
  }
  const bool by_channel = operand != nullptr && IsByChannel(*operand, shape);
  if (shape.size() == 3) return by_channel;
  return by_channel || operand == nullptr || operand->Count() == 1;
}

}  // namespace

bool RecogniseLayerNorm(Editor& editor, int n) {
  const Node& node = editor.At(n);
  if (!node.activation.empty()) return false;
  const Quotient quotient = ReadQuotient(editor, node);
  if (quotient.s == graph::kNoValue) return false;
  const auto sum = ReadOffset(editor, quotient.s);
  if (!sum || !(sum->c >= 0)) return false;
  const Mean variance = ReadMean(editor, sum->x);
  const ValueId squared = variance.axis < 0 ? graph::kNoValue : ReadSquare(editor, variance.of);
  if (squared == graph::kNoValue) return false;
  const auto ones = [&](const Shape& shape, int64_t axis) {
    const Shape normalized(shape.begin() + axis, shape.end());
    const auto count = static_cast<size_t>(graph::ElementCount(normalized));
    return editor.NewConstant(node.name + "_ones",
                              Tensor::Floats(normalized, std::vector<float>(count, 1.0f)));
  };
  const Mean distance = ReadDistance(editor, quotient.x), again = ReadDistance(editor, squared);
  if (distance.axis != variance.axis || again.axis != variance.axis || again.of != distance.of) {
    const Shape& shape = editor.ShapeOf(quotient.x);
    if (squared != quotient.x) return false;
    editor.Become(n, "RMSNormalization", {quotient.x, ones(shape, variance.axis)});
    editor.At(n).attributes = {{"axis", variance.axis}, {"epsilon", sum->c}};
    return true;
  }
  const Shape& shape = editor.ShapeOf(distance.of);
  if (IsInstance(editor, node.outputs[0], shape, distance.axis)) {
    const int64_t channels = shape[1];
    const auto filled = [&](const char* what, float value) {
      const std::vector<float> values(static_cast<size_t>(channels), value);
      return editor.NewConstant(node.name + what, Tensor::Floats({channels}, values));
    };
    const ValueId scale = filled("_ones", 1), bias = filled("_zeros", 0);
    editor.Become(n, "InstanceNormalization", {distance.of, scale, bias});
    editor.At(n).attributes = {{"epsilon", sum->c}};
    return true;
  }
  editor.Become(n, "LayerNormalization", {distance.of, ones(shape, distance.axis)});
  editor.At(n).attributes = {{"axis", distance.axis}, {"epsilon", sum->c}};
  return true;
}

// A constant factor or summand along the normalized dimensions joins the node's own.
bool FoldIntoLayerNorm(Editor& editor, int n) {
  const Node& node = editor.At(n);
  if (!node.activation.empty() || node.outputs.size() != 1) return false;
  const Tensor* scale = editor.Constant(node.inputs[1]);
  const bool takes_bias = node.op == "LayerNormalization";
  const bool has_bias = node.inputs.size() > 2 && node.inputs[2] != graph::kNoValue;
  const Tensor* bias = has_bias ? editor.Constant(node.inputs[2]) : nullptr;
  if (scale == nullptr || (has_bias && bias == nullptr)) return false;
  const ValueId result = node.outputs[0];
  const int next = editor.OnlyConsumer(result, {"Mul", "Add"});
  if (next < 0 || !editor.At(next).activation.empty()) return false;
  const Node& reader = editor.At(next);
  const bool multiplies = reader.op == "Mul";
  if (!multiplies && !takes_bias) return false;
  const Tensor* operand = editor.Constant(reader.inputs[reader.inputs[0] == result ? 1 : 0]);
  if (operand == nullptr || !operand->IsFloat() ||
      (operand->shape != scale->shape && operand->Count() != 1)) {
    return false;
  }
  const auto value = [&](size_t i) { return operand->floats[operand->Count() == 1 ? 0 : i]; };
  Tensor new_scale = *scale;
  Tensor new_bias =
      bias != nullptr
          ? *bias
          : Tensor::Floats(scale->shape, std::vector<float>(scale->floats.size(), 0.0f));
  for (size_t i = 0; i < new_scale.floats.size(); ++i) {
    if (multiplies) {
      new_scale.floats[i] *= value(i);
      new_bias.floats[i] *= value(i);
    } else {
      new_bias.floats[i] += value(i);
    }
  }
  const std::string name = node.name;
  if (multiplies)
    editor.SetConstantInput(n, 1, graph::Constant::Uncoded(std::move(new_scale)), name + "_scale");
  if (!multiplies || bias != nullptr) {
    editor.SetConstantInput(n, 2, graph::Constant::Uncoded(std::move(new_bias)), name + "_bias");
  }
  editor.Absorb(n, next);
  return true;
}

// A constant factor or summand, one or one a channel, joins the node's own.
bool FoldIntoInstanceNorm(Editor& editor, int n) {
  const Node& node = editor.At(n);
  const Tensor *scale = editor.Constant(node.inputs[1]), *bias = editor.Constant(node.inputs[2]);
  const int next = editor.OnlyConsumer(node.outputs[0], {"Mul", "Add"});
  if (!node.activation.empty() || scale == nullptr || bias == nullptr || next < 0) return false;
  const auto constant = ReadChannelConstant(editor, editor.At(next));
  if (!constant) return false;
  Tensor new_scale = *scale, new_bias = *bias;
  for (size_t c = 0; c < new_scale.floats.size(); ++c) {
    new_scale.floats[c] *= constant->by.scale[c];
    new_bias.floats[c] = new_bias.floats[c] * constant->by.scale[c] + constant->by.shift[c];
  }
  const std::string name = node.name;
  editor.SetConstantInput(n, 1, graph::Constant::Uncoded(std::move(new_scale)), name + "_scale");
  editor.SetConstantInput(n, 2, graph::Constant::Uncoded(std::move(new_bias)), name + "_bias");
  editor.Absorb(n, next);
  return true;
}

// The mean and the inverse deviation that a model reads beside the result: computed once more.
bool SplitLayerNormStatistics(Editor& editor, int n) {
  const std::vector<ValueId> outputs = editor.At(n).outputs;
  const Shape shape = editor.ShapeOf(editor.At(n).inputs[0]);
  if (outputs.size() < 2) return false;
  const auto rank = static_cast<int64_t>(shape.size());
  const int64_t asked = editor.At(n).Int("axis", -1), first = asked < 0 ? asked + rank : asked;
  const ValueId x = editor.At(n).inputs[0];
  const std::string name = editor.At(n).name;
  std::vector<int64_t> axes;
  Shape kept = shape;
  for (int64_t axis = first; axis < rank; ++axis) {
    axes.push_back(axis);
    kept[static_cast<size_t>(axis)] = 1;
  }
  const auto is_used = [&](size_t i) {
    return i < outputs.size() && outputs[i] != graph::kNoValue &&
           (!editor.Consumers(outputs[i]).empty() || editor.IsOutput(outputs[i]));
  };
  const bool used[2] = {is_used(1), is_used(2)};
  for (size_t i = 1; i < outputs.size(); ++i) editor.SetOutput(n, i, graph::kNoValue);
  editor.At(n).outputs.resize(1);
  if (!used[0] && !used[1]) return true;
  const auto add = [&](const std::string& op, std::vector<ValueId> inputs, const Shape& result,
                       ValueId value) {
    if (value == graph::kNoValue) {
      value = editor.NewValue(name + "_" + op, graph::DataType::kFloat, result);
    }
    editor.AddNode(n, op, name + "_" + op, std::move(inputs), {value});
    return value;
  };
  const ValueId list = editor.NewConstant(
      name + "_axes", Tensor::Integers({static_cast<int64_t>(axes.size())}, axes));
  const ValueId epsilon = editor.NewConstant(
      name + "_epsilon", Tensor::Floats({}, {editor.At(n).Float("epsilon", 1e-5f)}));
  const ValueId mean = add("ReduceMean", {x, list}, kept, used[0] ? outputs[1] : graph::kNoValue);
  if (!used[1]) return true;
  const ValueId distance = add("Sub", {x, mean}, shape, graph::kNoValue);
  const ValueId square = add("Mul", {distance, distance}, shape, graph::kNoValue);
  const ValueId variance = add("ReduceMean", {square, list}, kept, graph::kNoValue);
  const ValueId sum = add("Add", {variance, epsilon}, kept, graph::kNoValue);
  const ValueId root = add("Sqrt", {sum}, kept, graph::kNoValue);
  add("Reciprocal", {root}, kept, outputs[2]);
  return true;
}

}  // namespace octet::passes
