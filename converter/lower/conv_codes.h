// What 8 bits make of the weights and biases of a layer: the one place that rounds them, for the
// blob and for whoever simulates it.
//
//   weight = scale * code,  code in [-127, 127] (-128 where the model brings its codes)
//   bias   = in_scale * scale * bias code
//   result = zero_point + acc * in_scale * scale / out_scale,  |acc| <= 2^30
#ifndef OCTET_CONVERTER_LOWER_CONV_CODES_H_
#define OCTET_CONVERTER_LOWER_CONV_CODES_H_

#include <cstdint>
#include <vector>

#include "converter/lower/program.h"
#include "converter/lower/weights.h"

namespace octet::lower {

struct CodedChannel {
  double scale = 0;        // of the weights; 0: they do nothing, and all codes are 0
  double real_bias = 0;    // what `bias` stands for
  int32_t bias = 0;        // without what the input's zero point adds
  int32_t weight_sum = 0;  // of the codes
  Multiplier multiplier{0, 1};
};
struct ConvCodes {
  std::vector<int8_t> codes;  // [out_c][depth], as ConvWeights::values
  std::vector<CodedChannel> channels;
  int pre_shift = 0;
};

// Only the schemes of `input` and `output` count: `output` is what the layer rounds to, before a
// table if it has one. Neighbours that share a scale (ConvWeights::scheme) take the largest that
// any of them needs, unless the model brings scales for all of them.
ConvCodes EncodeConv(const ConvWeights& weights, const Tensor& input, const Tensor& output,
                     bool depthwise);

}  // namespace octet::lower

#endif  // OCTET_CONVERTER_LOWER_CONV_CODES_H_
