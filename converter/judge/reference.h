// The graph as imported, run in FP32: what plans are measured against. No pass has touched it, and
// nothing of a plan is known here.
#ifndef OCTET_CONVERTER_JUDGE_REFERENCE_H_
#define OCTET_CONVERTER_JUDGE_REFERENCE_H_

#include <set>
#include <string>
#include <vector>

#include "converter/executor/executor.h"
#include "converter/graph/graph.h"

namespace octet::judge {

// Without the nodes that no output is made of, which would cost time.
graph::Graph OfOutputs(graph::Graph imported);

class Reference {
 public:
  // graph: of OfOutputs, stays. names: of the inputs that Run is given, in that order; the others
  // are zeros, for a blob that has not got them cannot depend on them.
  Reference(const graph::Graph& graph, const std::vector<std::string>& names);

  // By output, whatever its type; states are none. A run reads the states that the one before it
  // left, or those of the first sample of a sequence.
  std::vector<std::vector<float>> Run(const std::vector<graph::Tensor>& inputs);
  void Reset() { states_ = graph_.states; }
  // Names of the nodes with a result that is not finite everywhere.
  std::set<std::string> InfiniteNodes(const std::vector<graph::Tensor>& inputs);

 private:
  std::vector<graph::Tensor> Arranged(const std::vector<graph::Tensor>& inputs) const;

  const graph::Graph& graph_;
  executor::Executor executor_;
  std::vector<graph::Tensor> states_;
  std::vector<int> source_;  // by own input of the graph: index into what Run is given, or -1
};

}  // namespace octet::judge

#endif  // OCTET_CONVERTER_JUDGE_REFERENCE_H_
