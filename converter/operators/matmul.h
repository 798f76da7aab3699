// The shapes of MatMul, which evaluation and lowering read alike.
#ifndef OCTET_CONVERTER_OPERATORS_MATMUL_H_
#define OCTET_CONVERTER_OPERATORS_MATMUL_H_

#include <cstdint>

#include "converter/graph/graph.h"

namespace octet::operators {

// numpy's rule: a vector on the left is a row, on the right a column; the added dimension is
// dropped from the result.
struct MatMulShape {
  graph::Shape a, b;    // at least two dimensions
  graph::Shape batch;   // broadcast leading dimensions
  graph::Shape result;  // of the operator
  int64_t rows, columns, depth;
};

// Throws UserError naming the node where the shapes do not fit.
MatMulShape ShapeOfMatMul(const graph::Node& node, const graph::Shape& a, const graph::Shape& b);

}  // namespace octet::operators

#endif  // OCTET_CONVERTER_OPERATORS_MATMUL_H_
