// Functions of one variable that follow each other, such as 2 * Sigmoid(x) - 1, are one function:
// its table has the result to a rounding, where each node on its own rounds once more. A number
// that is added behind a function takes away what its result has in common, and what is left has
// the few bits of a range that held both. So does a number in front of a logarithm that is too
// small for FP16: without it the logarithm of 0 is none. Chains without such a sum stay as they
// are: FP16 has kernels for their functions, and a table of all halves for a merged one.
#include <algorithm>
#include <cfloat>
#include <cmath>
#include <optional>
#include <utility>
#include <vector>

#include "converter/operators/offset_function.h"
#include "converter/operators/output_view.h"
#include "converter/passes/editor.h"
#include "converter/passes/read.h"

namespace octet::passes {
namespace {

using operators::FunctionStep;
using operators::OffsetFunction;

constexpr float kSmallestHalf = 0x1p-14f;

struct Link {
  int node;
  ValueId x;  // what it is a function of
  OffsetFunction function;
  bool curves = false, adds = false;  // no linear function; a sum with a number
};

// a * x + b, or a clamp of x, by a constant of one number.
std::optional<FunctionStep> ScalarStep(const Node& node, float number, bool first) {
  const FunctionStep scale{operators::kScaleStep, 1, 0};
  if (node.op == "Add") return FunctionStep{scale.name, 1, number};
  if (node.op == "Sub")
    return FunctionStep{scale.name, first ? -1.f : 1.f, first ? number : -number};
  if (node.op == "Mul") return FunctionStep{scale.name, number, 0};
  return std::nullopt;
}

std::optional<Link> ScalarLink(const Editor& editor, int n) {
  const Node& node = editor.At(n);
  if (node.inputs.size() != 2) return std::nullopt;
  const bool first = editor.IsConstant(node.inputs[0]);
  const ValueId x = node.inputs[first ? 1 : 0];
  const std::optional<float> number = ConstantScalar(editor.graph(), node.inputs[first ? 0 : 1]);
  if (!number || editor.IsConstant(x) || editor.ShapeOf(x) != editor.ShapeOf(node.outputs[0])) {
    return std::nullopt;
  }
  const std::optional<FunctionStep> step = ScalarStep(node, *number, first);
  if (!step) return std::nullopt;
  Link link{n, x, {{*step}}, false, node.op != "Mul"};
  if (!node.activation.empty()) {
    link.function.steps.push_back({node.activation, node.alpha, node.beta});
  }
  return link;
}

std::optional<Link> LinkOf(const Editor& editor, int n) {
  const Node& node = editor.At(n);
  if (node.outputs.size() != 1 || !editor.IsFloat(node.outputs[0]) || node.Has("octet_fp16") ||
      node.Has(operators::kIsOutputOffset)) {
    return std::nullopt;
  }
  if (node.op == "Mul" && node.inputs[0] == node.inputs[1] && node.activation.empty()) {
    return Link{n, node.inputs[0], {{{operators::kPowerStep, 2, 0}}}, true};
  }
  if (operators::MayBeOffset(editor.graph(), node)) {
    const ValueId x = node.inputs[node.op == operators::kQuotientStep ? 1 : 0];
    // One that is merged, or has offsets, has a table already.
    const bool adds = node.op == operators::kOffsetFunction;
    return Link{n, x, operators::FunctionOfNode(editor.graph(), node), true, adds};
  }
  if (!node.activation.empty()) return ScalarLink(editor, n);
  if (node.op == "Neg") return Link{n, node.inputs[0], {{{operators::kScaleStep, -1, 0}}}};
  if (node.op == "Relu") return Link{n, node.inputs[0], {{{"Clip", 0, FLT_MAX}}}};
  if (node.op == "Clip") {
    const auto bounds = ReadClipBounds(editor.graph(), node);
    if (!bounds) return std::nullopt;
    return Link{n, node.inputs[0], {{{"Clip", bounds->min, bounds->max}}}};
  }
  return ScalarLink(editor, n);
}

// From the node on, as far as each result is read by the next alone.
std::vector<Link> ChainFrom(const Editor& editor, const Link& first) {
  std::vector<Link> chain = {first};
  for (;;) {
    const ValueId y = editor.At(chain.back().node).outputs[0];
    if (!editor.IsPrivate(y)) return chain;
    std::optional<Link> next = LinkOf(editor, editor.Consumers(y)[0]);
    if (!next || next->x != y) return chain;
    chain.push_back(std::move(*next));
  }
}

// Whether a number is added behind a function.
bool AddsToAFunction(const std::vector<Link>& chain) {
  const auto curve =
      std::find_if(chain.begin(), chain.end(), [](const Link& l) { return l.curves; });
  return std::any_of(curve, chain.end(), [](const Link& link) { return link.adds; });
}

// Whether a number below FP16's smallest one of all bits is added in front of a logarithm.
bool AddsLittleToALogarithm(const std::vector<Link>& chain) {
  for (size_t i = 0; i + 1 < chain.size(); ++i) {
    const FunctionStep& sum = chain[i].function.steps.back();
    const float number = std::fabs(sum.beta);
    if (sum.name == operators::kScaleStep && number > 0 && number < kSmallestHalf &&
        chain[i + 1].function.steps.front().name == "Log") {
      return true;
    }
  }
  return false;
}

// f behind g: what g takes away and f adds lies between their steps.
OffsetFunction Behind(OffsetFunction g, const OffsetFunction& f) {
  if (const float between = f.from - g.by; between != 0) {
    g.steps.push_back({operators::kScaleStep, 1, between});
  }
  g.steps.insert(g.steps.end(), f.steps.begin(), f.steps.end());
  g.by = f.by;
  return g;
}

}  // namespace

int MergeFunctions(graph::Graph& graph) {
  // A function in front of an output is computed in float there.
  const std::vector<bool> computed = operators::ViewOutputs(graph).needed;
  Editor editor(graph);
  editor.ForEach({}, [&](int n) {
    const std::optional<Link> link = LinkOf(editor, n);
    if (!link) return false;
    const int before = editor.IsPrivate(link->x) ? editor.Producer(link->x) : -1;
    if (before >= 0 && LinkOf(editor, before)) return false;  // not the first
    std::vector<Link> chain = ChainFrom(editor, *link);
    while (!chain.empty() && !computed[static_cast<size_t>(chain.back().node)]) chain.pop_back();
    if (chain.size() < 2 || !(AddsToAFunction(chain) || AddsLittleToALogarithm(chain))) {
      return false;
    }
    OffsetFunction function = chain[0].function;
    for (size_t i = 1; i < chain.size(); ++i)
      function = Behind(std::move(function), chain[i].function);
    // The names in it are those of nodes, which Absorb leaves until the end.
    Node& node = editor.At(n);
    operators::SetOffsetFunction(function, &node);
    node.domain.clear();
    node.activation.clear();
    editor.SetInputs(n, {link->x});
    for (size_t i = 1; i < chain.size(); ++i) editor.Absorb(n, chain[i].node);
    return true;
  });
  return editor.Finish();
}

}  // namespace octet::passes
