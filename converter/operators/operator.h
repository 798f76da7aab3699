// What the converter knows of an ONNX operator: its shape rule and its FP32 meaning. One file an
// operator (or a small family), one line in operators.inc.
#ifndef OCTET_CONVERTER_OPERATORS_OPERATOR_H_
#define OCTET_CONVERTER_OPERATORS_OPERATOR_H_

#include <cstdint>
#include <span>
#include <string_view>
#include <vector>

#include "converter/graph/graph.h"
#include "converter/operators/meaning.h"
#include "converter/operators/reading.h"
#include "converter/operators/scaling.h"
#include "converter/operators/weights.h"

namespace octet::operators {

// Inputs of a node during shape inference or execution. `tensors[i]` is null when input i is
// omitted or not known yet (shape inference of a value that is not constant).
struct ShapeContext {
  const graph::Graph* graph;
  const graph::Node* node;
  std::vector<const graph::Value*> inputs;  // null when omitted
};

struct OutputType {
  graph::DataType type = graph::DataType::kFloat;
  graph::Shape shape;
};

// Reusable memory for one executing thread (im2col buffers and the like), so that running many
// images allocates little.
struct Workspace {
  std::vector<float> buffer;
};

// What the result of an operator is in int8: who decides its scale.
enum class Int8 : uint8_t {
  kComputes,    // requantized, to any scale
  kKeepsScale,  // values of input 0, at its scale
  kJoins,       // values of all inputs, at one scale
  kFixedScale,  // probabilities, in steps of 1/256 or finer where the model says no others
  kFp16,        // no int8 kernel: runs in FP16, or exactly on integers, in every plan
};

// What an operator does on codes of quantized values, which a file computes on as on integers.
enum class OnCodes : uint8_t {
  kPlaces,    // each result is the code at a place of the first input, which shapes, attributes and
              // the other inputs decide
  kMoves,     // each result is a code of the first input, or the code 0 or another constant beside
              // them
  kSelects,   // each result is a code of one of the inputs
  kMixes,     // each result lies between codes, and is rounded to one
  kCompares,  // results are no codes: indices, truth values, shapes
  kCasts,     // to or from codes, which it counts
  kOther,     // computes on them as on integers
};

// What a constant k in what an operator reads makes of its result.
enum class Linearity : uint8_t {
  kNone,     // nothing is known
  kInAll,    // f(x + k) = f(x) + f(k) of all its inputs together
  kInOne,    // the same of one computed input, the others being constant
  kClamps,   // f(x + k) = f(x) + k, where k is one number, by which its bounds move
  kBounds,   // the same of a constant operand, whatever k
  kLargest,  // f(x + k) = f(x) + f(k), where k is the same all over a picture
  kIgnores,  // f(x + k) = f(x), where k is one number
};

// What is known of the bounds of a result, without its fused activation, from those of its inputs.
enum class Bounding : uint8_t {
  kUnknown,
  kFirst,         // those of input 0
  kFirstOrZero,   // the same, and 0
  kAll,           // those of all inputs
  kBranches,      // those of all inputs but the first
  kSum,           // of two
  kDifference,    // of two
  kProduct,       // of two
  kFunction,      // of one number: finite, and smooth enough to be sampled
  kShares,        // 0 to 1
  kNotNegative,   // from 0 on
  kSignOfFirst,   // from 0 on, or up to 0, where input 0 is
  kFilled,        // those of input 0, and the number of a Pad
  kInterpolated,  // those of input 0, but for Resize's cubic weights and what it writes outside
};

// Steps in which the int8 kernel of kFixedScale can write (runtime/quant/QUANTIZATION.md, 9).
inline constexpr float kFinestProbability = 1.0f / 4096, kCoarsestProbability = 1;

struct Operator {
  std::string_view name;  // ONNX operator
  // Shapes and types of the outputs; throws UserError naming the node when inputs are wrong.
  std::vector<OutputType> (*infer)(const ShapeContext& context);
  // FP32 (and integer) evaluation; outputs are pre-shaped by infer. Deterministic for any thread
  // count: one thread, one order. The node's fused activation is applied by the caller.
  void (*execute)(const graph::Node& node, std::span<const graph::Tensor* const> inputs,
                  std::span<graph::Tensor> outputs, Workspace& workspace);
  Int8 int8;
  OnCodes codes;
  Linearity linearity;
  Bounding bounding;
  // Words of their headers. References: a record that lacks one does not compile.
  const Scales& scales;
  const Reads& reads;
  const Meaning& meaning;
  const LayerForm& layer;
};

// Null for an unknown operator.
const Operator* Find(std::string_view op);
// kFp16 for an unknown operator, and for a node with the attribute octet_fp16 (codes_to_real.cc).
Int8 Int8Of(const graph::Node& node);
// kOther for an unknown operator. Attributes may change it: import/codes.h.
OnCodes OnCodesOf(std::string_view op);
// Each result is a code of the first input, or a constant.
inline bool MovesCodes(OnCodes rule) {
  return rule == OnCodes::kPlaces || rule == OnCodes::kMoves;
}
// kNone and kUnknown for an unknown operator.
Linearity LinearityOf(std::string_view op);
Bounding BoundingOf(std::string_view op);
// All names, sorted; for messages.
std::vector<std::string_view> Names();

// Runs shape inference over the whole graph in order (constants folded where they decide shapes);
// throws UserError naming node and operator. Values with a leading symbolic dim must have been
// pinned before.
void InferShapes(graph::Graph& graph);
// The step of it for one node, those before it being done.
void InferNode(graph::Graph& graph, const graph::Node& node);

// Evaluates one node whose inputs are all constant.
std::vector<graph::Tensor> Evaluate(const graph::Graph& graph, const graph::Node& node);

// The scalar function of an activation or unary operator ("Relu", "Silu", "Clip", ...), in double;
// used by the executor (in float precision of the result) and by the table builder. Throws for an
// unknown name. See Node::activation for alpha, beta.
using ScalarFunction = double (*)(double x, double alpha, double beta);
ScalarFunction ScalarOf(std::string_view function);
// In place over a buffer, float speed.
void ApplyActivation(std::string_view function, std::span<float> values, float alpha, float beta);

}  // namespace octet::operators

#endif  // OCTET_CONVERTER_OPERATORS_OPERATOR_H_
