#include <algorithm>
#include <vector>

#include "converter/import/bind_advice.h"
#include "converter/import/import.h"
#include "converter/operators/meaning.h"
#include "converter/support/error.h"

namespace octet::import {
namespace {

// Codes of 8 bits that are dequantized first of all: the blob takes the real values
// (passes::RemoveInputCodes).
bool IsCodes(const graph::Graph& graph, const graph::Links& links, graph::ValueId id) {
  const graph::DataType type = graph.At(id).type;
  if (type != graph::DataType::kInt8 && type != graph::DataType::kUInt8) return false;
  const std::vector<int>& readers = links.consumers[static_cast<size_t>(id)];
  return !readers.empty() && !links.is_output[static_cast<size_t>(id)] &&
         std::all_of(readers.begin(), readers.end(), [&](int reader) {
           const graph::Node& node = graph.nodes[static_cast<size_t>(reader)];
           return operators::ReadsCodes(node.op) && node.inputs[0] == id;
         });
}

}  // namespace

void CheckInputs(const graph::Graph& graph, const std::vector<std::string>& states) {
  const graph::Links links(graph);
  for (const graph::ValueId id : graph.inputs) {
    const graph::Value& input = graph.At(id);
    if (input.type == graph::DataType::kFloat || IsCodes(graph, links, id)) continue;
    if (std::find(states.begin(), states.end(), input.name) != states.end()) continue;
    const std::string cut = CutAdvice(graph, id);
    Fail("input '{}' is {}; a board feeds floats only; make it a constant: {}{}", input.name,
         graph::Name(input.type), BindAdvice(graph, id),
         cut.empty() ? "" : ", or end the model in front of it: " + cut);
  }
}

}  // namespace octet::import
