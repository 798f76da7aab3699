// Editing a graph while its producers and consumers stay known: what every pass is written with.
#ifndef OCTET_CONVERTER_PASSES_EDITOR_H_
#define OCTET_CONVERTER_PASSES_EDITOR_H_

#include <deque>
#include <initializer_list>
#include <string>
#include <string_view>
#include <unordered_set>
#include <vector>

#include "converter/graph/graph.h"

namespace octet::passes {

using graph::Node;
using graph::Shape;
using graph::Tensor;
using graph::ValueId;

// A node of ai.onnx with one of these operators (any when empty).
bool IsOneOf(const Node& node, std::initializer_list<std::string_view> operators);

// Owns the nodes of a graph from construction to Finish(), which hands them back; graph.nodes is
// empty in between. Nodes are named by index; references to nodes stay valid when nodes are added.
class Editor {
 public:
  explicit Editor(graph::Graph& graph);
  Editor(const Editor&) = delete;
  Editor& operator=(const Editor&) = delete;

  // Removes what was marked, restores topological order, and returns the number of rewrites that
  // ForEach counted. Throws where a value that is rounded to codes fell out of use: a rewrite has
  // lost them.
  int Finish();

  // Calls rewrite(node) for each live node of ai.onnx with one of these operators (any when empty);
  // counts those that return true. Nodes added meanwhile are not visited.
  template <typename Rewrite>
  void ForEach(std::initializer_list<std::string_view> operators, Rewrite rewrite) {
    const int count = static_cast<int>(slots_.size());
    for (int i = 0; i < count; ++i) {
      if (IsOneOf(i, operators) && rewrite(i)) ++rewrites_;
    }
  }

  graph::Graph& graph() { return *graph_; }
  const graph::Graph& graph() const { return *graph_; }
  Node& At(int node) { return slots_[static_cast<size_t>(node)].node; }
  const Node& At(int node) const { return slots_[static_cast<size_t>(node)].node; }
  graph::Value& Value(ValueId id) { return graph_->At(id); }

  // -1 for inputs, constants and kNoValue.
  int Producer(ValueId id) const;
  // Producer when it is a live node of ai.onnx without a fused activation, and the value is not
  // rounded to codes: a pattern may see through it. Else -1.
  int PlainProducer(ValueId id) const;
  // The same where it has this operator.
  int ProducerIf(ValueId id, std::string_view op) const;
  // The same of a value that may be rounded: the pattern has to keep its codes.
  int RoundedProducerIf(ValueId id, std::string_view op) const;
  const std::vector<int>& Consumers(ValueId id) const { return consumers_[Index(id)]; }
  bool IsOutput(ValueId id) const { return is_output_[Index(id)]; }
  bool HasOneUse(ValueId id) const { return Consumers(id).size() == 1 && !IsOutput(id); }
  // Whether the model rounds the value to codes that what it is made of is not rounded to already.
  bool IsRounded(ValueId id) const;
  // One use by one node, no graph output, not rounded: the value may disappear into its consumer.
  bool IsPrivate(ValueId id) const { return HasOneUse(id) && !IsRounded(id); }
  // The consumer of a private value with one of these operators, else -1.
  int OnlyConsumer(ValueId id, std::initializer_list<std::string_view> operators) const;

  const Tensor* Constant(ValueId id) const { return graph_->Constant(id); }
  bool IsConstant(ValueId id) const { return Constant(id) != nullptr; }
  // Known before every pass (operators::InferShapes).
  const Shape& ShapeOf(ValueId id) const;
  int64_t Rank(ValueId id) const;
  bool IsFloat(ValueId id) const { return graph_->At(id).type == graph::DataType::kFloat; }

  // Names of new things: `base`, or with a number behind it when that is taken.
  ValueId NewValue(const std::string& base, graph::DataType type, const Shape& shape);
  ValueId NewConstant(const std::string& base, Tensor tensor);
  ValueId NewConstant(const std::string& base, graph::Constant constant);
  // A result that is known: of a node that goes, or that inference made constant. What is given for
  // it becomes its codes.
  void SetConstant(ValueId id, graph::Constant constant);
  // The float value is rounded to these codes.
  void Give(ValueId id, const graph::Given& given);
  // A node of ai.onnx opset 13 placed before node `before`; its name derives from the base.
  int AddNode(int before, const std::string& op, const std::string& base,
              std::vector<ValueId> inputs, std::vector<ValueId> outputs);
  void Remove(int node);
  // Nothing is lost when this value falls out of use, though codes are given for it: its node does
  // nothing for the outputs, or what takes its place has the same codes.
  void Forgo(ValueId id) { forgone_.insert(id); }

  // All that give a node other inputs, and SetConstant, throw where a constant takes the place of
  // one whose codes are then lost without a word: see graph::Constant.
  void SetInputs(int node, std::vector<ValueId> inputs);
  void SetInput(int node, size_t index, ValueId value);
  // Input `index` (appended, with kNoValue before it, when absent) becomes this constant; the value
  // is kept when nobody else uses it.
  void SetConstantInput(int node, size_t index, graph::Constant constant, const std::string& base);
  void SetOutput(int node, size_t index, ValueId value);
  // Every use but graph outputs.
  void ReplaceUses(ValueId from, ValueId to);

  // Drops a node whose first output equals its first input; the value that stays is the input, or
  // the output where that one is a graph output. False (and nothing changed) when neither can go.
  bool Bypass(int node);
  // The producer takes over the first output of `consumer`, which is dropped.
  void Absorb(int producer, int consumer);
  // Turns the node into another operator over the same outputs, without attributes; opset 13.
  void Become(int node, const std::string& op, std::vector<ValueId> inputs);

 private:
  struct Slot {
    Node node;
    bool alive = true;
    int before = -1;  // for added nodes: the original node they stand before
  };
  static size_t Index(ValueId id) { return static_cast<size_t>(id); }
  void CheckGiven() const;
  void CheckCodes(const std::vector<ValueId>& before, const std::vector<ValueId>& after);
  bool IsOneOf(int node, std::initializer_list<std::string_view> operators) const;
  void Link(int node);
  void Unlink(int node);
  std::string FreeName(const std::string& base);
  void Grow();

  graph::Graph* graph_;
  std::deque<Slot> slots_;
  int original_count_ = 0;
  std::vector<int> producer_;
  std::vector<std::vector<int>> consumers_;
  std::vector<bool> is_output_;
  std::vector<ValueId> rounded_in_use_;  // at construction
  std::unordered_set<ValueId> forgone_;
  std::unordered_set<std::string> names_;  // of values and nodes; filled when first needed
  int rewrites_ = 0;
};

}  // namespace octet::passes

#endif  // OCTET_CONVERTER_PASSES_EDITOR_H_
