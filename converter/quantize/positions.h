// Positions at which pictures are sampled (as by GridSample), and boxes whose overlaps are
// compared (NonMaxSuppression): grids, reference points, offsets. Eight bits place one no better
// than a 256th of the picture, whatever the picture's size, and each operator on the way rounds
// again. What puts positions together costs no products, so it runs in FP16 in every plan.
#ifndef OCTET_CONVERTER_QUANTIZE_POSITIONS_H_
#define OCTET_CONVERTER_QUANTIZE_POSITIONS_H_

#include <vector>

#include "converter/graph/graph.h"

namespace octet::quantize {

// By node: floats that it makes reach a wanted value (by value id), and no product of matrices or
// convolution stands between.
std::vector<bool> MakersOf(const graph::Graph& graph, std::vector<bool> wanted);

// By node: floats that it makes reach the positions of an operator that samples, and no product of
// matrices or convolution stands between. These themselves are not marked: what they write is
// offsets, whose range is a small part of the picture.
std::vector<bool> SampledPositions(const graph::Graph& graph);

}  // namespace octet::quantize

#endif  // OCTET_CONVERTER_QUANTIZE_POSITIONS_H_
