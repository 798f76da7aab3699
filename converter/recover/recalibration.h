// Re-calibration of mean and variance: what BatchNorm had set before it was folded away is set
// again behind rounded weights.
//
// Noise of rounding widens the results of a layer and weights that were rounded to 0 narrow them,
// channel by channel. All pictures go through the FP32 graph and its 8-bit simulation side by side;
// behind layers that lose much every output channel gets a factor and an offset with which mean
// and standard deviation of its simulated results are FP32's. Both go into scales of the weights
// and biases, so that the layer costs what it did; what is behind it sees it corrected (X. Sun et
// al., "Hybrid 8-bit Floating Point Training and Inference for Deep Neural Networks", 2019, section
// 3, who tune BatchNorm's statistics again; I. Hubara et al., "Accurate Post Training Quantization
// With Small Calibration Sets", 2021, section 3.4, who put them back into a folded layer).
#ifndef OCTET_CONVERTER_RECOVER_RECALIBRATION_H_
#define OCTET_CONVERTER_RECOVER_RECALIBRATION_H_

#include <cstdint>
#include <functional>
#include <vector>

#include "converter/quantize/scheme.h"
#include "converter/recover/step.h"
#include "converter/simulate/samples.h"
#include "converter/simulate/side_by_side.h"
#include "converter/simulate/simulator.h"

namespace octet::recover {

// The factor and the offset of every channel, from the first `fitting` pictures: as far from 1 and
// 0 as those are certain (certain.h). Empty where the others' results do not come nearer FP32's.
simulate::Correction FitStatistics(const std::vector<simulate::Moments>& pictures, size_t fitting);

// Sets scheme->weights and scheme->bias_correction behind int8 layers with a scale a channel whose
// own error as a share of their result is above the mean of all: where a quarter of the fitting
// pictures, which find nothing (fitting.h), come nearer, and all of it only where the accepting
// pictures' outputs gain. Layers whose weights or values
// the model brings quantized stay. The result does not depend on the number of threads.
Step Recalibrate(const simulate::Simulator& simulator, const simulate::Samples& samples,
                 const std::function<void(int64_t done, int64_t total)>& progress,
                 quantize::Scheme* scheme);

}  // namespace octet::recover

#endif  // OCTET_CONVERTER_RECOVER_RECALIBRATION_H_
