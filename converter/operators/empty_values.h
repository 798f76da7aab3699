// Values without elements, as exporters leave them where a model has nothing of a kind: Ultralytics
// splits its predictions into boxes, scores and masks, of which a detector has none.
#ifndef OCTET_CONVERTER_OPERATORS_EMPTY_VALUES_H_
#define OCTET_CONVERTER_OPERATORS_EMPTY_VALUES_H_

#include "converter/graph/graph.h"

namespace octet::operators {

// A Concat reads its operands with elements alone, if there are any. Their shapes are known.
void DropEmptyOperands(const graph::Graph& graph, graph::Node* node);

// Removes computed values without elements and all that is made of them. Shapes are known, and the
// graph is sorted. Throws UserError with the node whose empty result is an output of the graph, or
// is read by one that makes something of it.
void RemoveEmptyValues(graph::Graph& graph);

}  // namespace octet::operators

#endif  // OCTET_CONVERTER_OPERATORS_EMPTY_VALUES_H_
