#include "converter/import/slice_bounds.h"

#include <map>
#include <string_view>
#include <vector>

#include "converter/operators/meaning.h"

namespace octet::import {
namespace {

// Input `input` of the node comes out of it unchanged, element by element.
bool PassesOn(const onnx::NodeProto& node, int input) {
  const std::string_view op = node.op_type();
  if (op == "Concat") return true;
  return input == 0 && (op == "Unsqueeze" || op == "Squeeze" || op == "Reshape" ||
                        op == "Identity" || op == "Cast" || op == "Flatten");
}

}  // namespace

std::set<std::string> FindSliceBounds(const onnx::GraphProto& graph) {
  // A value falls out as soon as one use disqualifies it, and takes with it what it was made from;
  // what is left when nothing changes any more is only bounds. Starting from "all used values" a
  // cycle cannot keep itself alive wrongly: it is refused later.
  std::map<std::string, std::vector<const onnx::NodeProto*>> producers;  // passers-on, by output
  std::set<std::string> bounds;
  std::vector<std::string> fallen;
  for (const onnx::NodeProto& node : graph.node()) {
    for (int i = 0; i < node.input_size(); ++i) bounds.insert(node.input(i));
    for (const std::string& output : node.output()) producers[output].push_back(&node);
  }
  bounds.erase("");
  const auto drop = [&](const std::string& name) {
    if (bounds.erase(name) != 0) fallen.push_back(name);
  };
  for (const onnx::ValueInfoProto& output : graph.output()) drop(output.name());
  for (const onnx::NodeProto& node : graph.node()) {
    bool result_used = false;
    for (const std::string& output : node.output()) result_used |= bounds.count(output) != 0;
    for (int i = 0; i < node.input_size(); ++i) {
      if (operators::IsBound(node.op_type(), i)) continue;
      if (!PassesOn(node, i) || !result_used) drop(node.input(i));
    }
  }
  while (!fallen.empty()) {
    const std::string name = fallen.back();
    fallen.pop_back();
    for (const onnx::NodeProto* node : producers[name]) {
      for (int i = 0; i < node->input_size(); ++i) {
        if (PassesOn(*node, i)) drop(node->input(i));
      }
    }
  }
  return bounds;
}

}  // namespace octet::import
