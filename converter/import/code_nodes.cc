#include "converter/import/code_nodes.h"

#include <utility>

namespace octet::import {

using graph::kNoValue;
using graph::Node;
using graph::Tensor;
using graph::ValueId;

ValueId CodeNodes::NewValue(const std::string& name) {
  graph::Value value;
  value.name = name;
  return graph_.AddValue(std::move(value));
}

ValueId CodeNodes::Scalar(const std::string& name, float value) {
  return graph_.AddConstant(name, Tensor::Floats({}, {value}));
}

size_t CodeNodes::Add(const std::string& name, const std::string& op, std::vector<ValueId> inputs,
                      ValueId output) {
  Node node;
  node.name = name;
  node.op = op;
  node.since_opset = 13;
  node.inputs = std::move(inputs);
  node.outputs = {output};
  graph_.nodes.push_back(std::move(node));
  return graph_.nodes.size() - 1;
}

ValueId CodeNodes::Added(const std::string& name, const std::string& op,
                         std::vector<ValueId> inputs) {
  const ValueId result = NewValue(name);
  Add(name, op, std::move(inputs), result);
  return result;
}

ValueId CodeNodes::AddedInFp16(const std::string& name, const std::string& op,
                               std::vector<ValueId> inputs) {
  const ValueId result = Added(name, op, std::move(inputs));
  RunInFp16(graph_.nodes.size() - 1);
  return result;
}

void CodeNodes::RunInFp16(size_t node) {
  graph_.nodes[node].attributes["octet_fp16"] = int64_t{1};
}

CodeScheme CodeNodes::Counting(graph::DataType type) {
  const auto [found, is_new] = counting_.try_emplace(type);
  if (is_new) {
    const std::string name = std::string(graph::Name(type)) + "_codes";
    found->second.scale = Scalar(name + "_scale", 1);
    found->second.zero_point =
        graph_.AddConstant(name + "_zero_point", Tensor::Integers({}, {0}, type));
  }
  return found->second;
}

std::vector<ValueId> CodeNodes::With(ValueId data, const CodeScheme& scheme) {
  std::vector<ValueId> inputs{data, scheme.scale};
  if (scheme.zero_point != kNoValue) inputs.push_back(scheme.zero_point);
  return inputs;
}

}  // namespace octet::import
