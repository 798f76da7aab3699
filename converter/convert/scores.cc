#include "converter/convert/scores.h"

#include <cmath>
#include <optional>
#include <set>
#include <string>
#include <string_view>
#include <utility>

#include <fmt/format.h>

#include "converter/operators/meaning.h"
#include "converter/operators/operator.h"
#include "converter/operators/weights.h"

namespace octet::convert {
namespace {

// FP32 is asked with a shift that is well above its rounding and moves no score to an end.
constexpr float kAskedShift = 0.25f;
// A smaller shift moves a score of 0.5 by less than a step of 8 bits.
constexpr double kLeastShift = 4.0 / 256;

const graph::Tensor* BiasOf(const graph::Graph& graph, const graph::Node& node) {
  return node.inputs.size() > 2 ? graph.Constant(node.inputs[2]) : nullptr;
}

bool IsProbability(std::string_view op) {
  return operators::MapsElements(op) && operators::NaturalRange(op) == 1;
}

class Walk {
 public:
  explicit Walk(const graph::Graph& graph) : graph_(graph), links_(graph) {
    for (const graph::ValueId id : graph.outputs) Open(id, false);
    while (!open_.empty()) {
      const auto [id, logits] = open_.back();
      open_.pop_back();
      Look(id, logits);
    }
  }
  std::vector<size_t> layers() const { return {layers_.begin(), layers_.end()}; }

 private:
  void Open(graph::ValueId id, bool logits) {
    if (id != graph::kNoValue && seen_.emplace(id, logits).second) open_.emplace_back(id, logits);
  }

  void Look(graph::ValueId id, bool logits) {
    const int producer = links_.producer[static_cast<size_t>(id)];
    if (producer < 0) return;
    const graph::Node& node = graph_.nodes[static_cast<size_t>(producer)];
    // A function of each number with results from 0 to 1. A row's Softmax answers no shift.
    const bool sigmoid = IsProbability(node.op) || IsProbability(node.activation);
    if (operators::WeightsOf(graph_, node)) {
      if (logits ? node.activation.empty() : sigmoid) layers_.insert(static_cast<size_t>(producer));
    } else if (sigmoid) {
      if (!logits) Open(node.inputs[0], true);
    } else if (operators::Int8Of(node) == operators::Int8::kKeepsScale) {
      Open(node.inputs[0], logits);
    } else if (operators::Int8Of(node) == operators::Int8::kJoins) {
      for (const graph::ValueId input : node.inputs) Open(input, logits);
    }
  }

  const graph::Graph& graph_;
  graph::Links links_;
  std::set<std::pair<graph::ValueId, bool>> seen_;
  std::vector<std::pair<graph::ValueId, bool>> open_;
  std::set<size_t> layers_;
};

}  // namespace

std::vector<size_t> ScoreLayers(const graph::Graph& graph) {
  std::vector<size_t> layers = Walk(graph).layers();
  for (const size_t n : layers) {
    const graph::Node& node = graph.nodes[n];
    if (BiasOf(graph, node) == nullptr || node.Float("beta", 1) != 1 ||
        !operators::CodedScalesOf(graph, node).empty()) {
      return {};
    }
  }
  return layers;
}

graph::Graph WithShiftedBiases(graph::Graph graph, const std::vector<size_t>& layers, float shift) {
  for (const size_t n : layers) {
    graph::Tensor bias = *BiasOf(graph, graph.nodes[n]);
    for (float& value : bias.floats) value += shift;
    graph.nodes[n].inputs[2] =
        graph.AddConstant(graph.nodes[n].name + "_shifted_bias", std::move(bias));
  }
  return graph;
}

void CorrectScores(const graph::Graph& graph, Search* search, quantize::Scheme* scheme) {
  const std::vector<size_t> layers = ScoreLayers(graph);
  if (layers.empty()) return;
  const auto measure = search->MeasureOf(*scheme);
  if (measure == nullptr || measure->IsFew()) return;
  const double wanted = measure->LogitShift();
  if (std::abs(wanted) < kLeastShift) return;
  const std::optional<double> response =
      search->evidence().LogitResponse(WithShiftedBiases(graph, layers, kAskedShift));
  // A product of two scores answers twice; less than half of a shift is somebody else's score.
  if (!response || *response < static_cast<double>(kAskedShift) / 2) return;
  const auto shift = static_cast<float>(wanted * static_cast<double>(kAskedShift) / *response);
  quantize::Scheme shifted = *scheme;
  shifted.bias_shift.assign(graph.nodes.size(), 0);
  for (const size_t n : layers) shifted.bias_shift[n] = shift;
  const std::string name =
      fmt::format("{:+.3f} in the biases of {} layers of scores", shift, layers.size());
  if (search->Choose(*scheme, {{name, shifted}})) *scheme = std::move(shifted);
}

}  // namespace octet::convert
