// What the operator files of this folder work with: the program under construction and, for every
// graph value, the tensors that hold it so far (a value may exist in two layouts and two types;
// conversions appear on demand).
#ifndef OCTET_CONVERTER_LOWER_BUILDER_H_
#define OCTET_CONVERTER_LOWER_BUILDER_H_

#include <map>
#include <string>
#include <string_view>
#include <tuple>
#include <vector>

#include "converter/graph/graph.h"
#include "converter/lower/layout.h"
#include "converter/lower/program.h"
#include "converter/operators/offset_function.h"
#include "converter/operators/output_view.h"
#include "converter/quantize/scheme.h"

namespace octet::lower {

inline bool HasInput(const graph::Node& node, size_t input) {
  return input < node.inputs.size() && node.inputs[input] != graph::kNoValue;
}

class Builder {
 public:
  Builder(const graph::Graph& graph, const quantize::Scheme& scheme, Program* program);

  const graph::Graph& graph() const { return graph_; }
  const graph::Links& links() const { return links_; }

  const graph::Shape& ShapeOf(graph::ValueId id) const;
  const graph::Tensor* Constant(graph::ValueId id) const { return graph_.Constant(id); }
  const quantize::TensorScheme& SchemeOf(graph::ValueId id) const;
  // kFp16 for what runs on integers (quantize::RunsOnIntegers).
  blob::Precision PrecisionOf(const graph::Node& node) const;
  // By output channel; empty: none.
  const std::vector<float>& BiasCorrectionOf(const graph::Node& node) const;
  // What all biases get besides, as the layer's results are stored.
  float BiasShiftOf(const graph::Node& node) const;
  quantize::WeightScheme WeightSchemeOf(const graph::Node& node) const;
  // Null where the node keeps its own weights, as in FP16.
  const quantize::RoundedWeights* RoundedWeightsOf(const graph::Node& node) const;
  static blob::ElementType TypeOf(blob::Precision precision);
  // Integers and bool are kInt32 in every plan, whatever `type` a float value would have.
  blob::ElementType TypeOf(graph::ValueId id, blob::ElementType type) const;
  bool IsInteger(graph::ValueId id) const { return graph_.At(id).type != graph::DataType::kFloat; }

  // The tensor that holds `id` in this form, converting from another one if need be (constants
  // become kConstant layers). An integer value is kInt32 whatever `type` says; so with Define().
  int Use(graph::ValueId id, Layout layout, blob::ElementType type);
  // The tensor that holds `id` in a layout, whichever type it has (constants: FP16).
  int UseAnyType(graph::ValueId id, Layout layout);
  // A new tensor for `id`.
  int Define(graph::ValueId id, Layout layout, blob::ElementType type);
  // A tensor no graph value names.
  int Temporary(const std::string& name, blob::ElementType type, const uint32_t (&dims)[4],
                const Tensor* like);
  void Alias(graph::ValueId id, Layout layout, int tensor);

  // Throws UserError where the operator does not run on integers and a tensor holds them.
  Layer& Emit(const graph::Node& node, blob::Op op, blob::Precision precision,
              std::vector<int> inputs, int output);
  // A transpose of `tensor` (its 4 dims) into a new tensor; a plain reshape where only dims of 1
  // move.
  int Transpose(int tensor, const int (&perm)[4], const std::string& name);
  // The same bytes under other dims.
  int Reshape(int tensor, const uint32_t (&dims)[4], const std::string& name);
  int Convert(int tensor, blob::ElementType type, graph::ValueId id);

  Tensor& At(int tensor) { return program_->tensors[static_cast<size_t>(tensor)]; }
  Program& program() { return *program_; }

  // The only node that reads `id`, or null (several readers, a graph output or a piece of one,
  // none).
  const graph::Node* OnlyReader(graph::ValueId id) const;
  // Marks a node as executed inside another layer.
  void Absorb(const graph::Node& node) { absorbed_[IndexOf(node)] = true; }
  bool Absorbed(const graph::Node& node) const { return absorbed_[IndexOf(node)]; }

  // Rank 4 lives as an image, everything else row-major.
  Layout Natural(graph::ValueId id) const;
  // The layout a value already has, so that layout-blind operators cause no transpose.
  Layout Existing(graph::ValueId id) const;
  // A value as an operand of an elementwise operator whose result has `rank` dimensions.
  int UseBroadcast(graph::ValueId id, size_t rank, Layout layout, blob::ElementType type);

 private:
  size_t IndexOf(const graph::Node& node) const {
    return static_cast<size_t>(&node - graph_.nodes.data());
  }
  int UseConstant(graph::ValueId id, Layout layout, blob::ElementType type);
  // Of the value's FP16 form.
  float HalfScaleOf(graph::ValueId id) const;

  const graph::Graph& graph_;
  const quantize::Scheme& scheme_;
  Program* program_;
  graph::Links links_;
  operators::OutputView view_;
  std::vector<bool> absorbed_;
  std::map<std::tuple<graph::ValueId, Layout, blob::ElementType>, int> forms_;
};

// One function an operator family; the list of all operators declares them.
using LowerFn = void (*)(Builder& builder, const graph::Node& node);
#define OCTET_OPERATOR(name, rule, function, lowering, ...) \
  void lowering(Builder& builder, const graph::Node& node);
#include "converter/operators/operators.inc"
#undef OCTET_OPERATOR
// lower.cc: null for an operator that cannot run on the board.
LowerFn LoweringOf(std::string_view op);
// The constant 0 around the picture in `input`: pads are top, left, bottom, right.
int PadPicture(Builder& builder, const graph::Node& node, int input, const int64_t (&pads)[4]);

// movement.cc: of a Transpose of a value of `rank` dimensions.
std::vector<int64_t> PermutationOf(const graph::Node& transpose, size_t rank);
// matmul.cc: a Transpose that is no layer, for its only reader is a product of two computed
// tensors, which reads the source through strides.
bool IsReadTurned(const Builder& builder, const graph::Node& transpose);

// unary.cc
struct FunctionOf {
  blob::Function function = blob::Function::kIdentity;
  float alpha = 0, beta = 0;
  std::string_view name = {};  // the operator it is, where there is one (operators/unary.inc)
  // Of a Silu whose gate the model rounds to codes; 0: not rounded. Tables alone have it.
  float gate_scale = 0;
  int gate_zero_point = 0;
  operators::OffsetFunction offset = {};  // where it is one, of tables; else without steps
};
Activation ActivationOf(const FunctionOf& function, float table_scale);
// The runtime's function for a unary node (Relu, Clip, Silu, ..., Add/Mul/... with a scalar
// constant) or for a fused activation.
bool UnaryFunction(const graph::Graph& graph, const graph::Node& node, FunctionOf* out);
FunctionOf ActivationFunction(const graph::Node& node);
// The function of an operator without parameters ("Sigmoid", "Tanh", ...).
FunctionOf FunctionNamed(const std::string& op);
// The real function in double.
double Evaluate(const FunctionOf& function, double x);
// Of all halves, in FP16: table of Function::kTable16.
Bytes HalfTable(const FunctionOf& function);
// int8 table[256] from one scheme to another.
Bytes UnaryTable(const FunctionOf& function, const Tensor& from, const Tensor& to);
// Where `from` has a scheme a channel: its tables one behind another, and the table of each
// channel.
struct ChannelTables {
  Bytes tables, index;
};
ChannelTables UnaryTables(const FunctionOf& function, const Tensor& from, const Tensor& to);
// int8 clamp of an activation whose result is quantized with `to`; false if it is not a clamp.
bool ClampOf(const FunctionOf& function, const Tensor& to, int8_t* lo, int8_t* hi);

}  // namespace octet::lower

#endif  // OCTET_CONVERTER_LOWER_BUILDER_H_
