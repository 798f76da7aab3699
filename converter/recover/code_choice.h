// How exactly the int8 plan keeps values that a model with codes leaves real, by what its outputs
// show.
//
// The model rounds its outputs to codes. A value that it does not round in front of them is rounded
// to 8 bits by us, and what that adds grows from layer to layer. Config::coarse_steps bounds what
// it may add to one result (quantize/coarse_inputs.h). Here smaller bounds are tried on samples.
#ifndef OCTET_CONVERTER_RECOVER_CODE_CHOICE_H_
#define OCTET_CONVERTER_RECOVER_CODE_CHOICE_H_

#include <optional>
#include <vector>

#include "converter/calibrate/calibrate.h"
#include "converter/quantize/scheme.h"
#include "converter/simulate/samples.h"
#include "converter/simulate/simulator.h"

namespace octet::recover {

// The largest bound, at most config.coarse_steps, with which of every output that the model rounds
// at most 0.5 % of the elements are more than one step away, and none more than three. Where no
// bound does it: the one with the fewest such elements if it halves them, else
// config.coarse_steps. Looks at the first 16 of the samples that accept and fit, or of those that
// report where there are no others. Does not depend on the number of threads.
double ChooseCoarseSteps(const simulate::Simulator& simulator, const simulate::Samples& samples,
                         const std::vector<std::optional<calibrate::Statistics>>& statistics,
                         const quantize::Config& config);

}  // namespace octet::recover

#endif  // OCTET_CONVERTER_RECOVER_CODE_CHOICE_H_
