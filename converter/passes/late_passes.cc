#include "converter/passes/late_passes.h"

#include <algorithm>
#include <iterator>

#include "converter/operators/operator.h"

namespace octet::passes {

#define OCTET_LATE_PASS(name, function, guarantees) \
  int function(graph::Graph& graph, const Guidance& guidance);
#include "converter/passes/late_passes.inc"
#undef OCTET_LATE_PASS

namespace {

constexpr LatePass kLatePasses[] = {
#define OCTET_LATE_PASS(name, function, guarantees) {#name, &function, guarantees},
#include "converter/passes/late_passes.inc"
#undef OCTET_LATE_PASS
};

}  // namespace

std::span<const LatePass> LatePasses() {
  return kLatePasses;
}

int RunLate(std::string_view name, graph::Graph& graph, const Guidance& guidance) {
  const auto pass = std::find_if(std::begin(kLatePasses), std::end(kLatePasses),
                                 [name](const LatePass& one) { return one.name == name; });
  const int rewrites = pass->run(graph, guidance);
  if (rewrites > 0) {
    operators::InferShapes(graph);
    graph::Check(graph, name);
  }
  return rewrites;
}

}  // namespace octet::passes
