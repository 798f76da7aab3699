#include "converter/recover/bias_correction.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <memory>
#include <optional>

#include "converter/executor/executor.h"
#include "converter/graph/output_view.h"
#include "converter/operators/operator.h"
#include "converter/recover/simulate.h"

namespace octet::recover {
namespace {

using graph::Tensor;
using graph::ValueId;

struct Figure {
  double signal = 0, error = 0;
};

// One picture on its way through the graph, exact and in 8 bits, by value id.
struct Lane {
  std::vector<Tensor> exact, rounded;
};

class Lockstep {
 public:
  Lockstep(const graph::Graph& graph, const quantize::Scheme& scheme, int threads)
      : graph_(graph),
        scheme_(scheme),
        links_(graph),
        view_(graph::ViewOutputs(graph)),
        last_use_(graph.values.size(), -1),
        workspaces_(static_cast<size_t>(std::max(1, threads))),
        figures_(graph.outputs.size()) {
    for (size_t n = 0; n < graph.nodes.size(); ++n) {
      if (!view_.needed[n]) continue;
      for (ValueId id : graph.nodes[n].inputs) Use(id, n);
      for (ValueId id : graph.nodes[n].outputs) Use(id, n);
    }
  }

  void Add(const std::vector<const images::Dataset*>& inputs, int64_t sample) {
    Lane& lane = lanes_.emplace_back();
    lane.exact.resize(graph_.values.size());
    for (size_t i = 0; i < inputs.size(); ++i) {
      lane.exact[static_cast<size_t>(graph_.inputs[i])] = inputs[i]->Load(sample);
    }
    lane.rounded = lane.exact;
  }

  // Runs all pictures with the corrections of the scheme.
  void Run(const std::function<void()>& progress) {
    for (ValueId id : graph_.inputs) Measure(id);
    for (size_t n = 0; n < graph_.nodes.size(); ++n) {
      if (view_.needed[n]) Step(n, false);
      progress();
    }
  }

  // Runs all pictures and returns corrections by node. Values are rounded but not cut off at the
  // ends of their ranges: what large values lose there is no shift of all.
  std::vector<std::vector<float>> Correct(const std::function<void()>& progress) {
    clip_ = false;
    std::vector<std::vector<float>> corrections(graph_.nodes.size());
    for (size_t n = 0; n < graph_.nodes.size(); ++n) {
      if (view_.needed[n]) corrections[n] = Step(n, true);
      progress();
    }
    return corrections;
  }

  // Signal over error of the outputs, over the pictures that are measured.
  double MeanDb() const {
    constexpr double kBestDb = 100;
    double sum = 0;
    for (const Figure& f : figures_) {
      if (!(f.signal > 0) || !std::isfinite(f.signal) || !std::isfinite(f.error)) continue;
      sum += std::min(kBestDb, 10 * std::log10(f.signal / std::max(f.error, 1e-300)));
    }
    return sum / static_cast<double>(std::max<size_t>(figures_.size(), 1));
  }

 private:
  // Every fourth picture tells whether what the others ask for is a gain; few do both.
  bool IsMeasured(size_t item) const { return lanes_.size() < 4 || item % 4 == 3; }
  bool IsCorrectedBy(size_t item) const { return lanes_.size() < 4 || item % 4 != 3; }

  void Use(ValueId id, size_t node) {
    if (id != graph::kNoValue) last_use_[static_cast<size_t>(id)] = static_cast<int64_t>(node);
  }
  bool IsInt8(size_t n) const { return scheme_.precision[n] == blob::Precision::kInt8; }
  const quantize::TensorScheme* SchemeOf(ValueId id) const {
    const auto& scheme = scheme_.tensors[static_cast<size_t>(id)];
    return scheme && graph_.At(id).type == graph::DataType::kFloat ? &*scheme : nullptr;
  }

  // Computes node n of every picture.
  std::vector<float> Step(size_t n, bool correct) {
    const graph::Node& node = graph_.nodes[n];
    const Outputs outputs = IsInt8(n) ? OutputsOf(graph_, node) : Outputs{};
    std::optional<Tensor> weights;
    if (outputs.count > 0) weights = RoundWeights(*graph_.Constant(node.inputs[1]), outputs);
    // Differences of the results, by picture and output channel; empty for those not corrected by.
    std::vector<std::vector<double>> shifts(lanes_.size());
    ForEachLane([&](Lane& lane, size_t item, operators::Workspace& workspace) {
      Execute(node, lane.exact, nullptr, workspace, &lane.exact);
      const std::vector<Tensor> borders = RoundBorders(n, lane);
      Execute(node, lane.rounded, weights ? &*weights : nullptr, workspace, &lane.rounded, borders);
      if (outputs.count > 0 && correct && IsCorrectedBy(item)) {
        shifts[item] = ShiftOf(node, outputs, lane);
      }
    });
    std::vector<float> correction;
    if (outputs.count > 0 && correct) correction = CertainMeans(outputs, shifts);
    if (outputs.count > 0 && !correct) correction = scheme_.bias_correction[n];
    ForEachLane([&](Lane& lane, size_t, operators::Workspace&) {
      for (ValueId id : node.outputs) {
        if (id == graph::kNoValue) continue;
        Tensor& exact = lane.exact[static_cast<size_t>(id)];
        Tensor& rounded = lane.rounded[static_cast<size_t>(id)];
        if (!correction.empty()) AddTo(outputs, correction, &rounded);
        if (!node.activation.empty()) {
          operators::ApplyActivation(node.activation, exact.floats, node.alpha, node.beta);
          operators::ApplyActivation(node.activation, rounded.floats, node.alpha, node.beta);
        }
        if (IsInt8(n) && SchemeOf(id) != nullptr) Round(*SchemeOf(id), clip_, &rounded);
      }
    });
    for (ValueId id : node.outputs) {
      if (id != graph::kNoValue) Measure(id);
    }
    Release(n);
    return correction;
  }

  template <typename Body>
  void ForEachLane(const Body& body) {
    executor::ParallelFor(static_cast<int64_t>(lanes_.size()), static_cast<int>(workspaces_.size()),
                          [&](int thread, int64_t item) {
                            body(lanes_[static_cast<size_t>(item)], static_cast<size_t>(item),
                                 workspaces_[static_cast<size_t>(thread)]);
                          });
  }

  // Inputs of an int8 node that come from outside of the int8 part, as it reads them; else empty.
  std::vector<Tensor> RoundBorders(size_t n, const Lane& lane) const {
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

  void Execute(const graph::Node& node, const std::vector<Tensor>& values, const Tensor* weights,
               operators::Workspace& workspace, std::vector<Tensor>* results,
               const std::vector<Tensor>& borders = {}) const {
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

  // Mean of exact - rounded by output channel.
  static std::vector<double> ShiftOf(const graph::Node& node, const Outputs& outputs,
                                     const Lane& lane) {
    const auto id = static_cast<size_t>(node.outputs[0]);
    const std::vector<float>&exact = lane.exact[id].floats, &rounded = lane.rounded[id].floats;
    std::vector<double> shift(outputs.count, 0);
    for (size_t first = 0; first < exact.size(); first += outputs.inner) {
      double sum = 0;
      for (size_t i = first; i < first + outputs.inner; ++i) {
        sum += static_cast<double>(exact[i]) - static_cast<double>(rounded[i]);
      }
      shift[first / outputs.inner % outputs.count] += sum;
    }
    for (double& sum : shift) sum *= static_cast<double>(outputs.count) / exact.size();
    return shift;
  }

  // The means over pictures, as far as they are certain: of a mean m with standard error e,
  // m * max(0, 1 - (kCertain * e / m)^2) is kept. Deep layers see few positions of few pictures,
  // and the error of a rare large value that was cut off is no shift.
  static std::vector<float> CertainMeans(const Outputs& outputs,
                                         const std::vector<std::vector<double>>& shifts) {
    constexpr double kCertain = 2;
    std::vector<float> means(outputs.count);
    for (size_t c = 0; c < outputs.count; ++c) {
      double sum = 0, squares = 0;
      int count = 0;
      for (const auto& shift : shifts) {
        if (shift.empty()) continue;
        sum += shift[c];
        squares += shift[c] * shift[c];
        ++count;
      }
      const double mean = sum / count;
      const double variance = std::max(0.0, squares / count - mean * mean);
      const double error = variance / std::max(1, count - 1);  // of the mean, squared
      const double kept = mean * std::max(0.0, 1 - kCertain * kCertain * error / (mean * mean));
      means[c] = std::isfinite(kept) ? static_cast<float>(kept) : 0;
    }
    return means;
  }

  static void AddTo(const Outputs& outputs, const std::vector<float>& correction, Tensor* tensor) {
    for (size_t first = 0; first < tensor->floats.size(); first += outputs.inner) {
      const float shift = correction[first / outputs.inner % outputs.count];
      for (size_t i = first; i < first + outputs.inner; ++i) tensor->floats[i] += shift;
    }
  }

  // Adds what outputs take from a value, through the function they apply to it.
  void Measure(ValueId id) {
    if (!view_.is_piece[static_cast<size_t>(id)] || graph_.At(id).type != graph::DataType::kFloat)
      return;
    for (size_t o = 0; o < view_.outputs.size(); ++o) {
      for (const graph::OutputPiece& piece : view_.outputs[o]) {
        if (piece.value == id) Measure(piece, &figures_[o]);
      }
    }
  }

  void Measure(const graph::OutputPiece& piece, Figure* figure) const {
    for (size_t item = 0; item < lanes_.size(); ++item) {
      if (!IsMeasured(item)) continue;
      std::vector<float> exact = lanes_[item].exact[static_cast<size_t>(piece.value)].floats,
                         rounded = lanes_[item].rounded[static_cast<size_t>(piece.value)].floats;
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
  void Release(size_t n) {
    for (size_t v = 0; v < last_use_.size(); ++v) {
      if (last_use_[v] != static_cast<int64_t>(n)) continue;
      for (Lane& lane : lanes_) lane.exact[v] = lane.rounded[v] = Tensor{};
    }
  }

  const graph::Graph& graph_;
  const quantize::Scheme& scheme_;
  graph::Links links_;
  graph::OutputView view_;
  std::vector<int64_t> last_use_;  // by value: node
  std::vector<Lane> lanes_;
  std::vector<operators::Workspace> workspaces_;
  std::vector<Figure> figures_;  // by output
  bool clip_ = true;
};

}  // namespace

Gain CorrectBiases(const graph::Graph& graph, const std::vector<const images::Dataset*>& inputs,
                   const Options& options, quantize::Scheme* scheme) {
  Gain gain;
  scheme->bias_correction.assign(graph.nodes.size(), {});
  const int64_t available = inputs.empty() ? 0 : inputs[0]->size();
  // Both forms of every live value, for each picture.
  const int64_t bytes_each =
      executor::Executor(graph).SlotElements() * 2 * static_cast<int64_t>(sizeof(float));
  const int64_t fits =
      std::max<int64_t>(2, options.memory_bytes / std::max<int64_t>(bytes_each, 1));
  const int64_t count = std::min({available, options.samples, fits});
  if (count < 1) return gain;
  const auto total = 3 * static_cast<int64_t>(graph.nodes.size());
  int64_t done = 0;
  const auto progress = [&] {
    ++done;
    if (options.progress) options.progress(done, total);
  };
  const auto pictures = [&] {
    auto lockstep = std::make_unique<Lockstep>(graph, *scheme, options.threads);
    for (int64_t i = 0; i < count; ++i) lockstep->Add(inputs, i * available / count);
    return lockstep;
  };
  const auto measured_db = [&] {
    const auto lockstep = pictures();
    lockstep->Run(progress);
    return lockstep->MeanDb();
  };
  gain.before_db = measured_db();
  scheme->bias_correction = pictures()->Correct(progress);
  gain.after_db = measured_db();
  gain.kept = gain.after_db > gain.before_db;
  if (!gain.kept) scheme->bias_correction.assign(graph.nodes.size(), {});
  return gain;
}

}  // namespace octet::recover
