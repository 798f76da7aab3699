// One form for each operator, the newest, whatever opset a model was written in.
//
//   Clip                   inputs x, min, max (attributes before 11)
//   Slice                  inputs x, starts, ends, axes, steps (attributes before 10)
//   Squeeze, Unsqueeze     axes as input 1 (attribute before 13)
//   Reduce*                axes as input 1 (attribute before 18; ReduceSum 13)
//   Split                  sizes as input 1 (attribute before 13), else attribute num_outputs
//   Pad                    inputs x, pads, value, axes (attributes before 11)
//   Resize, Upsample       Resize with inputs x, roi, scales, sizes, of which absent and empty ones
//   are kNoValue; opset 10 and
//                          Upsample: coordinate_transformation_mode asymmetric, nearest_mode floor
//                          (ceil when shrinking)
//   Dropout                one input, one output
//   BatchNormalization     one output, inference
//   Softmax, LogSoftmax,   axis always there; octet_coerced = 1 where the operator sees its input
//   as two-dimensional, split at Hardmax                the axis (before 13) Cast to float where it
//   said float16, bfloat16 or double, as constants are converted
#ifndef OCTET_CONVERTER_IMPORT_NORMALISE_H_
#define OCTET_CONVERTER_IMPORT_NORMALISE_H_

#include "converter/graph/graph.h"

namespace octet::import {

// Rewrites the nodes in place; constants it adds are named after the node. Throws UserError naming
// the node for training mode and for second outputs (Dropout's mask, BatchNormalization's
// statistics) that something uses.
void Normalise(graph::Graph& graph);

}  // namespace octet::import

#endif  // OCTET_CONVERTER_IMPORT_NORMALISE_H_
