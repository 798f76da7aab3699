// The size of what a MaxUnpool undoes.
#ifndef OCTET_CONVERTER_OPERATORS_UNPOOL_H_
#define OCTET_CONVERTER_OPERATORS_UNPOOL_H_

#include "converter/graph/graph.h"

namespace octet::operators {

// Shape of the pool's input, whose result has the shape `in`: what the indices count in.
graph::Shape UnpooledShape(const graph::Node& node, const graph::Shape& in);

}  // namespace octet::operators

#endif  // OCTET_CONVERTER_OPERATORS_UNPOOL_H_
