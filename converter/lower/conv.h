// Shared by convolution and fully connected layers.
#ifndef OCTET_CONVERTER_LOWER_CONV_H_
#define OCTET_CONVERTER_LOWER_CONV_H_

#include "converter/lower/builder.h"
#include "converter/lower/weights.h"

namespace octet::lower {

// Emits the layer for `node` with the activation behind it fused in; defines the result.
void EmitConv(Builder& builder, const graph::Node& node, const ConvWeights& weights,
              blob::ConvParams params, int input, Layout layout, bool depthwise);

// The constant float tensor at an input, or a UserError.
const graph::Tensor& ConstantWeights(const Builder& builder, const graph::Node& node, size_t input);

// The weights of a Conv, Gemm or MatMul as its layer has them; those that the scheme rounded where
// it runs in int8. Neighbouring groups that are too narrow for the kernels become one, zeros
// between them: `joined_groups` at a time.
ConvWeights ConvWeightsOf(const Builder& builder, const graph::Node& node, int64_t* joined_groups);
ConvWeights MatrixWeightsOf(const Builder& builder, const graph::Node& node);
// Of a Conv with constant weights: every channel alone.
bool IsDepthwise(const Builder& builder, const graph::Node& node);

// Whether a Reshape only flattens an image for the one matrix behind it (which then takes care of
// the order).
bool FlattensForGemm(const Builder& builder, const graph::Node& reshape);

}  // namespace octet::lower

#endif  // OCTET_CONVERTER_LOWER_CONV_H_
