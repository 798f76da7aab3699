// Forms of operators that ONNX gave up before opset 7.
#ifndef OCTET_CONVERTER_IMPORT_LIFT_OLD_H_
#define OCTET_CONVERTER_IMPORT_LIFT_OLD_H_

#include "converter/graph/graph.h"

namespace octet::import {

//   consumed_inputs, is_test      dropped: training mode shows in the outputs that are used
//   Add, Sub, Mul, Div, Pow, And, Or, Xor, Greater, Less, Equal, PRelu with `broadcast` and `axis`
//                                 the second input reshaped, so that it meets the axis from the
//                                 right
//   Cast                          `to` as a number
//   Concat                        axis always there
//   Pad                           `paddings` is `pads`
//   Reshape, TopK, Upsample, Tile, Scatter
//                                 attributes as inputs, or the operator of today
// The graph is sorted; where an axis has to be counted from the left, shapes up to there are
// inferred. Throws UserError naming the node where that cannot be done.
void LiftOldForms(graph::Graph& graph);

}  // namespace octet::import

#endif  // OCTET_CONVERTER_IMPORT_LIFT_OLD_H_
