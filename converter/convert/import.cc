#include "converter/convert/import.h"

#include "converter/convert/in_model.h"
#include "converter/operators/operator.h"

namespace octet::convert {

graph::Graph ImportGraph(const std::string& model, const import::ImportOptions& options) {
  graph::Graph graph = import::ImportOnnx(model, options);
  InModel(model, [&] {
    import::CheckOperators(graph);
    import::CheckInputs(graph);
    operators::InferShapes(graph);
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
