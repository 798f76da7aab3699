// Ranges of activations by what they do to the outputs.
//
// Which range of a tensor is best depends on what is behind it: cutting off one value in ten
// thousand is nothing to most layers, and ruins a box. So the tensors that lose most by their
// own rounding are given every other rule's range in turn, and the outputs say which is better.
#ifndef OCTET_CONVERTER_RECOVER_CHOOSE_RANGES_H_
#define OCTET_CONVERTER_RECOVER_CHOOSE_RANGES_H_

#include <functional>
#include <optional>
#include <vector>

#include "converter/calibrate/calibrate.h"
#include "converter/quantize/scheme.h"
#include "converter/recover/step.h"
#include "converter/simulate/samples.h"
#include "converter/simulate/simulator.h"

namespace octet::recover {

// Tensors that are judged at the outputs.
inline constexpr size_t kJudgedTensors = 16;

// *scheme is what AssignScheme makes of `config`, perhaps with layers more in FP16, which stay so.
// Tensors whose range the user, the model or a clamp decides keep it. The result does not depend on
// the number of threads.
Step ChooseRanges(const simulate::Simulator& simulator, const simulate::Samples& samples,
                  const std::vector<std::optional<calibrate::Statistics>>& statistics,
                  const quantize::Config& config,
                  const std::function<void(int64_t done, int64_t total)>& progress,
                  quantize::Scheme* scheme);

}  // namespace octet::recover

#endif  // OCTET_CONVERTER_RECOVER_CHOOSE_RANGES_H_
