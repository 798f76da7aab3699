// The quantization that a graph carries beside its numbers: whether it fits the numbers.
#ifndef OCTET_TESTS_CONVERTER_ORACLE_SIDE_DATA_H_
#define OCTET_TESTS_CONVERTER_ORACLE_SIDE_DATA_H_

#include <string>
#include <vector>

#include "converter/graph/graph.h"

namespace octet::test {

// One line for each thing that cannot be: a layer without one scale for each of its outputs, a
// weight that is no int8 multiple of its output's scale, a bias that is not its codes times their
// scales, a computed value with other than one scale.
std::vector<std::string> FaultsOfQuantization(const graph::Graph& graph);

// The layers of `before` whose weights had the model's codes, and that stand in `after` (by name)
// without. A layer whose weights became others by a product along their inputs keeps none:
// `excused` says so for a pass.
std::vector<std::string> LostCodes(const graph::Graph& before, const graph::Graph& after);

}  // namespace octet::test

#endif  // OCTET_TESTS_CONVERTER_ORACLE_SIDE_DATA_H_
