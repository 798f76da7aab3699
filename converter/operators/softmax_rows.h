// The rows along which a Softmax or LogSoftmax is taken.
#ifndef OCTET_CONVERTER_OPERATORS_SOFTMAX_ROWS_H_
#define OCTET_CONVERTER_OPERATORS_SOFTMAX_ROWS_H_

#include <cstdint>

#include "converter/graph/graph.h"

namespace octet::operators {

// Element k of row (o, i) stands at (o * count + k) * inner + i.
struct SoftmaxRows {
  int64_t outer, count, inner;
};
SoftmaxRows SoftmaxRowsOf(const graph::Node& node, const graph::Shape& shape);

// The least of the numbers that lie less than `reach` below the largest of their row, of the rows
// whose largest lies less than `reach` below that of all; +infinity where no number is finite.
float LeastThatCounts(const graph::Node& node, const graph::Tensor& input, float reach);

}  // namespace octet::operators

#endif  // OCTET_CONVERTER_OPERATORS_SOFTMAX_ROWS_H_
