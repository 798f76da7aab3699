// Sequential bias correction: the mean that rounding shifts is put back into the biases.
//
// Rounded weights and activations move the mean of a layer's results, the same way in every
// picture; layer by layer such shifts add up to more than the noise around them. All pictures go
// through the FP32 graph and its 8-bit simulation side by side, one node at a time. At every int8
// layer with weights the difference of the means of each output channel goes into the bias, so that
// the next layer sees inputs corrected already (M. Nagel et al., "Data-Free Quantization Through
// Weight Equalization and Bias Correction", 2019, section 4.2 and appendix D, with unlabelled
// pictures in place of BatchNorm's statistics).
#ifndef OCTET_CONVERTER_RECOVER_BIAS_CORRECTION_H_
#define OCTET_CONVERTER_RECOVER_BIAS_CORRECTION_H_

#include <functional>

#include "converter/quantize/scheme.h"
#include "converter/recover/step.h"
#include "converter/simulate/samples.h"
#include "converter/simulate/simulator.h"

namespace octet::recover {

// Whether a graph is made of depthwise layers, an eighth of those with weights or more: few weights
// a channel, whose roundings do not average out, are what the correction is for (the paper's
// networks). Elsewhere a gain in dB is no gain by itself: YOLOv8n at 640x640, whose outputs gained
// 3 dB, scored 38.07 mAP with it and 39.07 without (80 pictures, five variants of each; FP32
// 38.86), YOLO11n at 320x320 29.87 and 30.54 (29.16), YOLO26n 40.35 and 40.67 (41.32); their boxes
// agreed with FP32's as well as before or better. The eighth is a cautious border, not a measured
// one; a judge that asks the task takes its place.
bool IsWorthCorrecting(const graph::Graph& graph);

// Sets scheme->bias_correction: layer by layer where the shift of a quarter of the fitting pictures
// gets smaller too, which it was not found from, and all of it only where the accepting ones'
// outputs gain. Corrections that only pieces of outputs feel which fall in that quarter are left
// out, where that gains more. The result does not depend on the number of threads.
Step CorrectBiases(const simulate::Simulator& simulator, const simulate::Samples& samples,
                   const std::function<void(int64_t done, int64_t total)>& progress,
                   quantize::Scheme* scheme);

}  // namespace octet::recover

#endif  // OCTET_CONVERTER_RECOVER_BIAS_CORRECTION_H_
