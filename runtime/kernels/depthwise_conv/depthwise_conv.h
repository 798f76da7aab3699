// Depthwise convolution: groups == in_c == out_c. Same rule, layouts and promises as convolution.h,
// with weights [ceil(c / 16)][kernel_h * kernel_w][16], int8 or FP16.
#ifndef OCTET_KERNELS_DEPTHWISE_CONV_DEPTHWISE_CONV_H_
#define OCTET_KERNELS_DEPTHWISE_CONV_DEPTHWISE_CONV_H_

#include "runtime/kernels/convolution.h"

namespace octet {

typedef ConvS8Args DepthwiseConvS8Args;
typedef ConvS8Fn DepthwiseConvS8Fn;
typedef ConvF16Args DepthwiseConvF16Args;
typedef ConvF16Fn DepthwiseConvF16Fn;

}  // namespace octet

#endif  // OCTET_KERNELS_DEPTHWISE_CONV_DEPTHWISE_CONV_H_
