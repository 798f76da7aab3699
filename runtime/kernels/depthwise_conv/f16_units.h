// FP16 depthwise convolution of ARM, one pixel x 8 channels after the other.
#ifndef OCTET_KERNELS_DEPTHWISE_CONV_F16_UNITS_H_
#define OCTET_KERNELS_DEPTHWISE_CONV_F16_UNITS_H_

#include "runtime/kernels/depthwise_conv/depthwise_conv.h"
#include "runtime/kernels/share.h"

namespace octet {

static inline uint64_t DepthwiseUnits(const ConvGeometry& g) {  // of 8 channels of a pixel
  return ((uint64_t)g.out_c + 7) / 8;
}
// Units in the order of the output.
void RunDepthwiseUnits(const DepthwiseConvF16Args& args, Range range);

}  // namespace octet

#endif  // OCTET_KERNELS_DEPTHWISE_CONV_F16_UNITS_H_
