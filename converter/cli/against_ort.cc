#include "converter/cli/against_ort.h"

#include <algorithm>
#include <cmath>
#include <set>

#include "converter/executor/executor.h"
#include "converter/export/model_edit.h"
#include "converter/support/error.h"

namespace octet::cli {
namespace {

using graph::ValueId;

ort::Results RunOrt(const OrtModel& model, const graph::Graph& graph, const Datasets& data,
                    int64_t count, const std::vector<ValueId>& values, int threads) {
  std::vector<ort::Input> inputs;
  for (const ValueId id : graph.inputs) {
    const graph::Value& value = graph.At(id);
    inputs.push_back({value.name, *value.shape, value.given});
  }
  std::vector<std::string> names;
  for (const ValueId id : values) names.push_back(graph.At(id).name);
  ort::RunOptions options;
  options.threads = threads;
  options.import = model.import;
  return ort::Run(
      model.path, inputs,
      [&data](size_t input, int64_t sample) { return data[input]->Load(sample); }, count, names,
      options);
}

bool IsAsLarge(const ort::Results& results, size_t index, const graph::Value& value) {
  return graph::ElementCount(results.ShapeOf(index)) == graph::ElementCount(*value.shape);
}

}  // namespace

void LayerAgreement::Add(std::vector<float> theirs, std::vector<float> ours) {
  for (size_t i = 0; i < theirs.size(); ++i) {
    float &a = theirs[i], &b = ours[i];
    if (!std::isfinite(a) && (a == b || (std::isnan(a) && std::isnan(b)))) a = b = 0;
    if (std::isfinite(a)) magnitude = std::max(magnitude, static_cast<double>(std::fabs(a)));
  }
  numbers.Add(theirs, ours);
}

double LayerAgreement::Span() const {
  return std::max(numbers.range, magnitude);
}

bool LayerAgreement::Agrees() const {
  return std::isfinite(numbers.largest) && numbers.largest <= kFp32Share * Span();
}

namespace {

// By value: whether its numbers stand where computed indices say.
std::vector<bool> PickedValues(const graph::Graph& graph) {
  std::vector<bool> picked(graph.values.size());
  for (const graph::Node& node : graph.nodes) {
    const bool by_index = std::any_of(node.inputs.begin(), node.inputs.end(), [&](ValueId id) {
      if (id == graph::kNoValue || graph.Constant(id) != nullptr) return false;
      const graph::DataType type = graph.At(id).type;
      return picked[static_cast<size_t>(id)] || type == graph::DataType::kInt32 ||
             type == graph::DataType::kInt64;
    });
    for (const ValueId id : graph::Present(node.outputs)) {
      if (by_index) picked[static_cast<size_t>(id)] = true;
    }
  }
  return picked;
}

}  // namespace

ort::Results OutputsOfOrt(const OrtModel& model, const graph::Graph& graph, const Datasets& data,
                          int64_t count, int threads) {
  ort::Results results = RunOrt(model, graph, data, count, graph.outputs, threads);
  for (size_t i = 0; i < graph.outputs.size(); ++i) {
    const graph::Value& value = graph.At(graph.outputs[i]);
    if (IsAsLarge(results, i, value)) continue;
    // The inputs have one shape there and here.
    Fail(
        "{}: '{}' is {} in ONNX Runtime, {} here: data decide its length there, and here it has "
        "places for all; compare without --against",
        model.path, value.name, graph::ToString(results.ShapeOf(i)), graph::ToString(*value.shape));
  }
  return results;
}

std::vector<LayerAgreement> CompareLayers(const OrtModel& model, const graph::Graph& graph,
                                          const Datasets& data, int64_t count, int threads) {
  const std::vector<std::string> computed = exporting::ComputedValues(model.path);
  std::set<std::string> open(computed.begin(), computed.end());
  std::vector<ValueId> values;
  std::vector<LayerAgreement> layers;
  std::vector<int> place(graph.values.size(), -1);
  const std::vector<bool> picked = PickedValues(graph);
  executor::Executor executor(graph);
  for (const graph::Node& node : graph.nodes) {
    for (const ValueId id : graph::Present(node.outputs)) {
      if (graph.Constant(id) != nullptr) continue;
      const graph::Value& value = graph.At(id);
      // Every name once: what a pass added may repeat one.
      if (value.type != graph::DataType::kFloat || open.erase(value.name) == 0) continue;
      place[static_cast<size_t>(id)] = static_cast<int>(values.size());
      values.push_back(id);
      layers.push_back({value.name, node.op, node.name, picked[static_cast<size_t>(id)], {}});
    }
  }
  const int64_t samples = std::min(count, kLayerSamples);
  const ort::Results theirs = RunOrt(model, graph, data, samples, values, threads);
  std::vector<bool> seen(layers.size());
  // Without the channels that a pass has removed, and codes beside real values, are not the same.
  for (size_t index = 0; index < values.size(); ++index) {
    if (!IsAsLarge(theirs, index, graph.At(values[index])) || !theirs.IsReal(index)) {
      place[static_cast<size_t>(values[index])] = -1;
    }
  }
  for (int64_t i = 0; i < samples; ++i) {
    std::vector<graph::Tensor> inputs;
    for (const auto& dataset : data) inputs.push_back(dataset->Load(i));
    executor.Run(inputs, [&](ValueId id, const graph::Tensor& ours) {
      const int at = place[static_cast<size_t>(id)];
      if (at < 0) return;
      const auto index = static_cast<size_t>(at);
      layers[index].Add(theirs.Load(i, index), ours.floats);
      seen[index] = true;
    });
  }
  // What no output needs is not executed.
  size_t kept = 0;
  for (size_t i = 0; i < layers.size(); ++i) {
    if (seen[i]) layers[kept++] = layers[i];
  }
  layers.resize(kept);
  return layers;
}

bool AddLayers(const std::vector<LayerAgreement>& layers, bool quantized,
               const ort::Results& results, nlohmann::json* report) {
  (*report)["against"] = "ONNX Runtime " + results.version();
  (*report)["fp32_judged"] = !quantized;
  (*report)["fp32_layers"] = nlohmann::json::array();
  bool agrees = true;
  for (const LayerAgreement& layer : layers) {
    agrees &= quantized || layer.picked || layer.Agrees();
    (*report)["fp32_layers"].push_back({{"value", layer.value},
                                        {"op", layer.op},
                                        {"node", layer.node},
                                        {"snr_db", layer.numbers.SnrDb()},
                                        {"largest_difference", layer.numbers.largest},
                                        {"range", layer.Span()},
                                        {"picked", layer.picked},
                                        {"agrees", layer.Agrees()}});
  }
  return agrees;
}

void PrintLayers(const nlohmann::json& report) {
  constexpr size_t kMostShown = 10;
  const auto& layers = report["fp32_layers"];
  const bool judged = report["fp32_judged"];
  size_t differing = 0;
  double worst = 0;
  std::string where;
  for (const auto& layer : layers) {
    if (!layer["agrees"].get<bool>()) {
      if (differing++ >= kMostShown || !judged) continue;
      const bool picked = layer["picked"];
      fmt::print("fp32     {:<24} {} '{}': largest difference {:.4g} of range {:.4g}  {}\n",
                 layer["value"].get<std::string>(), layer["op"].get<std::string>(),
                 layer["node"].get<std::string>(), layer["largest_difference"].get<double>(),
                 layer["range"].get<double>(),
                 picked ? "not judged: computed indices select it" : "differs");
      continue;
    }
    const double range = layer["range"].get<double>();
    const double share = range > 0 ? layer["largest_difference"].get<double>() / range : 0;
    if (share < worst) continue;
    worst = share;
    where = layer["value"];
  }
  fmt::print("FP32 here and in {}: {} of {} values within {} of their range{}\n",
             report["against"].get<std::string>(), layers.size() - differing, layers.size(),
             kFp32Share,
             !judged ? "; not judged: the model rounds to codes itself"
             : where.empty()
                 ? ""
                 : fmt::format(", the largest difference is {:.1e} of it ('{}')", worst, where));
}

}  // namespace octet::cli
