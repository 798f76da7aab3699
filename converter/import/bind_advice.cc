#include "converter/import/bind_advice.h"

#include <algorithm>
#include <cctype>
#include <initializer_list>
#include <optional>
#include <string_view>
#include <vector>

#include <fmt/ranges.h>

#include "converter/operators/operator.h"
#include "converter/support/error.h"

namespace octet::import {
namespace {

using graph::Graph;
using graph::kNoValue;
using graph::Shape;
using graph::Value;
using graph::ValueId;

// What is added to a score so that softmax gives nothing to it. Models write -1e4 at least, since
// less is no mask in FP16.
constexpr float kMasked = -1000;
constexpr size_t kMostCuts = 6;

bool Holds(const std::string& name, std::initializer_list<std::string_view> words) {
  std::string lower = name;
  std::transform(lower.begin(), lower.end(), lower.begin(),
                 [](unsigned char c) { return static_cast<char>(std::tolower(c)); });
  return std::any_of(words.begin(), words.end(), [&lower](std::string_view word) {
    return lower.find(word) != std::string::npos;
  });
}

// Constants of the graph that hold a mask's number when all of the input is `value`; nothing where
// the graph cannot be computed so far.
std::optional<size_t> MaskedConstants(Graph graph, ValueId input, int64_t value) {
  Value& bound = graph.At(input);
  const auto count = static_cast<size_t>(graph::ElementCount(*bound.shape));
  bound.constant = graph::Constant::Real(
      graph::Tensor::Integers(*bound.shape, std::vector<int64_t>(count, value), bound.type));
  graph.inputs.erase(std::find(graph.inputs.begin(), graph.inputs.end(), input));
  try {
    operators::InferShapes(graph);
  } catch (const UserError&) {
    return std::nullopt;
  }
  size_t masked = 0;
  for (const graph::Node& node : graph.nodes) {
    for (const ValueId id : node.outputs) {
      const graph::Tensor* tensor = id == kNoValue ? nullptr : graph.Constant(id);
      if (tensor == nullptr || !tensor->IsFloat()) continue;
      masked += std::any_of(tensor->floats.begin(), tensor->floats.end(),
                            [](float v) { return v <= kMasked; })
                    ? 1
                    : 0;
    }
    // Where(mask, minus infinity, scores) keeps its scores where the condition is false.
    if (node.op != "Where" || node.inputs.size() != 3) continue;
    const graph::Tensor* condition = graph.Constant(node.inputs[0]);
    if (condition == nullptr) continue;
    for (const bool chosen : {true, false}) {
      const graph::Tensor* side = graph.Constant(node.inputs[chosen ? 1 : 2]);
      if (side == nullptr || !side->IsFloat()) continue;
      const bool masks = std::any_of(side->floats.begin(), side->floats.end(),
                                     [](float v) { return v <= kMasked; });
      const bool taken = std::any_of(condition->integers.begin(), condition->integers.end(),
                                     [chosen](int64_t v) { return (v != 0) == chosen; });
      masked += masks && taken ? 1 : 0;
    }
  }
  return masked;
}

// The value of a mask at which nothing is masked.
int64_t MaskOf(const Graph& graph, ValueId input) {
  const auto zeros = MaskedConstants(graph, input, 0), ones = MaskedConstants(graph, input, 1);
  if (zeros && ones && *zeros != *ones) return *zeros < *ones ? 0 : 1;
  return Holds(graph.At(input).name, {"attention", "attn", "pixel", "valid"}) ? 1 : 0;
}

// The picture among the inputs: [1, C, H, W] or [1, H, W, C].
struct Picture {
  std::string name;
  int64_t height, width;
};
std::optional<Picture> PictureOf(const Graph& graph) {
  for (const ValueId id : graph.inputs) {
    const Value& value = graph.At(id);
    if (value.type != graph::DataType::kFloat || value.shape->size() != 4) continue;
    const Shape& shape = *value.shape;
    const bool channels_last = shape[1] > 4 && shape[3] <= 4;
    return Picture{value.name, shape[channels_last ? 1 : 2], shape[channels_last ? 2 : 3]};
  }
  return std::nullopt;
}

}  // namespace

std::string BindAdvice(const Graph& graph, ValueId input) {
  const Value& value = graph.At(input);
  const int64_t count = graph::ElementCount(*value.shape);
  const std::string option = "--bind " + value.name + "=";
  if (Holds(value.name, {"mask"})) {
    return fmt::format("{}{} (masks nothing)", option, MaskOf(graph, input));
  }
  const auto picture = PictureOf(graph);
  if (picture && Holds(value.name, {"size", "shape", "wh", "hw"}) && count == 2) {
    // Boxes are scaled as x, y: width first. Names of shapes follow the tensor: height first.
    const bool height_first = Holds(value.name, {"shape", "hw"});
    return fmt::format("{}{},{} ({} of '{}')", option,
                       height_first ? picture->height : picture->width,
                       height_first ? picture->width : picture->height,
                       height_first ? "height and width" : "width and height", picture->name);
  }
  if (Holds(value.name, {"token_type", "segment_id"})) return option + "0";
  if (value.name == "sr" || Holds(value.name, {"sample_rate", "sampling_rate", "samplerate"})) {
    return option + "16000 (samples a second)";
  }
  return option + "VALUE";
}

std::string CutAdvice(const Graph& graph, ValueId input) {
  std::vector<bool> depends(graph.values.size()), fed(graph.values.size());
  depends[static_cast<size_t>(input)] = true;
  for (const ValueId id : graph.inputs) {
    if (graph.At(id).type == graph::DataType::kFloat) fed[static_cast<size_t>(id)] = true;
  }
  std::vector<ValueId> ends;
  const auto add = [&](ValueId id) {
    if (std::find(ends.begin(), ends.end(), id) == ends.end()) ends.push_back(id);
  };
  for (const graph::Node& node : graph.nodes) {
    const bool dependent = graph::AnyOf(node.inputs, depends),
               computed = graph::AnyOf(node.inputs, fed);
    for (const ValueId id : graph::Present(node.outputs)) {
      depends[static_cast<size_t>(id)] = dependent;
      fed[static_cast<size_t>(id)] = computed;
    }
    if (!dependent) continue;
    for (const ValueId id : graph::Present(node.inputs)) {
      if (depends[static_cast<size_t>(id)] || !fed[static_cast<size_t>(id)]) {
        continue;
      }
      // An input itself is no end: nothing would be left.
      if (std::find(graph.inputs.begin(), graph.inputs.end(), id) != graph.inputs.end()) return "";
      add(id);
    }
  }
  std::vector<std::string> names;
  for (const ValueId id : graph.outputs) {
    if (!depends[static_cast<size_t>(id)]) names.push_back(graph.At(id).name);
  }
  for (const ValueId id : ends) {
    if (graph.IsOutput(id)) continue;
    names.push_back(graph.At(id).name);
  }
  if (ends.empty() || names.size() > kMostCuts) return "";
  return fmt::format("--cut-at {}", fmt::join(names, ","));
}

}  // namespace octet::import
