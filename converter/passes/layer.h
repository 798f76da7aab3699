// Scaling and shifting what goes into, or comes out of, a layer with constant weights.
#ifndef OCTET_CONVERTER_PASSES_LAYER_H_
#define OCTET_CONVERTER_PASSES_LAYER_H_

#include <optional>
#include <vector>

#include "converter/passes/editor.h"
#include "converter/passes/read.h"

namespace octet::passes {

// Conv, ConvTranspose or normalised Gemm with constant float weights, a constant bias or none, and
// no fused activation. The channel axis of input and output is 1.
bool IsFoldable(const Editor& editor, const Node& node);
// Producer of `id` when IsFoldable and the value is private, else -1.
int FoldableProducer(const Editor& editor, ValueId id);

int64_t OutputChannels(const Editor& editor, const Node& node);
int64_t InputChannels(const Editor& editor, const Node& node);

// y' = scale[o] * y + shift[o]: weights and bias of channel o times scale[o], bias plus shift[o].
void ScaleOutputs(Editor& editor, int node, const ScaleShift& by);

// y' = y + shift[o]: of the bias alone.
void ShiftOutputs(Editor& editor, int node, const std::vector<float>& shift);

// x' = scale[i] * x + shift[i] in front of a Conv or Gemm. A shift is exact only where no zero
// padding meets it: with pads, any non-zero shift is refused. False when refused.
bool ScaleInputs(Editor& editor, int node, const ScaleShift& by);

// Mul or Add of a float value and a constant along the channel axis (1) of a known shape: the
// value, and the constant as scale or shift per channel.
struct ChannelConstant {
  ValueId data;
  ScaleShift by;
};
std::optional<ChannelConstant> ReadChannelConstant(const Editor& editor, const Node& node);

}  // namespace octet::passes

#endif  // OCTET_CONVERTER_PASSES_LAYER_H_
