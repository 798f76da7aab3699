// Which units are the head of a network: preset backbone-int8-head-fp16.
#ifndef OCTET_CONVERTER_ASSIGN_HEAD_H_
#define OCTET_CONVERTER_ASSIGN_HEAD_H_

#include "converter/assign/table.h"
#include "converter/graph/graph.h"

namespace octet::assign {

// In FP16: the units that lead to some of the values that outputs are put together from but not to
// all of them, as the branches for boxes and for scores of a detector do. Where every unit leads to
// all, the last layers with weights and what is behind them.
Assignment HeadInFp16(const graph::Graph& graph, const Table& table);

}  // namespace octet::assign

#endif  // OCTET_CONVERTER_ASSIGN_HEAD_H_
