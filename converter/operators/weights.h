// Which operators have weights, and how they lie: what quantization, bias correction and the FP16
// tail ask, instead of naming operators.
#ifndef OCTET_CONVERTER_OPERATORS_WEIGHTS_H_
#define OCTET_CONVERTER_OPERATORS_WEIGHTS_H_

#include <cstdint>
#include <optional>
#include <string_view>
#include <vector>

#include "converter/graph/graph.h"

namespace octet::operators {

// What a Clip or Relu behind a node costs on the board.
enum class Clamping : uint8_t {
  kCosts,  // a layer of its own
  kFree,   // nothing
  kFused,  // nothing: passes make it the node's activation
};

// The word of an operator in operators.inc; plugins choose one too.
struct LayerForm {
  Clamping clamping = Clamping::kCosts;
  bool has_weights = false, has_bias = false;  // inputs 1 and 2
  // Of the output channels: in the weights, in the result; negative ones count from the end.
  int64_t axis = 0, result_axis = 0;
};
namespace layers {
inline constexpr LayerForm kNone{}, kTerms{Clamping::kFused},
    kConv{Clamping::kFused, true, true, 0, 1}, kConvTranspose{Clamping::kFused, true, true, 1, 1},
    kGemm{Clamping::kFused, true, true, -1, -1}, kMatMul{Clamping::kFree, true, false, -1, -1};
}  // namespace layers

Clamping ClampingOf(std::string_view op);
// Adds a number of input 2 to the sums of each output channel.
bool HasBiasInput(std::string_view op);

// A constant weight tensor of shape [..., outputs at `axis`, ...].
struct Weights {
  const graph::Tensor* tensor = nullptr;
  size_t input = 1;        // of the node
  size_t axis = 0;         // of the output channels, a group's where there are groups
  int64_t outputs = 0;     // output channels of all groups
  int64_t products = 0;    // summed for each result
  size_t result_axis = 0;  // of the output channels in the node's result
};

// An operator that sums products of its first input with weights (or with a computed tensor).
bool IsContraction(const graph::Node& node);
// A contraction or a recurrent layer: it sums products, and int8 is for these.
bool SumsProducts(const graph::Node& node);
// One whose input 0 and result have channels at axis 1, of groups perhaps, with weights
// [outputs, channels / group, ...].
bool IsConvolution(const graph::Node& node);
// nullopt for other operators, and where the weights are not constant floats.
std::optional<Weights> WeightsOf(const graph::Graph& graph, const graph::Node& node);

// Of the whole result; 0 for other operators. graph: shapes are known.
int64_t ProductsOf(const graph::Graph& graph, const graph::Node& node);

// The output channel, of all groups, of each element of the weights.
std::vector<size_t> OutputsOfElements(const Weights& weights);

// Of weights that the model brings as codes, the scale of each output channel; 0 for a channel
// whose weights are no codes, or of several scales. Empty where no channel has one.
std::vector<float> CodedScalesOf(const graph::Graph& graph, const graph::Node& node);

// A bias that the model brings in integers: real = scale * code. Both empty where it does not.
struct CodedBias {
  std::vector<int64_t> codes;
  std::vector<float> scales;  // as many
};
CodedBias CodedBiasOf(const graph::Graph& graph, const graph::Node& node);

}  // namespace octet::operators

#endif  // OCTET_CONVERTER_OPERATORS_WEIGHTS_H_
