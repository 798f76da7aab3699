// Fills the times of a table from a clock: every unit has those of the layers it becomes in the
// int8 and in the FP16 plan, every border that of converting what crosses it.
#ifndef OCTET_CONVERTER_ASSIGN_TIMES_H_
#define OCTET_CONVERTER_ASSIGN_TIMES_H_

#include "converter/assign/clock.h"
#include "converter/assign/table.h"
#include "converter/graph/graph.h"

namespace octet::assign {

void SetTimes(const graph::Graph& graph, const lower::Program& int8, const lower::Program& fp16,
              const Clock& clock, Table* table);

}  // namespace octet::assign

#endif  // OCTET_CONVERTER_ASSIGN_TIMES_H_
