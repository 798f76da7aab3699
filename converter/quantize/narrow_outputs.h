// Probabilities of an output that differ by less than 8 bits tell apart: 0.2 each, and a thousandth
// more or less. The int8 kernel writes them in steps of 1/256 to 1/4096 from 0 on, whatever their
// least value is. FP16 near 0.2 has steps of 1/8192.
#ifndef OCTET_CONVERTER_QUANTIZE_NARROW_OUTPUTS_H_
#define OCTET_CONVERTER_QUANTIZE_NARROW_OUTPUTS_H_

#include <optional>
#include <vector>

#include "converter/quantize/scheme.h"

namespace octet::quantize {

// Of 256 codes. What uses fewer loses two of its 8 bits, and more.
inline constexpr float kLeastCodesOfProbabilities = 64;

// By node: its results are probabilities, which an output takes as they are, and between the least
// and the largest that was seen there are fewer codes than that.
std::vector<bool> NarrowOutputs(
    const graph::Graph& graph, const std::vector<std::optional<calibrate::Statistics>>& statistics);

}  // namespace octet::quantize

#endif  // OCTET_CONVERTER_QUANTIZE_NARROW_OUTPUTS_H_
