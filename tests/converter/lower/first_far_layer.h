// Which layer makes a plan's output far from FP32.
#ifndef OCTET_TESTS_CONVERTER_LOWER_FIRST_FAR_LAYER_H_
#define OCTET_TESTS_CONVERTER_LOWER_FIRST_FAR_LAYER_H_

#include <string>
#include <vector>

#include "converter/graph/tensor.h"
#include "tests/converter/lower/convert_in_process.h"

namespace octet::test {

// The first layer of the plan, on the reference, whose result is below `least` dB of FP32's, with
// its figure; "" where none is. Layers whose values FP32 has by no name are passed over.
std::string FirstFarLayer(const Converted& converted, uint32_t plan,
                          const std::vector<graph::Tensor>& inputs, double least);

}  // namespace octet::test

#endif  // OCTET_TESTS_CONVERTER_LOWER_FIRST_FAR_LAYER_H_
