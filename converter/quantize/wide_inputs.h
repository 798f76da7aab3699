// Inputs whose numbers 8 bits cannot tell apart: most of them small, a few very large, as
// reflectances of a LiDAR are, or channels of other units beside each other. A range that holds the
// large ones makes one code of the others, and one that does not cuts off what may matter, so that
// whoever reads such an input computes in FP16, whose steps are as fine for small numbers.
//
// Inside of a model this is left to ranges, scales of single channels and the choice of precisions:
// layers can be trained to do without large numbers, sensors cannot.
#ifndef OCTET_CONVERTER_QUANTIZE_WIDE_INPUTS_H_
#define OCTET_CONVERTER_QUANTIZE_WIDE_INPUTS_H_

#include <optional>
#include <string>
#include <vector>

#include "converter/quantize/scheme.h"

namespace octet::quantize {

// Whether 99 % of the values that are not 0 lie within 16 of the 255 steps from min to max: half of
// the 8 bits, and more, are lost on them.
bool IsWide(const calibrate::Statistics& statistics);

struct WideReaders {
  std::vector<bool> nodes;           // what reads a wide input, directly or moved
  std::vector<std::string> reasons;  // a clause for each wide input
  // Layers with weights behind them to which the large numbers come through: values they read are
  // as wide still, and left as they are.
  std::vector<std::string> beyond;
};
// Left alone: inputs that are clamped first, those with a range of the user's or the model's own,
// and all where the user names a method of choosing ranges.
WideReaders FindWideReaders(const graph::Graph& graph,
                            const std::vector<std::optional<calibrate::Statistics>>& statistics,
                            const Config& config);

}  // namespace octet::quantize

#endif  // OCTET_CONVERTER_QUANTIZE_WIDE_INPUTS_H_
