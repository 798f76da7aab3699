// Powers of two that bring what a model computes into the range of FP16.
//
// FP16 holds up to 65,504 and loses precision below 2^-14; models know neither bound. A value v is
// kept as v * 2^-e: the weights and biases that make it, and the weights that read it, take the
// factor up, Relu, pooling, sums and moves let it pass, a square doubles e and a root halves it, a
// logarithm takes it into its table, and what lets nothing pass (Sigmoid, Softmax) keeps e = 0 on
// both of its sides. Powers of two round nothing, so a value that fits
// keeps e = 0 and today's bits. Where channels are kept apart between two convolutions each has an
// exponent of its own.
//
// Bounds of e, from the calibrated ranges M of values and the weights' sizes:
//   always    M 2^-e <= 2^14 (a factor of 4 for data never seen), weights <= 2^15
//   if it matters to a result by more than FP16 rounds it: the largest value and the largest
//   weight of a channel >= 2^-14, the smallest number FP16 holds with all its bits
//   a square  2^10 <= M 2^-e <= 2^12: its small numbers fall twice as far as what it is of
//   if a root or a logarithm reads it: the smallest value >= 2^-14, within the first bound
// e is the number nearest to 0 within them.
#ifndef OCTET_CONVERTER_QUANTIZE_HALF_RANGE_H_
#define OCTET_CONVERTER_QUANTIZE_HALF_RANGE_H_

#include <optional>
#include <string>
#include <vector>

#include "converter/calibrate/calibrate.h"
#include "converter/quantize/scheme.h"

namespace octet::quantize {

inline constexpr float kLargestHalf = 65504;

struct HalfPlan {
  graph::Graph graph;        // constants changed, everything else as it was, ids included
  Scheme scheme;             // with half_exponents
  std::string cannot_store;  // the first weights FP16 cannot hold even so; empty: all fit
};

// For the nodes that `scheme` lets run in FP16.
HalfPlan FitHalves(const graph::Graph& graph,
                   const std::vector<std::optional<calibrate::Statistics>>& statistics,
                   const Scheme& scheme);

}  // namespace octet::quantize

#endif  // OCTET_CONVERTER_QUANTIZE_HALF_RANGE_H_
