#include "converter/export/nodes.h"

#include <cfloat>
#include <set>

#include "converter/operators/offset_function.h"
#include "converter/support/error.h"

namespace octet::exporting {
namespace {

// What the import and the passes note beside ONNX's own attributes.
const std::set<std::string> kOwnAttributes = {"octet_branches",  "octet_coerced",
                                              "octet_fp16",      "gate_scale",
                                              "gate_zero_point", "octet_output_offset"};

Attributes OnnxAttributes(const graph::Node& node) {
  Attributes attributes = node.attributes;
  for (const std::string& own : kOwnAttributes) attributes.erase(own);
  return attributes;
}

void WriteSilu(const graph::Node& node, const std::string& x, const std::string& result,
               OnnxWriter* writer) {
  std::string gate = writer->Node("Sigmoid", {x}, result + "/gate");
  if (const float scale = node.Float("gate_scale", 0); scale > 0) {
    gate =
        WriteRounding(gate, scale, static_cast<int>(node.Int("gate_zero_point", 0)), gate, writer);
  }
  writer->Nodes("Mul", node.name, {x, gate}, {result}, {});
}

// Softmax as it was before opset 13: over all that stands behind the axis.
void WriteCoerced(const graph::Graph& graph, const graph::Node& node, const std::string& x,
                  const std::string& result, OnnxWriter* writer) {
  const graph::Shape& shape = *graph.At(node.inputs[0]).shape;
  const std::string flat =
      writer->Node("Flatten", {x}, result + "/flat", {{"axis", node.Int("axis", 1)}});
  const std::string done = writer->Node(node.op, {flat}, result + "/rows", {{"axis", int64_t{-1}}});
  const std::string back = writer->Constant(
      result + "/shape", graph::Tensor::Integers({static_cast<int64_t>(shape.size())}, shape));
  writer->Nodes("Reshape", node.name, {done, back}, {result}, {});
}

// A scale or bias of GroupNormalization for each channel, as opset 21 has them: before, it was one
// for each group.
std::string ByChannel(const graph::Graph& graph, const graph::Node& node, size_t input,
                      const std::string& name, OnnxWriter* writer) {
  const int64_t channels = (*graph.At(node.inputs[0]).shape)[1];
  const graph::Tensor* groups = graph.Constant(node.inputs[input]);
  if (groups == nullptr || groups->Count() == channels) return name;
  std::vector<float> values;
  for (int64_t c = 0; c < channels; ++c) {
    values.push_back(groups->floats[static_cast<size_t>(c * groups->Count() / channels)]);
  }
  return writer->Constant(name + "/by_channel", graph::Tensor::Floats({channels}, values));
}

// Each operator that the function is put together from.
void WriteOffsetFunction(const graph::Node& node, const std::string& x, const std::string& result,
                         OnnxWriter* writer) {
  const auto parts = operators::PartsOf(operators::OffsetFunctionOf(node));
  std::string value = x;
  for (const operators::FunctionPart& part : parts) {
    std::vector<std::string> inputs;
    const auto add = [&](const std::vector<float>& numbers) {
      for (const float number : numbers) {
        inputs.push_back(writer->Scalar(result + "/number", number));
      }
    };
    add(part.front);
    inputs.push_back(value);
    add(part.behind);
    graph::Node inner;
    inner.name = node.name;
    inner.op = part.op;
    inner.attributes = part.attributes;
    value = &part == &parts.back() ? result : writer->Fresh(result + "/value");
    graph::Graph none;
    WriteNode(none, inner, inputs, {value}, writer);
  }
}

}  // namespace

void WriteNode(const graph::Graph& graph, const graph::Node& node,
               const std::vector<std::string>& inputs, const std::vector<std::string>& results,
               OnnxWriter* writer) {
  if (!node.domain.empty()) {
    Fail("node '{}' ({}): operators of domain {} cannot be exported; remove them with --cut-at",
         node.name, node.op, node.domain);
  }
  if (node.op == operators::kOffsetFunction) {
    return WriteOffsetFunction(node, inputs[0], results[0], writer);
  }
  if (node.op == "Silu") return WriteSilu(node, inputs[0], results[0], writer);
  if (node.Int("octet_coerced", 0) != 0) {
    return WriteCoerced(graph, node, inputs[0], results[0], writer);
  }
  Attributes attributes = OnnxAttributes(node);
  std::string op = node.op;
  if (op == "Resample") op = "Resize";
  if (op == "GeluTanh") {
    op = "Gelu";
    attributes["approximate"] = std::string("tanh");
  }
  // ONNX Runtime 1.30 gives all attributes to its integer kernel, which knows none of opset 19. Any
  // other dilation than 1 became a convolution (passes/legalise/normalise_pools.cc).
  if (op == "AveragePool") attributes.erase("dilations");
  // The first opsets that have them, the former with a scale for each channel.
  if (op == "GroupNormalization") {
    writer->RequireOpset(21);
    const std::string scale = ByChannel(graph, node, 1, inputs[1], writer);
    const std::string bias = ByChannel(graph, node, 2, inputs[2], writer);
    return writer->Nodes(op, node.name, {inputs[0], scale, bias}, results, attributes);
  }
  if (op == "RMSNormalization") writer->RequireOpset(23);
  writer->Nodes(op, node.name, inputs, results, attributes);
}

std::string WriteActivation(const graph::Node& node, const std::string& input,
                            const std::string& result, OnnxWriter* writer) {
  if (node.activation.empty()) return input;
  if (node.activation != "Clip") return writer->Node(node.activation, {input}, result);
  if (node.alpha == 0 && node.beta >= FLT_MAX) return writer->Node("Relu", {input}, result);
  return writer->Node("Clip",
                      {input, writer->Scalar(result + "/low", node.alpha),
                       writer->Scalar(result + "/high", node.beta)},
                      result);
}

std::string WriteRounding(const std::string& input, float scale, int zero_point,
                          const std::string& result, OnnxWriter* writer) {
  const std::string step = writer->Scalar(result + "/scale", scale);
  const std::string zero = writer->Constant(
      result + "/zero_point", graph::Tensor::Integers({}, {zero_point}, graph::DataType::kInt8));
  const std::string codes = writer->Node("QuantizeLinear", {input, step, zero}, result + "/codes");
  return writer->Node("DequantizeLinear", {codes, step, zero}, result + "/rounded");
}

}  // namespace octet::exporting
