// The precision of every node: what was asked for, as far as it is possible.
#ifndef OCTET_CONVERTER_QUANTIZE_PRECISION_H_
#define OCTET_CONVERTER_QUANTIZE_PRECISION_H_

#include <optional>
#include <string>
#include <vector>

#include "converter/quantize/scheme.h"

namespace octet::quantize {

// Products of one output of a Conv, Gemm or MatMul; 0 for other nodes.
int64_t AccumulatedProducts(const graph::Graph& graph, const graph::Node& node);

// Whether a node computes integers, or from nothing else: no plan quantizes what it does, and its
// precision is kFp16.
bool RunsOnIntegers(const graph::Graph& graph, const graph::Node& node);

// Fills scheme->precision and appends to scheme->warnings. UserError where a binding request is
// impossible, or where a name fits no node.
void AssignPrecision(const graph::Graph& graph,
                     const std::vector<std::optional<calibrate::Statistics>>& statistics,
                     const Config& config, Scheme* scheme);

}  // namespace octet::quantize

#endif  // OCTET_CONVERTER_QUANTIZE_PRECISION_H_
