// Pictures side by side through a graph, exact and in 8 bits, one node at a time: what corrections
// are found from and judged by.
#ifndef OCTET_CONVERTER_RECOVER_LOCKSTEP_H_
#define OCTET_CONVERTER_RECOVER_LOCKSTEP_H_

#include <cstdint>
#include <functional>
#include <utility>
#include <vector>

#include "converter/graph/graph.h"
#include "converter/images/dataset.h"
#include "converter/operators/operator.h"
#include "converter/operators/output_view.h"
#include "converter/quantize/scheme.h"
#include "converter/recover/simulate.h"

namespace octet::recover {

// Energy of what an output takes from one value, and of the error of that. One figure for each
// piece of an output: pixels joined with probabilities would drown them.
struct Figure {
  double signal = 0, error = 0;
};

// 10 log10(signal / error), 50 at most; NaN where nothing was there to measure.
double Decibels(const Figure& figure);

// Bytes that one picture takes at most, both forms of every value alive at once.
int64_t BytesOfPicture(const graph::Graph& graph);

class Lockstep {
 public:
  Lockstep(const graph::Graph& graph, const quantize::Scheme& scheme, int threads);

  void Add(const std::vector<const images::Dataset*>& inputs, int64_t sample);

  // What becomes of a value in one picture: as FP32 has it, simulated before and after it is
  // rounded to 8 bits, and, for the results of int8 weights that outputs are made of, what the same
  // inputs give with the weights as they are (else null).
  struct Shown {
    graph::ValueId id;
    const std::vector<float>&exact, &before, &after;
    const std::vector<float>* with_exact_weights;
  };
  // Sees every value an executed node computes, of every picture in order.
  using Watcher = std::function<void(const Shown& shown)>;
  void Watch(Watcher watcher) { watcher_ = std::move(watcher); }

  // Runs all pictures with the corrections of the scheme, and adds to `figures`, one for each piece
  // of each output in the order of operators::ViewOutputs.
  void Run(const std::function<void()>& progress, std::vector<Figure>* figures);

  // Runs all pictures and returns corrections by node. Values are rounded but not cut off at the
  // ends of their ranges: what large values lose there is no shift of all.
  std::vector<std::vector<float>> Correct(const std::function<void()>& progress);

 private:
  // One picture on its way, by value id.
  struct Lane {
    std::vector<graph::Tensor> exact, rounded;
  };

  bool IsInt8(size_t n) const { return scheme_.precision[n] == blob::Precision::kInt8; }
  const quantize::TensorScheme* SchemeOf(graph::ValueId id) const;
  std::vector<float> Step(size_t n, bool correct);
  template <typename Body>
  void ForEachLane(const Body& body);
  std::vector<graph::Tensor> RoundBorders(size_t n, const Lane& lane) const;
  void Execute(const graph::Node& node, const std::vector<graph::Tensor>& values,
               const graph::Tensor* weights, operators::Workspace& workspace,
               std::vector<graph::Tensor>* results,
               const std::vector<graph::Tensor>& borders = {}) const;
  graph::Tensor WithExactWeights(const graph::Node& node, const Lane& lane,
                                 const std::vector<graph::Tensor>& borders,
                                 operators::Workspace& workspace) const;
  void Measure(graph::ValueId id);
  void Measure(const operators::OutputPiece& piece, Figure* figure) const;
  void Release(size_t n);

  const graph::Graph& graph_;
  const quantize::Scheme& scheme_;
  graph::Links links_;
  operators::OutputView view_;
  std::vector<int64_t> last_use_;  // by value: node
  std::vector<Lane> lanes_;
  std::vector<operators::Workspace> workspaces_;
  std::vector<Figure>* figures_ = nullptr;  // none: nothing is measured
  Watcher watcher_;                         // may be empty
  bool clip_ = true;
};

}  // namespace octet::recover

#endif  // OCTET_CONVERTER_RECOVER_LOCKSTEP_H_
