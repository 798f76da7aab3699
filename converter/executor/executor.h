// FP32 execution of a graph: the reference every later stage is compared with. Matrix products in
// one written order (operators/matrix.h), parallel over images; results do not depend on the number
// of threads.
#ifndef OCTET_CONVERTER_EXECUTOR_EXECUTOR_H_
#define OCTET_CONVERTER_EXECUTOR_EXECUTOR_H_

#include <functional>
#include <vector>

#include "converter/graph/graph.h"
#include "converter/operators/operator.h"

namespace octet::executor {

// Called for each value as soon as it is computed (also for graph inputs), after the fused
// activation.
using Observer = std::function<void(graph::ValueId, const graph::Tensor&)>;

// Values that bring a scheme of their codes along (graph::Given) are rounded to it: that is what
// the model means.
//
// One image at a time on the calling thread; keeps its memory between runs. Intermediate values are
// freed (reused) after their last use. The graph must outlive the executor, must have been through
// InferShapes and must not change meanwhile.
class Executor {
 public:
  // Throws UserError for an operator that is not supported or a value without a shape.
  explicit Executor(const graph::Graph& graph);
  // inputs in the order of graph.inputs; returns the outputs in the order of graph.outputs. Throws
  // UserError when an input has another type or shape than the graph says.
  std::vector<graph::Tensor> Run(const std::vector<graph::Tensor>& inputs,
                                 const Observer& observer = {});

  // Elements of all slots together: the peak of memory for values.
  int64_t SlotElements() const;

 private:
  // One node that has to run: the slots of its results, and which values it reads.
  struct Step {
    int node;
    const operators::Operator* op;
    std::vector<int> slots;
  };

  void PlanSlots();
  // The scheme that a computed value or an input brings along, or null.
  const graph::Given* GivenOf(graph::ValueId id) const;
  const graph::Tensor* Source(graph::ValueId id, const std::vector<graph::Tensor>& inputs) const;

  const graph::Graph* graph_;
  std::vector<graph::Tensor> slots_;
  std::vector<int64_t> slot_elements_;
  std::vector<int> slot_of_value_;   // -1: constant, graph input, or never computed
  std::vector<int> input_of_value_;  // position in graph.inputs, or -1
  std::vector<int> last_use_;        // step after which a value's slot is free
  std::vector<Step> steps_;
  std::vector<graph::Tensor> rounded_inputs_;  // those that bring a scheme along
  operators::Workspace workspace_;
};

// Runs `count` items on `threads` threads, item i by one thread; `thread` (0 to threads - 1) picks
// the caller's state of that thread. Results must be merged by item order by the caller. Exceptions
// are rethrown on the calling thread.
void ParallelFor(int64_t count, int threads,
                 const std::function<void(int thread, int64_t item)>& body);

}  // namespace octet::executor

#endif  // OCTET_CONVERTER_EXECUTOR_EXECUTOR_H_
