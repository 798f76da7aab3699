// From a blob's record to kernel arguments: what dense and depthwise convolution share.
#ifndef OCTET_KERNELS_RUN_CONVOLUTION_H_
#define OCTET_KERNELS_RUN_CONVOLUTION_H_

#include "runtime/kernels/check.h"

namespace octet {

// Runs a layer of ConvParams with the kernel for its precision.
void RunConvolution(const LayerView& view, const RunContext& context, ConvS8Fn s8, ConvF16Fn f16);

}  // namespace octet

#endif  // OCTET_KERNELS_RUN_CONVOLUTION_H_
