#include "converter/cli/same_model.h"

#include <cstring>
#include <functional>
#include <optional>
#include <stdexcept>
#include <vector>

#include "converter/convert/import.h"
#include "converter/export/int8_plan.h"
#include "converter/operators/weights.h"
#include "converter/passes/equalize.h"
#include "converter/quantize/weight_schemes.h"
#include "converter/support/error.h"
#include "converter/support/not_possible.h"

namespace octet::cli {

using import::ImportOptions;

namespace {

// The graph's input of the name that input i of the blob has; else the one at its place, where the
// names say that the model is another.
graph::ValueId IdOfInput(const BlobView& blob, const graph::Graph& graph, uint32_t i) {
  const std::string name = StringAt(blob, blob.inputs[i].name);
  for (const graph::ValueId id : graph.inputs) {
    if (graph.At(id).name == name) return id;
  }
  return i < graph.inputs.size() ? graph.inputs[i] : graph::kNoValue;
}

const graph::Value* InputOf(const BlobView& blob, const graph::Graph& graph, uint32_t i) {
  const graph::ValueId id = IdOfInput(blob, graph, i);
  return id == graph::kNoValue ? nullptr : &graph.At(id);
}

// What is decoded reads FP32's outputs where the blob says its own numbers stand.
void RequireSameShapes(const BlobView& blob, const graph::Graph& graph,
                       const std::string& blob_path, const std::string& model) {
  if (blob.model->output_count != graph.OwnOutputs()) {
    Fail("{} has {} outputs, {} has {}; give the ONNX file that the blob was made from", blob_path,
         blob.model->output_count, model, graph.OwnOutputs());
  }
  const auto require = [&](const char* kind, const graph::Value& value, const uint32_t* dims,
                           uint32_t rank) {
    const graph::Shape shape(dims, dims + rank);
    if (graph::ElementCount(shape) == graph::ElementCount(*value.shape)) return;
    Fail(
        "{}: {} '{}' is {}, in {} {}; give the model and --input-shape that the blob was made from",
        blob_path, kind, value.name, graph::ToString(shape), model, graph::ToString(*value.shape));
  };
  for (uint32_t i = 0; i < blob.model->input_count; ++i) {
    const graph::Value* value = InputOf(blob, graph, i);
    if (value != nullptr) require("input", *value, blob.inputs[i].dims, blob.inputs[i].rank);
  }
  for (uint32_t i = 0; i < blob.model->output_count; ++i) {
    require("output", graph.At(graph.outputs[i]), blob.outputs[i].dims, blob.outputs[i].rank);
  }
}

// How far the directions of the weights of convolutions are from those of their codes: the mean of
// 1 - cos^2 over output channels. 0 where none can be compared.
double MismatchOf(const graph::Graph& graph, const exporting::Int8Plan& plan) {
  double sum = 0;
  int64_t rows = 0;
  for (const graph::Node& node : graph.nodes) {
    const auto weights = operators::WeightsOf(graph, node);
    const blob::LayerRecord* layer = plan.WeightedLayerOf(node.name);
    if (!weights || layer == nullptr || layer->precision != blob::Precision::kInt8 ||
        !operators::IsConvolution(node) || weights->tensor->shape.size() != 4) {
      continue;
    }
    const graph::Shape& shape = weights->tensor->shape;
    const int64_t groups = node.Int("group", 1);
    blob::ConvParams params;
    std::memcpy(&params, &layer->params, sizeof(params));
    if (params.kernel_h != shape[2] || params.kernel_w != shape[3] ||
        plan.OutputOf(*layer).dims[3] != shape[0] ||
        plan.InputOf(*layer).dims[3] != shape[1] * groups) {
      continue;
    }
    const exporting::LayerNumbers numbers = plan.NumbersOf(*layer, *weights->tensor, groups);
    const auto depth = static_cast<size_t>(numbers.depth);
    for (size_t first = 0; first < numbers.codes.size(); first += depth) {
      double product = 0, codes = 0, own = 0;
      for (size_t at = first; at < first + depth; ++at) {
        const double code = numbers.codes[at],
                     weight = static_cast<double>(weights->tensor->floats[at]);
        product += code * weight;
        codes += code * code;
        own += weight * weight;
      }
      if (codes == 0 || own == 0) continue;
      sum += 1 - product * product / (codes * own);
      ++rows;
    }
  }
  return rows == 0 ? 0 : sum / static_cast<double>(rows);
}

// Equalizes as octet convert did (passes/equalize.h). A blob does not say whether; the directions
// of its weights do, which nothing else turns that far.
void EqualizeAsMade(const BlobView& blob, const std::string& blob_path, graph::Graph* graph) {
  constexpr double kFar = 0.5;
  const auto plan = TryTo([&] { return exporting::Int8Plan(blob, blob_path); }).value;
  if (!plan) return;
  const auto is_wide = [graph](size_t node) {
    const auto weights = operators::WeightsOf(*graph, graph->nodes[node]);
    return weights && weights->outputs > quantize::kGroupAbove;
  };
  struct Way {
    std::function<bool(size_t)> wants;
    bool others;
  };
  // By themselves, everywhere, where a board asks for groups.
  const Way ways[] = {
      {[](size_t) { return false; }, true}, {[](size_t) { return true; }, false}, {is_wide, true}};
  double least = MismatchOf(*graph, *plan);
  std::optional<graph::Graph> best;
  for (const Way& way : ways) {
    graph::Graph equalized = *graph;
    if (passes::EqualizeLayers(equalized, way.wants, way.others) == 0) continue;
    const double mismatch = MismatchOf(equalized, *plan);
    if (!(mismatch < kFar * least)) continue;
    least = mismatch;
    best = std::move(equalized);
  }
  if (best) *graph = std::move(*best);
}

}  // namespace

ImportOptions EndingWith(const blobs::BlobFile& file, ImportOptions options) {
  const BlobView view = blobs::ViewOf(file);
  options.cut_at.clear();
  options.states.clear();
  options.states_by_name = false;
  for (uint32_t i = 0; i < view.model->state_count; ++i) {
    options.states.emplace_back(StringAt(view, view.states[i].name),
                                StringAt(view, view.states[i].output_name));
  }
  for (uint32_t i = 0; i < view.model->output_count; ++i) {
    options.cut_at.emplace_back(StringAt(view, view.outputs[i].name));
  }
  options.cut_if_known = true;
  return options;
}

graph::Graph LoadModelOf(const blobs::BlobFile& file, const std::string& blob_path,
                         const std::string& model, const import::ImportOptions& options) {
  graph::Graph graph = convert::LoadGraph(model, EndingWith(file, options), nullptr);
  RequireSameShapes(blobs::ViewOf(file), graph, blob_path, model);
  return graph;
}

graph::Graph ImportModelOf(const blobs::BlobFile& file, const std::string& blob_path,
                           const std::string& model, const import::ImportOptions& options) {
  graph::Graph graph = convert::ImportGraph(model, EndingWith(file, options));
  RequireSameShapes(blobs::ViewOf(file), graph, blob_path, model);
  return graph;
}

graph::Graph WithInputsOf(const blobs::BlobFile& file, graph::Graph graph) {
  const BlobView view = blobs::ViewOf(file);
  std::vector<graph::ValueId> inputs;
  for (uint32_t i = 0; i < view.model->input_count; ++i) {
    const graph::ValueId id = IdOfInput(view, graph, i);
    if (id != graph::kNoValue) inputs.push_back(id);
  }
  graph.inputs = std::move(inputs);
  graph.states.clear();
  return graph;
}

graph::Graph LoadGraphOf(const blobs::BlobFile& file, const std::string& blob_path,
                         const std::string& model, const import::ImportOptions& options) {
  graph::Graph graph = LoadModelOf(file, blob_path, model, options);
  EqualizeAsMade(blobs::ViewOf(file), blob_path, &graph);
  return graph;
}

images::Preprocess PreprocessOf(const blobs::BlobFile& file) {
  images::Preprocess result;
  const BlobView view = blobs::ViewOf(file);
  for (uint32_t i = 0; i < view.model->input_count; ++i) {
    const blob::InputRecord& input = view.inputs[i];
    if (input.is_image == 0) continue;
    result.scale = input.scale;
    for (int c = 0; c < 3; ++c) {
      result.mean[c] = input.mean[c];
      result.std_dev[c] = input.std_dev[c];
    }
    result.colour = input.colour;
    result.resize = input.resize;
    result.letterbox_value = input.letterbox_value;
    break;
  }
  return result;
}

}  // namespace octet::cli
