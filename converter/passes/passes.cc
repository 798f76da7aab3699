#include "converter/passes/passes.h"

#include <array>

#include "converter/operators/operator.h"

namespace octet::passes {

#define OCTET_PASS(family, name, function, needs, guarantees) int function(graph::Graph& graph);
#include "converter/passes/passes.inc"
#undef OCTET_PASS

namespace {

constexpr Pass kPasses[] = {
#define OCTET_PASS(family, name, function, needs, guarantees) \
  {#name, &function, #family, needs, guarantees},
#include "converter/passes/passes.inc"
#undef OCTET_PASS
};

constexpr size_t kPassCount = std::size(kPasses);
// A pass that still fires after so many restarts undoes the work of another one.
constexpr int kMaxRestarts = 64 * static_cast<int>(kPassCount);

}  // namespace

std::span<const Pass> AllPasses() {
  return kPasses;
}

const Pass* FindPass(std::string_view name) {
  for (const Pass& pass : kPasses) {
    if (pass.name == name) return &pass;
  }
  return nullptr;
}

void Canonicalise(graph::Graph& graph, PassReport* report) {
  std::array<int, kPassCount> counts{};
  int restarts = 0;
  operators::InferShapes(graph);
  for (size_t i = 0; i < kPassCount && restarts < kMaxRestarts;) {
    const int rewrites = kPasses[i].run(graph);
    graph::Check(graph, kPasses[i].name);
    if (rewrites == 0) {
      ++i;
      continue;
    }
    counts[i] += rewrites;
    ++restarts;
    operators::InferShapes(graph);
    i = 0;
  }
  graph.Compact();
  if (report == nullptr) return;
  report->rewrites.clear();
  for (size_t i = 0; i < kPassCount; ++i) {
    if (counts[i] != 0) report->rewrites.emplace_back(kPasses[i].name, counts[i]);
  }
  report->converged = restarts < kMaxRestarts;
}

std::map<std::string, int> OperatorHistogram(const graph::Graph& graph) {
  std::map<std::string, int> histogram;
  for (const graph::Node& node : graph.nodes) {
    ++histogram[node.activation.empty() ? node.op : node.op + "+" + node.activation];
  }
  return histogram;
}

}  // namespace octet::passes
