// Small graphs for the tests of passes, and the check that a pass keeps their meaning.
#ifndef OCTET_TESTS_CONVERTER_PASSES_NET_H_
#define OCTET_TESTS_CONVERTER_PASSES_NET_H_

#include <map>
#include <random>
#include <string>
#include <string_view>
#include <vector>

#include "converter/graph/graph.h"

namespace octet::passes::testing {

using graph::Graph;
using graph::kNoValue;
using graph::Node;
using graph::Shape;
using graph::Tensor;
using graph::ValueId;
using Attributes = std::map<std::string, graph::Attribute>;
using Ints = std::vector<int64_t>;

class Net {
 public:
  ValueId Input(const Shape& shape, const std::string& name = "x");
  ValueId Scalar(float value) { return Floats({}, {value}); }
  ValueId Floats(const Shape& shape, std::vector<float> values);
  ValueId Integers(std::vector<int64_t> values);
  // Uniform in [low, high).
  ValueId Random(const Shape& shape, float low = -1, float high = 1);
  // The single result of a new node; `results` of them with Nodes.
  ValueId Op(const std::string& op, std::vector<ValueId> inputs, Attributes attributes = {});
  std::vector<ValueId> Nodes(const std::string& op, std::vector<ValueId> inputs, size_t results,
                             Attributes attributes = {});
  // BatchNormalization with random statistics.
  ValueId Norm(ValueId x, int64_t channels);
  void Output(ValueId id) { graph.outputs.push_back(id); }

  std::string NameOf(ValueId id) const { return graph.At(id).name; }
  // Operators in order, fused activations behind a plus: "Conv+Relu Add".
  std::string Ops() const;

  Graph graph;

 private:
  std::mt19937 random_{1};
};

// Runs the pass and expects `rewrites`; when some are, expects the outputs (random inputs, 1e-4 of
// the largest magnitude), the names and shapes of the graph's inputs and outputs unchanged, each
// value defined once and before its use, and nothing left to do in a second run. Returns the
// operators left.
std::string RunPass(Net& net, std::string_view pass, int rewrites);

// The same for the whole list.
std::string RunAll(Net& net);

// Random inputs for a graph, uniform in [low, high).
std::vector<Tensor> RandomInputs(const Graph& graph, unsigned seed, float low, float high);
// Largest difference over the largest magnitude of the first list, over all outputs; infinity for
// unequal shapes.
double RelativeDifference(const std::vector<Tensor>& before, const std::vector<Tensor>& after);
std::string Histogram(const Graph& graph);

}  // namespace octet::passes::testing

#endif  // OCTET_TESTS_CONVERTER_PASSES_NET_H_
