// The units of a graph (table.h), and what an assignment of them makes of its nodes.
//
// - A layer with weights, with the activation behind it where nobody else reads between them, and
//   every other operator that rounds its own result (Add, Softmax, ...) is a unit.
// - What only moves or joins values rounds nothing: it follows those it reads, FP16 where all of
//   them are, for an int8 tensor among them has to be turned into FP16 only to be turned back.
// - Integers, and operators without an int8 kernel, are FP16 in every assignment.
#ifndef OCTET_CONVERTER_ASSIGN_UNITS_H_
#define OCTET_CONVERTER_ASSIGN_UNITS_H_

#include <utility>
#include <vector>

#include "converter/assign/table.h"
#include "converter/graph/graph.h"
#include "converter/quantize/scheme.h"

namespace octet::assign {

// Names, nodes and MACs; times and losses are 0. Units that `scheme` runs in FP16 are fixed there,
// as those are in int8 that `config` wants there or that the model itself has in 8 bits (Q/DQ).
Table FindUnits(const graph::Graph& graph, const quantize::Scheme& scheme,
                const quantize::Config& config);

// By node.
std::vector<blob::Precision> PrecisionsOf(const graph::Graph& graph, const quantize::Scheme& scheme,
                                          const Table& table, const Assignment& assignment);

}  // namespace octet::assign

#endif  // OCTET_CONVERTER_ASSIGN_UNITS_H_
