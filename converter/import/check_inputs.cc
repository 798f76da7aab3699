#include "converter/import/bind_advice.h"
#include "converter/import/import.h"
#include "converter/support/error.h"

namespace octet::import {

void CheckInputs(const graph::Graph& graph) {
  for (const graph::ValueId id : graph.inputs) {
    const graph::Value& input = graph.At(id);
    if (input.type == graph::DataType::kFloat) continue;
    const std::string cut = CutAdvice(graph, id);
    Fail("input '{}' is {}; a board feeds floats only; make it a constant: {}{}", input.name,
         graph::Name(input.type), BindAdvice(graph, id),
         cut.empty() ? "" : ", or end the model in front of it: " + cut);
  }
}

}  // namespace octet::import
