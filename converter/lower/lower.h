// Graph and scheme to a Program: NHWC layouts, int8 weights, tables and multipliers, conversions
// between precisions.
#ifndef OCTET_CONVERTER_LOWER_LOWER_H_
#define OCTET_CONVERTER_LOWER_LOWER_H_

#include <string>
#include <string_view>
#include <vector>

#include "converter/graph/graph.h"
#include "converter/lower/program.h"
#include "converter/quantize/scheme.h"

namespace octet::lower {

// `scheme.precision` decides the precision of every node; the tensors' schemes are used where a
// node is int8. Throws UserError naming the node where the runtime has no such operator or shape.
Program Lower(const graph::Graph& graph, const quantize::Scheme& scheme, PlanId plan);

// Throws UserError with one line naming every node whose operator no plan can run, or the input
// that none can take.
void CheckLowerable(const graph::Graph& graph);

// Lowers once by each of these schemes, made of dummy ranges before any calibration is done, and
// throws UserError with one line naming every node that a plan cannot run, or the limit of a blob
// that their plans pass.
void CheckLowers(const graph::Graph& graph, const std::vector<quantize::Scheme>& schemes);

// The ONNX operators that can run on the board, sorted.
std::vector<std::string_view> LowerableOperators();

}  // namespace octet::lower

#endif  // OCTET_CONVERTER_LOWER_LOWER_H_
