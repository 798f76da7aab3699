// Convolution with one input channel a group.
#ifndef OCTET_CONVERTER_OPERATORS_DEPTHWISE_H_
#define OCTET_CONVERTER_OPERATORS_DEPTHWISE_H_

#include <cstdint>

#include "converter/operators/operator.h"
#include "converter/operators/window.h"

namespace octet::operators {

// out[groups * multiplier, pixels] += conv(in[groups, pixels], weights[groups * multiplier, taps]);
// on entry every pixel of an output channel holds the bias of that channel.
void AddDepthwise(const Window& window, int64_t groups, int64_t multiplier, const float* in,
                  const float* weights, float* out, Workspace& workspace);

}  // namespace octet::operators

#endif  // OCTET_CONVERTER_OPERATORS_DEPTHWISE_H_
