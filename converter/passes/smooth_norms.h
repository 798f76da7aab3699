// Factors moved from the results of a normalization into the matrices that read them, so that no
// single channel sets the scale of all. The graph computes what it did.
//
// LayerNormalization and RMSNormalization end with x_c = n_c g_c + b_c. Where all that reads them
// are layers with weights, g_c / s_c, b_c / s_c and W[:, c] s_c compute the same function:
//
//   s_c = r_c^a / w_c^(1 - a),  r_c^2 = g_c^2 + b_c^2,  w_c the largest |W[o, c]|
//
// (G. Xiao et al., "SmoothQuant: Accurate and Efficient Post-Training Quantization for Large
// Language Models", 2023, equation 4, with the parameters of the normalization in place of
// calibrated maxima: n_c has unit variance). `a` is that of 0, 1/4, 1/2, 3/4 and 1 with the least
// predicted noise, and s_c has the geometric mean 1.
//
// Noise over signal of the results of one reader, uniform rounding, kPeak deviations for the range:
//
//   activations  (2 kPeak max_c (r_c / s_c) / 255)^2 / 12 * sum_oc W[o, c]^2 s_c^2
//   weights      sum_o (max_c |W[o, c] s_c| / 127)^2 / 12 * sum_c r_c^2 / s_c^2
//   signal       sum_oc W[o, c]^2 r_c^2
#ifndef OCTET_CONVERTER_PASSES_SMOOTH_NORMS_H_
#define OCTET_CONVERTER_PASSES_SMOOTH_NORMS_H_

#include <functional>

#include "converter/graph/graph.h"

namespace octet::passes {

// Smooths the normalizations that gain: with a reader for which `wants(node)` holds those with less
// noise, and, where `others` says so, those whose noise becomes kWorthEqualizing (equalize.h) times
// smaller. Returns how many. Deterministic; the graph has been through Canonicalise. Weights and
// ranges that the model brings quantized stay.
int SmoothNorms(graph::Graph& graph, const std::function<bool(size_t node)>& wants, bool others);

}  // namespace octet::passes

#endif  // OCTET_CONVERTER_PASSES_SMOOTH_NORMS_H_
