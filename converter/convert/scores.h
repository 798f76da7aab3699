// Scores that rounding has lowered or raised as a whole are set right by one number, which is added
// to the biases of the layers that write their logits (judge/measure/score_pairs.h). It costs no
// time, and is a proposal as every other: the search takes it where the answers of samples gain.
#ifndef OCTET_CONVERTER_CONVERT_SCORES_H_
#define OCTET_CONVERTER_CONVERT_SCORES_H_

#include <cstddef>
#include <vector>

#include "converter/convert/search.h"
#include "converter/graph/graph.h"
#include "converter/quantize/scheme.h"

namespace octet::convert {

// The nodes with weights and a bias whose sums become outputs by moves and one Sigmoid alone,
// rising. None where one of them is quantized by the model itself: its codes stay what they are.
std::vector<size_t> ScoreLayers(const graph::Graph& graph);

// With `shift` more in their biases.
graph::Graph WithShiftedBiases(graph::Graph graph, const std::vector<size_t>& layers, float shift);

// Sets scheme->bias_shift where the plan's scores are not FP32's, FP32's own boxes stay where they
// are under such a shift, and the search chooses it.
void CorrectScores(const graph::Graph& graph, Search* search, quantize::Scheme* scheme);

}  // namespace octet::convert

#endif  // OCTET_CONVERTER_CONVERT_SCORES_H_
