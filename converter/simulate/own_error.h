// What every int8 layer with weights loses by itself: its inputs exact but for their own 8 bits.
#ifndef OCTET_CONVERTER_SIMULATE_OWN_ERROR_H_
#define OCTET_CONVERTER_SIMULATE_OWN_ERROR_H_

#include <cstdint>
#include <vector>

#include "converter/quantize/scheme.h"
#include "converter/simulate/figures.h"
#include "converter/simulate/simulator.h"

namespace octet::simulate {

// By node: energies of the exact result, behind the node's activation, and of its error, over the
// samples. Empty for nodes that are no int8 layers with weights. The result does not depend on the
// number of threads.
std::vector<Figure> OwnErrors(const Simulator& simulator, const quantize::Scheme& scheme,
                              const std::vector<int64_t>& samples);

}  // namespace octet::simulate

#endif  // OCTET_CONVERTER_SIMULATE_OWN_ERROR_H_
