// Stage 2, passes: the graph in the form that the rest of the converter knows. It changes nodes,
// values and constants, and nothing of what the outputs are.
#ifndef OCTET_CONVERTER_CONVERT_PASSES_H_
#define OCTET_CONVERTER_CONVERT_PASSES_H_

#include "converter/convert/import.h"
#include "converter/graph/graph.h"
#include "converter/passes/passes.h"

namespace octet::convert {

struct Passed {
  const Imported& from;
  graph::Graph graph;  // canonical; every node can be lowered
  passes::PassReport report;
};

Passed RunPasses(const Imported& from);

}  // namespace octet::convert

#endif  // OCTET_CONVERTER_CONVERT_PASSES_H_
