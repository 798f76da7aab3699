#include "converter/analyze/analyze.h"

#include <algorithm>
#include <cmath>
#include <map>
#include <numeric>
#include <set>

#include "converter/operators/output_view.h"
#include "converter/quantize/saturation.h"
#include "converter/recover/lockstep.h"
#include "converter/recover/simulate.h"

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

Records RecordPictures(const graph::Graph& graph, const Statistics& statistics,
                       const std::vector<const images::Dataset*>& inputs,
                       const quantize::Scheme& scheme, const Options& options, int64_t* pictures) {
  Records records;
  const int64_t available = inputs.empty() ? 0 : inputs[0]->size();
  const int64_t count = std::min(available, options.pictures);
  *pictures = count;
  quantize::Scheme simulated = scheme;
  simulated.bias_correction.resize(graph.nodes.size());
  const int64_t batch = std::max<int64_t>(
      1, options.memory_bytes / std::max<int64_t>(1, recover::BytesOfPicture(graph)));
  for (int64_t first = 0; first < count; first += batch) {
    const int64_t end = std::min(count, first + batch);
    recover::Lockstep lockstep(graph, simulated, options.threads);
    for (int64_t i = first; i < end; ++i) lockstep.Add(inputs, i * available / count);
    // Pictures come in order within every value, so that batches change no sum.
    lockstep.Watch([&](const recover::Lockstep::Shown& shown) {
      const auto v = static_cast<size_t>(shown.id);
      if (graph.values[v].type != graph::DataType::kFloat) return;
      auto found = records.find(shown.id);
      if (found == records.end()) {
        const auto codes = CodesOf(scheme, statistics, v);
        if (!codes) return;
        found = records.emplace(shown.id, ActivationRecord(*codes)).first;
      }
      found->second.Add(shown.exact, shown.before, shown.after);
    });
    std::vector<recover::Figure> unused;
    const auto nodes = static_cast<int64_t>(graph.nodes.size());
    int64_t node = 0;
    lockstep.Run(
        [&] {
          ++node;
          if (!options.progress || nodes == 0) return;
          options.progress(first * nodes + node * (end - first), count * nodes);
        },
        &unused);
  }
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
    const bool levels = quantize::ChangingPart(graph, graph.nodes[next], {-1, 1}, 1).has_value();
    if (!needed[next] || !levels) return n;
    n = next;
  }
}

std::string OperatorsOf(const graph::Node& node) {
  return node.op + (node.activation.empty() ? "" : "+" + node.activation);
}

std::optional<WeightFigures> WeightsOf(const graph::Graph& graph, const graph::Node& node) {
  const recover::Outputs outputs = recover::OutputsOf(graph, node);
  if (outputs.count == 0) return std::nullopt;
  const graph::Value& value = graph.At(node.inputs[1]);
  const graph::Tensor& weights = *value.constant;
  WeightLayout layout;
  layout.channels = outputs.count;
  layout.depth = weights.floats.size() / outputs.count;
  layout.channel_step = outputs.across == 1 ? layout.depth : 1;
  layout.element_step = outputs.across;
  // Weights that the model brings as codes are exact in them.
  if (value.given) return CompareWeights(weights.floats, weights.floats, layout);
  const graph::Tensor rounded = recover::RoundWeights(weights, outputs);
  return CompareWeights(weights.floats, rounded.floats, layout);
}

}  // namespace

Coverage CoverageOf(const graph::Graph& graph, const quantize::Scheme& scheme) {
  const std::vector<bool> needed = operators::ViewOutputs(graph).needed;
  std::set<ValueId> touched;
  for (size_t n = 0; n < graph.nodes.size(); ++n) {
    if (!needed[n] || scheme.precision[n] != blob::Precision::kInt8) continue;
    for (const auto* ids : {&graph.nodes[n].inputs, &graph.nodes[n].outputs}) {
      for (ValueId id : *ids) {
        if (id == graph::kNoValue || graph.Constant(id) != nullptr) continue;
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
    } else if (tensor->origin.starts_with("shared with ") || tensor->origin == "union of inputs") {
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

Analysis Analyze(const graph::Graph& graph, const Statistics& statistics,
                 const std::vector<const images::Dataset*>& inputs, const quantize::Scheme& scheme,
                 const Options& options) {
  Analysis result;
  const Records records =
      RecordPictures(graph, statistics, inputs, scheme, options, &result.pictures);
  const recover::Diagnosis diagnosis = recover::Diagnose(graph, inputs, scheme, options.threads);
  const graph::Links links(graph);
  const std::vector<bool> needed = operators::ViewOutputs(graph).needed;
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
    if (judge != n) layer.op += "+" + OperatorsOf(graph.nodes[judge]);
    layer.tensor = graph.At(id).name;
    layer.shape = *graph.At(id).shape;
    layer.int8 = scheme.precision[n] == blob::Precision::kInt8 &&
                 scheme.precision[judge] == blob::Precision::kInt8;
    double before = 0;
    for (ValueId input : node.inputs) before = std::max(before, NoiseOf(records, input));
    layer.added = std::max(0.0, found->second.NoiseShare() - before);
    if (const auto& seen = statistics[static_cast<size_t>(id)]) TrackRange(*seen, &layer);
    if (layer.int8) {
      layer.weights = WeightsOf(graph, node);
      if (layer.added > 0) {
        layer.cause =
            recover::CauseAt(graph, statistics, scheme, diagnosis, static_cast<int>(judge));
      }
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
