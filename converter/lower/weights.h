// Float data to the runtime's stored forms: int8 and FP16 values, blocked weights, multipliers.
#ifndef OCTET_CONVERTER_LOWER_WEIGHTS_H_
#define OCTET_CONVERTER_LOWER_WEIGHTS_H_

#include <cstdint>
#include <vector>

#include "converter/graph/graph.h"
#include "converter/lower/program.h"
#include "converter/quantize/scheme.h"
#include "runtime/quant/requantize.h"

namespace octet::lower {

std::vector<int8_t> QuantizeValues(const std::vector<float>& values,
                                   const quantize::TensorScheme& scheme);
std::vector<uint16_t> ToHalf(const std::vector<float>& values);

// factor >= 0 as a Multiplier after a pre-shift. 0 below 2^-62.
Multiplier MakeMultiplier(double factor, int pre_shift);
// The smallest pre-shift that brings every factor under 0.5 (kMaxPreShift at most).
int PreShiftFor(double largest_factor);

// Dense weights as ONNX has them, [out_c][in_c / groups][kernel_h][kernel_w], rearranged to K order
// (kh, kw, c).
struct ConvWeights {
  int64_t out_c = 0, depth = 0;  // depth = kernel_h * kernel_w * in_c / groups
  std::vector<float> values;     // [out_c][depth]
  std::vector<float> bias;       // [out_c]
  // As the model brings them (graph::Node), or empty.
  std::vector<float> scales = {};  // [out_c]
  std::vector<int64_t> bias_codes = {};
  std::vector<float> bias_scales = {};
  quantize::WeightScheme scheme = quantize::WeightScheme::kPerChannel;
};
ConvWeights ArrangeConvWeights(const graph::Tensor& weights, const graph::Tensor* bias);

// Int8 weights and channel blocks of a convolution. `depthwise` chooses the block layout (see
// ConvParams).
struct QuantizedConv {
  Bytes weights, channels;
  int pre_shift = 0;
};
QuantizedConv QuantizeConv(const ConvWeights& weights, const Tensor& input, const Tensor& output,
                           bool depthwise);
struct HalfConv {
  Bytes weights, bias;
};
// One layout serves dense and depthwise: [out_c / 16][depth][16].
HalfConv HalfConvWeights(const ConvWeights& weights);

}  // namespace octet::lower

#endif  // OCTET_CONVERTER_LOWER_WEIGHTS_H_
