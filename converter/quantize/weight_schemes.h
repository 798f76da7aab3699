// How many output channels of each layer share a weight scale: what the configuration asks for, and
// what the board allows.
#ifndef OCTET_CONVERTER_QUANTIZE_WEIGHT_SCHEMES_H_
#define OCTET_CONVERTER_QUANTIZE_WEIGHT_SCHEMES_H_

#include "converter/quantize/scheme.h"

namespace octet::quantize {

// Layers with more output channels have a scale for every 16 of them where a board lists `group`
// and nobody asks for anything else: below, there is next to nothing to save.
inline constexpr int64_t kGroupAbove = 64;

// Sets `weight_schemes`. A layer takes what `layers:` asks for, else `weights:`, else the board's
// default: groups as above, then the finest scheme it lists. Throws UserError where a scheme finer
// than the board lists is asked for; coarser ones are special cases of those listed.
void ChooseWeightSchemes(const graph::Graph& graph, const Config& config, Scheme* scheme);

}  // namespace octet::quantize

#endif  // OCTET_CONVERTER_QUANTIZE_WEIGHT_SCHEMES_H_
