#include "converter/analyze/analyze.h"

#include <algorithm>
#include <cmath>
#include <map>
#include <numeric>
#include <set>
#include <utility>

#include "converter/lower/coded_weights.h"
#include "converter/operators/output_view.h"
#include "converter/quantize/saturation.h"
#include "converter/simulate/rounding.h"

namespace octet::analyze {
namespace {

using graph::ValueId;
using Statistics = std::vector<std::optional<calibrate::Statistics>>;
using Records = std::map<ValueId, ActivationRecord>;

// What a tensor is counted in: its codes, or those it would have where it runs in FP16.
std::optional<quantize::TensorScheme> CodesOf(const quantize::Scheme& scheme,
                                              const Statistics& statistics, size_t v) {
  if (scheme.tensors[v]) return scheme.tensors[v];
  if (!statistics[v] || !std::isfinite(statistics[v]->min)) return std::nullopt;
  return quantize::Affine(statistics[v]->min, statistics[v]->max, false);
}

Records RecordPictures(const simulate::Simulator& simulator, const Statistics& statistics,
                       const quantize::Scheme& scheme, const std::vector<int64_t>& samples,
                       const std::function<void(int64_t, int64_t)>& progress,
                       recover::Diagnosis* diagnosis) {
  const graph::Graph& graph = simulator.topology().graph;
  Records records;
  const auto total = static_cast<int64_t>(samples.size());
  ValueId first = graph::kNoValue;  // shown of every picture
  int64_t begun = 0;
  const auto see = [&](const simulate::Simulator::Shown& shown) {
    const auto v = static_cast<size_t>(shown.id);
    if (first == graph::kNoValue) first = shown.id;
    if (shown.id == first && progress) progress(begun++, total);
    if (graph.values[v].type != graph::DataType::kFloat) return;
    auto found = records.find(shown.id);
    if (found == records.end()) {
      const auto codes = CodesOf(scheme, statistics, v);
      if (!codes) return;
      found = records.emplace(shown.id, ActivationRecord(*codes)).first;
    }
    found->second.Add(shown.exact, shown.before, shown.after);
  };
  *diagnosis = recover::Diagnose(simulator, scheme, samples, see);
  if (progress && total > 0) progress(total, total);
  return records;
}

double NoiseOf(const Records& records, ValueId id) {
  const auto found = records.find(id);
  return found == records.end() ? 0 : found->second.NoiseShare();
}

// Share of the histogram's numbers outside low .. high; a bin counts by its middle.
double ShareOutside(const calibrate::Statistics& seen, double low, double high) {
  if (seen.histogram.empty()) return 0;
  const double width = (static_cast<double>(seen.histogram_max) - seen.histogram_min) /
                       static_cast<double>(seen.histogram.size());
  uint64_t outside = 0, all = 0;
  for (size_t i = 0; i < seen.histogram.size(); ++i) {
    const double middle = seen.histogram_min + (static_cast<double>(i) + 0.5) * width;
    all += seen.histogram[i];
    if (middle < low || middle > high) outside += seen.histogram[i];
  }
  return all == 0 ? 0 : static_cast<double>(outside) / static_cast<double>(all);
}

void TrackRange(const calibrate::Statistics& seen, LayerFigures* layer) {
  layer->seen_min = seen.min;
  layer->seen_max = seen.max;
  const double sigma = std::sqrt(std::max(0.0, seen.variance));
  layer->sigma_low = std::max<double>(seen.min, seen.mean - kSigmas * sigma);
  layer->sigma_high = std::min<double>(seen.max, seen.mean + kSigmas * sigma);
  layer->beyond_sigma = ShareOutside(seen, layer->sigma_low, layer->sigma_high);
  const quantize::TensorScheme& range = layer->activations.scheme();
  const double width = layer->sigma_high - layer->sigma_low;
  layer->range_ratio = width > 0 ? (static_cast<double>(range.max) - range.min) / width : 0;
}

// The node whose result tells what node n loses. A range in front of a function that levels off is
// cut on purpose where the function tells nothing apart, so that a layer is judged behind such a
// function, as it runs: both are one layer on the board.
size_t JudgedAt(const graph::Graph& graph, const graph::Links& links,
                const std::vector<bool>& needed, size_t n) {
  for (;;) {
    const auto v = static_cast<size_t>(graph.nodes[n].outputs[0]);
    if (links.is_output[v] || links.consumers[v].size() != 1) return n;
    const auto next = static_cast<size_t>(links.consumers[v][0]);
    // Whether it levels off does not depend on range and scale.
    const bool levels = quantize::ChangingPart(graph, graph.nodes[next], {-1, 1}, {}).has_value();
    if (!needed[next] || !levels) return n;
    n = next;
  }
}

std::string OperatorsOf(const graph::Node& node) {
  std::string operators = node.op;
  if (!node.activation.empty()) operators.append("+").append(node.activation);
  return operators;
}

std::optional<WeightFigures> WeightsOf(const graph::Graph& graph, const lower::WeightCoder& coder,
                                       size_t n) {
  const graph::Node& node = graph.nodes[n];
  const simulate::Outputs outputs = simulate::OutputsOf(graph, node);
  if (outputs.count == 0) return std::nullopt;
  const std::optional<lower::CodedWeights> coded = coder.Of(n);
  if (!coded) return std::nullopt;
  const graph::Tensor& weights = *graph.Constant(node.inputs[1]);
  WeightLayout layout;
  layout.channels = outputs.count;
  layout.depth = weights.floats.size() / outputs.count;
  layout.channel_step = outputs.across == 1 ? layout.depth : 1;
  layout.element_step = outputs.across;
  return CompareWeights(weights.floats, coded->weights.floats, layout);
}

}  // namespace

Coverage CoverageOf(const graph::Graph& graph, const quantize::Scheme& scheme) {
  const std::vector<bool> needed = operators::ViewOutputs(graph).needed;
  std::set<ValueId> touched;
  for (size_t n = 0; n < graph.nodes.size(); ++n) {
    if (!needed[n] || scheme.precision[n] != blob::Precision::kInt8) continue;
    for (const auto* ids : {&graph.nodes[n].inputs, &graph.nodes[n].outputs}) {
      for (ValueId id : graph::Present(*ids)) {
        if (graph.Constant(id) != nullptr) continue;
        if (graph.At(id).type == graph::DataType::kFloat) touched.insert(id);
      }
    }
  }
  Coverage coverage;
  for (ValueId id : touched) {
    const auto& tensor = scheme.tensors[static_cast<size_t>(id)];
    if (!tensor) {
      coverage.missing.push_back(graph.At(id).name);
    } else if (graph.At(id).given != nullptr) {
      ++coverage.given;
    } else if (tensor->origin.kind == quantize::Origin::Kind::kShared ||
               tensor->origin.kind == quantize::Origin::Kind::kUnion) {
      ++coverage.shared;
    } else {
      ++coverage.own;
      coverage.by_channel += tensor->channels.empty() ? 0 : 1;
    }
  }
  return coverage;
}

std::vector<size_t> WorstFirst(const Analysis& analysis) {
  std::vector<size_t> order(analysis.layers.size());
  std::iota(order.begin(), order.end(), size_t{0});
  std::stable_sort(order.begin(), order.end(), [&](size_t a, size_t b) {
    const LayerFigures &one = analysis.layers[a], &other = analysis.layers[b];
    if (one.added != other.added) return one.added > other.added;
    return one.activations.SnrDb() < other.activations.SnrDb();
  });
  return order;
}

Analysis Analyze(const simulate::Simulator& simulator, const Statistics& statistics,
                 const quantize::Scheme& scheme, const std::vector<int64_t>& samples,
                 const std::function<void(int64_t done, int64_t total)>& progress) {
  const graph::Graph& graph = simulator.topology().graph;
  Analysis result;
  result.pictures = static_cast<int64_t>(samples.size());
  recover::Diagnosis diagnosis;
  const Records records =
      RecordPictures(simulator, statistics, scheme, samples, progress, &diagnosis);
  const graph::Links links(graph);
  const std::vector<bool> needed = operators::ViewOutputs(graph).needed;
  const lower::WeightCoder coder(graph, scheme);
  std::vector<bool> told(graph.nodes.size());
  for (size_t n = 0; n < graph.nodes.size(); ++n) {
    if (!needed[n] || told[n]) continue;
    const graph::Node& node = graph.nodes[n];
    const size_t judge = JudgedAt(graph, links, needed, n);
    const ValueId id = graph.nodes[judge].outputs[0];
    told[judge] = true;
    const auto found = records.find(id);
    if (found == records.end() || found->second.count() == 0) continue;
    LayerFigures layer;
    layer.activations = found->second;
    layer.node = static_cast<int>(n);
    layer.name = node.name;
    layer.op = OperatorsOf(node);
    if (judge != n) layer.op.append("+").append(OperatorsOf(graph.nodes[judge]));
    layer.tensor = graph.At(id).name;
    layer.shape = *graph.At(id).shape;
    layer.int8 = scheme.precision[n] == blob::Precision::kInt8 &&
                 scheme.precision[judge] == blob::Precision::kInt8;
    if (const auto& seen = statistics[static_cast<size_t>(id)]) TrackRange(*seen, &layer);
    if (layer.int8) layer.weights = WeightsOf(graph, coder, n);
    // What only moves numbers, or computes exactly, may take the noisier part of its input, but
    // adds nothing of its own.
    if (layer.int8 && (layer.weights || found->second.WasRounded())) {
      double before = 0;
      for (ValueId input : node.inputs) before = std::max(before, NoiseOf(records, input));
      layer.added = std::max(0.0, found->second.NoiseShare() - before);
    }
    if (layer.added > 0) {
      recover::Cause cause =
          recover::CauseAt(graph, statistics, scheme, diagnosis, static_cast<int>(judge));
      layer.cause = std::move(cause.text);
      layer.cause_kind = cause.kind;
    }
    result.layers.push_back(std::move(layer));
  }
  for (size_t o = 0; o < graph.outputs.size(); ++o) {
    const recover::OutputFigure& figure = diagnosis.outputs[o];
    result.outputs.push_back({graph.At(graph.outputs[o]).name, figure.Db(), figure.Cosine()});
  }
  result.coverage = CoverageOf(graph, scheme);
  return result;
}

}  // namespace octet::analyze
