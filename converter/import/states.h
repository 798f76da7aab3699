// Outputs that are inputs of the next sample (graph::Graph::states): which ones, and their place
// behind the others.
#ifndef OCTET_CONVERTER_IMPORT_STATES_H_
#define OCTET_CONVERTER_IMPORT_STATES_H_

#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "converter/graph/graph.h"
#include "converter/import/import.h"

namespace octet::import {

// "IN=OUT", as given to --state.
std::pair<std::string, std::string> ParseState(std::string_view text);

struct StateNames {
  std::string input, output;
  bool asked = false;  // by --state; else the names say so
};

// Those asked for, and pairs of other inputs and outputs whose names say it: h and h_out, h and hn,
// h0 and hn, state and stateN, h_in and h_out, cache and new_cache or next_cache, in_h and out_h,
// prev_h and next_h. Types and shapes are TieStates'. Throws UserError
// for names that the model lacks.
std::vector<StateNames> FindStates(const graph::Graph& graph, const ImportOptions& options);

// Moves them behind the other inputs and outputs, and says so in the notes. Those by name that do
// not fit, or that would leave no input, stay as they are. Shapes are inferred. Throws UserError
// where one asked for does not fit, or no output is left.
void TieStates(const std::vector<StateNames>& states, graph::Graph* graph);

}  // namespace octet::import

#endif  // OCTET_CONVERTER_IMPORT_STATES_H_
