// ConvInteger and MatMulInteger, of models that were quantized dynamically.
#ifndef OCTET_CONVERTER_IMPORT_DYNAMIC_LAYERS_H_
#define OCTET_CONVERTER_IMPORT_DYNAMIC_LAYERS_H_

#include "converter/graph/graph.h"

namespace octet::import {

// See integer_layers.h.
void RewriteDynamicLayers(graph::Graph& graph);

}  // namespace octet::import

#endif  // OCTET_CONVERTER_IMPORT_DYNAMIC_LAYERS_H_
