// Ending a graph before its end.
#ifndef OCTET_CONVERTER_IMPORT_CUT_H_
#define OCTET_CONVERTER_IMPORT_CUT_H_

#include <string>
#include <vector>

#include "converter/graph/graph.h"

namespace octet::import {

// The values of these names become the outputs, in this order; nodes and inputs that they do not
// depend on go. Throws UserError that names near ones for a name that no computed value has, unless
// `if_known`: then nothing is cut. Nor is where they are the graph's own: an input that nothing
// reads stays, as it does without a cut.
void CutAt(graph::Graph& graph, const std::vector<std::string>& names, bool if_known);

}  // namespace octet::import

#endif  // OCTET_CONVERTER_IMPORT_CUT_H_
