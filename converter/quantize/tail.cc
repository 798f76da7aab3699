#include "converter/quantize/tail.h"

#include <algorithm>
#include <numeric>
#include <string_view>

#include "converter/operators/weights.h"

namespace octet::quantize {
namespace {

// Tensors of a head, not of a picture: 17,680 elements for the boxes of 4,420 priors, 134,400 for
// those of 8,400 with their distributions.
constexpr int64_t kMostElements = int64_t{1} << 18;

bool IsOneOf(std::string_view op, std::initializer_list<std::string_view> ops) {
  return std::find(ops.begin(), ops.end(), op) != ops.end();
}

class Groups {
 public:
  explicit Groups(size_t count) : parent_(count) { std::iota(parent_.begin(), parent_.end(), 0); }
  size_t Root(size_t n) {
    while (parent_[n] != n) n = parent_[n] = parent_[parent_[n]];
    return n;
  }
  void Unite(size_t a, size_t b) { parent_[Root(a)] = Root(b); }

 private:
  std::vector<size_t> parent_;
};

}  // namespace

std::vector<bool> ArithmeticTail(const graph::Graph& graph) {
  const size_t count = graph.nodes.size();
  const graph::Links links(graph);
  std::vector<bool> tail(count, true);
  Groups groups(count);
  for (size_t n = count; n-- > 0;) {
    const graph::Node& node = graph.nodes[n];
    if (operators::IsContraction(node)) tail[n] = false;
    for (graph::ValueId id : node.outputs) {
      if (id == graph::kNoValue) continue;
      for (int reader : links.consumers[static_cast<size_t>(id)]) {
        const auto r = static_cast<size_t>(reader);
        if (!tail[r] || operators::IsContraction(graph.nodes[r])) tail[n] = false;
      }
    }
    if (!tail[n]) continue;
    for (graph::ValueId id : node.outputs) {
      if (id == graph::kNoValue) continue;
      for (int reader : links.consumers[static_cast<size_t>(id)]) {
        groups.Unite(n, static_cast<size_t>(reader));
      }
    }
  }
  // A model without weights has no tail.
  bool weights = false;
  std::vector<bool> computes(count), large(count);
  for (size_t n = 0; n < count; ++n) {
    const graph::Node& node = graph.nodes[n];
    weights |= operators::IsContraction(node);
    if (!tail[n]) continue;
    if (IsOneOf(node.op, {"Add", "Sub", "Mul", "Div", "Pow"})) computes[groups.Root(n)] = true;
    for (const auto* ids : {&node.inputs, &node.outputs}) {
      for (graph::ValueId id : *ids) {
        if (id == graph::kNoValue || !graph.At(id).shape) continue;
        if (graph::ElementCount(*graph.At(id).shape) > kMostElements) large[groups.Root(n)] = true;
      }
    }
  }
  for (size_t n = 0; n < count; ++n) {
    const size_t root = groups.Root(n);
    tail[n] = weights && tail[n] && computes[root] && !large[root];
  }
  return tail;
}

}  // namespace octet::quantize
