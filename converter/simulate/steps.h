// One node of a graph at a time: exactly, and as the int8 plan of a scheme computes it.
#ifndef OCTET_CONVERTER_SIMULATE_STEPS_H_
#define OCTET_CONVERTER_SIMULATE_STEPS_H_

#include <cstdint>
#include <functional>
#include <memory>
#include <utility>
#include <vector>

#include "converter/graph/graph.h"
#include "converter/operators/operator.h"
#include "converter/operators/output_view.h"
#include "converter/quantize/scheme.h"
#include "converter/simulate/rounding.h"

namespace octet::simulate {

inline size_t At(graph::ValueId id) {
  return static_cast<size_t>(id);
}

// What is the same under every scheme. The graph stays.
struct Topology {
  explicit Topology(const graph::Graph& graph);

  const graph::Graph& graph;
  graph::Links links;
  operators::OutputView view;     // which nodes run, what outputs are made of
  std::vector<int64_t> last_use;  // by value: the last node that runs and reads or makes it, or -1
  // By value: an integer that decides what others pick. Which of two nearly equal numbers comes
  // first is no error, but everything picked by that order would be compared with something else:
  // the simulation picks what FP32 picks.
  std::vector<bool> is_index;

  int64_t BytesOf(graph::ValueId id) const;
  // Of one form of a picture: all values that are alive at once, and all that are computed.
  int64_t peak_bytes = 0, all_bytes = 0;
};

// The value that a node reads; never called for constants.
using Source = std::function<const graph::Tensor&(graph::ValueId id)>;

// Computes node n exactly, into as many tensors as it has outputs: without its activation, and with
// it.
std::vector<graph::Tensor> RunSums(const Topology& topology, size_t n, const Source& source,
                                   operators::Workspace& workspace);
std::vector<graph::Tensor> RunExact(const Topology& topology, size_t n, const Source& source,
                                    operators::Workspace& workspace);

class Steps {
 public:
  // like: steps of another scheme of the same topology, or null; rounded weights that are the same
  // are shared. The scheme stays.
  Steps(const Topology& topology, const quantize::Scheme& scheme, const Steps* like = nullptr);

  bool IsInt8(size_t n) const { return scheme_.precision[n] == blob::Precision::kInt8; }
  // Where outputs of an int8 node with weights stand; count is 0 for anything else.
  const Outputs& OutputsAt(size_t n) const { return outputs_[n]; }
  // Of a float value, or null.
  const quantize::TensorScheme* SchemeOf(graph::ValueId id) const;
  bool HasWeights(size_t n) const { return weights_[n] != nullptr; }
  // Other weights than the scheme's, of a node that has them.
  void SetWeights(size_t n, std::shared_ptr<const graph::Tensor> weights) {
    weights_[n] = std::move(weights);
  }

  // What the node's arithmetic gives, before its correction, its activation and the rounding.
  // exact_weights: the int8 node's weights as they are in FP32. clip: whether the values that an
  // int8 node reads from outside of the int8 part are cut off at the ends of their ranges.
  std::vector<graph::Tensor> Sums(size_t n, const Source& source, bool exact_weights, bool clip,
                                  operators::Workspace& workspace) const;
  // Another correction than the scheme's (or none) on the biases as they are, and the activation.
  void Finish(size_t n, const std::vector<float>& correction,
              std::vector<graph::Tensor>* results) const;
  // The biases with the scheme's correction, both in the steps that the layer counts them in, and
  // the activation.
  void Finish(size_t n, std::vector<graph::Tensor>* results) const;
  // To 8 bits, where the node is int8.
  void Round(size_t n, bool clip, std::vector<graph::Tensor>* results) const;

  // Nodes whose results may differ from those under another scheme of the same topology: by node.
  std::vector<bool> Affected(const Steps& other) const;

 private:
  bool SameAt(size_t n, const Steps& other) const;

  const Topology& topology_;
  const quantize::Scheme& scheme_;
  std::vector<Outputs> outputs_;
  std::vector<std::shared_ptr<const graph::Tensor>> weights_;  // rounded; null: as they are
  // By output channel: what rounded biases are off the node's own; empty beside null weights.
  std::vector<std::vector<float>> bias_shifts_;
};

}  // namespace octet::simulate

#endif  // OCTET_CONVERTER_SIMULATE_STEPS_H_
