// Detectors that drop weak boxes before they suppress overlaps, as Ultralytics' exporter writes
// them with nms=True: how many rows there are depends on the data until a Pad at the end.
#ifndef OCTET_CONVERTER_OPERATORS_NEWER_BOUNDED_BOXES_H_
#define OCTET_CONVERTER_OPERATORS_NEWER_BOUNDED_BOXES_H_

#include "converter/graph/graph.h"

namespace octet::operators {

//   GatherND(x, Transpose(NonZero(Greater(scores, c))))    x
//   NonMaxSuppression of such rows                         of all rows, with score_threshold c
//   what it chose, sliced to the first n                   chooses n at most
//   Gather(x, what it chose)                               of x with a row of zeros behind it,
//                                                          which -1 reads: rows behind the count
//                                                          are zeros
// The boxes and their order stay. Only where NonMaxSuppression has one class and one picture, its
// scores are the ones that are compared, and nobody else reads the rows. The graph is sorted and
// normalised (converter/import/normalise.h); no shapes are needed.
void BoundBoxes(graph::Graph& graph);

}  // namespace octet::operators

#endif  // OCTET_CONVERTER_OPERATORS_NEWER_BOUNDED_BOXES_H_
