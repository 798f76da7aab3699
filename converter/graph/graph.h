// The converter's one graph type: ONNX operators, ONNX (NCHW) semantics, from import to
// quantization.
#ifndef OCTET_CONVERTER_GRAPH_GRAPH_H_
#define OCTET_CONVERTER_GRAPH_GRAPH_H_

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <variant>
#include <vector>

#include "converter/graph/coded.h"
#include "converter/graph/tensor.h"

namespace octet::graph {

using Attribute =
    std::variant<int64_t, float, std::string, std::vector<int64_t>, std::vector<float>, Tensor>;
using ValueId = int32_t;  // index into Graph::values; kNoValue marks an omitted optional input
inline constexpr ValueId kNoValue = -1;

// Those of a list that are not omitted: for (ValueId id : Present(node.inputs)). A view of the
// standard library would do, but Clang 14 cannot compile that of GCC 12.
class Present {
 public:
  class Iterator {
   public:
    Iterator(const ValueId* at, const ValueId* end) : at_(at), end_(end) { Skip(); }
    ValueId operator*() const { return *at_; }
    Iterator& operator++() {
      ++at_;
      Skip();
      return *this;
    }
    bool operator==(const Iterator& other) const { return at_ == other.at_; }

   private:
    void Skip() {
      while (at_ != end_ && *at_ == kNoValue) ++at_;
    }
    const ValueId *at_, *end_;
  };
  explicit Present(const std::vector<ValueId>& ids)
      : begin_(ids.data()), end_(ids.data() + ids.size()) {}
  Iterator begin() const { return {begin_, end_}; }
  Iterator end() const { return {end_, end_}; }

 private:
  const ValueId *begin_, *end_;
};

// Whether any of a list is in a set by value.
bool AnyOf(const std::vector<ValueId>& ids, const std::vector<bool>& set);

struct Value {
  std::string name;
  DataType type = DataType::kFloat;
  std::optional<Shape> shape;     // known after shape inference
  graph::Constant constant = {};  // initialiser or folded constant, else null
  GivenCodes given = {};          // null where the model says nothing
};

struct Node {
  std::string name;          // unique, made up from the operator and output when the model has none
  std::string op;            // ONNX operator, or an Octet one made by a pass: "Silu", "Gelu", ...
  std::string domain;        // "" for ai.onnx
  int64_t since_opset = 13;  // opset version of the model for this domain
  std::vector<ValueId> inputs;
  std::vector<ValueId> outputs;
  std::map<std::string, Attribute> attributes;
  // Activation fused behind the node's result by the fusion pass ("" for none): "Relu", or "Clip"
  // with alpha = min and beta = max. Others stay nodes of their own: calibration has to see the
  // range before them, and lowering fuses them as tables.
  std::string activation;
  float alpha = 0, beta = 0;

  bool Has(const std::string& key) const { return attributes.count(key) != 0; }
  int64_t Int(const std::string& key, int64_t fallback) const;
  float Float(const std::string& key, float fallback) const;
  std::string String(const std::string& key, const std::string& fallback) const;
  std::vector<int64_t> Ints(const std::string& key,
                            const std::vector<int64_t>& fallback = {}) const;
  std::vector<float> FloatList(const std::string& key,
                               const std::vector<float>& fallback = {}) const;
};

struct Graph {
  std::string name;
  std::map<std::string, int64_t> opsets;  // domain -> version
  std::vector<Value> values;
  std::vector<Node> nodes;      // topological order, always
  std::vector<ValueId> inputs;  // without initialisers
  std::vector<ValueId> outputs;
  // What the model keeps from sample to sample: the last inputs are in the next sample what the
  // last outputs are in this one, as many, in one order. Of each its value in the first sample of a
  // sequence.
  std::vector<Tensor> states;
  // Inputs with a value that the model gives, by name (import alone).
  std::map<std::string, Tensor> defaults;
  std::vector<std::string> notes;  // what the user has to hear of how the model was read
  std::map<std::string, std::string> metadata;  // ModelProto.metadata_props (converter/metadata)

  Value& At(ValueId id) { return values[static_cast<size_t>(id)]; }
  const Value& At(ValueId id) const { return values[static_cast<size_t>(id)]; }
  // Without states.
  size_t OwnInputs() const { return inputs.size() - states.size(); }
  size_t OwnOutputs() const { return outputs.size() - states.size(); }
  ValueId AddValue(Value value);
  ValueId AddConstant(const std::string& name, Tensor tensor);
  ValueId AddConstant(const std::string& name, graph::Constant constant);
  const Tensor* Constant(ValueId id) const;  // null when not constant or kNoValue

  // Index of the node that produces a value, -1 for inputs and constants; nodes that consume it.
  // Linear scans rebuilt by the caller: use Links for many queries.
  int Producer(ValueId id) const;
  std::vector<int> Consumers(ValueId id) const;
  bool IsOutput(ValueId id) const;
  // Every use of `from` (inputs and graph outputs) becomes `to`.
  void ReplaceUses(ValueId from, ValueId to);
  // Drops the nodes marked and restores topological order; throws when the graph is cyclic.
  void RemoveNodes(const std::vector<bool>& remove);
  // Drops the nodes of which no output of the graph is made; returns, by value, what is still read.
  std::vector<bool> RemoveUnread();
  void SortTopologically();
  // Drops values nothing refers to, and renumbers.
  void Compact();
};

// Proves what must hold between any two passes: nodes name values that there are, and each value
// has one producer; scales of codes are those of the constant they belong to; codes are given only
// for float values that are computed, with a scale above 0 and a zero point of int8. Throws
// std::logic_error, which names `when` and the value. Takes a few microseconds a thousand values.
void Check(const Graph& graph, std::string_view when);

// Producers and consumers of every value at one moment.
struct Links {
  explicit Links(const Graph& graph);
  std::vector<int> producer;                // by value: node or -1
  std::vector<std::vector<int>> consumers;  // by value: nodes, once per use
  std::vector<bool> is_output;
};

}  // namespace octet::graph

#endif  // OCTET_CONVERTER_GRAPH_GRAPH_H_
