// Outputs that differ by less than 8 bits tell apart: a mean between 0.498 and 0.502, probabilities
// of 0.2 each. An int8 range holds 0, so that such a value has a few of 256 codes left for what
// varies. FP16 near 0.5 has steps of 1/2048. A tensor that varies more may be too coarse as well,
// if a result behind it varies less: the largest of many numbers, or their mean, is off by as much
// as they are.
#ifndef OCTET_CONVERTER_QUANTIZE_NARROW_OUTPUTS_H_
#define OCTET_CONVERTER_QUANTIZE_NARROW_OUTPUTS_H_

#include <optional>
#include <vector>

#include "converter/quantize/scheme.h"

namespace octet::quantize {

// Of 256 codes. What uses fewer loses two of its 8 bits, and more.
inline constexpr float kLeastCodes = 64;

// By node: it makes or reads a value whose int8 steps leave, in an output that it is part of, fewer
// codes than that between the least and the largest number that was seen. Looked at are the nodes
// from an output back to the last layers with weights, without these: they have no products that
// FP16 would slow down. Codes of such a layer, or of the model, are no finer in FP16: what only
// moves them stays as it is.
std::vector<bool> NarrowOutputs(
    const graph::Graph& graph, const std::vector<std::optional<calibrate::Statistics>>& statistics);

}  // namespace octet::quantize

#endif  // OCTET_CONVERTER_QUANTIZE_NARROW_OUTPUTS_H_
