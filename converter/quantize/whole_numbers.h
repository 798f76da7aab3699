// Columns of whole numbers in an output: classes and batches beside coordinates and scores. Eight
// bits over the coordinates' range make 34.87 of class 35. FP16 holds whole numbers to 2048, and
// what joins them to an output only moves numbers.
#ifndef OCTET_CONVERTER_QUANTIZE_WHOLE_NUMBERS_H_
#define OCTET_CONVERTER_QUANTIZE_WHOLE_NUMBERS_H_

#include <vector>

#include "converter/graph/graph.h"

namespace octet::quantize {

// By node: it joins or moves numbers that were integers, and nothing computes between it and an
// output of the graph.
std::vector<bool> WholeNumbersOfOutputs(const graph::Graph& graph);

}  // namespace octet::quantize

#endif  // OCTET_CONVERTER_QUANTIZE_WHOLE_NUMBERS_H_
