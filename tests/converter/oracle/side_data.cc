#include "tests/converter/oracle/side_data.h"

#include <cmath>
#include <map>

#include <fmt/format.h>

namespace octet::test {

namespace {

using graph::Codes;
using graph::Graph;
using graph::Node;

// Index into the scales of element `at`, from the strides of both shapes.
size_t ScaleOf(const Codes& codes, size_t at) {
  size_t index = 0, stride = 1;
  for (size_t axis = codes.spread.size(); axis-- > 0;) {
    const auto dim = static_cast<size_t>(codes.data.shape[axis]);
    if (codes.spread[axis] != 1) {
      index += at % dim * stride;
      stride *= dim;
    }
    at /= dim;
  }
  return index;
}

// Elements that are not what their codes say.
int64_t Misfits(const Codes& codes) {
  int64_t misfits = 0;
  for (size_t i = 0; i < codes.data.floats.size(); ++i) {
    const size_t s = ScaleOf(codes, i);
    const double value = codes.data.floats[i], scale = codes.scales.at(s);
    const double zero_point = codes.zero_points.at(s);
    if (!(scale > 0)) continue;  // no codes there
    bool fits;
    if (codes.integers.empty()) {
      const double code = value / scale + zero_point;
      fits = std::abs(code - std::nearbyint(code)) < 2e-3 && code > -128.5 && code < 128.5;
    } else {
      const double real = scale * (static_cast<double>(codes.integers.at(i)) - zero_point);
      fits = std::abs(value - real) <= 1e-5 * std::abs(real);
    }
    misfits += fits ? 0 : 1;
  }
  return misfits;
}

const Codes* CodesOf(const Graph& graph, const Node& node) {
  if (node.inputs.size() < 2 || node.inputs[1] == graph::kNoValue) return nullptr;
  return graph.At(node.inputs[1]).constant.codes();
}

bool IsLayer(const Node& node) {
  return node.op == "Conv" || node.op == "ConvTranspose" || node.op == "Gemm" ||
         node.op == "MatMul";
}

}  // namespace

std::vector<std::string> FaultsOfQuantization(const Graph& graph) {
  std::vector<std::string> faults;
  for (const graph::Value& value : graph.values) {
    const Codes* codes = value.constant.codes();
    if (codes == nullptr) continue;
    if (const int64_t misfits = Misfits(*codes); misfits != 0) {
      faults.push_back(
          fmt::format("value '{}': {} elements are not what their codes say", value.name, misfits));
    }
  }
  return faults;
}

std::vector<std::string> LostCodes(const Graph& before, const Graph& after) {
  std::map<std::string, const Node*> now;
  for (const Node& node : after.nodes) now[node.name] = &node;
  std::vector<std::string> lost;
  for (const Node& node : before.nodes) {
    const auto found = now.find(node.name);
    if (!IsLayer(node) || CodesOf(before, node) == nullptr || found == now.end()) continue;
    if (IsLayer(*found->second) && CodesOf(after, *found->second) == nullptr) {
      lost.push_back(fmt::format("{} '{}' lost the codes of its weights", node.op, node.name));
    }
  }
  return lost;
}

}  // namespace octet::test
