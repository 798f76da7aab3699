// The codes that a graph carries beside its numbers: whether they fit the numbers, and stay.
#ifndef OCTET_TESTS_CONVERTER_ORACLE_SIDE_DATA_H_
#define OCTET_TESTS_CONVERTER_ORACLE_SIDE_DATA_H_

#include <string>
#include <vector>

#include "converter/graph/graph.h"

namespace octet::test {

// One line for each constant whose elements are not scale * (code - zero_point) for codes of int8,
// or for its own codes of int32.
std::vector<std::string> FaultsOfQuantization(const graph::Graph& graph);

// The layers of `before` whose weights are codes of the model, and that stand in `after` (by name)
// with weights that are none.
std::vector<std::string> LostCodes(const graph::Graph& before, const graph::Graph& after);

}  // namespace octet::test

#endif  // OCTET_TESTS_CONVERTER_ORACLE_SIDE_DATA_H_
