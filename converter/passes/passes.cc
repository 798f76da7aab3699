#include "converter/passes/passes.h"

#include <algorithm>
#include <array>
#include <initializer_list>

#include "converter/operators/operator.h"
#include "converter/passes/editor.h"

namespace octet::passes {

#define OCTET_PASS(family, name, function, needs, guarantees) int function(graph::Graph& graph);
#define OCTET_REWRITE(family, name, function, operators, needs, guarantees) \
  bool function(Editor& editor, int node);
#include "converter/passes/passes.inc"
#undef OCTET_PASS
#undef OCTET_REWRITE

namespace {

using Operators = std::initializer_list<std::string_view>;

template <bool (*rewrite)(Editor& editor, int node)>
int Everywhere(graph::Graph& graph, Operators operators) {
  // An Editor takes the whole graph apart, and most models have few of the operators.
  const auto may_fire = [&](const graph::Node& node) { return IsOneOf(node, operators); };
  if (std::none_of(graph.nodes.begin(), graph.nodes.end(), may_fire)) return 0;
  Editor editor(graph);
  editor.ForEach(operators, [&](int n) { return rewrite(editor, n); });
  return editor.Finish();
}

constexpr Pass kPasses[] = {
#define OCTET_PASS(family, name, function, needs, guarantees) \
  {#name, &function, #family, needs, guarantees},
#define OCTET_OPERATORS(...) \
  Operators {                \
    __VA_ARGS__              \
  }
#define OCTET_REWRITE(family, name, function, operators, needs, guarantees)                     \
  {#name,                                                                                       \
   [](graph::Graph& graph) { return Everywhere<&function>(graph, OCTET_OPERATORS operators); }, \
   #family, needs, guarantees},
#include "converter/passes/passes.inc"
#undef OCTET_PASS
#undef OCTET_OPERATORS
#undef OCTET_REWRITE
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
