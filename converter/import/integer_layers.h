// Layers that compute on codes become float layers between DequantizeLinear and QuantizeLinear,
// which the passes read; layers quantized while they run become float layers.
#ifndef OCTET_CONVERTER_IMPORT_INTEGER_LAYERS_H_
#define OCTET_CONVERTER_IMPORT_INTEGER_LAYERS_H_

#include <string_view>

#include "converter/graph/graph.h"

namespace octet::import {

// Operators of the domain com.microsoft that Rewrite understands.
bool IsIntegerLayer(std::string_view op);

//   ConvInteger, MatMulInteger, a sum of integers behind them, and the constant factors behind that
//                             Conv, MatMul with dequantized weights and data, and Add
//   DynamicQuantizeLinear in front of them
//                             gone; graph.notes says so, once
//   QLinearConv, QLinearMatMul, QGemm, QLinearAdd, ...
//                             the float operator, with DequantizeLinear on its inputs and
//                             QuantizeLinear on its result
// The graph is sorted; shapes are not known yet. Throws UserError naming the node where its inputs
// are not those that the operator takes.
void RewriteIntegerLayers(graph::Graph& graph);

}  // namespace octet::import

#endif  // OCTET_CONVERTER_IMPORT_INTEGER_LAYERS_H_
