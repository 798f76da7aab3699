// Operators that newer opsets brought, in those that were there before: most of them are functions
// in ONNX too.
#ifndef OCTET_CONVERTER_OPERATORS_NEWER_LIFT_NEW_H_
#define OCTET_CONVERTER_OPERATORS_NEWER_LIFT_NEW_H_

#include "converter/graph/graph.h"

namespace octet::operators {

//   AffineGrid                 a matrix product of theta and the places of the result
//   Attention                  MatMul, masks, Softmax, MatMul; heads that share keys are rows of
//   one
//                              product
//   CenterCropPad              Slice, Pad
//   Col2Im                     ConvTranspose with weights of 0 and 1
//   DFT                        MatMul with a constant matrix
//   DeformConv                 GridSample of every tap, and a Conv of 1x1 over taps and channels
//   HannWindow, HammingWindow, BlackmanWindow, MelWeightMatrix
//                              constants
//   RotaryEmbedding            Slice, Mul, Concat
//   STFT                       Conv along the signal
//   Swish                      Mul, Sigmoid
//   TensorScatter              Slice, Concat
// The graph is sorted and normalised (converter/import/normalise.h). Shapes up to such a node are
// inferred, and no others are looked at where the graph has none. Throws UserError naming the node
// where a shape or a parameter that has to be known is not.
void LiftNewForms(graph::Graph& graph);

}  // namespace octet::operators

#endif  // OCTET_CONVERTER_OPERATORS_NEWER_LIFT_NEW_H_
