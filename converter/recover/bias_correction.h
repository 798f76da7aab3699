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

#include <cstdint>
#include <functional>
#include <vector>

#include "converter/graph/graph.h"
#include "converter/images/dataset.h"
#include "converter/quantize/scheme.h"

namespace octet::recover {

struct Options {
  int64_t samples = 32;  // at most, a quarter of them to judge by
  // Of the pictures that go side by side; fewer correct where they would pass it. 24 take 640 MB in
  // a detector at 640x640.
  int64_t memory_bytes = int64_t{3} << 28;
  int threads = 1;
  std::function<void(int64_t done, int64_t total)> progress;  // may be empty
};

// Signal over error of what the graph's outputs are put together from, in dB, the mean over those
// pieces: simulated, with at least four pictures that the corrections were not made from.
// Corrections are kept where they gain; those that only pieces feel which fall are left out before.
struct Gain {
  int64_t judges = 0;  // 0: too few pictures, or too large ones, so nothing was corrected
  double before_db = 0, after_db = 0;
  bool kept = false;
};

// Whether a graph is made of depthwise layers, an eighth of those with weights or more: few weights
// a channel, whose roundings do not average out, are what the correction is for (the paper's
// networks). Elsewhere a gain in dB is no gain by itself: YOLOv8n at 640x640, whose outputs gained
// 3 dB, scored 38.07 mAP with it and 39.07 without (80 pictures, five variants of each; FP32
// 38.86), YOLO11n at 320x320 29.87 and 30.54 (29.16), YOLO26n 40.35 and 40.67 (41.32); their boxes
// agreed with FP32's as well as before or better. The eighth is a cautious border, not a measured
// one; a judge that asks the task can take its place.
bool IsWorthCorrecting(const graph::Graph& graph);

// Sets scheme->bias_correction. The result does not depend on the number of threads.
Gain CorrectBiases(const graph::Graph& graph, const std::vector<const images::Dataset*>& inputs,
                   const Options& options, quantize::Scheme* scheme);

}  // namespace octet::recover

#endif  // OCTET_CONVERTER_RECOVER_BIAS_CORRECTION_H_
