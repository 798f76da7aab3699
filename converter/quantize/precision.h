// The precision of every node: what is wanted goes into the ledger (ledger.h), which decides.
#ifndef OCTET_CONVERTER_QUANTIZE_PRECISION_H_
#define OCTET_CONVERTER_QUANTIZE_PRECISION_H_

#include "converter/quantize/impossible.h"
#include "converter/quantize/requests.h"
#include "converter/quantize/scheme.h"

namespace octet::quantize {

// Fills scheme->ledger and scheme->precision, and appends to scheme->warnings. UserError where a
// binding request is impossible, two of them contradict each other, or a name fits no node.
void AssignPrecision(const graph::Graph& graph, const AllStatistics& statistics,
                     const Config& config, Scheme* scheme);

// Moves to FP16 what FindCoarseNodes (coarse_inputs.h) finds in `scheme`, with what its inputs are
// made of from the last weights or given codes on; what was asked to be int8 stays. True where
// anything was moved: ranges have to be chosen again.
bool AvoidCoarseInputs(const graph::Graph& graph, const AllStatistics& statistics,
                       const Config& config, Scheme* scheme);

}  // namespace octet::quantize

#endif  // OCTET_CONVERTER_QUANTIZE_PRECISION_H_
