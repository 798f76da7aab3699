// Which layers in front of an output leave the int8 plan in FP16.
//
// A decision made outside of the graph (a threshold on a logit, a box put together from offsets)
// sees nothing but the 8 bits of the output tensor, and logits from -400 to 3 in 255 steps tell
// little about 0. The last layer's sums are far finer. It then computes in FP16 from its 8-bit
// inputs: its float accumulators go straight to the output, and no rounding to 8 bits comes after
// them.
//
// Worth it is a layer whose sums tell numbers of some size that its 8-bit result does not: of all
// numbers of one order of magnitude (they are a thousandth of the output or more), the result's
// error is an eighth of their size or more, and has twice the energy of that of the sums
// (simulated). All such layers together may have a twentieth of the model's products: one in FP16
// costs about five in int8.
#ifndef OCTET_CONVERTER_RECOVER_FLOAT_OUTPUTS_H_
#define OCTET_CONVERTER_RECOVER_FLOAT_OUTPUTS_H_

#include <vector>

#include "converter/recover/diagnosis.h"

namespace octet::recover {

inline constexpr double kWorthRatio = 2;
inline constexpr double kUntoldShare = 1.0 / 64;   // of energy: an eighth of the size
inline constexpr int64_t kRarest = 1000;           // one number in so many
inline constexpr int64_t kMostProductsShare = 20;  // one in so many

// A layer with weights in front of outputs, or the function between them.
struct FloatOutput {
  size_t node = 0;
  double gain_db = 0;        // of the numbers of the size that gains most
  size_t measured_with = 1;  // nodes that the gain is of, this one among them
};
// Those that gain, in the order of execution.
std::vector<FloatOutput> WorthFloat(const graph::Graph& graph, const quantize::Scheme& scheme,
                                    const Diagnosis& diagnosis);

}  // namespace octet::recover

#endif  // OCTET_CONVERTER_RECOVER_FLOAT_OUTPUTS_H_
