// Which FP16 convolutions may add in FP16 (blob::Arithmetic::kHalf), for boards with
// `fp16_arithmetic: native`.
#ifndef OCTET_CONVERTER_LOWER_HALF_SUMS_H_
#define OCTET_CONVERTER_LOWER_HALF_SUMS_H_

#include <optional>
#include <vector>

#include "converter/lower/half_check.h"

namespace octet::lower {

// Those whose partial sums stay inside FP16 in any order: largest |input| seen in calibration x sum
// of |weights| of every output <= 65504 / 2, the half being for frames beyond the calibration data.
// The others, and those whose input was not seen, keep adding in float. `program` is a whole FP16
// plan, lowered from `plan`.
void AllowHalfSums(const quantize::HalfPlan& plan,
                   const std::vector<std::optional<calibrate::Statistics>>& statistics,
                   Program* program);

}  // namespace octet::lower

#endif  // OCTET_CONVERTER_LOWER_HALF_SUMS_H_
