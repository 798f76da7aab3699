#include "converter/import/inline_graph.h"

#include <utility>

namespace octet::import {

std::string Namer::Free(const std::string& base) {
  std::string name = base;
  if (!taken_.insert(name).second) {
    int64_t& i = repeats_[base];
    do name = base + "_" + std::to_string(++i + 1);
    while (!taken_.insert(name).second);
  }
  return name;
}

void Namer::Take(const onnx::GraphProto& graph) {
  for (const onnx::ValueInfoProto& input : graph.input()) taken_.insert(input.name());
  for (const onnx::TensorProto& tensor : graph.initializer()) taken_.insert(tensor.name());
  for (const onnx::NodeProto& node : graph.node()) {
    taken_.insert(node.output().begin(), node.output().end());
    for (const onnx::AttributeProto& attribute : node.attribute()) {
      if (attribute.has_g()) Take(attribute.g());
    }
  }
}

const std::string& NameOutside(const Names& names, const std::string& name) {
  const auto found = names.find(name);
  return found == names.end() ? name : found->second;
}

void InlineGraph(onnx::GraphProto graph, const std::string& prefix, Namer* namer, Names* names,
                 Inlined* to) {
  const auto define = [&](const std::string& name) {
    if (!name.empty() && names->count(name) == 0) (*names)[name] = namer->Free(prefix + name);
  };
  for (const onnx::TensorProto& tensor : graph.initializer()) define(tensor.name());
  for (const onnx::NodeProto& node : graph.node()) {
    for (const std::string& name : node.output()) define(name);
  }
  RenameValues(&graph, [&](const std::string& name) { return NameOutside(*names, name); });
  for (onnx::NodeProto& node : *graph.mutable_node()) {
    if (!node.name().empty()) node.set_name(prefix + node.name());
    to->nodes.push_back(std::move(node));
  }
  for (onnx::TensorProto& tensor : *graph.mutable_initializer()) {
    to->constants.push_back(std::move(tensor));
  }
  for (onnx::SparseTensorProto& tensor : *graph.mutable_sparse_initializer()) {
    to->sparse.push_back(std::move(tensor));
  }
}

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

}  // namespace octet::import
