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

// What the configuration asks of a node: the last entry that names it and is not to be ignored.
struct Request {
  blob::Precision precision = blob::Precision::kInt8;
  Constraint constraint = Constraint::kPrefer;  // kPrefer or kObey
};
std::optional<Request> RequestOf(const Config& config, const graph::Node& node);

// Fills scheme->precision and appends to scheme->warnings. UserError where a binding request is
// impossible, two of them contradict each other, or a name fits no node.
void AssignPrecision(const graph::Graph& graph,
                     const std::vector<std::optional<calibrate::Statistics>>& statistics,
                     const Config& config, Scheme* scheme);

// Moves to FP16 what FindCoarseNodes (coarse_inputs.h) finds in `scheme`, with what its inputs are
// made of from the last weights or given codes on; what was asked to be int8 stays. True where
// anything was moved: ranges have to be chosen again.
bool AvoidCoarseInputs(const graph::Graph& graph,
                       const std::vector<std::optional<calibrate::Statistics>>& statistics,
                       const Config& config, Scheme* scheme);

}  // namespace octet::quantize

#endif  // OCTET_CONVERTER_QUANTIZE_PRECISION_H_
