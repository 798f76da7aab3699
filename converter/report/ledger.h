// The ledger of precision as JSON: why each node of the int8 plan runs in FP16.
#ifndef OCTET_CONVERTER_REPORT_LEDGER_H_
#define OCTET_CONVERTER_REPORT_LEDGER_H_

#include <nlohmann/json.hpp>

#include "converter/graph/graph.h"
#include "converter/quantize/scheme.h"

namespace octet::report {

// A row for each node that the plan computes and that runs in FP16, or that somebody wanted there,
// in the order of execution:
//
//   name, op, precision    of the node
//   reason, text           that decides: a word of quantize/ledger.h, and a clause
//   gain_db                of FP16 over int8, as the mechanism measures it
//   cost_ms, cost_arena_bytes, macs     of FP16: by the clock, of the plan, and of the node
//   measured_with          nodes that gain and costs are of
//   overruled              the same of each entry that wanted another precision, the strongest
//   first
//
// What was not measured is null.
nlohmann::json LedgerJson(const graph::Graph& graph, const quantize::Scheme& scheme);

}  // namespace octet::report

#endif  // OCTET_CONVERTER_REPORT_LEDGER_H_
