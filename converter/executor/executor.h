// FP32 execution of a graph: the reference every later stage is compared with. OpenBLAS for the matrix products, one
// GEMM thread, parallel over images; results do not depend on the number of threads.
#ifndef OCTET_CONVERTER_EXECUTOR_EXECUTOR_H_
#define OCTET_CONVERTER_EXECUTOR_EXECUTOR_H_

#include <functional>
#include <vector>

#include "converter/graph/graph.h"
#include "converter/operators/operator.h"

namespace octet::executor {

// Called for each value as soon as it is computed (also for graph inputs), after the fused activation.
using Observer = std::function<void(graph::ValueId, const graph::Tensor&)>;

// One image at a time on the calling thread; keeps its memory between runs. Intermediate values are freed (reused) after their last use.
class Executor {
 public:
  explicit Executor(const graph::Graph& graph);
  // inputs in the order of graph.inputs; returns the outputs in the order of graph.outputs.
  std::vector<graph::Tensor> Run(const std::vector<graph::Tensor>& inputs, const Observer& observer = {});

 private:
  const graph::Graph* graph_;
  std::vector<graph::Tensor> slots_;
  std::vector<int> last_use_;
  operators::Workspace workspace_;
};

// Runs `count` items on `threads` threads, item i by one thread; `make` gives each thread its own state. Results must be merged by item
// order by the caller. Exceptions are rethrown on the calling thread.
void ParallelFor(int64_t count, int threads, const std::function<void(int thread, int64_t item)>& body);

}  // namespace octet::executor

#endif  // OCTET_CONVERTER_EXECUTOR_EXECUTOR_H_
