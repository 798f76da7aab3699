// Whether a convolution's weights and what was computed from them agree: weight sums, zero tails,
// transformed weights and the bound they rest on (FORMAT.md, "The writer's duties").
#ifndef OCTET_KERNELS_CONVOLUTION_CONTENT_H_
#define OCTET_KERNELS_CONVOLUTION_CONTENT_H_

#include "runtime/kernels/operator.h"

namespace octet {

// view: of a layer whose check has passed; layouts: base of that section. True for every layer
// that is no int8 convolution, dense or depthwise, since it stores nothing twice.
bool ConvContentIsRight(const LayerView& view, const uint8_t* layouts);

}  // namespace octet

#endif  // OCTET_KERNELS_CONVOLUTION_CONTENT_H_
