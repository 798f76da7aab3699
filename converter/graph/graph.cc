#include "converter/graph/graph.h"

#include <algorithm>
#include <utility>

#include <fmt/format.h>

#include "converter/support/error.h"

namespace octet::graph {
namespace {

// The attribute as T, or the fallback when it is absent; an attribute of another type is the
// model's fault.
template <typename T>
T Get(const Node& node, const std::string& key, const T& fallback, std::string_view wanted) {
  const auto found = node.attributes.find(key);
  if (found == node.attributes.end()) return fallback;
  if (const T* value = std::get_if<T>(&found->second)) return *value;
  Fail("node '{}' ({}): attribute '{}' is not {}; the model is malformed, export it again",
       node.name, node.op, key, wanted);
}

}  // namespace

int64_t ElementCount(const Shape& shape) {
  int64_t count = 1;
  for (int64_t dim : shape) count *= dim;
  return count;
}

std::string ToString(const Shape& shape) {
  std::string text = "[";
  for (size_t i = 0; i < shape.size(); ++i) {
    if (i != 0) text += ',';
    text += shape[i] == kUnknownDim ? "?" : std::to_string(shape[i]);
  }
  return text + "]";
}

std::string_view Name(DataType type) {
  switch (type) {
    case DataType::kFloat:
      return "float";
    case DataType::kInt32:
      return "int32";
    case DataType::kInt64:
      return "int64";
    case DataType::kInt8:
      return "int8";
    case DataType::kUInt8:
      return "uint8";
    case DataType::kBool:
      return "bool";
    case DataType::kInt16:
      return "int16";
    case DataType::kUInt16:
      return "uint16";
  }
  return "unknown";
}

Tensor Tensor::Floats(Shape shape, std::vector<float> values) {
  Tensor tensor;
  tensor.shape = std::move(shape);
  tensor.floats = std::move(values);
  return tensor;
}

Tensor Tensor::Integers(Shape shape, std::vector<int64_t> values, DataType type) {
  Tensor tensor;
  tensor.type = type;
  tensor.shape = std::move(shape);
  tensor.integers = std::move(values);
  return tensor;
}

bool AnyOf(const std::vector<ValueId>& ids, const std::vector<bool>& set) {
  for (const ValueId id : Present(ids)) {
    if (set[static_cast<size_t>(id)]) return true;
  }
  return false;
}

int64_t Node::Int(const std::string& key, int64_t fallback) const {
  return Get<int64_t>(*this, key, fallback, "an integer");
}

float Node::Float(const std::string& key, float fallback) const {
  return Get<float>(*this, key, fallback, "a float");
}

std::string Node::String(const std::string& key, const std::string& fallback) const {
  return Get<std::string>(*this, key, fallback, "a string");
}

std::vector<int64_t> Node::Ints(const std::string& key,
                                const std::vector<int64_t>& fallback) const {
  return Get<std::vector<int64_t>>(*this, key, fallback, "a list of integers");
}

std::vector<float> Node::FloatList(const std::string& key,
                                   const std::vector<float>& fallback) const {
  return Get<std::vector<float>>(*this, key, fallback, "a list of floats");
}

ValueId Graph::AddValue(Value value) {
  values.push_back(std::move(value));
  return static_cast<ValueId>(values.size() - 1);
}

ValueId Graph::AddConstant(const std::string& name, Tensor tensor) {
  return AddConstant(name, graph::Constant::Real(std::move(tensor)));
}

ValueId Graph::AddConstant(const std::string& name, graph::Constant constant) {
  Value value;
  value.name = name;
  value.type = constant->type;
  value.shape = constant->shape;
  value.constant = std::move(constant);
  return AddValue(std::move(value));
}

const Tensor* Graph::Constant(ValueId id) const {
  return id == kNoValue ? nullptr : At(id).constant.get();
}

int Graph::Producer(ValueId id) const {
  for (size_t i = 0; i < nodes.size(); ++i) {
    const std::vector<ValueId>& results = nodes[i].outputs;
    if (std::find(results.begin(), results.end(), id) != results.end()) return static_cast<int>(i);
  }
  return -1;
}

std::vector<int> Graph::Consumers(ValueId id) const {
  std::vector<int> found;
  for (size_t i = 0; i < nodes.size(); ++i) {
    const std::vector<ValueId>& used = nodes[i].inputs;
    if (std::find(used.begin(), used.end(), id) != used.end()) found.push_back(static_cast<int>(i));
  }
  return found;
}

bool Graph::IsOutput(ValueId id) const {
  return std::find(outputs.begin(), outputs.end(), id) != outputs.end();
}

void Graph::ReplaceUses(ValueId from, ValueId to) {
  for (Node& node : nodes) std::replace(node.inputs.begin(), node.inputs.end(), from, to);
  std::replace(outputs.begin(), outputs.end(), from, to);
}

void Graph::RemoveNodes(const std::vector<bool>& remove) {
  std::vector<Node> kept;
  kept.reserve(nodes.size());
  for (size_t i = 0; i < nodes.size(); ++i) {
    if (i >= remove.size() || !remove[i]) kept.push_back(std::move(nodes[i]));
  }
  nodes = std::move(kept);
  SortTopologically();
}

std::vector<bool> Graph::RemoveUnread() {
  std::vector<bool> read(values.size()), remove(nodes.size());
  for (const ValueId id : outputs) read[static_cast<size_t>(id)] = true;
  for (size_t n = nodes.size(); n-- > 0;) {
    remove[n] = !AnyOf(nodes[n].outputs, read);
    if (remove[n]) continue;
    for (const ValueId id : Present(nodes[n].inputs)) read[static_cast<size_t>(id)] = true;
  }
  RemoveNodes(remove);
  return read;
}

void Graph::Compact() {
  std::vector<bool> used(values.size(), false);
  const auto mark = [&](const std::vector<ValueId>& ids) {
    for (ValueId id : Present(ids)) {
      used[static_cast<size_t>(id)] = true;
    }
  };
  mark(inputs);
  mark(outputs);
  for (const Node& node : nodes) {
    mark(node.inputs);
    mark(node.outputs);
  }

  std::vector<ValueId> renumbered(values.size(), kNoValue);
  std::vector<Value> kept;
  for (size_t i = 0; i < values.size(); ++i) {
    if (!used[i]) continue;
    renumbered[i] = static_cast<ValueId>(kept.size());
    kept.push_back(std::move(values[i]));
  }
  values = std::move(kept);
  const auto renumber = [&](std::vector<ValueId>& ids) {
    for (ValueId& id : ids) {
      if (id != kNoValue) id = renumbered[static_cast<size_t>(id)];
    }
  };
  renumber(inputs);
  renumber(outputs);
  for (Node& node : nodes) {
    renumber(node.inputs);
    renumber(node.outputs);
  }
}

}  // namespace octet::graph
