#include "converter/import/states.h"

#include <algorithm>
#include <optional>

#include <fmt/ranges.h>

#include "converter/support/error.h"

namespace octet::import {
namespace {

using graph::DataType;
using graph::Graph;
using graph::ValueId;

std::vector<std::string> NamesOf(const Graph& graph, const std::vector<ValueId>& ids) {
  std::vector<std::string> names;
  for (const ValueId id : ids) names.push_back(graph.At(id).name);
  return names;
}

std::optional<ValueId> Find(const Graph& graph, const std::vector<ValueId>& ids,
                            const std::string& name) {
  for (const ValueId id : ids) {
    if (graph.At(id).name == name) return id;
  }
  return std::nullopt;
}

// What the name is without a mark that it goes in.
std::vector<std::string> StemsOf(const std::string& input) {
  std::vector<std::string> stems = {input};
  for (const std::string mark : {"_in", "_0", "0", "_prev", "_old"}) {
    if (input.size() > mark.size() && input.ends_with(mark)) {
      stems.push_back(input.substr(0, input.size() - mark.size()));
    }
  }
  for (const std::string mark : {"in_", "prev_", "old_"}) {
    if (input.size() > mark.size() && input.starts_with(mark)) {
      stems.push_back(input.substr(mark.size()));
    }
  }
  return stems;
}

bool SaysState(const std::string& input, const std::string& output) {
  for (const std::string& stem : StemsOf(input)) {
    for (const char* mark : {"_out", "n", "N", "_n", "_new", "_next"}) {
      if (output == stem + mark) return true;
    }
    for (const char* mark : {"out_", "new_", "next_"}) {
      if (output == mark + stem) return true;
    }
  }
  return false;
}

// A state holds halves or 32-bit integers.
bool CanBeState(DataType type) {
  return type == DataType::kFloat || type == DataType::kInt32 || type == DataType::kInt64 ||
         type == DataType::kBool;
}

// Why the two are no state; empty: they are.
std::string Misfit(const graph::Value& input, const graph::Value& output) {
  if (!CanBeState(input.type)) return fmt::format("'{}' is {}", input.name, Name(input.type));
  if (input.type != output.type) {
    return fmt::format("'{}' is {}, '{}' is {}", input.name, Name(input.type), output.name,
                       Name(output.type));
  }
  if (*input.shape != *output.shape) {
    return fmt::format("'{}' is {}, '{}' is {}", input.name, graph::ToString(*input.shape),
                       output.name, graph::ToString(*output.shape));
  }
  return "";
}

// Letters that both begin or end with; one is chance.
size_t InCommon(const std::string& a, const std::string& b) {
  const size_t most = std::min(a.size(), b.size());
  const auto first = static_cast<size_t>(
      std::mismatch(a.begin(), a.begin() + static_cast<std::ptrdiff_t>(most), b.begin()).first -
      a.begin());
  const auto last = static_cast<size_t>(
      std::mismatch(a.rbegin(), a.rbegin() + static_cast<std::ptrdiff_t>(most), b.rbegin()).first -
      a.rbegin());
  return first + last < 2 ? 0 : std::min(first + last, most);
}

// Equal shapes alone say nothing for sure: a denoiser's picture has the shape of its result. Of
// pairs that fit, the names that are most alike, or else the last: data come first.
void Suggest(Graph* graph) {
  if (graph->OwnInputs() < 2 || graph->OwnOutputs() < 2) return;
  const graph::Value *in = nullptr, *out = nullptr;
  for (size_t i = 0; i < graph->OwnInputs(); ++i) {
    const graph::Value& input = graph->At(graph->inputs[i]);
    for (size_t o = 0; o < graph->OwnOutputs(); ++o) {
      const graph::Value& output = graph->At(graph->outputs[o]);
      if (!Misfit(input, output).empty()) continue;
      if (in != nullptr && InCommon(input.name, output.name) < InCommon(in->name, out->name)) {
        continue;
      }
      in = &input;
      out = &output;
    }
  }
  if (in == nullptr) return;
  graph->notes.push_back(
      fmt::format("input '{}' has the shape of output '{}'; if it is that output of the sample "
                  "before: --state {}={}",
                  in->name, out->name, in->name, out->name));
}

template <typename Names>
void MoveBehind(const Names& names, std::vector<ValueId>* ids) {
  for (const ValueId id : names) {
    ids->erase(std::find(ids->begin(), ids->end(), id));
    ids->push_back(id);
  }
}

}  // namespace

std::pair<std::string, std::string> ParseState(std::string_view text) {
  const size_t at = text.find('=');
  if (at == std::string_view::npos || at == 0 || at + 1 == text.size()) {
    Fail("--state {}: expected IN=OUT, an input and the output that it is in the next sample",
         text);
  }
  return {std::string(text.substr(0, at)), std::string(text.substr(at + 1))};
}

std::vector<StateNames> FindStates(const Graph& graph, const ImportOptions& options) {
  std::vector<StateNames> states;
  const auto is_taken = [&states](const std::string& input, const std::string& output) {
    return std::any_of(states.begin(), states.end(), [&](const StateNames& state) {
      return state.input == input || state.output == output;
    });
  };
  for (const auto& [input, output] : options.states) {
    if (!Find(graph, graph.inputs, input)) {
      Fail("--state {}={}: the model has no input '{}'; its inputs are: {}", input, output, input,
           fmt::join(NamesOf(graph, graph.inputs), ", "));
    }
    if (!Find(graph, graph.outputs, output)) {
      Fail("--state {}={}: the model has no output '{}'; its outputs are: {}", input, output,
           output, fmt::join(NamesOf(graph, graph.outputs), ", "));
    }
    if (is_taken(input, output)) {
      Fail("--state {}={}: one of the two is in another --state; name each once", input, output);
    }
    states.push_back({input, output, true});
  }
  if (!options.states_by_name) return states;
  for (const std::string& input : NamesOf(graph, graph.inputs)) {
    for (const std::string& output : NamesOf(graph, graph.outputs)) {
      if (SaysState(input, output) && !is_taken(input, output)) states.push_back({input, output});
    }
  }
  return states;
}

void TieStates(const std::vector<StateNames>& states, Graph* graph) {
  std::vector<ValueId> inputs, outputs;
  for (const StateNames& state : states) {
    const ValueId in = *Find(*graph, graph->inputs, state.input);
    const ValueId out = *Find(*graph, graph->outputs, state.output);
    const std::string misfit = Misfit(graph->At(in), graph->At(out));
    if (!misfit.empty() && state.asked) {
      Fail("--state {}={}: {}; a state is one tensor of one type and shape", state.input,
           state.output, misfit);
    }
    const bool leaves_none = inputs.size() + 1 == graph->inputs.size();
    if (!misfit.empty() || (leaves_none && !state.asked)) continue;
    if (outputs.size() + 1 == graph->outputs.size()) {
      if (!state.asked) continue;
      Fail(
          "--state {}={}: no other output is left, so no result can be read; keep "
          "an output",
          state.input, state.output);
    }
    inputs.push_back(in);
    outputs.push_back(out);
    if (state.asked) continue;
    graph->notes.push_back(
        fmt::format("state: input '{}' is output '{}' of the sample before, as their names say; "
                    "both are no input and no output of the blob",
                    state.input, state.output));
  }
  MoveBehind(inputs, &graph->inputs);
  MoveBehind(outputs, &graph->outputs);
  for (const ValueId id : inputs) {
    const graph::Value& value = graph->At(id);
    const auto given = graph->defaults.find(value.name);
    if (given != graph->defaults.end()) {
      graph->states.push_back(given->second);
      continue;
    }
    graph::Tensor zeros;
    zeros.type = value.type;
    zeros.shape = *value.shape;
    const auto count = static_cast<size_t>(graph::ElementCount(zeros.shape));
    zeros.IsFloat() ? zeros.floats.resize(count) : zeros.integers.resize(count);
    graph->states.push_back(std::move(zeros));
  }
  Suggest(graph);
}

}  // namespace octet::import
