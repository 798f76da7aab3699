#include "converter/operators/operator.h"

#include <algorithm>
#include <exception>
#include <new>

#include "converter/operators/context.h"
#include "converter/operators/empty_values.h"
#include "converter/operators/plugin.h"
#include "converter/operators/registry.h"
#include "converter/support/memory.h"

namespace octet::operators {
namespace {

constexpr Operator kOperators[] = {
#define OCTET_OPERATOR(name, rule, function, lowering, int8, codes, linear, bounds, scaling, \
                       reading, meaning, layer)                                              \
  {#name,                                                                                    \
   rule,                                                                                     \
   function,                                                                                 \
   Int8::int8,                                                                               \
   OnCodes::codes,                                                                           \
   Linearity::linear,                                                                        \
   Bounding::bounds,                                                                         \
   scales::scaling,                                                                          \
   reads::reading,                                                                           \
   meanings::meaning,                                                                        \
   layers::layer},
#include "converter/operators/operators.inc"
#undef OCTET_OPERATOR
};
static_assert(std::is_sorted(std::begin(kOperators), std::end(kOperators),
                             [](const Operator& a, const Operator& b) { return a.name < b.name; }));

// Largest tensor the converter handles, in elements: positions in it fit an int32.
constexpr int64_t kMaxElements = int64_t{1} << 31;
// Results of nodes with constant inputs are folded during inference up to this size: they may
// decide shapes. Larger ones are left to the constant folding pass.
constexpr int64_t kMaxFoldedFloats = 4096;
// Integers always are folded, so that a few bytes (Range, Expand) must not ask for gigabytes.
constexpr int64_t kMaxFoldedIntegers = int64_t{1} << 24;

constexpr int64_t kBytesOfAnElement = sizeof(int64_t);

const Operator& Require(const Node& node) {
  const Operator* op = Find(node.op);
  if (op == nullptr) NodeFail(node, "the operator is not supported");
  return *op;
}

ShapeContext MakeContext(const graph::Graph& graph, const Node& node) {
  ShapeContext context{&graph, &node, {}};
  for (graph::ValueId id : node.inputs) {
    const graph::Value* value = id == graph::kNoValue ? nullptr : &graph.At(id);
    if (value != nullptr && !value->shape) {
      NodeFail(node, "the shape of its input '{}' is unknown; give it with --input-shape",
               value->name);
    }
    context.inputs.push_back(value);
  }
  return context;
}

// Fails on a negative dim, and where the product of those that are not 0 is too large.
void CheckShape(const ShapeContext& context, const Shape& shape) {
  int64_t count = 1;
  for (int64_t dim : shape) {
    if (dim < 0) ShapeFail(context, "the result would have shape {}", graph::ToString(shape));
    if (dim == 0) continue;
    if (count > kMaxElements / dim) {
      ShapeFail(context, "the result {} is too large", graph::ToString(shape));
    }
    count *= dim;
  }
}

std::vector<OutputType> InferChecked(const Operator& op, const ShapeContext& context) {
  std::vector<OutputType> types = op.infer(context);
  CheckOutputCount(context, types.size());
  for (const OutputType& type : types) CheckShape(context, type.shape);
  return types;
}

// Operators whose result the shape of the input decides.
bool ReadsShapeAlone(const Node& node) {
  return node.op == "Shape" || node.op == "Size" || node.op == "EyeLike";
}

bool AllInputsKnown(const ShapeContext& context) {
  if (ReadsShapeAlone(*context.node)) return true;
  return std::all_of(context.inputs.begin(), context.inputs.end(), [](const graph::Value* value) {
    return value == nullptr || value->constant != nullptr;
  });
}

bool WorthFolding(const ShapeContext& context, const std::vector<OutputType>& types) {
  if (!context.node->activation.empty() || !AllInputsKnown(context)) return false;
  return std::all_of(types.begin(), types.end(), [&](const OutputType& type) {
    const int64_t count = graph::ElementCount(type.shape);
    if (type.type == DataType::kFloat) return count <= kMaxFoldedFloats;
    if (count > kMaxFoldedIntegers) {
      ShapeFail(context, "the constant {} is too large", graph::ToString(type.shape));
    }
    return true;
  });
}

std::vector<Tensor> EvaluateAs(const Operator& op, const ShapeContext& context,
                               const std::vector<OutputType>& types) {
  std::vector<const Tensor*> inputs;
  Tensor shape_only;
  for (const graph::Value* value : context.inputs) {
    const Tensor* tensor = value == nullptr ? nullptr : value->constant.get();
    if (value != nullptr && tensor == nullptr && ReadsShapeAlone(*context.node)) {
      shape_only.type = value->type;
      shape_only.shape = *value->shape;
      tensor = &shape_only;
    } else if (value != nullptr && tensor == nullptr) {
      NodeFail(*context.node, "input '{}' is not constant", value->name);
    }
    inputs.push_back(tensor);
  }
  std::vector<Tensor> outputs(types.size());
  for (size_t i = 0; i < types.size(); ++i) {
    const int64_t count = graph::ElementCount(types[i].shape);
    if (count > MemoryBytes() / kBytesOfAnElement / 4) {
      ShapeFail(context, "the constant {} is too large", graph::ToString(types[i].shape));
    }
    Allocate(outputs[i], types[i]);
  }
  Workspace workspace;
  op.execute(*context.node, inputs, outputs, workspace);
  const Node& node = *context.node;
  if (!node.activation.empty()) {
    for (Tensor& output : outputs) {
      ApplyActivation(node.activation, output.floats, node.alpha, node.beta);
    }
  }
  return outputs;
}

// A computed result may be empty.
void InferResults(graph::Graph& graph, const Node& node) {
  const Operator& op = Require(node);
  const ShapeContext context = MakeContext(graph, node);
  const std::vector<OutputType> types = InferChecked(op, context);
  std::vector<Tensor> folded;
  if (WorthFolding(context, types)) folded = EvaluateAs(op, context, types);
  for (size_t i = 0; i < node.outputs.size(); ++i) {
    if (node.outputs[i] == graph::kNoValue) continue;
    graph::Value& value = graph.At(node.outputs[i]);
    value.type = types[i].type;
    value.shape = types[i].shape;
    value.constant =
        folded.empty() ? graph::Constant() : graph::Constant::Real(std::move(folded[i]));
  }
}

}  // namespace

const Operator* Find(std::string_view op) {
  const auto* found = std::lower_bound(
      std::begin(kOperators), std::end(kOperators), op,
      [](const Operator& entry, std::string_view name) { return entry.name < name; });
  if (found != std::end(kOperators) && found->name == op) return found;
  const Plugin* plugin = FindPlugin(op);
  return plugin == nullptr ? nullptr : &plugin->record;
}

const Plugin* FindPlugin(std::string_view op) {
  for (const Plugin& plugin : Plugins()) {
    if (plugin.record.name == op) return &plugin;
  }
  return nullptr;
}

Int8 Int8Of(const graph::Node& node) {
  if (node.Has("octet_fp16")) return Int8::kFp16;
  const Operator* op = Find(node.op);
  return op == nullptr ? Int8::kFp16 : op->int8;
}

OnCodes OnCodesOf(std::string_view op) {
  const Operator* known = Find(op);
  return known == nullptr ? OnCodes::kOther : known->codes;
}

Linearity LinearityOf(std::string_view op) {
  const Operator* known = Find(op);
  return known == nullptr ? Linearity::kNone : known->linearity;
}

Bounding BoundingOf(std::string_view op) {
  const Operator* known = Find(op);
  return known == nullptr ? Bounding::kUnknown : known->bounding;
}

std::vector<std::string_view> Names() {
  std::vector<std::string_view> names;
  for (const Operator& op : kOperators) names.push_back(op.name);
  std::sort(names.begin(), names.end());
  return names;
}

void InferShapes(graph::Graph& graph) {
  for (graph::ValueId id : graph.inputs) {
    const graph::Value& input = graph.At(id);
    if (!input.shape)
      Fail("input '{}': its shape is unknown; give it with --input-shape", input.name);
    for (int64_t dim : *input.shape) {
      if (dim <= 0) {
        Fail(
            "input '{}': shape {} has a dimension that is unknown or empty; give it with "
            "--input-shape",
            input.name, graph::ToString(*input.shape));
      }
    }
  }
  for (graph::Value& value : graph.values) {
    if (value.constant == nullptr) continue;
    value.type = value.constant->type;
    value.shape = value.constant->shape;
  }
  for (Node& node : graph.nodes) {
    DropEmptyOperands(graph, &node);
    InferResults(graph, node);
  }
  RemoveEmptyValues(graph);
}

void InferNode(graph::Graph& graph, const Node& node) {
  InferResults(graph, node);
  for (graph::ValueId id : graph::Present(node.outputs)) {
    const graph::Value& value = graph.At(id);
    if (value.constant == nullptr && graph::ElementCount(*value.shape) == 0) {
      NodeFail(node, "the result {} is empty", graph::ToString(*value.shape));
    }
  }
}

std::vector<Tensor> Evaluate(const graph::Graph& graph, const Node& node) {
  const Operator& op = Require(node);
  const ShapeContext context = MakeContext(graph, node);
  std::vector<Tensor> outputs = EvaluateAs(op, context, InferChecked(op, context));
  outputs.resize(std::min(outputs.size(), node.outputs.size()));
  return outputs;
}

}  // namespace octet::operators
