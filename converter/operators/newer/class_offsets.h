// Boxes that are moved by their class before overlaps are suppressed, so that those of unlike
// classes are apart.
#ifndef OCTET_CONVERTER_OPERATORS_NEWER_CLASS_OFFSETS_H_
#define OCTET_CONVERTER_OPERATORS_NEWER_CLASS_OFFSETS_H_

#include "converter/graph/graph.h"

namespace octet::operators {

// NonMaxSuppression of boxes + offset * class reads the boxes as they are, and the classes as input
// 5, with the attribute octet_labels. With 80 classes side by side no number of 8 or 16 bits tells
// where in the picture a box is. Boxes that an offset leaves in the neighbour's place, as those
// that end outside of the picture, are suppressed by their own class alone. The graph is sorted and
// normalised (converter/import/normalise.h); no shapes are needed.
void SeparateClasses(graph::Graph& graph);

}  // namespace octet::operators

#endif  // OCTET_CONVERTER_OPERATORS_NEWER_CLASS_OFFSETS_H_
