#include "converter/simulate/steps.h"

#include <algorithm>
#include <optional>

#include "converter/lower/coded_weights.h"
#include "converter/operators/recurrent.h"

namespace octet::simulate {
namespace {

using graph::Tensor;
using graph::ValueId;

// By value: the last node that is executed and reads or makes it; -1 where none does.
std::vector<int64_t> LastUses(const graph::Graph& graph, const std::vector<bool>& needed) {
  std::vector<int64_t> last(graph.values.size(), -1);
  for (size_t n = 0; n < graph.nodes.size(); ++n) {
    if (!needed[n]) continue;
    for (const auto* ids : {&graph.nodes[n].inputs, &graph.nodes[n].outputs}) {
      for (ValueId id : graph::Present(*ids)) {
        last[At(id)] = static_cast<int64_t>(n);
      }
    }
  }
  return last;
}

// Runs the node's operator; `read` gives every input.
template <typename Read>
std::vector<Tensor> Execute(const graph::Graph& graph, const graph::Node& node, const Read& read,
                            operators::Workspace& workspace) {
  std::vector<const Tensor*> sources(node.inputs.size());
  for (size_t i = 0; i < sources.size(); ++i) {
    if (node.inputs[i] != graph::kNoValue) sources[i] = read(i, node.inputs[i]);
  }
  std::vector<Tensor> outputs(node.outputs.size());
  for (size_t i = 0; i < outputs.size(); ++i) {
    if (node.outputs[i] == graph::kNoValue) continue;
    const graph::Value& value = graph.At(node.outputs[i]);
    outputs[i].type = value.type;
    outputs[i].shape = *value.shape;
    const auto count = static_cast<size_t>(graph::ElementCount(*value.shape));
    value.type == graph::DataType::kFloat ? outputs[i].floats.resize(count)
                                          : outputs[i].integers.resize(count);
  }
  operators::Find(node.op)->execute(node, sources, outputs, workspace);
  return outputs;
}

void AddTo(const Outputs& outputs, const std::vector<float>& correction, Tensor* tensor) {
  for (size_t first = 0; first < tensor->floats.size(); first += outputs.inner) {
    const float shift = correction[first / outputs.inner % outputs.count];
    for (size_t i = first; i < first + outputs.inner; ++i) tensor->floats[i] += shift;
  }
}

bool SameScheme(const quantize::TensorScheme* a, const quantize::TensorScheme* b) {
  if (a == nullptr || b == nullptr) return a == b;
  const auto same = [](const quantize::ChannelScheme& x, const quantize::ChannelScheme& y) {
    return x.scale == y.scale && x.zero_point == y.zero_point;
  };
  return a->scale == b->scale && a->zero_point == b->zero_point &&
         std::equal(a->channels.begin(), a->channels.end(), b->channels.begin(), b->channels.end(),
                    same);
}

}  // namespace

Topology::Topology(const graph::Graph& g)
    : graph(g),
      links(g),
      view(operators::ViewOutputs(g)),
      last_use(LastUses(g, view.needed)),
      is_index(g.values.size()) {
  for (size_t v = 0; v < g.values.size(); ++v) {
    const graph::DataType type = g.values[v].type;
    is_index[v] =
        !view.is_piece[v] && (type == graph::DataType::kInt32 || type == graph::DataType::kInt64);
  }
  int64_t alive = 0;
  for (ValueId id : g.inputs) alive += BytesOf(id);
  peak_bytes = all_bytes = alive;
  std::vector<bool> gone(g.values.size());
  for (size_t n = 0; n < g.nodes.size(); ++n) {
    if (!view.needed[n]) continue;
    const graph::Node& node = g.nodes[n];
    for (ValueId id : graph::Present(node.outputs)) {
      alive += BytesOf(id);
      all_bytes += BytesOf(id);
    }
    peak_bytes = std::max(peak_bytes, alive);
    for (const auto* ids : {&node.inputs, &node.outputs}) {
      for (ValueId id : graph::Present(*ids)) {
        if (g.Constant(id) != nullptr) continue;
        if (last_use[At(id)] != static_cast<int64_t>(n) || gone[At(id)]) continue;
        gone[At(id)] = true;
        alive -= BytesOf(id);
      }
    }
  }
}

int64_t Topology::BytesOf(ValueId id) const {
  const graph::Value& value = graph.At(id);
  const size_t each = value.type == graph::DataType::kFloat ? sizeof(float) : sizeof(int64_t);
  return graph::ElementCount(*value.shape) * static_cast<int64_t>(each);
}

std::vector<Tensor> RunSums(const Topology& topology, size_t n, const Source& source,
                            operators::Workspace& workspace) {
  const auto read = [&](size_t, ValueId id) {
    const Tensor* constant = topology.graph.Constant(id);
    return constant != nullptr ? constant : &source(id);
  };
  return Execute(topology.graph, topology.graph.nodes[n], read, workspace);
}

std::vector<Tensor> RunExact(const Topology& topology, size_t n, const Source& source,
                             operators::Workspace& workspace) {
  const graph::Node& node = topology.graph.nodes[n];
  std::vector<Tensor> results = RunSums(topology, n, source, workspace);
  for (Tensor& tensor : results) {
    if (node.activation.empty()) break;
    operators::ApplyActivation(node.activation, tensor.floats, node.alpha, node.beta);
  }
  return results;
}

Steps::Steps(const Topology& topology, const quantize::Scheme& scheme, const Steps* like)
    : topology_(topology),
      scheme_(scheme),
      outputs_(topology.graph.nodes.size()),
      weights_(topology.graph.nodes.size()),
      bias_shifts_(topology.graph.nodes.size()) {
  std::optional<lower::WeightCoder> coder;
  for (size_t n = 0; n < outputs_.size(); ++n) {
    if (!topology.view.needed[n] || !IsInt8(n)) continue;
    const graph::Node& node = topology.graph.nodes[n];
    outputs_[n] = OutputsOf(topology.graph, node);
    if (outputs_[n].count == 0) continue;
    if (like != nullptr && like->IsInt8(n) && SameAt(n, *like)) {
      weights_[n] = like->weights_[n];
      bias_shifts_[n] = like->bias_shifts_[n];
      continue;
    }
    if (!coder) coder.emplace(topology.graph, scheme);
    std::optional<lower::CodedWeights> coded = coder->Of(n);
    if (!coded) continue;
    weights_[n] = std::make_shared<const Tensor>(std::move(coded->weights));
    bias_shifts_[n] = std::move(coded->bias_shift);
  }
}

const quantize::TensorScheme* Steps::SchemeOf(ValueId id) const {
  const auto& scheme = scheme_.tensors[At(id)];
  return scheme && topology_.graph.At(id).type == graph::DataType::kFloat ? &*scheme : nullptr;
}

std::vector<Tensor> Steps::Sums(size_t n, const Source& source, bool exact_weights, bool clip,
                                operators::Workspace& workspace) const {
  const graph::Graph& graph = topology_.graph;
  const graph::Node& node = graph.nodes[n];
  const Tensor* weights = exact_weights ? nullptr : weights_[n].get();
  std::vector<Tensor> borders(node.inputs.size());
  const auto read = [&](size_t i, ValueId id) -> const Tensor* {
    if (i == 1 && weights != nullptr) return weights;
    if (const Tensor* constant = graph.Constant(id)) return constant;
    const Tensor& value = source(id);
    // What comes from outside of the int8 part, as an int8 node reads it.
    const int producer = topology_.links.producer[At(id)];
    const bool is_int8 = producer >= 0 && IsInt8(static_cast<size_t>(producer));
    if (!IsInt8(n) || is_int8 || SchemeOf(id) == nullptr || operators::ReadsHalves(node, i)) {
      return &value;
    }
    borders[i] = value;
    simulate::Round(*SchemeOf(id), clip, &borders[i]);
    return &borders[i];
  };
  return Execute(graph, node, read, workspace);
}

void Steps::Finish(size_t n, const std::vector<float>& correction,
                   std::vector<Tensor>* results) const {
  const graph::Node& node = topology_.graph.nodes[n];
  for (Tensor& tensor : *results) {
    if (!correction.empty()) AddTo(outputs_[n], correction, &tensor);
    if (!node.activation.empty()) {
      operators::ApplyActivation(node.activation, tensor.floats, node.alpha, node.beta);
    }
  }
}

void Steps::Finish(size_t n, std::vector<Tensor>* results) const {
  Finish(n, bias_shifts_[n], results);
}

void Steps::Round(size_t n, bool clip, std::vector<Tensor>* results) const {
  if (!IsInt8(n)) return;
  const graph::Node& node = topology_.graph.nodes[n];
  for (size_t i = 0; i < results->size(); ++i) {
    if (i > 0 && operators::WritesHalves(node)) break;  // states
    const ValueId id = node.outputs[i];
    if (id != graph::kNoValue && SchemeOf(id) != nullptr) {
      simulate::Round(*SchemeOf(id), clip, &(*results)[i]);
    }
  }
}

bool Steps::SameAt(size_t n, const Steps& other) const {
  if (IsInt8(n) != other.IsInt8(n)) return false;
  const auto correction = [n](const quantize::Scheme& scheme) {
    return n < scheme.bias_correction.size() ? scheme.bias_correction[n] : std::vector<float>{};
  };
  if (IsInt8(n) && correction(scheme_) != correction(other.scheme_)) return false;
  const auto rounded = [n](const quantize::Scheme& scheme) {
    return n < scheme.weights.size() ? scheme.weights[n].get() : nullptr;
  };
  const auto shared = [n](const quantize::Scheme& scheme) {
    return n < scheme.weight_schemes.size() ? scheme.weight_schemes[n]
                                            : quantize::WeightScheme::kPerChannel;
  };
  if (IsInt8(n) &&
      (rounded(scheme_) != rounded(other.scheme_) || shared(scheme_) != shared(other.scheme_))) {
    return false;
  }
  const graph::Node& node = topology_.graph.nodes[n];
  for (const auto* ids : {&node.inputs, &node.outputs}) {
    for (ValueId id : graph::Present(*ids)) {
      if (topology_.graph.Constant(id) != nullptr) continue;
      if (IsInt8(n) && !SameScheme(SchemeOf(id), other.SchemeOf(id))) return false;
      // Rounded where it goes in, or where it came out: once either way, but not the same.
      const int producer = topology_.links.producer[At(id)];
      if (producer >= 0 &&
          IsInt8(static_cast<size_t>(producer)) != other.IsInt8(static_cast<size_t>(producer))) {
        return false;
      }
    }
  }
  return true;
}

std::vector<bool> Steps::Affected(const Steps& other) const {
  std::vector<bool> affected(topology_.graph.nodes.size()), value(topology_.graph.values.size());
  for (size_t n = 0; n < affected.size(); ++n) {
    if (!topology_.view.needed[n]) continue;
    const graph::Node& node = topology_.graph.nodes[n];
    affected[n] = !SameAt(n, other) || graph::AnyOf(node.inputs, value);
    for (ValueId id : graph::Present(node.outputs)) value[At(id)] = affected[n];
  }
  return affected;
}

}  // namespace octet::simulate
