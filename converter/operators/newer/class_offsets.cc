#include "converter/operators/newer/class_offsets.h"

#include <algorithm>
#include <array>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace octet::operators {
namespace {

using graph::Graph;
using graph::kNoValue;
using graph::Node;
using graph::Tensor;
using graph::ValueId;

class ClassSeparator {
 public:
  explicit ClassSeparator(Graph& graph) : graph_(graph), links_(graph) {}

  void Separate(size_t n) {
    if (graph_.nodes[n].inputs.size() < 2) return;
    const ValueId boxes = graph_.nodes[n].inputs[0];
    // What only adds dimensions of 1 is put around the plain boxes too.
    std::vector<int> around;
    ValueId at = boxes;
    for (int view = Producer(at, "Unsqueeze"); view >= 0; view = Producer(at, "Unsqueeze")) {
      around.push_back(view);
      at = At(view).inputs[0];
    }
    at = BesideNothing(at);
    const int add = Producer(at, "Add");
    if (add < 0) return;
    for (const size_t side : {size_t{0}, size_t{1}}) {
      const ValueId labels = LabelsOf(At(add).inputs[side]);
      if (labels == kNoValue) continue;
      ValueId plain = At(add).inputs[1 - side];
      for (size_t i = around.size(); i-- > 0;) {
        plain = Added(At(around[i]).name + "/plain", "Unsqueeze", {plain, At(around[i]).inputs[1]});
      }
      Node& node = graph_.nodes[n];
      node.inputs[0] = plain;
      while (node.inputs.size() < 5) node.inputs.push_back(kNoValue);
      const ValueId line = graph_.AddConstant(node.name + ".line", Tensor::Integers({2}, {1, -1}));
      node.inputs.push_back(Added(node.name + "/labels", "Reshape", {labels, line}));
      node.attributes["octet_labels"] = int64_t{1};
      return;
    }
  }

  void Finish() {
    if (added_.empty()) return;
    for (Node& node : added_) graph_.nodes.push_back(std::move(node));
    graph_.SortTopologically();
    // The offsets are no tensors that shapes are inferred of: some are empty.
    graph_.RemoveUnread();
  }

 private:
  const Node& At(int n) const { return graph_.nodes[static_cast<size_t>(n)]; }
  int Producer(ValueId id, std::string_view op) const {
    const int n = id == kNoValue ? -1 : links_.producer[static_cast<size_t>(id)];
    return n >= 0 && At(n).op == op ? n : -1;
  }

  // x of Concat(x, y[:, 4:]) of boxes without a fifth column, as of rotated ones.
  ValueId BesideNothing(ValueId id) const {
    const int concat = Producer(id, "Concat");
    if (concat < 0 || At(concat).inputs.size() != 2) return id;
    const int slice = Producer(At(concat).inputs[1], "Slice");
    const Tensor* start = slice < 0 ? nullptr : graph_.Constant(At(slice).inputs[1]);
    constexpr int64_t kCorners = 4;
    if (start == nullptr || start->Count() != 1 || start->integers.at(0) < kCorners) return id;
    return At(concat).inputs[0];
  }

  // Whole numbers times a constant: the numbers, before they are repeated and converted.
  ValueId LabelsOf(ValueId id) const {
    const int mul = Producer(id, "Mul");
    if (mul < 0) return kNoValue;
    for (const size_t side : {size_t{0}, size_t{1}}) {
      const Tensor* step = graph_.Constant(At(mul).inputs[side]);
      if (step == nullptr || step->Count() != 1) continue;
      ValueId at = At(mul).inputs[1 - side], labels = kNoValue;
      for (;;) {
        const int n = links_.producer[static_cast<size_t>(at)];
        static constexpr std::array<std::string_view, 5> kViews = {"Cast", "Expand", "Reshape",
                                                                   "Unsqueeze", "Identity"};
        if (n < 0 || std::find(kViews.begin(), kViews.end(), At(n).op) == kViews.end()) break;
        at = At(n).inputs[0];
        // Only what is converted is known to be whole.
        if (At(n).op == "Cast" || labels != kNoValue) labels = at;
      }
      if (labels != kNoValue) return labels;
    }
    return kNoValue;
  }

  ValueId Added(const std::string& name, const std::string& op, std::vector<ValueId> inputs) {
    Node node;
    node.name = name;
    node.op = op;
    node.inputs = std::move(inputs);
    graph::Value value;
    value.name = name;
    node.outputs = {graph_.AddValue(std::move(value))};
    added_.push_back(node);
    return node.outputs[0];
  }

  Graph& graph_;
  graph::Links links_;
  std::vector<Node> added_;
};

}  // namespace

void SeparateClasses(Graph& graph) {
  std::vector<size_t> suppressions;
  for (size_t n = 0; n < graph.nodes.size(); ++n) {
    if (graph.nodes[n].op == "NonMaxSuppression") suppressions.push_back(n);
  }
  if (suppressions.empty()) return;
  ClassSeparator separator(graph);
  for (const size_t n : suppressions) separator.Separate(n);
  separator.Finish();
}

}  // namespace octet::operators
