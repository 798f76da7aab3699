// Rounding of weights in closed form: each up or down such that what the layer computes from the
// calibration data changes least, not the weights.
//
// With X the inputs of a layer (one column a position) and H = X X^T + d I = R^T R, R upper
// triangular, the codes q of an output channel should make |R (w - scale q)|^2 small. Row k of R
// meets columns k and later alone, so that going backwards every column can make up for what those
// behind it were rounded by:
//
//   q_k = round((w_k + sum_{j > k} R_kj / R_kk (w_j - scale q_j)) / scale)
//
// This is the optimal brain quantizer with the whole row rounded in one fixed order (E. Frantar, S.
// P. Singh, D. Alistarh, "Optimal Brain Compression", 2022; E. Frantar et al., "GPTQ", 2022),
// written with the Cholesky factor of H in place of that of its inverse. Columns are taken in the
// order of their power, the strongest first; d is a hundredth of H's mean diagonal, as in GPTQ.
#ifndef OCTET_CONVERTER_RECOVER_ROUNDING_H_
#define OCTET_CONVERTER_RECOVER_ROUNDING_H_

#include <cstdint>
#include <functional>
#include <span>
#include <vector>

#include "converter/quantize/scheme.h"
#include "converter/recover/step.h"
#include "converter/simulate/samples.h"
#include "converter/simulate/simulator.h"

namespace octet::recover {

// Inputs of one group of a layer: [rows][depth], a row is one position.
struct LayerInputs {
  size_t rows = 0, depth = 0;
  std::vector<float> values;
};

// The codes of `outputs` channels: weights [outputs][depth], scales [outputs] > 0, within +-127.
std::vector<int8_t> RoundRows(const LayerInputs& inputs, std::span<const float> weights,
                              std::span<const float> scales);

// Sum over rows and channels of the squares of what `values` [outputs][depth] give otherwise than
// `weights`.
double ErrorOf(const LayerInputs& inputs, std::span<const float> weights,
               std::span<const float> values);

// Sets scheme->weights: of the layers where inputs of pictures that were not fitted lose less than
// with the nearest codes, and of all of them only where the accepting pictures' outputs gain.
// Calibration samples beside samples.accept and samples.report below `available` fit and judge the
// single layers.
// Layers whose weights the model brings quantized stay, and those of more than 6,688 columns. The
// result depends neither on the number of threads nor on the memory.
Step RoundWeights(const simulate::Simulator& simulator, const simulate::Samples& samples,
                  int64_t available,
                  const std::function<void(int64_t done, int64_t total)>& progress,
                  quantize::Scheme* scheme);

}  // namespace octet::recover

#endif  // OCTET_CONVERTER_RECOVER_ROUNDING_H_
