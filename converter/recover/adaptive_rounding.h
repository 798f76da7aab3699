// Weights rounded by gradient, layer behind layer: each makes up for what those before it lost.
//
// Pictures go through the FP32 graph and its 8-bit simulation side by side. At every int8 layer
// its weights are rounded such that what they make of the simulated inputs, behind the activation,
// comes near what FP32 makes of exact ones (soft_rounding.h); what is behind it sees the layer as
// it is then (M. Nagel et al., "Up or Down? Adaptive Rounding for Post-Training Quantization",
// 2020, section 3.3: the asymmetric reconstruction).
#ifndef OCTET_CONVERTER_RECOVER_ADAPTIVE_ROUNDING_H_
#define OCTET_CONVERTER_RECOVER_ADAPTIVE_ROUNDING_H_

#include <cstddef>
#include <cstdint>
#include <functional>
#include <vector>

#include "converter/quantize/scheme.h"
#include "converter/recover/step.h"
#include "converter/simulate/samples.h"
#include "converter/simulate/simulator.h"

namespace octet::recover {

// How many steps the search of each layer takes, and how many of the layers it searches, the
// smallest ones: all together stay within a number of products. weights: of each layer, ascending.
struct SearchPlan {
  int64_t steps = 0;
  size_t layers = 0;
};
SearchPlan PlanSearch(const std::vector<int64_t>& weights);

// Sets scheme->weights, from the codes that the scheme has: of the layers where pictures that were
// not fitted lose less, and of all of them only where the accepting pictures' outputs gain. The
// same pictures fit and judge as RoundWeights has (rounding.h). Layers whose weights the model
// brings quantized stay. The result depends neither on the number of threads nor on the memory.
Step AdaptRounding(const simulate::Simulator& simulator, const simulate::Samples& samples,
                   int64_t available,
                   const std::function<void(int64_t done, int64_t total)>& progress,
                   quantize::Scheme* scheme);

}  // namespace octet::recover

#endif  // OCTET_CONVERTER_RECOVER_ADAPTIVE_ROUNDING_H_
