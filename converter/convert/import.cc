#include "converter/convert/import.h"

#include "converter/convert/in_model.h"
#include "converter/import/states.h"
#include "converter/operators/operator.h"

namespace octet::convert {

graph::Graph ImportGraph(const std::string& model, const import::ImportOptions& options) {
  graph::Graph graph = import::ImportOnnx(model, options);
  InModel(model, [&] {
    import::CheckOperators(graph);
    const std::vector<import::StateNames> states = import::FindStates(graph, options);
    std::vector<std::string> inputs;
    for (const import::StateNames& state : states) inputs.push_back(state.input);
    import::CheckInputs(graph, inputs);
    operators::InferShapes(graph);
    // Has been checked: passes may choose between what broadcasts.
    for (graph::Node& node : graph.nodes) node.attributes.erase("octet_branches");
    import::TieStates(states, &graph);
    inputs.clear();
    for (size_t i = graph.OwnInputs(); i < graph.inputs.size(); ++i) {
      inputs.push_back(graph.At(graph.inputs[i]).name);
    }
    import::CheckInputs(graph, inputs);
  });
  return graph;
}

graph::Graph LoadGraph(const std::string& model, const import::ImportOptions& options,
                       passes::PassReport* report) {
  graph::Graph graph = ImportGraph(model, options);
  InModel(model, [&] { passes::Canonicalise(graph, report); });
  return graph;
}

Imported Import(const ConvertOptions& options) {
  return {options, ImportGraph(options.model, options.import)};
}

}  // namespace octet::convert
