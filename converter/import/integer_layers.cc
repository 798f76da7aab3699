#include "converter/import/integer_layers.h"

#include <algorithm>
#include <string>
#include <utility>
#include <vector>

#include "converter/import/dynamic_layers.h"
#include "converter/support/error.h"

namespace octet::import {
namespace {

using graph::DataType;
using graph::Graph;
using graph::kNoValue;
using graph::Node;
using graph::Tensor;
using graph::ValueId;

// Where an operator has its tensors: positions of codes, each with scale and zero point behind it,
// and of the scale of the result, with the zero point behind it (-1: none).
struct Form {
  std::string_view op, real;
  std::vector<int> codes;
  int result;
};

const std::vector<Form>& Forms() {
  static const std::vector<Form> kForms = {
      {"QLinearConv", "Conv", {0, 3}, 6},
      {"QLinearMatMul", "MatMul", {0, 3}, 6},
      {"QGemm", "Gemm", {0, 3}, 7},
      {"QLinearAdd", "Add", {0, 3}, 6},
      {"QLinearMul", "Mul", {0, 3}, 6},
      {"QLinearSigmoid", "Sigmoid", {0}, 3},
      {"QLinearLeakyRelu", "LeakyRelu", {0}, 3},
      {"QLinearSoftmax", "Softmax", {0}, 3},
      {"QLinearAveragePool", "AveragePool", {0}, 3},
      {"QLinearGlobalAveragePool", "GlobalAveragePool", {0}, 3},
      {"QLinearReduceMean", "ReduceMean", {0}, 3},
      {"QLinearConcat", "Concat", {}, 0},
      {"QLinearWhere", "Where", {1, 4}, 7},
      {"DynamicQuantizeMatMul", "MatMul", {}, -1},
      {"MatMulIntegerToFloat", "MatMul", {}, -1},
  };
  return kForms;
}

const Form* FindForm(std::string_view op) {
  for (const Form& form : Forms()) {
    if (form.op == op) return &form;
  }
  return nullptr;
}

class IntegerRewriter {
 public:
  explicit IntegerRewriter(Graph& graph) : graph_(graph) {}

  void Run() {
    const size_t count = graph_.nodes.size();
    for (size_t n = 0; n < count; ++n) {
      const Form* form = FindForm(graph_.nodes[n].op);
      if (form != nullptr) Rewrite(n, *form);
    }
    graph_.SortTopologically();
    if (dynamic_ > 0) {
      graph_.notes.push_back(
          fmt::format("the model is dynamically quantized: weights of {} layers are converted to "
                      "float and calibrated like a float model",
                      dynamic_));
    }
  }

 private:
  [[noreturn]] static void Malformed(const Node& node, std::string_view why) {
    Fail("node '{}' ({}): {}; export the model again", node.name, node.op, why);
  }

  static ValueId Input(const Node& node, int index) {
    return index < static_cast<int>(node.inputs.size()) ? node.inputs[static_cast<size_t>(index)]
                                                        : kNoValue;
  }

  ValueId NewValue(const std::string& name) {
    graph::Value value;
    value.name = name;
    return graph_.AddValue(std::move(value));
  }

  ValueId Dequantized(const Node& node, ValueId codes, ValueId scale, ValueId zero_point,
                      int64_t axis) {
    if (codes == kNoValue || scale == kNoValue) Malformed(node, "an input or its scale is missing");
    Node dequantize;
    dequantize.name = fmt::format("{}/{}", node.name, graph_.At(codes).name);
    dequantize.op = "DequantizeLinear";
    dequantize.since_opset = 13;
    dequantize.inputs = {codes, scale};
    if (zero_point != kNoValue) dequantize.inputs.push_back(zero_point);
    dequantize.attributes["axis"] = axis;
    dequantize.outputs = {NewValue(dequantize.name + "/real")};
    graph_.nodes.push_back(std::move(dequantize));
    return graph_.nodes.back().outputs[0];
  }

  ValueId DequantizedAt(const Node& node, int at, int64_t axis) {
    return Dequantized(node, Input(node, at), Input(node, at + 1), Input(node, at + 2), axis);
  }

  // The axis of scales by output in the second factor.
  int64_t WeightAxis(const Node& node, ValueId weights) const {
    if (node.op == "QLinearConv") return 0;
    const Tensor* constant = graph_.Constant(weights);
    const int64_t last = constant == nullptr ? 1 : static_cast<int64_t>(constant->shape.size()) - 1;
    return node.op == "QGemm" && node.Int("transB", 0) != 0 ? 0 : last;
  }

  // A bias counts in units of data scale times weight scale.
  ValueId Bias(const Node& node, ValueId codes) {
    const Tensor* data = graph_.Constant(Input(node, 1));
    const Tensor* weights = graph_.Constant(Input(node, 4));
    if (data == nullptr || weights == nullptr || data->Count() != 1 || !data->IsFloat() ||
        !weights->IsFloat()) {
      Malformed(node, "its scales are not constant");
    }
    std::vector<float> scales = weights->floats;
    for (float& scale : scales) scale *= data->floats[0];
    if (node.op == "QGemm") {
      for (float& scale : scales) scale *= node.Float("alpha", 1.0f);
    }
    const graph::Shape shape =
        scales.size() == 1 ? graph::Shape{} : graph::Shape{static_cast<int64_t>(scales.size())};
    const ValueId scale =
        graph_.AddConstant(graph_.At(codes).name + "/scale", Tensor::Floats(shape, scales));
    const Tensor* bias = graph_.Constant(codes);
    const int64_t axis = bias == nullptr ? 0 : static_cast<int64_t>(bias->shape.size()) - 1;
    return Dequantized(node, codes, scale, kNoValue, std::max<int64_t>(axis, 0));
  }

  void Rewrite(size_t n, const Form& form) {
    const Node node = graph_.nodes[n];
    if (node.Int("channels_last", 0) != 0) {
      Fail(
          "node '{}' ({}): channels_last is not supported; use the model from before ONNX Runtime "
          "optimized it",
          node.name, node.op);
    }
    std::vector<ValueId> inputs;
    if (node.op == "QLinearConcat") {
      for (int i = 2; i < static_cast<int>(node.inputs.size()); i += 3) {
        inputs.push_back(DequantizedAt(node, i, 1));
      }
      if (inputs.empty()) Malformed(node, "it has no inputs to join");
    } else if (node.op == "DynamicQuantizeMatMul") {
      inputs = {Input(node, 0), DequantizedAt(node, 1, WeightAxis(node, Input(node, 1)))};
    } else if (node.op == "MatMulIntegerToFloat") {
      inputs = {Dequantized(node, Input(node, 0), Input(node, 2), Input(node, 4), 1),
                Dequantized(node, Input(node, 1), Input(node, 3), Input(node, 5),
                            WeightAxis(node, Input(node, 1)))};
    } else {
      if (node.op == "QLinearWhere") inputs.push_back(Input(node, 0));
      for (size_t i = 0; i < form.codes.size(); ++i) {
        const int at = form.codes[i];
        inputs.push_back(DequantizedAt(node, at, i == 1 ? WeightAxis(node, Input(node, at)) : 1));
      }
    }
    if (node.op == "QLinearConv" && Input(node, 8) != kNoValue) {
      inputs.push_back(Bias(node, Input(node, 8)));
    }
    if (node.op == "QGemm" && Input(node, 6) != kNoValue)
      inputs.push_back(Bias(node, Input(node, 6)));
    for (const ValueId id : inputs) {
      if (id == kNoValue) Malformed(node, "an input is missing");
    }

    ValueId result = node.outputs.empty() ? kNoValue : node.outputs[0];
    if (result == kNoValue) Malformed(node, "it has no result");
    const int at = form.result;
    if (at >= 0 && Input(node, at) != kNoValue) {
      Node quantize;
      quantize.name = node.name + "/quantize";
      quantize.op = "QuantizeLinear";
      quantize.since_opset = 13;
      const ValueId real = NewValue(graph_.At(result).name + "/real");
      quantize.inputs = {real, Input(node, at)};
      if (Input(node, at + 1) != kNoValue) quantize.inputs.push_back(Input(node, at + 1));
      quantize.outputs = {result};
      graph_.nodes.push_back(std::move(quantize));
      result = real;
    } else if (at >= 0 && node.op != "QGemm") {
      Malformed(node, "the scale of its result is missing");
    }
    const int bias = node.op == "DynamicQuantizeMatMul" ? 4 : 6;
    if (at < 0) {
      ++dynamic_;
      if (Input(node, bias) != kNoValue) result = AddBias(node, Input(node, bias), result);
    }
    Node& real = graph_.nodes[n];
    real.op = form.real;
    real.domain.clear();
    // Softmax alone says of which opset it is.
    real.since_opset = node.op == "QLinearSoftmax" ? node.Int("opset", 13) : 13;
    real.inputs = std::move(inputs);
    real.outputs = {result};
    real.attributes.erase("channels_last");
    real.attributes.erase("opset");
  }

  ValueId AddBias(const Node& node, ValueId bias, ValueId result) {
    Node add;
    add.name = node.name + "/bias";
    add.op = "Add";
    add.since_opset = 13;
    const ValueId product = NewValue(graph_.At(result).name + "/product");
    add.inputs = {product, bias};
    add.outputs = {result};
    graph_.nodes.push_back(std::move(add));
    return product;
  }

  Graph& graph_;
  int dynamic_ = 0;
};

}  // namespace

bool IsIntegerLayer(std::string_view op) {
  return op == "QuantizeLinear" || op == "DequantizeLinear" || FindForm(op) != nullptr;
}

void RewriteIntegerLayers(Graph& graph) {
  RewriteDynamicLayers(graph);
  const bool any = std::any_of(graph.nodes.begin(), graph.nodes.end(),
                               [](const Node& node) { return FindForm(node.op) != nullptr; });
  if (any) IntegerRewriter(graph).Run();
}

}  // namespace octet::import
