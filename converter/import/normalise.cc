#include "converter/import/normalise.h"

#include <algorithm>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "converter/import/node_inputs.h"
#include "converter/support/error.h"

namespace octet::import {
namespace {

using graph::Graph;
using graph::kNoValue;
using graph::Links;
using graph::Node;
using graph::Tensor;
using graph::ValueId;

struct Context {
  Graph& graph;
  const Links& links;  // of the graph before any rewrite
};

// A list attribute becomes a constant one-dimensional input, unless the input is there already.
void ListToInput(Context& context, Node& node, const std::string& key, size_t index) {
  if (node.Has(key) && Input(node, index) == kNoValue) {
    const std::vector<int64_t> values = node.Ints(key);
    const graph::Shape shape{static_cast<int64_t>(values.size())};
    SetInput(node, index,
             context.graph.AddConstant(node.name + "." + key, Tensor::Integers(shape, values)));
  }
  node.attributes.erase(key);
}

void ScalarToInput(Context& context, Node& node, const std::string& key, size_t index) {
  if (node.Has(key) && Input(node, index) == kNoValue) {
    const Tensor scalar = Tensor::Floats({}, {node.Float(key, 0.0f)});
    SetInput(node, index, context.graph.AddConstant(node.name + "." + key, scalar));
  }
  node.attributes.erase(key);
}

void KeepFirstOutput(const Context& context, Node& node, std::string_view others) {
  for (size_t i = 1; i < node.outputs.size(); ++i) {
    if (node.outputs[i] == kNoValue) continue;
    const size_t id = static_cast<size_t>(node.outputs[i]);
    if (!context.links.consumers[id].empty() || context.links.is_output[id]) {
      Fail(
          "node '{}' ({}): its output '{}' ({}) exists only in training mode, but is used; export "
          "the model in inference mode",
          node.name, node.op, context.graph.values[id].name, others);
    }
  }
  node.outputs.resize(1);
}

[[noreturn]] void FailTraining(const Node& node) {
  Fail(
      "node '{}' ({}) is in training mode; export the model in inference mode (PyTorch: call "
      "model.eval() first)",
      node.name, node.op);
}

void Clip(Context& context, Node& node) {
  ScalarToInput(context, node, "min", 1);
  ScalarToInput(context, node, "max", 2);
}

void Slice(Context& context, Node& node) {
  ListToInput(context, node, "starts", 1);
  ListToInput(context, node, "ends", 2);
  ListToInput(context, node, "axes", 3);
}

void AxesToInput(Context& context, Node& node) {
  ListToInput(context, node, "axes", 1);
}

// An empty list of axes means "as if absent"; whether that is all or none is noop_with_empty_axes,
// both times.
void Reduce(Context& context, Node& node) {
  AxesToInput(context, node);
  const Tensor* axes = context.graph.Constant(Input(node, 1));
  if (axes != nullptr && axes->Count() == 0) node.inputs.resize(1);
}

void Split(Context& context, Node& node) {
  ListToInput(context, node, "split", 1);
  if (Input(node, 1) == kNoValue) {
    const int64_t outputs = static_cast<int64_t>(node.outputs.size());
    if (node.Int("num_outputs", outputs) != outputs) {
      Fail("node '{}' (Split): num_outputs is {}, but it has {} outputs; export the model again",
           node.name, node.Int("num_outputs", outputs), outputs);
    }
    node.attributes["num_outputs"] = outputs;
  }
}

void Pad(Context& context, Node& node) {
  ListToInput(context, node, "pads", 1);
  ScalarToInput(context, node, "value", 2);
}

// ONNX Runtime, whose results define opset 10 in practice, rounds the source position of nearest up
// when it shrinks. With no factor above 1, ceil is right for the axes left alone too: their
// positions are whole.
std::string OldNearestMode(const Graph& graph, const Node& node) {
  const Tensor* scales = graph.Constant(Input(node, 2));
  if (scales == nullptr || !scales->IsFloat()) return "floor";
  const auto [least, greatest] = std::minmax_element(scales->floats.begin(), scales->floats.end());
  const bool shrinks = least != scales->floats.end() && *least < 1.0f;
  if (shrinks && *greatest > 1.0f && node.String("mode", "nearest") == "nearest") {
    Fail(
        "node '{}' ({}): shrinks one dimension and enlarges another, which opset {} does not "
        "define; export the model with opset 13",
        node.name, node.op, node.since_opset);
  }
  return shrinks ? "ceil" : "floor";
}

void Resize(Context& context, Node& node) {
  if (node.op == "Upsample" || node.since_opset < 11) {
    if (node.Has("scales") && Input(node, 1) == kNoValue) {
      const std::vector<float> scales = node.FloatList("scales");
      const graph::Shape shape{static_cast<int64_t>(scales.size())};
      SetInput(node, 1,
               context.graph.AddConstant(node.name + ".scales", Tensor::Floats(shape, scales)));
    }
    node.attributes.erase("scales");
    SetInput(node, 2, Input(node, 1));
    SetInput(node, 1, kNoValue);
    node.attributes["coordinate_transformation_mode"] = std::string("asymmetric");
    node.attributes["nearest_mode"] = OldNearestMode(context.graph, node);
    node.op = "Resize";
  }
  node.inputs.resize(4, kNoValue);
  for (size_t i = 1; i < 4; ++i) {
    const Tensor* constant = context.graph.Constant(node.inputs[i]);
    if (constant != nullptr && constant->Count() == 0) node.inputs[i] = kNoValue;
  }
  if (node.inputs[2] == kNoValue && node.inputs[3] == kNoValue) {
    Fail("node '{}' (Resize): has no scales and no sizes; export the model again", node.name);
  }
}

// A probability of 0 keeps every value in training too. PyTorch exports it from
// `functional.dropout(x, p=0)`, as torchvision's Swin calls it.
bool KeepsAll(const Context& context, const Node& node) {
  const Tensor* ratio = context.graph.Constant(Input(node, 1));
  return ratio != nullptr && ratio->IsFloat() && ratio->floats.size() == 1 &&
         ratio->floats[0] == 0.0f;
}

void Dropout(Context& context, Node& node) {
  const ValueId mode = Input(node, 2);
  if (mode != kNoValue && !KeepsAll(context, node)) {
    const Tensor* constant = context.graph.Constant(mode);
    const bool off = constant != nullptr && !constant->IsFloat() &&
                     std::all_of(constant->integers.begin(), constant->integers.end(),
                                 [](int64_t value) { return value == 0; });
    if (!off) FailTraining(node);
  }
  node.inputs.resize(1, kNoValue);
  node.attributes.clear();
  KeepFirstOutput(context, node, "the mask");
}

void BatchNormalization(Context& context, Node& node) {
  if (node.Int("training_mode", 0) != 0) FailTraining(node);
  if (node.Int("spatial", 1) == 0) {
    Fail(
        "node '{}' (BatchNormalization): spatial=0 (statistics for each position) is not "
        "supported; export the model with opset 9 or newer",
        node.name);
  }
  // Until opset 13 there was no word for training: the statistics of the batch, outputs 3 and 4,
  // are given in training alone.
  const auto is_named = [](ValueId id) { return id != kNoValue; };
  if (node.since_opset < 14 && node.outputs.size() > 3 &&
      std::any_of(node.outputs.begin() + 3, node.outputs.end(), is_named)) {
    FailTraining(node);
  }
  node.attributes.erase("training_mode");
  node.attributes.erase("spatial");
  node.attributes.erase("momentum");
  KeepFirstOutput(context, node, "batch statistics");
}

void Softmax(Context&, Node& node) {
  const bool coerced = node.since_opset < 13;
  const int64_t axis = node.Int("axis", coerced ? 1 : -1);
  node.attributes["axis"] = axis;
  // Split at the last axis, both meanings are one.
  if (coerced && axis != -1) node.attributes["octet_coerced"] = int64_t{1};
}

void Cast(Context&, Node& node) {
  const int64_t to = node.Int("to", 1);
  constexpr int64_t kFloat = 1, kFloat16 = 10, kDouble = 11, kBfloat16 = 16;
  if (to == kFloat16 || to == kDouble || to == kBfloat16) node.attributes["to"] = kFloat;
}

// A Scatter of opset 9 and 10.
void Scatter(Context&, Node& node) {
  node.op = "ScatterElements";
}

void TopK(Context& context, Node& node) {
  if (node.Has("k") && Input(node, 1) == kNoValue) {
    const Tensor k = Tensor::Integers({1}, {node.Int("k", 1)});
    SetInput(node, 1, context.graph.AddConstant(node.name + ".k", k));
  }
  node.attributes.erase("k");
}

// Two functions under one name.
void Gelu(Context&, Node& node) {
  if (node.String("approximate", "none") == "tanh") node.op = "GeluTanh";
  node.attributes.erase("approximate");
}

struct Rule {
  std::string_view op;
  void (*rewrite)(Context&, Node&);
};

constexpr Rule kRules[] = {
    {"BatchNormalization", BatchNormalization},
    {"Cast", Cast},
    {"Clip", Clip},
    {"Dropout", Dropout},
    {"Gelu", Gelu},
    {"Hardmax", Softmax},
    {"LogSoftmax", Softmax},
    {"Pad", Pad},
    {"ReduceL1", Reduce},
    {"ReduceL2", Reduce},
    {"ReduceLogSum", Reduce},
    {"ReduceLogSumExp", Reduce},
    {"ReduceMax", Reduce},
    {"ReduceMean", Reduce},
    {"ReduceMin", Reduce},
    {"ReduceProd", Reduce},
    {"ReduceSum", Reduce},
    {"ReduceSumSquare", Reduce},
    {"Resize", Resize},
    {"Scatter", Scatter},
    {"Slice", Slice},
    {"Softmax", Softmax},
    {"Split", Split},
    {"Squeeze", AxesToInput},
    {"TopK", TopK},
    {"Unsqueeze", AxesToInput},
    {"Upsample", Resize},
};

}  // namespace

void Normalise(Graph& graph) {
  const Links links(graph);
  Context context{graph, links};
  for (Node& node : graph.nodes) {
    for (const Rule& rule : kRules) {
      if (rule.op == node.op) {
        rule.rewrite(context, node);
        break;
      }
    }
  }
}

}  // namespace octet::import
