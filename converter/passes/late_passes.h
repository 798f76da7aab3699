// Rewrites behind Canonicalise that keep what the graph means, as passes do, and ask what the graph
// does not say: the configuration, or data. A stage of the conversion runs each of them once.
#ifndef OCTET_CONVERTER_PASSES_LATE_PASSES_H_
#define OCTET_CONVERTER_PASSES_LATE_PASSES_H_

#include <functional>
#include <span>
#include <string_view>
#include <vector>

#include "converter/graph/graph.h"
#include "converter/passes/constant_part.h"

namespace octet::passes {

struct Guidance {
  // Layers around which factors move (equalize.h), and whether they move elsewhere where they gain
  // by themselves.
  std::function<bool(size_t node)> wants = {};
  bool others = false;
  // By group, what to take out of a value; empty: nothing.
  std::function<std::vector<float>(const ConstantSource& source)> part = {};
  // Whether the graph becomes `changed`; without it, it does.
  std::function<bool(const graph::Graph& changed)> keeps = {};
};

struct LatePass {
  std::string_view name;
  // Returns the number of rewrites. Shapes have been inferred, and are afterwards.
  int (*run)(graph::Graph& graph, const Guidance& guidance);
  std::string_view guarantees;
};

// In the order in which stages run them: late_passes.inc.
std::span<const LatePass> LatePasses();
// The one of this name, which there is.
int RunLate(std::string_view name, graph::Graph& graph, const Guidance& guidance);

}  // namespace octet::passes

#endif  // OCTET_CONVERTER_PASSES_LATE_PASSES_H_
