// One sample through a graph in FP32, every value kept, and what its outputs become when one unit
// does something else: only the nodes behind it run again.
#ifndef OCTET_CONVERTER_ASSIGN_RERUN_H_
#define OCTET_CONVERTER_ASSIGN_RERUN_H_

#include <map>
#include <vector>

#include "converter/assign/table.h"
#include "converter/graph/graph.h"
#include "converter/operators/operator.h"
#include "converter/operators/output_view.h"
#include "converter/quantize/scheme.h"

namespace octet::assign {

// Of what outputs take from a value (operators::OutputPiece): error as a share of its energy, at
// most all of it; the mean over the pieces that have any. Boxes and scores joined in one output
// count alike.
class Rerun {
 public:
  Rerun(const graph::Graph& graph, const quantize::Scheme& scheme);

  // Runs everything; inputs in the order of the graph's.
  void Load(std::vector<graph::Tensor> inputs);

  // Loss of the outputs when the unit alone runs in int8: inputs, weights and results rounded as
  // `scheme` says, and its corrections of biases.
  double LossInInt8(const Unit& unit);
  // How much faster than its result the outputs change: the unit's result moves by `step` of its
  // root mean square, up or down for each number as `seed` throws it; the outputs' relative change
  // (root of the loss) over `step`.
  double Gradient(const Unit& unit, double step, uint64_t seed);

  // Bytes that one sample takes.
  static int64_t BytesOf(const graph::Graph& graph);

 private:
  using Values = std::map<graph::ValueId, graph::Tensor>;
  const graph::Tensor* Source(graph::ValueId id, const Values& changed) const;
  // Results of node n, its activation included; `rounded`: as int8 computes them.
  std::vector<graph::Tensor> Execute(size_t n, const Values& changed, bool rounded);
  void Round(graph::ValueId id, graph::Tensor* tensor) const;
  void Store(size_t n, std::vector<graph::Tensor> results, Values* changed) const;
  // Runs what is behind the node again, and returns the loss.
  double LossBehind(size_t n, Values* changed);
  double LossOf(const operators::OutputPiece& piece, const graph::Tensor& changed) const;

  const graph::Graph& graph_;
  const quantize::Scheme& scheme_;
  operators::OutputView view_;
  graph::Links links_;
  std::vector<size_t> last_use_;             // by value: node
  std::map<size_t, graph::Tensor> weights_;  // by node: rounded
  std::vector<graph::Tensor> exact_;         // by value
  operators::Workspace workspace_;
};

}  // namespace octet::assign

#endif  // OCTET_CONVERTER_ASSIGN_RERUN_H_
