#include "converter/lower/lower.h"

#include <algorithm>
#include <string_view>
#include <utility>

#include <fmt/ranges.h>

#include "converter/lower/builder.h"
#include "converter/lower/limits.h"
#include "converter/lower/node_fail.h"
#include "converter/operators/plugin.h"
#include "converter/operators/recurrent.h"
#include "converter/support/error.h"
#include "runtime/core/half.h"

namespace octet::lower {
namespace {

struct Entry {
  std::string_view op;
  LowerFn lower;
};

constexpr Entry kEntries[] = {
#define OCTET_OPERATOR(name, rule, function, lowering, ...) {#name, lowering},
#include "converter/operators/operators.inc"
#undef OCTET_OPERATOR
};

}  // namespace

LowerFn LoweringOf(std::string_view op) {
  for (const Entry& entry : kEntries) {
    if (entry.op == op) return entry.lower == NotLowered ? nullptr : entry.lower;
  }
  const operators::Plugin* plugin = operators::FindPlugin(op);
  return plugin == nullptr ? nullptr : plugin->lower;
}

namespace {

constexpr const char* kNoSuchOperator = "the operator is not supported on the board";

struct Refusal {
  const graph::Node* node;
  operators::NodeError error;
};

// Faults of a tensor name its reader, which the user can find in the model.
operators::NodeError AtNode(const graph::Node& node, const NotPossible& error) {
  const auto* at_node = dynamic_cast<const operators::NodeError*>(&error);
  return at_node != nullptr ? *at_node : operators::NodeError(node, error.what(), error.advises());
}

// What to do about one node; its own way out goes first.
std::string WithWayOut(const operators::NodeError& error) {
  constexpr const char* kWayOut =
      "; change this node in the model, or end the graph before it: --cut-at TENSOR (octet "
      "convert --help-all lists the supported operators)";
  return error.advises() ? error.what() : std::string(error.what()) + kWayOut;
}

// One line of all: nodes of one operator with one reason are counted.
[[noreturn]] void Refuse(const std::vector<Refusal>& refusals) {
  if (refusals.size() == 1) throw UserError(WithWayOut(refusals[0].error));
  std::vector<std::pair<std::string, std::vector<const Refusal*>>> groups;
  for (const Refusal& refusal : refusals) {
    const std::string key = refusal.node->op + ": " + refusal.error.why();
    const auto at = std::find_if(groups.begin(), groups.end(),
                                 [&key](const auto& group) { return group.first == key; });
    auto& group =
        at == groups.end() ? groups.emplace_back(key, std::vector<const Refusal*>()) : *at;
    group.second.push_back(&refusal);
  }
  std::vector<std::string> parts;
  for (const auto& [key, group] : groups) {
    const size_t more = group.size() - 1;
    parts.push_back(group[0]->error.what() +
                    (more == 0 ? "" : fmt::format(" (and {} more {})", more, group[0]->node->op)));
  }
  Fail(
      "{} nodes cannot run on the board: {}; try: end the graph before them: --cut-at "
      "TENSOR,... (octet convert --help-all lists the supported operators)",
      refusals.size(), fmt::join(parts, "; "));
}

// A [1, H, W, C] picture arrives as the arena keeps it; [1, C, H, W] has to be turned.
Layout InputLayout(const graph::Shape& shape) {
  const bool channels_last =
      shape.size() == 4 && shape[1] != 1 && shape[1] != 3 && (shape[3] == 1 || shape[3] == 3);
  return channels_last ? Layout::kRowMajor : Layout::kImage;
}

blob::ElementType InputType(const Builder& builder, const graph::Graph& graph, graph::ValueId input,
                            blob::Precision plan) {
  for (const graph::Node& node : graph.nodes) {
    if (builder.Absorbed(node)) continue;
    const auto found = std::find(node.inputs.begin(), node.inputs.end(), input);
    if (found == node.inputs.end()) continue;
    const auto index = static_cast<size_t>(found - node.inputs.begin());
    return operators::ReadsHalves(node, index) ? blob::ElementType::kFp16
                                               : Builder::TypeOf(builder.PrecisionOf(node));
  }
  return Builder::TypeOf(plan);
}

// Strides of the 4 arena dims of a value, given those of its logical dimensions.
void StridesInArena(const graph::Shape& shape, Layout layout, const std::vector<int64_t>& strides,
                    uint32_t (&out)[4]) {
  for (uint32_t& stride : out) stride = 0;
  if (shape.size() > 4) {
    out[3] = 1;  // flat
    return;
  }
  for (size_t i = 0; i < shape.size(); ++i) {
    out[ArenaAxis(shape, static_cast<int64_t>(i), layout)] = static_cast<uint32_t>(strides[i]);
  }
}

// What is added to the tensor of a part, of all that is added to its output: as many numbers as it
// takes until they come again.
std::vector<float> OffsetsOf(const OutputPart& part, const Tensor& tensor,
                             const std::vector<float>& of_output) {
  if (of_output.empty()) return {};
  const graph::Shape dims(std::begin(tensor.dims), std::end(tensor.dims));
  const std::vector<int64_t> strides(std::begin(part.strides), std::end(part.strides));
  std::vector<float> all(tensor.Elements());
  operators::ForEachPlace(dims, part.base, strides,
                          [&](size_t element, size_t at) { all[element] = of_output[at]; });
  if (std::all_of(all.begin(), all.end(), [](float number) { return number == 0; })) return {};
  size_t count = 1;
  for (size_t d = 4;; count *= tensor.dims[--d]) {
    const auto behind = all.begin() + static_cast<std::ptrdiff_t>(count);
    if (count == all.size() || std::equal(behind, all.end(), all.begin())) break;
  }
  all.resize(count);
  return all;
}

// A state's first value as its tensor holds it; empty where it is zeros.
Bytes InitialOf(Builder& builder, graph::ValueId id, const graph::Tensor& value, int tensor) {
  const auto is_zero = [](auto x) { return x == 0; };
  if (std::all_of(value.floats.begin(), value.floats.end(), is_zero) &&
      std::all_of(value.integers.begin(), value.integers.end(), is_zero)) {
    return {};
  }
  const Tensor& stored = builder.At(tensor);
  std::vector<uint16_t> halves(value.floats.size());
  std::vector<int32_t> integers(value.integers.size());
  const graph::Shape& shape = builder.ShapeOf(id);
  operators::ForEachPlace(shape, 0, ArenaStrides(shape, builder.Natural(id)),
                          [&](size_t element, size_t at) {
                            if (value.IsFloat()) {
                              halves[at] = FloatToHalf(value.floats[element] / stored.scale);
                            } else {
                              integers[at] = static_cast<int32_t>(value.integers[element]);
                            }
                          });
  return value.IsFloat() ? ToBytes(halves) : ToBytes(integers);
}

// A result known at conversion: whoever uses it takes the constant.
bool IsKnown(const graph::Graph& graph, const graph::Node& node) {
  return std::all_of(node.outputs.begin(), node.outputs.end(), [&graph](graph::ValueId id) {
    return id == graph::kNoValue || graph.Constant(id) != nullptr;
  });
}

}  // namespace

void NotLowered(Builder&, const graph::Node& node) {
  NodeFail(node, "{}", kNoSuchOperator);
}

void CheckLowerable(const graph::Graph& graph) {
  for (size_t i = 0; i < graph.OwnInputs(); ++i) {
    const graph::ValueId id = graph.inputs[i];
    if (graph.At(id).type == graph::DataType::kFloat) continue;
    Fail("input '{}' is {}, and a board feeds floats only; make it a constant: --bind {}=NUMBER",
         graph.At(id).name, graph::Name(graph.At(id).type), graph.At(id).name);
  }
  const operators::OutputView view = operators::ViewOutputs(graph);
  std::vector<Refusal> refusals;
  for (size_t i = 0; i < graph.nodes.size(); ++i) {
    const graph::Node& node = graph.nodes[i];
    if (view.needed[i] && !IsKnown(graph, node) && LoweringOf(node.op) == nullptr) {
      refusals.push_back({&node, {node, kNoSuchOperator, false}});
    }
  }
  if (!refusals.empty()) Refuse(refusals);
}

std::vector<std::string_view> LowerableOperators() {
  std::vector<std::string_view> names;
  for (const Entry& entry : kEntries) {
    if (entry.lower != NotLowered) names.push_back(entry.op);
  }
  std::sort(names.begin(), names.end());
  return names;
}

namespace {

// Stands for what a refused node would have computed, so that its readers can be tried too.
void StandIn(Builder& builder, const graph::Node& node) {
  for (graph::ValueId id : graph::Present(node.outputs)) {
    if (builder.Constant(id) != nullptr) continue;
    builder.Define(id, builder.Natural(id), Builder::TypeOf(builder.PrecisionOf(node)));
  }
}

// A graph may only pass its inputs on, but a plan has a layer.
void CopyWhereNothingRuns(Builder& builder, Program* program) {
  for (const auto& parts : program->outputs) {
    for (const OutputPart& part : parts) {
      const bool is_input =
          std::any_of(program->inputs.begin(), program->inputs.end(),
                      [&part](const ModelInput& input) { return input.tensor == part.tensor; });
      if (!is_input) return;
    }
  }
  OutputPart& part = program->outputs.at(0).at(0);
  const Tensor source = builder.At(part.tensor);
  Layer layer;
  layer.name = source.name + "/copy";
  layer.op = blob::Op::kReshape;
  layer.precision =
      source.type == blob::ElementType::kInt8 ? blob::Precision::kInt8 : blob::Precision::kFp16;
  layer.inputs = {part.tensor};
  layer.output = builder.Temporary(layer.name, source.type, source.dims, &source);
  part.tensor = layer.output;
  program->layers.push_back(std::move(layer));
}

// With `refusals` goes on behind nodes that cannot run.
Program LowerNodes(const graph::Graph& graph, const quantize::Scheme& scheme,
                   std::vector<Refusal>* refusals) {
  Program program;
  const bool any_int8 = std::find(scheme.precision.begin(), scheme.precision.end(),
                                  blob::Precision::kInt8) != scheme.precision.end();
  program.precision = any_int8 ? blob::Precision::kInt8 : blob::Precision::kFp16;
  Builder builder(graph, scheme, &program);
  for (size_t i = 0; i < graph.OwnInputs(); ++i) {
    const graph::ValueId id = graph.inputs[i];
    const graph::Shape& shape = builder.ShapeOf(id);
    const Layout layout = InputLayout(shape);
    ModelInput input;
    input.tensor = builder.Define(id, layout, InputType(builder, graph, id, program.precision));
    StridesInArena(shape, layout, operators::RowMajorStrides(shape), input.strides);
    program.inputs.push_back(input);
  }
  for (size_t i = graph.OwnInputs(); i < graph.inputs.size(); ++i) {
    const graph::ValueId id = graph.inputs[i];
    ModelState state;
    state.read = builder.Define(id, builder.Natural(id), blob::ElementType::kFp16);
    state.initial = InitialOf(builder, id, graph.states[i - graph.OwnInputs()], state.read);
    program.states.push_back(std::move(state));
  }
  for (const graph::Node& node : graph.nodes) {
    if (builder.Absorbed(node) || IsKnown(graph, node)) continue;
    try {
      const LowerFn lower = LoweringOf(node.op);
      if (lower == nullptr) NotLowered(builder, node);
      lower(builder, node);
    } catch (const NotPossible& error) {
      if (refusals == nullptr) throw;
      const auto is_same = [&node](const Refusal& refusal) { return refusal.node == &node; };
      if (std::none_of(refusals->begin(), refusals->end(), is_same)) {
        refusals->push_back({&node, AtNode(node, error)});
      }
      StandIn(builder, node);
    }
  }
  const operators::OutputView view = operators::ViewOutputs(graph);
  for (size_t s = 0; s < program.states.size(); ++s) {
    const graph::ValueId in = graph.inputs[graph.OwnInputs() + s];
    program.states[s].written = builder.Use(graph.outputs[graph.OwnOutputs() + s],
                                            builder.Natural(in), blob::ElementType::kFp16);
  }
  for (size_t o = 0; o < graph.OwnOutputs(); ++o) {
    std::vector<OutputPart> parts;
    for (const operators::OutputPiece& piece : view.outputs[o]) {
      const Layout layout = builder.Existing(piece.value);
      OutputPart part;
      part.tensor = builder.UseAnyType(piece.value, layout);
      part.base = static_cast<uint32_t>(piece.base);
      if (!piece.function.empty()) part.function = FunctionNamed(piece.function).function;
      StridesInArena(builder.ShapeOf(piece.value), layout, piece.strides, part.strides);
      part.offsets = OffsetsOf(part, builder.At(part.tensor), view.offsets[o]);
      parts.push_back(part);
    }
    program.outputs.push_back(std::move(parts));
  }
  CopyWhereNothingRuns(builder, &program);
  return program;
}

}  // namespace

Program Lower(const graph::Graph& graph, const quantize::Scheme& scheme, PlanId plan) {
  Program program = LowerNodes(graph, scheme, nullptr);
  program.plan = plan;
  return program;
}

void CheckLowers(const graph::Graph& graph, const std::vector<quantize::Scheme>& schemes) {
  std::vector<Refusal> refusals;
  for (const quantize::Scheme& scheme : schemes) {
    const Program program = LowerNodes(graph, scheme, &refusals);
    if (refusals.empty()) CheckLimits(program);
  }
  if (!refusals.empty()) Refuse(refusals);
}

}  // namespace octet::lower
