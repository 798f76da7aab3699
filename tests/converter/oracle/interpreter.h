// What a graph means, value by value: its operators in FP32, QuantizeLinear and DequantizeLinear as
// ONNX has them, and values that bring a scheme along (graph::Given) rounded to it. Written beside
// the executor, so that a test which compares two graphs does not rest on how that one keeps
// memory.
#ifndef OCTET_TESTS_CONVERTER_ORACLE_INTERPRETER_H_
#define OCTET_TESTS_CONVERTER_ORACLE_INTERPRETER_H_

#include <functional>
#include <memory>
#include <string>
#include <unordered_map>
#include <vector>

#include "converter/graph/graph.h"
#include "converter/operators/operator.h"

namespace octet::test {

using TensorPtr = std::shared_ptr<const graph::Tensor>;
using Values = std::vector<TensorPtr>;  // by graph::ValueId; null: never computed

// Both of one type and shape, and every element equal; NaN equals NaN, 0 equals -0.
bool Same(const graph::Tensor& a, const graph::Tensor& b);

// The two plans read quantization in two ways.
//   kCodes   QuantizeLinear and DequantizeLinear as ONNX has them; values that bring a scheme along
//            (graph::Given) are rounded to it
//   kRanges  a QuantizeLinear is a clamp to what its codes can say and rounds nothing; its codes
//   are
//            the real values, as are constants beside them, and a DequantizeLinear of them is a
//            copy. A scheme beside a value says nothing: a range has to be in the graph as a clamp.
enum class Reading : uint8_t { kCodes, kRanges };

class Interpreter {
 public:
  explicit Interpreter(Reading reading) : reading_(reading) {}

  // Sees each computed value and may put another tensor in its place.
  using Settle = std::function<TensorPtr(graph::ValueId, TensorPtr)>;

  // Inputs in the order of graph.inputs. Codes become the real values that they stand for where the
  // graph takes those. Shapes must have been inferred. Nodes that an earlier run computed on the
  // same tensors are not computed again: passes leave most of a graph as it was.
  Values Run(const graph::Graph& graph, const std::vector<TensorPtr>& inputs,
             const Settle& settle = {});

 private:
  struct Known {
    std::vector<TensorPtr> inputs;  // kept, since the key holds their addresses
    std::vector<TensorPtr> outputs;
  };

  // Of codes that are read as real values: real = scale * (code - zero_point).
  struct Scheme {
    double scale, zero_point;
  };
  using Schemes = std::unordered_map<graph::ValueId, Scheme>;

  // `real`: its codes are real values.
  std::vector<TensorPtr> Compute(const graph::Graph& graph, const graph::Node& node,
                                 const std::vector<TensorPtr>& inputs, bool real);
  const graph::Given* GivenOf(const graph::Graph& graph, graph::ValueId id) const;
  TensorPtr Read(const graph::Graph& graph, graph::ValueId id, const TensorPtr& input) const;
  // Of kRanges: the inputs of a node that reads codes, those beside them as real values too; where
  // it quantizes or dequantizes, its results.
  std::vector<TensorPtr> RealInputs(const graph::Node& node, std::vector<TensorPtr> inputs,
                                    Schemes& schemes);
  std::vector<TensorPtr> RealResults(const graph::Graph& graph, const graph::Node& node,
                                     const std::vector<TensorPtr>& inputs, Schemes& schemes);
  std::string KeyOf(const graph::Graph& graph, const graph::Node& node,
                    const std::vector<TensorPtr>& inputs) const;

  Reading reading_;
  std::unordered_map<std::string, Known> known_;
  operators::Workspace workspace_;
};

}  // namespace octet::test

#endif  // OCTET_TESTS_CONVERTER_ORACLE_INTERPRETER_H_
