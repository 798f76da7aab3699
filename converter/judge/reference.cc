#include "converter/judge/reference.h"

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <iterator>
#include <utility>

namespace octet::judge {

using graph::Tensor;
using graph::ValueId;

graph::Graph OfOutputs(graph::Graph imported) {
  imported.RemoveUnread();
  return imported;
}

Reference::Reference(const graph::Graph& graph, const std::vector<std::string>& names)
    : graph_(graph), executor_(graph), states_(graph.states) {
  for (size_t i = 0; i < graph.OwnInputs(); ++i) {
    const ValueId id = graph.inputs[i];
    const auto found = std::find(names.begin(), names.end(), graph.At(id).name);
    source_.push_back(found == names.end() ? -1 : static_cast<int>(found - names.begin()));
  }
}

std::vector<Tensor> Reference::Arranged(const std::vector<Tensor>& inputs) const {
  std::vector<Tensor> arranged;
  for (size_t i = 0; i < source_.size(); ++i) {
    const graph::Value& value = graph_.At(graph_.inputs[i]);
    const auto count = static_cast<size_t>(graph::ElementCount(*value.shape));
    Tensor tensor;
    if (source_[i] >= 0) tensor = inputs[static_cast<size_t>(source_[i])];
    tensor.floats.resize(count);
    tensor.shape = *value.shape;
    tensor.type = value.type;
    if (!tensor.IsFloat()) {
      for (const float x : tensor.floats) tensor.integers.push_back(std::llround(x));
      tensor.floats.clear();
    }
    arranged.push_back(std::move(tensor));
  }
  arranged.insert(arranged.end(), states_.begin(), states_.end());
  return arranged;
}

std::vector<std::vector<float>> Reference::Run(const std::vector<Tensor>& inputs) {
  std::vector<std::vector<float>> outputs;
  std::vector<Tensor> results = executor_.Run(Arranged(inputs));
  states_.assign(
      std::make_move_iterator(results.begin() + static_cast<std::ptrdiff_t>(graph_.OwnOutputs())),
      std::make_move_iterator(results.end()));
  results.resize(graph_.OwnOutputs());
  for (Tensor& tensor : results) {
    if (!tensor.IsFloat()) {
      tensor.floats.assign(tensor.integers.begin(), tensor.integers.end());
    }
    outputs.push_back(std::move(tensor.floats));
  }
  return outputs;
}

std::set<std::string> Reference::InfiniteNodes(const std::vector<Tensor>& inputs) {
  std::vector<bool> infinite(graph_.values.size());
  executor_.Run(Arranged(inputs), [&](ValueId id, const Tensor& tensor) {
    infinite[static_cast<size_t>(id)] =
        std::any_of(tensor.floats.begin(), tensor.floats.end(),
                    [](float value) { return !std::isfinite(value); });
  });
  std::set<std::string> names;
  for (const graph::Node& node : graph_.nodes) {
    for (const ValueId id : graph::Present(node.outputs)) {
      if (infinite[static_cast<size_t>(id)]) names.insert(node.name);
    }
  }
  return names;
}

}  // namespace octet::judge
