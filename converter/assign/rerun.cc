#include "converter/assign/rerun.h"

#include <algorithm>
#include <cmath>
#include <utility>

#include "converter/assign/random.h"
#include "converter/recover/simulate.h"

namespace octet::assign {
namespace {

using graph::Tensor;
using graph::ValueId;

// Which of two nearly equal numbers comes first is no error, but everything picked by that order
// would be compared with something else.
bool IsIndex(const graph::Value& value) {
  return value.type == graph::DataType::kInt32 || value.type == graph::DataType::kInt64;
}

}  // namespace

Rerun::Rerun(const graph::Graph& graph, const quantize::Scheme& scheme)
    : graph_(graph),
      scheme_(scheme),
      view_(operators::ViewOutputs(graph)),
      links_(graph),
      last_use_(graph.values.size()) {
  for (size_t n = 0; n < graph.nodes.size(); ++n) {
    for (ValueId id : graph.nodes[n].inputs) {
      if (view_.needed[n] && id != graph::kNoValue) last_use_[static_cast<size_t>(id)] = n;
    }
  }
}

int64_t Rerun::BytesOf(const graph::Graph& graph) {
  int64_t bytes = 0;
  for (const graph::Value& value : graph.values) {
    if (value.constant != nullptr || !value.shape) continue;
    const size_t each = value.type == graph::DataType::kFloat ? sizeof(float) : sizeof(int64_t);
    bytes += graph::ElementCount(*value.shape) * static_cast<int64_t>(each);
  }
  return bytes;
}

void Rerun::Load(std::vector<Tensor> inputs) {
  exact_.assign(graph_.values.size(), {});
  for (size_t i = 0; i < inputs.size(); ++i) {
    exact_[static_cast<size_t>(graph_.inputs[i])] = std::move(inputs[i]);
  }
  const Values none;
  for (size_t n = 0; n < graph_.nodes.size(); ++n) {
    if (!view_.needed[n]) continue;
    std::vector<Tensor> results = Execute(n, none, false);
    for (size_t i = 0; i < results.size(); ++i) {
      const ValueId id = graph_.nodes[n].outputs[i];
      if (id != graph::kNoValue) exact_[static_cast<size_t>(id)] = std::move(results[i]);
    }
  }
}

const Tensor* Rerun::Source(ValueId id, const Values& changed) const {
  if (id == graph::kNoValue) return nullptr;
  if (const Tensor* constant = graph_.Constant(id)) return constant;
  const auto found = changed.find(id);
  return found != changed.end() ? &found->second : &exact_[static_cast<size_t>(id)];
}

void Rerun::Round(ValueId id, Tensor* tensor) const {
  const auto& scheme = scheme_.tensors[static_cast<size_t>(id)];
  if (scheme && graph_.At(id).type == graph::DataType::kFloat) {
    recover::Round(*scheme, true, tensor);
  }
}

std::vector<Tensor> Rerun::Execute(size_t n, const Values& changed, bool rounded) {
  const graph::Node& node = graph_.nodes[n];
  std::vector<const Tensor*> sources;
  std::vector<Tensor> read(rounded ? node.inputs.size() : 0);
  const recover::Outputs outputs = rounded ? recover::OutputsOf(graph_, node) : recover::Outputs{};
  for (size_t i = 0; i < node.inputs.size(); ++i) {
    const ValueId id = node.inputs[i];
    sources.push_back(Source(id, changed));
    if (!rounded || id == graph::kNoValue) continue;
    if (graph_.Constant(id) == nullptr) {
      read[i] = *sources[i];
      Round(id, &read[i]);
      sources[i] = &read[i];
    } else if (i == 1 && outputs.count > 0 && !graph_.At(id).given) {
      auto& weights = weights_[n];
      if (weights.floats.empty()) weights = recover::RoundWeights(*sources[i], outputs);
      sources[i] = &weights;
    }
  }
  std::vector<Tensor> results(node.outputs.size());
  for (size_t i = 0; i < results.size(); ++i) {
    if (node.outputs[i] == graph::kNoValue) continue;
    const graph::Value& value = graph_.At(node.outputs[i]);
    results[i].type = value.type;
    results[i].shape = *value.shape;
    const auto count = static_cast<size_t>(graph::ElementCount(*value.shape));
    value.type == graph::DataType::kFloat ? results[i].floats.resize(count)
                                          : results[i].integers.resize(count);
  }
  operators::Find(node.op)->execute(node, sources, results, workspace_);
  if (outputs.count > 0 && n < scheme_.bias_correction.size()) {
    const std::vector<float>& correction = scheme_.bias_correction[n];
    for (size_t i = 0; !correction.empty() && i < results[0].floats.size(); ++i) {
      results[0].floats[i] += correction[i / outputs.inner % outputs.count];
    }
  }
  for (size_t i = 0; i < results.size(); ++i) {
    if (!node.activation.empty() && results[i].IsFloat()) {
      operators::ApplyActivation(node.activation, results[i].floats, node.alpha, node.beta);
    }
    if (rounded && node.outputs[i] != graph::kNoValue) Round(node.outputs[i], &results[i]);
  }
  return results;
}

void Rerun::Store(size_t n, std::vector<Tensor> results, Values* changed) const {
  for (size_t i = 0; i < results.size(); ++i) {
    const ValueId id = graph_.nodes[n].outputs[i];
    if (id != graph::kNoValue && !IsIndex(graph_.At(id))) (*changed)[id] = std::move(results[i]);
  }
}

double Rerun::LossInInt8(const Unit& unit) {
  Values changed;
  for (size_t n : unit.nodes) Store(n, Execute(n, changed, true), &changed);
  return LossBehind(unit.nodes.back(), &changed);
}

double Rerun::Gradient(const Unit& unit, double step, uint64_t seed) {
  Values changed;
  const graph::Node& node = graph_.nodes[unit.nodes.back()];
  const Tensor& exact = exact_[static_cast<size_t>(node.outputs[0])];
  double energy = 0;
  for (float value : exact.floats) energy += static_cast<double>(value) * value;
  if (!(energy > 0)) return 0;
  const auto move =
      static_cast<float>(step * std::sqrt(energy / static_cast<double>(exact.floats.size())));
  Tensor& moved = changed[node.outputs[0]] = exact;
  Random random(seed);
  for (size_t i = 0; i < moved.floats.size(); i += 64) {
    uint64_t signs = random.Bits();
    for (size_t k = i; k < std::min(i + 64, moved.floats.size()); ++k, signs >>= 1) {
      moved.floats[k] += (signs & 1) != 0 ? move : -move;
    }
  }
  return std::sqrt(LossBehind(unit.nodes.back(), &changed)) / step;
}

double Rerun::LossBehind(size_t n, Values* changed) {
  double sum = 0;
  int64_t count = 0;
  const auto measure = [&](ValueId id) {
    if (!view_.is_piece[static_cast<size_t>(id)]) return;
    const auto found = changed->find(id);
    if (found == changed->end() || !found->second.IsFloat()) return;
    for (const auto& pieces : view_.outputs) {
      for (const operators::OutputPiece& piece : pieces) {
        if (piece.value == id) sum += LossOf(piece, found->second);
      }
    }
  };
  std::vector<ValueId> first;
  for (const auto& [id, tensor] : *changed) first.push_back(id);
  for (ValueId id : first) measure(id);
  for (size_t m = n + 1; m < graph_.nodes.size(); ++m) {
    const graph::Node& node = graph_.nodes[m];
    const bool touched =
        view_.needed[m] && std::any_of(node.inputs.begin(), node.inputs.end(),
                                       [&](ValueId id) { return changed->count(id) != 0; });
    if (touched) {
      Store(m, Execute(m, *changed, false), changed);
      for (ValueId id : node.outputs) {
        if (id != graph::kNoValue) measure(id);
      }
    }
    std::erase_if(*changed, [&](const auto& item) {
      return last_use_[static_cast<size_t>(item.first)] <= m;
    });
  }
  for (const auto& pieces : view_.outputs) count += static_cast<int64_t>(pieces.size());
  return count == 0 ? 0 : sum / static_cast<double>(count);
}

double Rerun::LossOf(const operators::OutputPiece& piece, const Tensor& changed) const {
  std::vector<float> exact = exact_[static_cast<size_t>(piece.value)].floats, now = changed.floats;
  if (!piece.function.empty()) {
    operators::ApplyActivation(piece.function, exact, 0, 0);
    operators::ApplyActivation(piece.function, now, 0, 0);
  }
  double signal = 0, error = 0;
  for (size_t i = 0; i < exact.size(); ++i) {
    const double difference = static_cast<double>(exact[i]) - static_cast<double>(now[i]);
    signal += static_cast<double>(exact[i]) * exact[i];
    error += difference * difference;
  }
  if (!(error > 0)) return std::isnan(error) ? 1 : 0;
  return std::min(1.0, error / std::max(signal, 1e-300));
}

}  // namespace octet::assign
