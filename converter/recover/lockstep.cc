#include "converter/recover/lockstep.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <optional>

#include "converter/executor/executor.h"

namespace octet::recover {
namespace {

using graph::Tensor;
using graph::ValueId;

// By value: the last node that is executed and reads or makes it; -1 where none does.
std::vector<int64_t> LastUses(const graph::Graph& graph, const std::vector<bool>& needed) {
  std::vector<int64_t> last(graph.values.size(), -1);
  for (size_t n = 0; n < graph.nodes.size(); ++n) {
    if (!needed[n]) continue;
    for (const auto* ids : {&graph.nodes[n].inputs, &graph.nodes[n].outputs}) {
      for (ValueId id : *ids) {
        if (id != graph::kNoValue) last[static_cast<size_t>(id)] = static_cast<int64_t>(n);
      }
    }
  }
  return last;
}

int64_t BytesOf(const graph::Value& value) {
  const size_t each = value.type == graph::DataType::kFloat ? sizeof(float) : sizeof(int64_t);
  return graph::ElementCount(*value.shape) * static_cast<int64_t>(each);
}

// Mean of exact - rounded by output channel.
std::vector<double> ShiftOf(const Outputs& outputs, const std::vector<float>& exact,
                            const std::vector<float>& rounded) {
  std::vector<double> shift(outputs.count, 0);
  for (size_t first = 0; first < exact.size(); first += outputs.inner) {
    double sum = 0;
    for (size_t i = first; i < first + outputs.inner; ++i) {
      sum += static_cast<double>(exact[i]) - static_cast<double>(rounded[i]);
    }
    shift[first / outputs.inner % outputs.count] += sum;
  }
  for (double& sum : shift) {
    sum *= static_cast<double>(outputs.count) / static_cast<double>(exact.size());
  }
  return shift;
}

// The means over pictures, as far as they are certain: of a mean m with standard error e,
// m * max(0, 1 - (kCertain * e / m)^2) is kept. Deep layers see few positions of few pictures, and
// the error of a rare large value that was cut off is no shift.
std::vector<float> CertainMeans(const Outputs& outputs,
                                const std::vector<std::vector<double>>& shifts) {
  constexpr double kCertain = 2;
  const auto count = static_cast<double>(shifts.size());
  std::vector<float> means(outputs.count);
  for (size_t c = 0; c < outputs.count; ++c) {
    double sum = 0, squares = 0;
    for (const auto& shift : shifts) {
      sum += shift[c];
      squares += shift[c] * shift[c];
    }
    const double mean = sum / count;
    const double variance = std::max(0.0, squares / count - mean * mean);
    const double error = variance / std::max(1.0, count - 1);  // of the mean, squared
    const double kept = mean * std::max(0.0, 1 - kCertain * kCertain * error / (mean * mean));
    means[c] = std::isfinite(kept) ? static_cast<float>(kept) : 0;
  }
  return means;
}

// Which of two nearly equal numbers comes first is no error, but everything picked by that order
// would be compared with something else: the simulation picks what FP32 picks.
bool IsIndex(const graph::Value& value) {
  return value.type == graph::DataType::kInt32 || value.type == graph::DataType::kInt64;
}

void AddTo(const Outputs& outputs, const std::vector<float>& correction, Tensor* tensor) {
  for (size_t first = 0; first < tensor->floats.size(); first += outputs.inner) {
    const float shift = correction[first / outputs.inner % outputs.count];
    for (size_t i = first; i < first + outputs.inner; ++i) tensor->floats[i] += shift;
  }
}

}  // namespace

double Decibels(const Figure& figure) {
  // A signal that fills its range lies 48 dB above the rounding to 8 bits. A saturated score that
  // is exact by chance says nothing, and must not outweigh the others when it is no longer.
  constexpr double kBestDb = 50;
  if (!(figure.signal > 0) || !std::isfinite(figure.signal) || !std::isfinite(figure.error)) {
    return std::numeric_limits<double>::quiet_NaN();
  }
  return std::min(kBestDb, 10 * std::log10(figure.signal / std::max(figure.error, 1e-300)));
}

int64_t BytesOfPicture(const graph::Graph& graph) {
  const std::vector<bool> needed = operators::ViewOutputs(graph).needed;
  const std::vector<int64_t> last = LastUses(graph, needed);
  int64_t alive = 0;
  for (ValueId id : graph.inputs) alive += BytesOf(graph.At(id));
  int64_t most = alive;
  std::vector<bool> gone(graph.values.size());
  for (size_t n = 0; n < graph.nodes.size(); ++n) {
    if (!needed[n]) continue;
    const graph::Node& node = graph.nodes[n];
    for (ValueId id : node.outputs) {
      if (id != graph::kNoValue) alive += BytesOf(graph.At(id));
    }
    most = std::max(most, alive);
    for (const auto* ids : {&node.inputs, &node.outputs}) {
      for (ValueId id : *ids) {
        if (id == graph::kNoValue || graph.Constant(id) != nullptr) continue;
        const auto v = static_cast<size_t>(id);
        if (last[v] != static_cast<int64_t>(n) || gone[v]) continue;
        gone[v] = true;
        alive -= BytesOf(graph.At(id));
      }
    }
  }
  return 2 * most;
}

Lockstep::Lockstep(const graph::Graph& graph, const quantize::Scheme& scheme, int threads)
    : graph_(graph),
      scheme_(scheme),
      links_(graph),
      view_(operators::ViewOutputs(graph)),
      last_use_(LastUses(graph, view_.needed)),
      workspaces_(static_cast<size_t>(std::max(1, threads))) {}

void Lockstep::Add(const std::vector<const images::Dataset*>& inputs, int64_t sample) {
  Lane& lane = lanes_.emplace_back();
  lane.exact.resize(graph_.values.size());
  for (size_t i = 0; i < inputs.size(); ++i) {
    lane.exact[static_cast<size_t>(graph_.inputs[i])] = inputs[i]->Load(sample);
  }
  lane.rounded = lane.exact;
}

void Lockstep::Run(const std::function<void()>& progress, std::vector<Figure>* figures) {
  figures_ = figures;
  size_t pieces = 0;
  for (const auto& output : view_.outputs) pieces += output.size();
  figures_->resize(pieces);
  for (ValueId id : graph_.inputs) Measure(id);
  for (size_t n = 0; n < graph_.nodes.size(); ++n) {
    if (view_.needed[n]) Step(n, false);
    progress();
  }
}

std::vector<std::vector<float>> Lockstep::Correct(const std::function<void()>& progress) {
  clip_ = false;
  std::vector<std::vector<float>> corrections(graph_.nodes.size());
  for (size_t n = 0; n < graph_.nodes.size(); ++n) {
    if (view_.needed[n]) corrections[n] = Step(n, true);
    progress();
  }
  return corrections;
}

const quantize::TensorScheme* Lockstep::SchemeOf(ValueId id) const {
  const auto& scheme = scheme_.tensors[static_cast<size_t>(id)];
  return scheme && graph_.At(id).type == graph::DataType::kFloat ? &*scheme : nullptr;
}

// Computes node n of every picture.
std::vector<float> Lockstep::Step(size_t n, bool correct) {
  const graph::Node& node = graph_.nodes[n];
  const Outputs outputs = IsInt8(n) ? OutputsOf(graph_, node) : Outputs{};
  std::optional<Tensor> weights;
  if (outputs.count > 0) {
    const graph::Value& value = graph_.At(node.inputs[1]);
    // Weights that the model brings as codes are exact in them.
    weights = value.given ? *value.constant : RoundWeights(*value.constant, outputs);
  }
  std::vector<std::vector<double>> shifts(lanes_.size());
  std::vector<Tensor> sums(lanes_.size());
  ForEachLane([&](Lane& lane, size_t item, operators::Workspace& workspace) {
    Execute(node, lane.exact, nullptr, workspace, &lane.exact);
    const std::vector<Tensor> borders = RoundBorders(n, lane);
    Execute(node, lane.rounded, weights ? &*weights : nullptr, workspace, &lane.rounded, borders);
    for (const ValueId id : node.outputs) {
      if (id != graph::kNoValue && IsIndex(graph_.At(id))) {
        lane.rounded[static_cast<size_t>(id)] = lane.exact[static_cast<size_t>(id)];
      }
    }
    if (watcher_ && weights && view_.is_piece[static_cast<size_t>(node.outputs[0])]) {
      sums[item] = WithExactWeights(node, lane, borders, workspace);
    }
    if (outputs.count > 0 && correct) {
      const auto id = static_cast<size_t>(node.outputs[0]);
      shifts[item] = ShiftOf(outputs, lane.exact[id].floats, lane.rounded[id].floats);
    }
  });
  std::vector<float> correction;
  // Where the model brings its own quantization, it was trained with it.
  const bool given =
      graph_.At(node.inputs[0]).given != nullptr || graph_.At(node.outputs[0]).given != nullptr;
  if (outputs.count > 0 && correct && !given) correction = CertainMeans(outputs, shifts);
  if (outputs.count > 0 && !correct) correction = scheme_.bias_correction[n];
  std::vector<std::vector<Tensor>> before(lanes_.size());
  ForEachLane([&](Lane& lane, size_t item, operators::Workspace&) {
    for (ValueId id : node.outputs) {
      if (id == graph::kNoValue) continue;
      Tensor& exact = lane.exact[static_cast<size_t>(id)];
      Tensor& rounded = lane.rounded[static_cast<size_t>(id)];
      if (!correction.empty()) AddTo(outputs, correction, &rounded);
      if (!node.activation.empty()) {
        operators::ApplyActivation(node.activation, exact.floats, node.alpha, node.beta);
        operators::ApplyActivation(node.activation, rounded.floats, node.alpha, node.beta);
      }
      if (watcher_) before[item].push_back(rounded);
      if (IsInt8(n) && SchemeOf(id) != nullptr) Round(*SchemeOf(id), clip_, &rounded);
    }
  });
  for (size_t item = 0; watcher_ && item < lanes_.size(); ++item) {
    size_t next = 0;
    for (ValueId id : node.outputs) {
      if (id == graph::kNoValue) continue;
      const auto v = static_cast<size_t>(id);
      watcher_({id, lanes_[item].exact[v].floats, before[item][next++].floats,
                lanes_[item].rounded[v].floats,
                sums[item].floats.empty() ? nullptr : &sums[item].floats});
    }
  }
  for (ValueId id : node.outputs) {
    if (id != graph::kNoValue) Measure(id);
  }
  Release(n);
  return correction;
}

Tensor Lockstep::WithExactWeights(const graph::Node& node, const Lane& lane,
                                  const std::vector<Tensor>& borders,
                                  operators::Workspace& workspace) const {
  std::vector<Tensor> results(graph_.values.size());
  Execute(node, lane.rounded, nullptr, workspace, &results, borders);
  Tensor result = std::move(results[static_cast<size_t>(node.outputs[0])]);
  if (!node.activation.empty()) {
    operators::ApplyActivation(node.activation, result.floats, node.alpha, node.beta);
  }
  return result;
}

template <typename Body>
void Lockstep::ForEachLane(const Body& body) {
  executor::ParallelFor(static_cast<int64_t>(lanes_.size()), static_cast<int>(workspaces_.size()),
                        [&](int thread, int64_t item) {
                          body(lanes_[static_cast<size_t>(item)], static_cast<size_t>(item),
                               workspaces_[static_cast<size_t>(thread)]);
                        });
}

// Inputs of an int8 node that come from outside of the int8 part, as it reads them; else empty.
std::vector<Tensor> Lockstep::RoundBorders(size_t n, const Lane& lane) const {
  std::vector<Tensor> borders(graph_.nodes[n].inputs.size());
  for (size_t i = 0; i < borders.size() && IsInt8(n); ++i) {
    const ValueId id = graph_.nodes[n].inputs[i];
    if (id == graph::kNoValue || graph_.Constant(id) != nullptr) continue;
    const int producer = links_.producer[static_cast<size_t>(id)];
    if (producer >= 0 && IsInt8(static_cast<size_t>(producer))) continue;
    if (SchemeOf(id) == nullptr) continue;
    borders[i] = lane.rounded[static_cast<size_t>(id)];
    Round(*SchemeOf(id), clip_, &borders[i]);
  }
  return borders;
}

void Lockstep::Execute(const graph::Node& node, const std::vector<Tensor>& values,
                       const Tensor* weights, operators::Workspace& workspace,
                       std::vector<Tensor>* results, const std::vector<Tensor>& borders) const {
  std::vector<const Tensor*> sources;
  for (size_t i = 0; i < node.inputs.size(); ++i) {
    const ValueId id = node.inputs[i];
    if (id == graph::kNoValue) {
      sources.push_back(nullptr);
    } else if (i == 1 && weights != nullptr) {
      sources.push_back(weights);
    } else if (const Tensor* constant = graph_.Constant(id)) {
      sources.push_back(constant);
    } else if (i < borders.size() && !borders[i].shape.empty()) {
      sources.push_back(&borders[i]);
    } else {
      sources.push_back(&values[static_cast<size_t>(id)]);
    }
  }
  std::vector<Tensor> outputs(node.outputs.size());
  for (size_t i = 0; i < outputs.size(); ++i) {
    if (node.outputs[i] == graph::kNoValue) continue;
    const graph::Value& value = graph_.At(node.outputs[i]);
    outputs[i].type = value.type;
    outputs[i].shape = *value.shape;
    const auto count = static_cast<size_t>(graph::ElementCount(*value.shape));
    value.type == graph::DataType::kFloat ? outputs[i].floats.resize(count)
                                          : outputs[i].integers.resize(count);
  }
  operators::Find(node.op)->execute(node, sources, outputs, workspace);
  for (size_t i = 0; i < outputs.size(); ++i) {
    if (node.outputs[i] == graph::kNoValue) continue;
    (*results)[static_cast<size_t>(node.outputs[i])] = std::move(outputs[i]);
  }
}

// Adds what outputs take from a value, through the function they apply to it.
void Lockstep::Measure(ValueId id) {
  if (figures_ == nullptr || !view_.is_piece[static_cast<size_t>(id)] ||
      graph_.At(id).type != graph::DataType::kFloat) {
    return;
  }
  size_t figure = 0;
  for (const auto& pieces : view_.outputs) {
    for (const operators::OutputPiece& piece : pieces) {
      if (piece.value == id) Measure(piece, &(*figures_)[figure]);
      ++figure;
    }
  }
}

void Lockstep::Measure(const operators::OutputPiece& piece, Figure* figure) const {
  for (const Lane& lane : lanes_) {
    std::vector<float> exact = lane.exact[static_cast<size_t>(piece.value)].floats,
                       rounded = lane.rounded[static_cast<size_t>(piece.value)].floats;
    if (!piece.function.empty()) {
      operators::ApplyActivation(piece.function, exact, 0, 0);
      operators::ApplyActivation(piece.function, rounded, 0, 0);
    }
    for (size_t i = 0; i < exact.size(); ++i) {
      const double difference = static_cast<double>(exact[i]) - static_cast<double>(rounded[i]);
      figure->signal += static_cast<double>(exact[i]) * static_cast<double>(exact[i]);
      figure->error += difference * difference;
    }
  }
}

// Memory of values nobody reads any more.
void Lockstep::Release(size_t n) {
  for (size_t v = 0; v < last_use_.size(); ++v) {
    if (last_use_[v] != static_cast<int64_t>(n)) continue;
    // Two moves: copying an empty tensor would keep the memory.
    for (Lane& lane : lanes_) {
      lane.exact[v] = Tensor{};
      lane.rounded[v] = Tensor{};
    }
  }
}

}  // namespace octet::recover
