#include "converter/operators/newer/bounded_boxes.h"

#include <algorithm>
#include <optional>
#include <set>
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

class BoxBounder {
 public:
  explicit BoxBounder(Graph& graph) : graph_(graph), links_(graph) {}

  // By the places where `mask` holds.
  void Bound(ValueId mask) {
    const int compare = Producer(mask, "Greater");
    if (compare < 0) return;
    const ValueId scores = At(compare).inputs[0];
    const std::optional<float> least = Scalar(At(compare).inputs[1]);
    if (!least) return;
    if (!FindRows(mask) || !FindSuppression(scores)) return;
    dead_.insert(dead_.end(), indices_.begin(), indices_.end());
    DropRows();
    SetThreshold(*least);
    const ValueId chosen = BoundCount();
    if (chosen != kNoValue) AppendZeros(chosen);
  }

  void Finish() {
    if (dead_.empty()) return;
    std::vector<bool> remove(graph_.nodes.size());
    for (const int n : dead_) remove[static_cast<size_t>(n)] = true;
    graph_.RemoveNodes(remove);
    for (Node& node : added_) graph_.nodes.push_back(std::move(node));
    graph_.SortTopologically();
  }

 private:
  const Node& At(int n) const { return graph_.nodes[static_cast<size_t>(n)]; }
  Node& At(int n) { return graph_.nodes[static_cast<size_t>(n)]; }
  const std::vector<int>& Readers(ValueId id) const {
    return links_.consumers[static_cast<size_t>(id)];
  }
  int Producer(ValueId id, std::string_view op) const {
    const int n = id == kNoValue ? -1 : links_.producer[static_cast<size_t>(id)];
    return n >= 0 && At(n).op == op ? n : -1;
  }
  int OnlyReader(ValueId id, std::string_view op) const {
    const auto& readers = Readers(id);
    if (readers.size() != 1 || links_.is_output[static_cast<size_t>(id)]) return -1;
    return At(readers[0]).op == op ? readers[0] : -1;
  }
  std::optional<float> Scalar(ValueId id) const {
    const Tensor* tensor = graph_.Constant(id);
    if (tensor == nullptr || !tensor->IsFloat() || tensor->floats.size() != 1) return std::nullopt;
    return tensor->floats[0];
  }
  std::optional<int64_t> Integer(ValueId id) const {
    const Tensor* tensor = graph_.Constant(id);
    if (tensor == nullptr || tensor->IsFloat() || tensor->integers.size() != 1) {
      return std::nullopt;
    }
    return tensor->integers[0];
  }

  // All that read the mask: one NonZero, or one for each value that is indexed (as torch.onnx
  // writes it), each with GatherND of rows behind it.
  bool FindRows(ValueId mask) {
    rows_.clear();
    indices_.clear();
    if (links_.is_output[static_cast<size_t>(mask)]) return false;
    const auto& readers = Readers(mask);
    return std::all_of(readers.begin(), readers.end(), [&](int n) { return FindRowsOf(n); }) &&
           !rows_.empty();
  }

  bool FindRowsOf(int nonzero) {
    if (At(nonzero).op != "NonZero") return false;
    const int transpose = OnlyReader(At(nonzero).outputs[0], "Transpose");
    if (transpose < 0) return false;
    indices_.push_back(nonzero);
    indices_.push_back(transpose);
    const ValueId id = At(transpose).outputs[0];
    if (links_.is_output[static_cast<size_t>(id)]) return false;
    for (const int reader : Readers(id)) {
      const Node& node = At(reader);
      if (node.op != "GatherND" || node.inputs[1] != id || node.Int("batch_dims", 0) != 0) {
        return false;
      }
      rows_.push_back(reader);
    }
    return true;
  }

  // That of the rows of `scores`, seen through what adds dimensions of 1.
  bool FindSuppression(ValueId scores) {
    for (const int row : rows_) {
      if (At(row).inputs[0] != scores) continue;
      for (const int reader : Readers(At(row).outputs[0])) {
        int n = reader;
        while (At(n).op == "Unsqueeze" && Readers(At(n).outputs[0]).size() == 1) {
          n = Readers(At(n).outputs[0])[0];
        }
        if (n == reader || At(n).op != "NonMaxSuppression") continue;
        if (At(n).inputs.size() < 5 || Scalar(At(n).inputs[4])) {
          suppression_ = n;
          return true;
        }
      }
    }
    return false;
  }

  void DropRows() {
    for (const int row : rows_) {
      Node& node = At(row);
      node.op = "Identity";
      node.inputs.resize(1);
      node.attributes.clear();
    }
  }

  void SetThreshold(float least) {
    Node& node = At(suppression_);
    while (node.inputs.size() < 5) node.inputs.push_back(kNoValue);
    const std::optional<float> own = Scalar(node.inputs[4]);
    node.inputs[4] =
        graph_.AddConstant(node.name + ".score_threshold",
                           Tensor::Floats({1}, {std::max(least, own.value_or(least))}));
  }

  // The indices of chosen rows, of which there are no more than a Slice lets through.
  ValueId BoundCount() {
    const int column = OnlyReader(At(suppression_).outputs[0], "Gather");
    if (column < 0 || At(column).Int("axis", 0) != 1) return kNoValue;
    int last = column;
    for (;;) {
      int next = OnlyReader(At(last).outputs[0], "Squeeze");
      if (next < 0) next = OnlyReader(At(last).outputs[0], "Reshape");
      if (next < 0) break;
      last = next;
    }
    const int slice = OnlyReader(At(last).outputs[0], "Slice");
    if (slice < 0) return At(last).outputs[0];
    const Node& node = At(slice);
    const auto start = Integer(node.inputs[1]), end = Integer(node.inputs[2]);
    const auto step = node.inputs.size() > 4 ? Integer(node.inputs[4]) : 1;
    const auto most = Integer(At(suppression_).inputs[2]);
    if (start == 0 && step == 1 && end && *end > 0 && most) {
      At(suppression_).inputs[2] =
          graph_.AddConstant(At(suppression_).name + ".max_output_boxes_per_class",
                             Tensor::Integers({1}, {std::min(*end, *most)}));
    }
    return At(slice).outputs[0];
  }

  void AppendZeros(ValueId chosen) {
    const std::vector<int> readers = Readers(chosen);
    for (const int reader : readers) {
      if (At(reader).op != "Gather" || At(reader).inputs[1] != chosen ||
          At(reader).Int("axis", 0) != 0) {
        continue;
      }
      const std::string name = At(reader).name;
      const ValueId x = At(reader).inputs[0];
      const ValueId front = graph_.AddConstant(name + ".pads", Tensor::Integers({2}, {0, 1}));
      const ValueId axes = graph_.AddConstant(name + ".axes", Tensor::Integers({1}, {0}));
      Node pad;
      pad.name = name + "/zeros";
      pad.op = "Pad";
      pad.inputs = {x, front, kNoValue, axes};
      graph::Value value;
      value.name = pad.name;
      pad.outputs = {graph_.AddValue(std::move(value))};
      At(reader).inputs[0] = pad.outputs[0];
      added_.push_back(std::move(pad));
    }
  }

  Graph& graph_;
  graph::Links links_;
  std::vector<int> rows_, indices_;  // nodes
  int suppression_ = -1;
  std::vector<int> dead_;
  std::vector<Node> added_;
};

}  // namespace

void BoundBoxes(Graph& graph) {
  std::set<ValueId> masks;
  for (const Node& node : graph.nodes) {
    if (node.op == "NonZero") masks.insert(node.inputs[0]);
  }
  if (masks.empty()) return;
  BoxBounder bounder(graph);
  for (const ValueId mask : masks) bounder.Bound(mask);
  bounder.Finish();
}

}  // namespace octet::operators
