// The converter's one graph type: ONNX operators, ONNX (NCHW) semantics, from import to
// quantization.
#ifndef OCTET_CONVERTER_GRAPH_GRAPH_H_
#define OCTET_CONVERTER_GRAPH_GRAPH_H_

#include <cstdint>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <variant>
#include <vector>

namespace octet::graph {

using Shape = std::vector<int64_t>;
inline constexpr int64_t kUnknownDim = -1;

// Number of elements; 1 for a scalar.
int64_t ElementCount(const Shape& shape);
std::string ToString(const Shape& shape);

enum class DataType : uint8_t { kFloat, kInt32, kInt64, kInt8, kUInt8, kBool, kInt16, kUInt16 };
std::string_view Name(DataType type);

// A dense tensor, row-major. Floats are stored as float (FP16, BF16 and double are converted at
// import), every integer type as int64 with its DataType kept. INT64 data has passed the INT32
// range check of the import (except slice bounds, which saturate).
struct Tensor {
  DataType type = DataType::kFloat;
  Shape shape;
  std::vector<float> floats;      // kFloat
  std::vector<int64_t> integers;  // every other type

  static Tensor Floats(Shape shape, std::vector<float> values);
  static Tensor Integers(Shape shape, std::vector<int64_t> values,
                         DataType type = DataType::kInt64);
  bool IsFloat() const { return type == DataType::kFloat; }
  int64_t Count() const { return ElementCount(shape); }
};

using Attribute =
    std::variant<int64_t, float, std::string, std::vector<int64_t>, std::vector<float>, Tensor>;
using ValueId = int32_t;  // index into Graph::values; kNoValue marks an omitted optional input
inline constexpr ValueId kNoValue = -1;

// What a model says itself about how a value is quantized (QuantizeLinear, DequantizeLinear), to be
// obeyed bit for bit: real = scale * (code - zero_point).
struct Given {
  std::vector<float> scales;     // one, or one an index of `axis`
  std::vector<int> zero_points;  // as many; of codes in int8: those of a uint8 value are 128 less
  int64_t axis = 0;
  DataType type = DataType::kInt8;      // kInt8, of uint8 too; kInt32 for biases
  std::shared_ptr<const Tensor> codes;  // of a constant
  bool operator==(const Given& other) const {
    return scales == other.scales && zero_points == other.zero_points && type == other.type &&
           (scales.size() == 1 || axis == other.axis);
  }
  // Ends of what the codes of an int8 value with one scale can say.
  float Low() const { return scales[0] * static_cast<float>(-128 - zero_points[0]); }
  float High() const { return scales[0] * static_cast<float>(127 - zero_points[0]); }
};

struct Value {
  std::string name;
  DataType type = DataType::kFloat;
  std::optional<Shape> shape;                    // known after shape inference
  std::shared_ptr<const Tensor> constant;        // initialiser or folded constant, else null
  std::shared_ptr<const Given> given = nullptr;  // null where the model says nothing
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
  // Layers whose weights the model brings quantized: real = scale * code, a scale an output
  // channel. A channel whose weights are no int8 multiples of its scale is quantized anew.
  std::vector<float> weight_scales;
  // Its bias in the model's own integers, in units of `bias_scales`; both empty where it has none.
  std::vector<int64_t> bias_codes;
  std::vector<float> bias_scales;

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
  std::vector<std::string> notes;  // what the user has to hear of how the model was read

  Value& At(ValueId id) { return values[static_cast<size_t>(id)]; }
  const Value& At(ValueId id) const { return values[static_cast<size_t>(id)]; }
  ValueId AddValue(Value value);
  ValueId AddConstant(const std::string& name, Tensor tensor);
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
  void SortTopologically();
  // Drops values nothing refers to, and renumbers.
  void Compact();
};

// Producers and consumers of every value at one moment.
struct Links {
  explicit Links(const Graph& graph);
  std::vector<int> producer;                // by value: node or -1
  std::vector<std::vector<int>> consumers;  // by value: nodes, once per use
  std::vector<bool> is_output;
};

}  // namespace octet::graph

#endif  // OCTET_CONVERTER_GRAPH_GRAPH_H_
