#include "converter/judge/outputs.h"

#include <algorithm>
#include <array>
#include <map>
#include <string_view>
#include <utility>

#include "converter/operators/meaning.h"
#include "converter/operators/operator.h"

namespace octet::judge {
namespace {

using graph::DataType;
using graph::Graph;
using graph::Node;
using graph::Tensor;
using graph::ValueId;

// More pieces than this are parts of one thing, as the steps of a written-out loop.
constexpr size_t kMostPieces = 64;
constexpr double kCodes = 256;

// What an element belongs to does not change by the operator.
bool KeepsMeaning(std::string_view op) {
  return operators::MovesElements(op) || operators::MapsElements(op);
}

// Elements of values by the piece they belong to.
class Labels {
 public:
  explicit Labels(const Graph& graph) : graph_(graph), links_(graph) {}

  // By element of the value; pieces found are added to `pieces`. Empty where those become more than
  // kMostPieces: paths through what joins may double with each node.
  Tensor Of(ValueId id, std::vector<Piece>* pieces) {
    Tensor result;
    // From the output to what it is made of; a graph may be as deep as it has nodes.
    std::vector<Step> open;
    open.push_back(StepTo(id, {}));
    while (!open.empty()) {
      Step& step = open.back();
      if (step.next > 0) step.held[step.sources[step.next - 1]] = std::move(result);
      if (step.next < step.sources.size()) {
        const ValueId source = step.node->inputs[step.sources[step.next++]];
        open.push_back(StepTo(source, step.like));
        continue;
      }
      if (step.node == nullptr) {
        result = Leaf(step, pieces);
        if (pieces->size() > kMostPieces) return {};
      } else {
        result = Moved(step);
      }
      open.pop_back();
    }
    return result;
  }

 private:
  // A value, and what has to be known before its own labels.
  struct Step {
    ValueId id;
    Piece like;                   // as what is nearest to the output says
    const Node* node = nullptr;   // that moves or maps elements; null: the value is a piece
    std::vector<size_t> sources;  // inputs of the node whose labels count
    size_t next = 0;              // of `sources`, not yet asked for
    std::vector<Tensor> held;     // labels, by input
  };

  Step StepTo(ValueId id, const Piece& like) const {
    Step step;
    step.id = id;
    step.like = like;
    const int producer = links_.producer[static_cast<size_t>(id)];
    if (producer < 0) return step;
    const Node& node = graph_.nodes[static_cast<size_t>(producer)];
    if (!KeepsMeaning(node.op) || !node.activation.empty()) return step;
    if (operators::MapsElements(node.op)) {
      if (graph_.At(node.inputs[0]).constant != nullptr) return step;
      // What is nearest to the output decides.
      if (step.like.step == 0) step.like.step = operators::NaturalRange(node.op) / kCodes;
      if (step.like.grid == 0) step.like.grid = GridOf(node);
      step.sources = {0};
    } else {
      for (size_t i = 0; i < node.inputs.size(); ++i) {
        const ValueId input = node.inputs[i];
        if (input == graph::kNoValue) continue;
        const bool is_data = i == 0 || operators::JoinsInputs(node.op);
        // Where elements go has to be known; Reshape and its kind show it by their shapes.
        const bool is_known = graph_.At(input).constant != nullptr;
        if (!is_data && !is_known && operators::MovesByInputs(node.op)) {
          step.sources.clear();
          return step;
        }
        if (is_data) step.sources.push_back(i);
      }
    }
    step.node = &node;
    step.held.resize(node.inputs.size());
    return step;
  }

  Tensor Leaf(const Step& step, std::vector<Piece>* pieces) const {
    const graph::Value& value = graph_.At(step.id);
    const auto label = static_cast<float>(pieces->size());
    const int producer = links_.producer[static_cast<size_t>(step.id)];
    const bool orders =
        producer >= 0 && Orders(graph_.nodes[static_cast<size_t>(producer)], step.id);
    pieces->push_back(
        {value.name, value.type != DataType::kFloat, step.like.step, step.like.grid, orders});
    return Tensor::Floats(
        *value.shape,
        std::vector<float>(static_cast<size_t>(graph::ElementCount(*value.shape)), label));
  }

  static bool Orders(const Node& node, ValueId id) {
    const auto at = std::find(node.outputs.begin(), node.outputs.end(), id);
    return operators::OrdersRows(node, static_cast<size_t>(at - node.outputs.begin()));
  }

  Tensor Moved(Step& step) {
    const Node& node = *step.node;
    if (operators::MapsElements(node.op)) {
      step.held[0].shape = *graph_.At(step.id).shape;
      return std::move(step.held[0]);
    }
    // Labels are floats whatever the element's type is.
    if (operators::ConvertsType(node.op)) return std::move(step.held[0]);
    std::vector<const Tensor*> inputs(node.inputs.size());
    for (size_t i = 0; i < node.inputs.size(); ++i) {
      const bool is_data =
          std::find(step.sources.begin(), step.sources.end(), i) != step.sources.end();
      inputs[i] = is_data ? &step.held[i] : graph_.Constant(node.inputs[i]);
    }
    std::vector<Tensor> results(node.outputs.size());
    size_t wanted = 0;
    for (size_t i = 0; i < results.size(); ++i) {
      if (node.outputs[i] == graph::kNoValue) continue;
      if (node.outputs[i] == step.id) wanted = i;
      const graph::Shape& own = *graph_.At(node.outputs[i]).shape;
      results[i] =
          Tensor::Floats(own, std::vector<float>(static_cast<size_t>(graph::ElementCount(own))));
    }
    operators::Find(node.op)->execute(node, inputs, results, workspace_);
    return std::move(results[wanted]);
  }

  // The largest scale of the codes that a node reads.
  double GridOf(const Node& node) const {
    if (!operators::ReadsCodes(node.op) || node.inputs.size() < 2) return 0;
    const Tensor* scale = graph_.Constant(node.inputs[1]);
    if (scale == nullptr || scale->floats.empty()) return 0;
    return *std::max_element(scale->floats.begin(), scale->floats.end());
  }

  const Graph& graph_;
  graph::Links links_;
  operators::Workspace workspace_;
};

// A list whose order and members data decide.
struct List {
  int64_t length = 0;  // 0: none
  size_t maker = 0;    // the node that picks
};

bool Has(const graph::Shape& shape, int64_t length) {
  return std::find(shape.begin(), shape.end(), length) != shape.end();
}

// By value: the list that it has to do with. Of several, the one that was made last of those whose
// rows are still there: what a TopK picks of selected queries is a list of that TopK.
std::vector<List> ListsOf(const Graph& graph) {
  std::vector<List> lists(graph.values.size());
  for (size_t n = 0; n < graph.nodes.size(); ++n) {
    const Node& node = graph.nodes[n];
    for (const ValueId id : graph::Present(node.outputs)) {
      if (graph.At(id).constant != nullptr) continue;
      const graph::Shape& shape = *graph.At(id).shape;
      List& list = lists[static_cast<size_t>(id)];
      if (const int64_t own = operators::ListLength(node, shape); own > 0) {
        list = {own, n};
        continue;
      }
      for (const ValueId input : graph::Present(node.inputs)) {
        const List& other = lists[static_cast<size_t>(input)];
        if (other.length == 0) continue;
        const bool there = Has(shape, other.length), had = Has(shape, list.length);
        if (list.length == 0 || there > had || (there == had && other.maker > list.maker)) {
          list = other;
        }
      }
    }
  }
  return lists;
}

// The operator that made the numbers of a value, behind what only moves or converts them.
std::string_view MakerOf(const Graph& graph, const graph::Links& links, ValueId id,
                         bool* was_bool) {
  *was_bool = graph.At(id).type == DataType::kBool;
  for (;;) {
    const int producer = links.producer[static_cast<size_t>(id)];
    if (producer < 0) return "";
    const Node& node = graph.nodes[static_cast<size_t>(producer)];
    if (!operators::MovesElements(node.op) || operators::JoinsInputs(node.op)) return node.op;
    id = node.inputs[0];
    *was_bool |= graph.At(id).type == DataType::kBool;
  }
}

bool FindRows(int64_t length, Output* output) {
  const auto at = std::find(output->shape.begin(), output->shape.end(), length);
  if (length < 2 || at == output->shape.end()) return false;
  output->lists = graph::ElementCount({output->shape.begin(), at});
  output->rows = length;
  output->columns = graph::ElementCount({at + 1, output->shape.end()});
  return true;
}

}  // namespace

const char* NameOf(Kind kind) {
  switch (kind) {
    case Kind::kClasses:
      return "classes";
    case Kind::kMask:
      return "mask";
    case Kind::kCounts:
      return "counts";
    case Kind::kRows:
      return "rows";
    case Kind::kNumbers:
      break;
  }
  return "numbers";
}

std::vector<Output> DescribeOutputs(const Graph& graph) {
  Labels labels(graph);
  const graph::Links links(graph);
  const std::vector<List> lists = ListsOf(graph);
  std::map<std::array<int64_t, 3>, size_t> first_of;  // by maker, lists, rows
  std::vector<Output> outputs;
  for (size_t i = 0; i < graph.OwnOutputs(); ++i) {
    const ValueId id = graph.outputs[i];
    const graph::Value& value = graph.At(id);
    Output& output = outputs.emplace_back();
    output.name = value.name;
    output.shape = *value.shape;
    const Tensor of_elements = labels.Of(id, &output.pieces);
    if (output.pieces.size() > kMostPieces) {
      output.pieces = {{value.name, value.type != DataType::kFloat, 0, 0, false}};
    }
    if (output.pieces.size() > 1) {
      output.piece_of.assign(of_elements.floats.begin(), of_elements.floats.end());
    }
    bool was_bool = false;
    const std::string_view maker = MakerOf(graph, links, id, &was_bool);
    const bool integers = std::all_of(output.pieces.begin(), output.pieces.end(),
                                      [](const Piece& piece) { return piece.exact; });
    const List& list = lists[static_cast<size_t>(id)];
    if (FindRows(list.length, &output)) {
      output.kind = Kind::kRows;
      output.list = first_of
                        .try_emplace({static_cast<int64_t>(list.maker), output.lists, output.rows},
                                     outputs.size() - 1)
                        .first->second;
    } else if (was_bool) {
      output.kind = Kind::kMask;
    } else if (operators::GivesClasses(maker)) {
      output.kind = Kind::kClasses;
    } else if (integers) {
      output.kind = Kind::kCounts;
    }
  }
  return outputs;
}

bool RoundsToCodes(const Graph& graph) {
  return std::any_of(graph.nodes.begin(), graph.nodes.end(),
                     [](const Node& node) { return operators::RoundsToCodes(node.op); }) ||
         std::any_of(graph.values.begin(), graph.values.end(),
                     [](const graph::Value& value) { return value.given != nullptr; });
}

}  // namespace octet::judge
