// FP16 convolutions by Winograd's method (runtime/format/FORMAT.md, "FP16 arithmetic"): which
// layers compute so, and their weights.
#ifndef OCTET_CONVERTER_LOWER_WINOGRAD_F16_H_
#define OCTET_CONVERTER_LOWER_WINOGRAD_F16_H_

#include "converter/lower/program.h"

namespace octet::lower {

// Replaces the weights of every FP16 convolution that adds in float by transformed ones, 16 in
// place of 9, where the method applies, takes fewer operations by its shape and FP16 holds the
// numbers. `program` is a whole FP16 plan.
void TransformHalves(Program* program);

// Whether the method applies to the window.
bool WinogradFits(const blob::ConvParams& params, uint64_t in_c);

// Whether it pays by the layer's shape.
bool WinogradPaysF16(const Program& program, const Layer& layer);

// U [16][ceil(out_c / 16)][in_c][16] of weights [ceil(out_c / 16)][9 x in_c][16], both FP16. Empty
// where a number is beyond FP16.
Bytes TransformHalfWeights(const Bytes& weights, uint64_t in_c);

}  // namespace octet::lower

#endif  // OCTET_CONVERTER_LOWER_WINOGRAD_F16_H_
