#include "converter/import/inline_functions.h"

#include <functional>
#include <map>
#include <set>
#include <string>
#include <utility>

#include "converter/import/inline_graph.h"
#include "converter/import/integer_layers.h"
#include "converter/import/local_function.h"
#include "converter/import/model_part.h"
#include "converter/import/standard_operators.h"
#include "converter/support/error.h"

namespace octet::import {
namespace {

using Nodes = google::protobuf::RepeatedPtrField<onnx::NodeProto>;
using Named = std::function<std::string(const std::string&)>;

// Far above what exporters write; a few nested functions may ask for any number.
constexpr int kMostNodesOfFunctions = 1 << 18;
constexpr size_t kMostBytesOfFunctions = size_t{1} << 28;
constexpr int kDeepest = 32;

struct Function {
  const onnx::FunctionProto* body = nullptr;
  std::map<std::string, onnx::AttributeProto> defaults;
  int64_t opset = 0;
};

template <typename Visit>
void ForEachGraph(onnx::NodeProto* node, const Visit& visit) {
  for (onnx::AttributeProto& attribute : *node->mutable_attribute()) {
    if (attribute.has_g()) visit(attribute.mutable_g());
    for (onnx::GraphProto& graph : *attribute.mutable_graphs()) visit(&graph);
  }
}

class Inliner {
 public:
  Inliner(int64_t opset, onnx::ModelProto* model) : opset_(opset), model_(model) {
    for (const onnx::FunctionProto& body : model->functions()) {
      const FunctionKey key = KeyOf(body);
      const Function function{&body, DefaultsOf(body), OpsetOf(body, opset)};
      if (!functions_.emplace(key, function).second) {
        Fail("function '{}' of domain '{}' is defined twice; export the model again", key.name,
             key.domain);
      }
      for (const onnx::NodeProto& node : body.node()) TakeNames(node);
    }
    for (const onnx::NodeProto& node : model->graph().node()) TakeNames(node);
    for (const auto& tensor : model->graph().initializer()) taken_.insert(tensor.name());
    for (const auto& input : model->graph().input()) taken_.insert(input.name());
  }

  std::vector<std::string> Run() {
    ExpandGraph(model_->mutable_graph(), 0);
    return {notes_.begin(), notes_.end()};
  }

 private:
  void TakeNames(const onnx::NodeProto& node) {
    taken_.insert(node.output().begin(), node.output().end());
  }

  void ExpandGraph(onnx::GraphProto* graph, int depth) {
    Nodes nodes;
    nodes.Swap(graph->mutable_node());
    for (onnx::NodeProto& node : nodes) Emit(std::move(node), depth, graph->mutable_node());
  }

  void Emit(onnx::NodeProto node, int depth, Nodes* to) {
    if (depth > 0) bytes_ += node.ByteSizeLong();
    if (++nodes_ > kMostNodesOfFunctions || bytes_ > kMostBytesOfFunctions) {
      Fail(
          "its functions expand to more than {} nodes or {} MiB; export the model with functions "
          "inlined",
          kMostNodesOfFunctions, kMostBytesOfFunctions >> 20);
    }
    const Function* called = CalledBy(node);
    if (called == nullptr) {
      ForEachGraph(&node, [&](onnx::GraphProto* graph) { ExpandGraph(graph, depth); });
      *to->Add() = std::move(node);
      return;
    }
    if (depth >= kDeepest) {
      Fail(
          "function '{}' calls itself, or more than {} functions are nested; export the model with "
          "functions inlined",
          node.op_type(), kDeepest);
    }
    Expand(node, *called, depth, to);
  }

  const Function* CalledBy(const onnx::NodeProto& node) {
    const FunctionKey key = KeyOf(node);
    const auto found = functions_.find(key);
    if (found == functions_.end()) return nullptr;
    const bool standard = key.domain.empty()
                              ? IsStandardOperator(key.name, OpsetOf(node, opset_))
                              : key.domain == "com.microsoft" && IsIntegerLayer(key.name);
    if (!standard) return &found->second;
    notes_.insert(
        fmt::format("the model's function '{0}' has the name of an operator of {1}, which runs in "
                    "its place; rename the function and its calls if the function is meant",
                    key.name, key.domain.empty() ? "ONNX" : key.domain));
    return nullptr;
  }

  void Expand(const onnx::NodeProto& call, const Function& function, int depth, Nodes* to) {
    const onnx::FunctionProto& body = *function.body;
    if (call.input_size() > body.input_size() || call.output_size() > body.output_size()) {
      Fail(
          "node '{}' ({}): has {} inputs and {} outputs, the function has {} and {}; export the "
          "model again",
          call.name(), call.op_type(), call.input_size(), call.output_size(), body.input_size(),
          body.output_size());
    }
    const std::string prefix =
        (call.name().empty() ? call.op_type() + "_" + std::to_string(++calls_) : call.name()) + "/";
    std::map<std::string, std::string> names{{"", ""}};
    for (int i = 0; i < body.input_size(); ++i) {
      names[body.input(i)] = i < call.input_size() ? call.input(i) : "";
    }
    std::vector<std::pair<std::string, std::string>> copies;
    for (int i = 0; i < call.output_size(); ++i) {
      if (call.output(i).empty()) continue;
      // An input that is handed back, or a result that is asked for twice, is copied.
      const auto [found, added] = names.try_emplace(body.output(i), call.output(i));
      if (!added) copies.emplace_back(found->second, call.output(i));
    }
    const Named named = [&](const std::string& name) {
      const auto found = names.find(name);
      if (found != names.end()) return found->second;
      return names[name] = FreeName(prefix + name);
    };
    for (const onnx::NodeProto& inner : body.node()) {
      onnx::NodeProto node = inner;
      node.set_name(prefix + (inner.name().empty() ? inner.op_type() : inner.name()));
      for (std::string& name : *node.mutable_input()) name = named(name);
      for (std::string& name : *node.mutable_output()) name = named(name);
      // The graphs of an If read the function's values by name.
      ForEachGraph(&node, [&](onnx::GraphProto* graph) { RenameValues(graph, named); });
      Bind(call, function, &node);
      Emit(std::move(node), depth + 1, to);
    }
    for (const auto& [from, copy] : copies) {
      Emit(CopyOf(from, copy, prefix + "copy_of_" + from), depth + 1, to);
    }
  }

  // Attributes and opset of a node of the function, and of those in the graphs inside it.
  void Bind(const onnx::NodeProto& call, const Function& function, onnx::NodeProto* node) const {
    ForEachGraph(node, [&](onnx::GraphProto* graph) {
      for (onnx::NodeProto& inner : *graph->mutable_node()) Bind(call, function, &inner);
    });
    google::protobuf::RepeatedPtrField<onnx::AttributeProto> attributes;
    attributes.Swap(node->mutable_attribute());
    for (onnx::AttributeProto& attribute : attributes) {
      if (attribute.ref_attr_name().empty()) {
        *node->add_attribute() = std::move(attribute);
        continue;
      }
      const onnx::AttributeProto* value = ValueOf(attribute.ref_attr_name(), call, function);
      if (value == nullptr) continue;  // the operator's default
      onnx::AttributeProto& added = *node->add_attribute();
      added = *value;
      added.set_name(attribute.name());
    }
    if (function.opset != opset_) SetOpset(function.opset, node);
  }

  static const onnx::AttributeProto* ValueOf(const std::string& name, const onnx::NodeProto& call,
                                             const Function& function) {
    for (const onnx::AttributeProto& given : call.attribute()) {
      if (given.name() == name) return &given;
    }
    const auto found = function.defaults.find(name);
    return found == function.defaults.end() ? nullptr : &found->second;
  }

  // Calls may share a name, and functions that are called twice share all of theirs.
  std::string FreeName(const std::string& base) {
    std::string name = base;
    for (int64_t& i = repeats_[base]; !taken_.insert(name).second;) {
      name = base + "_" + std::to_string(++i + 1);
    }
    return name;
  }

  int64_t opset_;
  onnx::ModelProto* model_;
  std::map<FunctionKey, Function> functions_;
  std::set<std::string> taken_;  // names of values
  std::map<std::string, int64_t> repeats_;
  std::set<std::string> notes_;
  int nodes_ = 0, calls_ = 0;
  size_t bytes_ = 0;
};

}  // namespace

std::vector<std::string> InlineFunctions(int64_t opset, onnx::ModelProto* model) {
  return model->functions_size() > 0 ? Inliner(opset, model).Run() : std::vector<std::string>();
}

}  // namespace octet::import
