// What the int8 layers of a graph compute with: weights and biases as their codes say them.
#ifndef OCTET_CONVERTER_LOWER_CODED_WEIGHTS_H_
#define OCTET_CONVERTER_LOWER_CODED_WEIGHTS_H_

#include <optional>
#include <vector>

#include "converter/graph/graph.h"
#include "converter/lower/builder.h"
#include "converter/lower/conv_codes.h"
#include "converter/quantize/scheme.h"

namespace octet::lower {

// In the order and shape of the node's own constant. All is as lowering has it: channels without
// effect are 0 and have a bias of whole steps of the result, scales grew where the bias or the
// pre-shift asked for it, corrections of the scheme are in the biases.
struct CodedWeights {
  graph::Tensor weights;    // scale * code
  std::vector<float> bias;  // one an output channel, 0 where the node has none
  // `bias` less the node's own: the scheme's correction, and what rounding to whole steps moves.
  std::vector<float> bias_shift;
  std::vector<float> scales;  // by output channel; 0: without effect
  std::vector<int8_t> codes;  // in the order of `weights`
};

// Asks as many nodes as one likes under one scheme; both must outlive it.
class WeightCoder {
 public:
  WeightCoder(const graph::Graph& graph, const quantize::Scheme& scheme)
      : builder_(graph, scheme, &program_) {}
  // nullopt where node n is no int8 layer with constant weights. Throws what lowering throws.
  std::optional<CodedWeights> Of(size_t n) const;

 private:
  Program program_;  // stays empty
  Builder builder_;
};

// `weights` of an int8 node with all that the model and the scheme say of them.
ConvWeights AsInt8(const Builder& builder, const graph::Node& node, ConvWeights weights);

}  // namespace octet::lower

#endif  // OCTET_CONVERTER_LOWER_CODED_WEIGHTS_H_
