// How a constant in a value passes the operators that read it.
#ifndef OCTET_CONVERTER_PASSES_CONSTANT_THROUGH_H_
#define OCTET_CONVERTER_PASSES_CONSTANT_THROUGH_H_

#include <optional>
#include <vector>

#include "converter/passes/editor.h"

namespace octet::passes {

// Float, computed, of a known shape, and not rounded to codes.
bool IsPlainFloat(const Editor& editor, ValueId id);
// A Conv or Gemm to whose sums a number for each output can be added, whatever is fused behind.
bool HasBias(const Editor& editor, Node node);

// Operators f for which f(x + k) = f(x) + k', where k' depends on k alone: what moves data, linear
// operators, and clamps, whose bounds move. f may change by k: see MoveBounds.
bool LetsConstantPass(const Editor& editor, const Node& node);
// Those that let k pass where all elements have the same, by an activation that is fused, or as
// nodes.
bool IsClamped(const Node& node);
bool NeedsOneNumber(const Node& node);

// k' of such a node and of `part`, a number for each element of its input `whole`: a number for
// each element of the result. Nullopt: there is none, for this k. Biases are left out.
std::optional<Tensor> PartBehind(const Editor& editor, const Node& node, ValueId whole,
                                 const Tensor& part);

// Makes the node compute f(x + k) - k': `part` is what its inputs have lost, `behind` its result.
void MoveBounds(Editor& editor, int n, const Tensor& part, const Tensor& behind);

// The activation alone; nothing where there is none.
void MoveFusedClamp(float part, Node* node);

// A normalization with a bias of its own, which comes last.
bool IsNorm(const Editor& editor, const Node& node);

// The input of an Add or Sub that is constant, or -1; and what it adds to the result.
int ConstantInput(const Editor& editor, const Node& node);
std::vector<float> AddedBy(const Editor& editor, const Node& node, int input);

// What a mean, or the largest, makes of 1 in all of its elements; none where it is neither, or that
// number differs from place to place, as it does with zeros around a picture.
std::optional<float> FactorOfAll(const Editor& editor, const Node& node);

// By node, what a layer computes: not a function in front of an output, which is done in float.
std::vector<bool> Computed(const graph::Graph& graph);
// A function of one variable in which constants end, and whose result may have one. computed: see
// Computed(), before any change.
bool IsFunction(const Editor& editor, const std::vector<bool>& computed, int n);

}  // namespace octet::passes

#endif  // OCTET_CONVERTER_PASSES_CONSTANT_THROUGH_H_
