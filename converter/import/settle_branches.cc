#include "converter/import/settle_branches.h"

#include <map>
#include <set>
#include <utility>
#include <vector>

namespace octet::import {
namespace {

using Nodes = google::protobuf::RepeatedPtrField<onnx::NodeProto>;

bool IsIf(const onnx::NodeProto& node) {
  return node.op_type() == "If" && (node.domain().empty() || node.domain() == "ai.onnx");
}

// What the graphs inside a node read of the graph around it, and more names, which do no harm.
void ReadNames(const onnx::NodeProto& node, std::set<std::string>* names) {
  names->insert(node.input().begin(), node.input().end());
  for (const onnx::AttributeProto& attribute : node.attribute()) {
    for (const onnx::NodeProto& inner : attribute.g().node()) ReadNames(inner, names);
    for (const onnx::ValueInfoProto& output : attribute.g().output()) names->insert(output.name());
  }
}

// The part of the model that computes one value, with all of its inputs.
onnx::ModelProto PartOf(const onnx::ModelProto& model, const std::string& value) {
  const onnx::GraphProto& graph = model.graph();
  std::map<std::string, int> makers;
  for (int i = 0; i < graph.node_size(); ++i) {
    for (const std::string& name : graph.node(i).output()) makers[name] = i;
  }
  std::set<std::string> wanted = {value};
  std::set<int> nodes;
  for (std::vector<std::string> open = {value}; !open.empty();) {
    const auto maker = makers.find(open.back());
    open.pop_back();
    if (maker == makers.end() || !nodes.insert(maker->second).second) continue;
    std::set<std::string> read;
    ReadNames(graph.node(maker->second), &read);
    for (const std::string& name : read) {
      if (wanted.insert(name).second) open.push_back(name);
    }
  }
  onnx::ModelProto part;
  part.set_ir_version(model.ir_version());
  *part.mutable_opset_import() = model.opset_import();
  onnx::GraphProto& to = *part.mutable_graph();
  to.set_name(graph.name());
  for (const int i : nodes) *to.add_node() = graph.node(i);
  for (const onnx::TensorProto& tensor : graph.initializer()) {
    if (wanted.count(tensor.name()) != 0) *to.add_initializer() = tensor;
  }
  std::set<std::string> constants;
  for (const onnx::TensorProto& tensor : graph.initializer()) constants.insert(tensor.name());
  for (const onnx::ValueInfoProto& input : graph.input()) {
    if (constants.count(input.name()) == 0) *to.add_input() = input;
  }
  to.add_output()->set_name(value);
  return part;
}

const onnx::GraphProto* BranchOf(const onnx::NodeProto& node, bool condition) {
  for (const onnx::AttributeProto& attribute : node.attribute()) {
    if (attribute.name() == (condition ? "then_branch" : "else_branch") && attribute.has_g()) {
      return &attribute.g();
    }
  }
  return nullptr;
}

// The branch's nodes into `nodes`, its constants into the graph.
void Inline(const onnx::NodeProto& node, onnx::GraphProto branch, onnx::GraphProto* graph,
            Nodes* nodes) {
  const std::string prefix = (node.name().empty() ? "If_" + node.output(0) : node.name()) + "/";
  std::map<std::string, std::string> names;
  for (const onnx::NodeProto& inner : branch.node()) {
    for (const std::string& name : inner.output()) {
      if (!name.empty()) names[name] = prefix + name;
    }
  }
  std::set<std::string> constants;
  for (const onnx::TensorProto& tensor : branch.initializer()) {
    names[tensor.name()] = prefix + tensor.name();
    constants.insert(tensor.name());
  }
  // A result that is no node's own (a constant, a value from outside, one of two alike) is copied.
  std::vector<std::pair<std::string, std::string>> copies;
  std::set<std::string> taken;
  for (int i = 0; i < branch.output_size() && i < node.output_size(); ++i) {
    const std::string& inner = branch.output(i).name();
    if (node.output(i).empty()) continue;
    if (names.count(inner) != 0 && constants.count(inner) == 0 && taken.insert(inner).second) {
      names[inner] = node.output(i);
    } else {
      copies.emplace_back(inner, node.output(i));
    }
  }
  const auto renamed = [&](const std::string& name) {
    const auto found = names.find(name);
    return found == names.end() ? name : found->second;
  };
  RenameValues(&branch, renamed);
  for (onnx::NodeProto& inner : *branch.mutable_node()) {
    if (!inner.name().empty()) inner.set_name(prefix + inner.name());
    *nodes->Add() = std::move(inner);
  }
  for (const auto& [from, to] : copies) {
    onnx::NodeProto& copy = *nodes->Add();
    copy.set_op_type("Identity");
    copy.set_name(prefix + "copy_of_" + from);
    copy.add_input(renamed(from));
    copy.add_output(to);
  }
  for (onnx::TensorProto& tensor : *branch.mutable_initializer()) {
    *graph->add_initializer() = std::move(tensor);
  }
  for (onnx::SparseTensorProto& tensor : *branch.mutable_sparse_initializer()) {
    *graph->add_sparse_initializer() = std::move(tensor);
  }
}

// One If, the first that settles; false: none does.
bool SettleOne(onnx::ModelProto* model, const Settle& settle, std::set<std::string>* open) {
  onnx::GraphProto& graph = *model->mutable_graph();
  for (int i = 0; i < graph.node_size(); ++i) {
    const onnx::NodeProto& node = graph.node(i);
    if (!IsIf(node) || node.input_size() != 1 || node.output_size() == 0) continue;
    if (open->count(node.output(0)) != 0) continue;
    onnx::ModelProto part = PartOf(*model, node.input(0));
    const std::optional<bool> condition = settle(part);
    const onnx::GraphProto* branch = condition ? BranchOf(node, *condition) : nullptr;
    if (branch == nullptr || branch->output_size() != node.output_size()) {
      open->insert(node.output(0));
      continue;
    }
    Nodes before;
    before.Swap(graph.mutable_node());
    for (int k = 0; k < before.size(); ++k) {
      if (k == i) {
        Inline(before[k], *branch, &graph, graph.mutable_node());
      } else {
        *graph.add_node() = std::move(before[k]);
      }
    }
    return true;
  }
  return false;
}

}  // namespace

void RenameValues(onnx::GraphProto* graph,
                  const std::function<std::string(const std::string&)>& renamed) {
  const auto rename = [&](std::string* name) {
    if (!name->empty()) *name = renamed(*name);
  };
  for (onnx::NodeProto& node : *graph->mutable_node()) {
    for (std::string& name : *node.mutable_input()) rename(&name);
    for (std::string& name : *node.mutable_output()) rename(&name);
    for (onnx::AttributeProto& attribute : *node.mutable_attribute()) {
      if (attribute.has_g()) RenameValues(attribute.mutable_g(), renamed);
    }
  }
  for (onnx::TensorProto& tensor : *graph->mutable_initializer()) rename(tensor.mutable_name());
  for (onnx::ValueInfoProto& input : *graph->mutable_input()) rename(input.mutable_name());
  for (onnx::ValueInfoProto& output : *graph->mutable_output()) rename(output.mutable_name());
}

void SettleBranches(onnx::ModelProto* model, const Settle& settle) {
  std::set<std::string> open;  // that do not settle
  while (SettleOne(model, settle, &open)) {
  }
}

}  // namespace octet::import
