// Canonicalisation: from any of the ways ONNX says a thing to the one form that quantization and
// lowering read.
#ifndef OCTET_CONVERTER_PASSES_PASSES_H_
#define OCTET_CONVERTER_PASSES_PASSES_H_

#include <map>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "converter/graph/graph.h"

namespace octet::passes {

// One rewrite. `run` applies it wherever it matches, leaves the FP32 meaning of the graph as it was
// (to rounding), keeps names and order of graph inputs and outputs, and returns the number of
// rewrites. Shapes must have been inferred; a pattern whose shapes are unknown is left alone.
struct Pass {
  std::string_view name;
  int (*run)(graph::Graph& graph);
  std::string_view family;      // its folder
  std::string_view needs;       // passes before it whose guarantees it relies on; empty: none
  std::string_view guarantees;  // what is true where it has nothing left to do
};

// In order: a pass may rely on all before it having nothing left to do (see Canonicalise).
std::span<const Pass> AllPasses();
// Null for an unknown name.
const Pass* FindPass(std::string_view name);

struct PassReport {
  std::vector<std::pair<std::string, int>>
      rewrites;           // passes that fired, in list order, with their counts
  bool converged = true;  // false: the bound on runs was met first
};

// Runs AllPasses() to a fixed point: after a pass that rewrote something shapes are inferred again
// and the list starts anew, so that each pass sees the fixed point of those before it. Bounded by
// 64 restarts a pass. Values keep the ONNX name of the last operator fused into their producer;
// nodes that of the first. `report` may be null. Throws UserError when shapes cannot be inferred.
void Canonicalise(graph::Graph& graph, PassReport* report);

// What Canonicalise leaves: operator (with "+activation" where one is fused) -> number of nodes.
std::map<std::string, int> OperatorHistogram(const graph::Graph& graph);

}  // namespace octet::passes

#endif  // OCTET_CONVERTER_PASSES_PASSES_H_
