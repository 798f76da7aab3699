#include "tests/converter/oracle/side_data.h"

#include <algorithm>
#include <cmath>
#include <map>

#include <fmt/format.h>

namespace octet::test {

namespace {

using graph::Graph;
using graph::Node;
using graph::Tensor;

bool IsLayer(const Node& node) {
  return node.op == "Conv" || node.op == "ConvTranspose" || node.op == "Gemm" ||
         node.op == "MatMul";
}

// Counts the outputs of a layer, and tells which one a weight belongs to.
struct Outputs {
  int64_t count = 0;
  std::vector<int64_t> of_weight;
};

Outputs OutputsOf(const Node& node, const graph::Shape& shape) {
  Outputs outputs;
  const int64_t elements = graph::ElementCount(shape);
  const auto rank = shape.size();
  outputs.of_weight.resize(static_cast<size_t>(elements));
  const auto fill = [&](auto output) {
    for (int64_t i = 0; i < elements; ++i) outputs.of_weight[static_cast<size_t>(i)] = output(i);
  };
  if (node.op == "Conv" || (node.op == "Gemm" && node.Int("transB", 0) != 0)) {
    outputs.count = shape[0];
    const int64_t inner = shape[0] == 0 ? 1 : elements / shape[0];
    fill([&](int64_t i) { return i / inner; });
  } else if (node.op == "ConvTranspose") {
    const int64_t groups = node.Int("group", 1), in_a_group = shape[0] / groups;
    outputs.count = shape[1] * groups;
    const int64_t window = elements / (shape[0] * shape[1]);
    fill([&](int64_t i) {
      const int64_t in = i / window / shape[1];
      return in / in_a_group * shape[1] + i / window % shape[1];
    });
  } else {
    outputs.count = shape[rank - 1];
    fill([&](int64_t i) { return i % outputs.count; });
  }
  return outputs;
}

void CheckLayer(const Graph& graph, const Node& node, std::vector<std::string>& faults) {
  const auto fault = [&](const std::string& text) {
    faults.push_back(fmt::format("{} '{}': {}", node.op, node.name, text));
  };
  if (node.weight_scales.empty()) return;
  if (!IsLayer(node)) return fault("has scales of weights but none");
  const Tensor* weights = graph.Constant(node.inputs[1]);
  if (weights == nullptr || weights->shape.size() < 2) return fault("has scales of no weights");
  const Outputs outputs = OutputsOf(node, weights->shape);
  if (static_cast<int64_t>(node.weight_scales.size()) != outputs.count) {
    return fault(
        fmt::format("{} scales of weights, {} outputs", node.weight_scales.size(), outputs.count));
  }
  int64_t off = 0;
  for (size_t i = 0; i < weights->floats.size(); ++i) {
    const double scale = node.weight_scales[static_cast<size_t>(outputs.of_weight[i])];
    const double code = weights->floats[i] / scale;
    const bool fits = weights->floats[i] == 0 ||
                      (std::isfinite(code) && std::abs(code - std::nearbyint(code)) < 1e-3 &&
                       code > -255.5 && code < 255.5);
    if (!fits) ++off;
  }
  if (off != 0) {
    fault(fmt::format("{} of {} weights are no multiples of their scale", off,
                      weights->floats.size()));
  }
  if (node.bias_codes.empty() && node.bias_scales.empty()) return;
  const Tensor* bias = node.inputs.size() > 2 ? graph.Constant(node.inputs[2]) : nullptr;
  if (bias == nullptr) return fault("has codes of no bias");
  const auto count = static_cast<size_t>(outputs.count);
  if (node.bias_codes.size() != count || node.bias_scales.size() != count ||
      bias->floats.size() != count) {
    return fault(fmt::format("{} codes and {} scales of {} biases, {} outputs",
                             node.bias_codes.size(), node.bias_scales.size(), bias->floats.size(),
                             count));
  }
  for (size_t i = 0; i < count; ++i) {
    const double expected = static_cast<double>(node.bias_codes[i]) * node.bias_scales[i];
    if (std::abs(bias->floats[i] - expected) > 1e-5 * std::abs(expected) + 1e-30) {
      return fault(fmt::format("bias {} is {}, its codes say {}", i, bias->floats[i], expected));
    }
  }
}

}  // namespace

std::vector<std::string> FaultsOfQuantization(const Graph& graph) {
  std::vector<std::string> faults;
  for (const Node& node : graph.nodes) CheckLayer(graph, node, faults);
  for (const graph::Value& value : graph.values) {
    if (value.given == nullptr || value.constant != nullptr) continue;
    if (value.given->scales.size() != 1 || value.given->zero_points.size() != 1 ||
        !(value.given->scales[0] > 0)) {
      faults.push_back(
          fmt::format("value '{}': {} scales", value.name, value.given->scales.size()));
    }
  }
  return faults;
}

std::vector<std::string> LostCodes(const Graph& before, const Graph& after) {
  std::map<std::string, const Node*> now;
  for (const Node& node : after.nodes) now[node.name] = &node;
  std::vector<std::string> lost;
  for (const Node& node : before.nodes) {
    if (node.weight_scales.empty()) continue;
    const auto found = now.find(node.name);
    if (found == now.end() || !IsLayer(*found->second)) continue;
    if (found->second->weight_scales.empty()) {
      lost.push_back(fmt::format("{} '{}' lost the codes of its weights", node.op, node.name));
    } else if (!node.bias_codes.empty() && found->second->bias_codes.empty()) {
      lost.push_back(fmt::format("{} '{}' lost the codes of its bias", node.op, node.name));
    }
  }
  return lost;
}

}  // namespace octet::test
