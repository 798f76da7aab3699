// Transformed weights for Winograd's method (runtime/format/FORMAT.md, "Other layouts of weights"):
// which layers get them, and the numbers.
#ifndef OCTET_CONVERTER_LOWER_WINOGRAD_H_
#define OCTET_CONVERTER_LOWER_WINOGRAD_H_

#include <cstdint>
#include <vector>

#include "converter/lower/program.h"

namespace octet::lower {

// Gives every int8 convolution of the program transformed weights where the method applies, is
// proved exact from the layer's weights, and is estimated to be faster on a core without dot
// product.
void AddTransformedWeights(Program* program);

// The layer's output tile as AddTransformedWeights chooses it: 0 (none), 2 or 4.
int ChooseWinograd(const Program& program, const Layer& layer);

// U of a layer whose window is 3x3 over `in_c` channels, from its stored weights.
std::vector<int16_t> TransformWeights(const Bytes& weights, int64_t out_c, int64_t in_c, int m);

}  // namespace octet::lower

#endif  // OCTET_CONVERTER_LOWER_WINOGRAD_H_
