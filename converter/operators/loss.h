// Losses as sums of products.
#ifndef OCTET_CONVERTER_OPERATORS_LOSS_H_
#define OCTET_CONVERTER_OPERATORS_LOSS_H_

#include "converter/graph/graph.h"

namespace octet::operators {

// What every (log) score is multiplied by before all are summed: minus the weight of the class that
// is right, divided by their sum where the loss is a mean; 0 for other classes and ignored places.
// `scores`: [N, C, d...]; `class_weights` may be null.
graph::Tensor LossWeights(const graph::Node& node, const graph::Shape& scores,
                          const graph::Tensor& target, const graph::Tensor* class_weights);

}  // namespace octet::operators

#endif  // OCTET_CONVERTER_OPERATORS_LOSS_H_
