// The decoder of a detector that selects queries: candidates are scored everywhere, the best are
// gathered by computed indices, and layers behind refine a box for each of them. It is a small part
// of the work, and everything in it is coordinates: reference points, offsets at which features are
// sampled, corrections of a box. Eight bits place such a point no better than a 256th of the
// picture, each of the layers rounds again, and the next samples at the wrong place.
//
// Queries can be learned instead: a model that predicts a set of things (DETR, LSTR) has one
// constant for each, and finds by attention what it asks for. What comes of that attention is
// refined as selected queries are.
//
// This file says what may run in FP16 for its cost; whether it does is measured
// (converter/recover/query_choice.h).
#ifndef OCTET_CONVERTER_QUANTIZE_QUERIES_H_
#define OCTET_CONVERTER_QUANTIZE_QUERIES_H_

#include <vector>

#include "converter/graph/graph.h"

namespace octet::quantize {

// By node: it depends on floats that were gathered by computed indices; or it makes what those
// indices are found by comparing (TopK, ArgMax), from the last weights on. Or it depends on an
// attention whose queries are constants, or makes what that reads. Of layers with weights
// and products of tensors the cheapest first, as long as all of them cost no more than a sixth of
// the graph's products. Nothing where no such layer stands behind a selection: then it is the end
// of a detector, a tail (tail.h).
std::vector<bool> QueryDecoder(const graph::Graph& graph);

// The decoder with what it is made of: all nodes whose results reach it, the last first, until the
// next layer would pass a part of what is left of the sixth: a quarter, half, three quarters, all.
// What queries are scored, gathered and sampled from is the last feature maps, and their
// rounding reaches every query. Sets that differ from those before, in growing order.
std::vector<std::vector<bool>> QuerySources(const graph::Graph& graph,
                                            const std::vector<bool>& decoder);

}  // namespace octet::quantize

#endif  // OCTET_CONVERTER_QUANTIZE_QUERIES_H_
