// Cross-layer equalization: factors moved between the weights of neighbouring layers, so that the
// channels that share a scale have similar ranges. The graph computes what it did.
//
// What comes out of channel c of a layer can be divided by s_c > 0 and multiplied back where it is
// read, as long as all between lets factors pass: W1[c, :] / s_c and b1[c] / s_c on one side,
// W2[:, c] * s_c on the other, f(s x) = s f(x) between them. With r1_c and r2_c the largest weights
// of channel c on both sides,
//
//   s_c = sqrt(r1_c / r2_c)
//
// makes the product of the two layers' precisions largest (M. Nagel et al., "Data-Free Quantization
// Through Weight Equalization and Bias Correction", 2019, section 4.1). Where several layers write
// or read a channel (residual sums), r is the largest share of the layer's own range that any of
// them has. The geometric mean of the s_c of a tensor is 1, so that no range moves as a whole.
//
// Exact, up to the rounding of floats: ReLU, PReLU, LeakyReLU, pooling, sums, depthwise layers and
// bounds that are a constant a channel let factors pass; a clip to one range for all channels
// (ReLU6) does not, and nothing passes it. Normalizations of rows have a rule of their own
// (smooth_norms.cc).
#ifndef OCTET_CONVERTER_PASSES_EQUALIZE_H_
#define OCTET_CONVERTER_PASSES_EQUALIZE_H_

#include <functional>

#include "converter/graph/graph.h"

namespace octet::passes {

// A tensor that has one scale for all channels rounds each with the same noise, which the weights
// W2[:, c] behind it amplify. With the norm of W1[c, :] for the range of channel c, the noise is
//
//   E = max_c (|W1[c, :]| / s_c)^2 * sum_c |W2[:, c]|^2 s_c^2
//
// and factors are worth it by themselves where they make it kWorthEqualizing times smaller: one
// bit. Networks as they are trained are far from that.
inline constexpr double kWorthEqualizing = 4;
// No weight shrinks or grows by more: what a channel lost to underflow or a dead one cannot say.
inline constexpr double kFarthest = 1e4;

// Equalizes the tensors that some layer writes or reads for which `wants(node)` holds, and, where
// `others` says so, those that gain by themselves; normalizations too. Returns how many tensors got
// factors. Deterministic. The graph has been through Canonicalise. Weights that the model brings
// quantized stay.
int EqualizeLayers(graph::Graph& graph, const std::function<bool(size_t node)>& wants, bool others);

}  // namespace octet::passes

#endif  // OCTET_CONVERTER_PASSES_EQUALIZE_H_
