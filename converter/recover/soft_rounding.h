// Rounding of weights by gradient: up or down such that what a layer computes behind its activation
// comes near what it should be.
//
// A code is lo + h(V) while it is searched, lo the integer below the weight (or below the code that
// it starts from), h(V) = clip(1.2 sigmoid(V) - 0.1, 0, 1). Adam moves V down the slope of
//
//   mean over rows of (f(scale q x + bias) - target)^2 + lambda sum of (1 - |2 h(V) - 1|^beta)
//
// whose second part, silent at first and with beta from 20 down to 2, drives every h to 0 or 1 (M.
// Nagel et al., "Up or Down? Adaptive Rounding for Post-Training Quantization", 2020). Errors are
// counted in steps of the weight times the power of its column, so that lambda means the same for
// every layer and every weight.
#ifndef OCTET_CONVERTER_RECOVER_SOFT_ROUNDING_H_
#define OCTET_CONVERTER_RECOVER_SOFT_ROUNDING_H_

#include <cstdint>
#include <span>
#include <vector>

#include "converter/recover/curve.h"
#include "converter/recover/rounding.h"

namespace octet::recover {

// Rows that one step looks at, or all there are.
inline constexpr size_t kBatchRows = 128;

// Output channels of one group of a layer; results = scale * sum(code * input) + bias.
struct Channels {
  std::span<const float> weights;  // [channels][depth], as FP32 has them
  std::span<const int8_t> codes;   // likewise, to start from
  std::span<const float> scales;   // [channels]; channels with 0 keep their codes
  std::span<const float> bias;     // [channels]
};

// What the function makes of the exact results: row r of the channels begins at values + r *
// stride.
struct Targets {
  const float* values;
  size_t stride;
};

// Codes within +-127, each a step away from where it began at most; those that began it where
// steps is 0. Rows should lie in random order. Deterministic.
std::vector<int8_t> SoftRound(const LayerInputs& inputs, const Targets& targets,
                              const Channels& channels, const Curve& function, int64_t steps);

// Sum over rows and channels of the squares of what `codes` give otherwise than the targets.
double ErrorBehind(const LayerInputs& inputs, const Targets& targets, const Channels& channels,
                   std::span<const int8_t> codes, const Curve& function);

}  // namespace octet::recover

#endif  // OCTET_CONVERTER_RECOVER_SOFT_ROUNDING_H_
