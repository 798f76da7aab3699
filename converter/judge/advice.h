// What would mend an int8 plan that is in doubt: tried, so that nothing is advised that was not
// measured to be better.
#ifndef OCTET_CONVERTER_JUDGE_ADVICE_H_
#define OCTET_CONVERTER_JUDGE_ADVICE_H_

#include <functional>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "converter/analyze/analyze.h"
#include "converter/calibrate/calibrate.h"
#include "converter/judge/verdict.h"
#include "converter/quantize/scheme.h"
#include "converter/simulate/simulator.h"

namespace octet::judge {

// Gains below it are no reason to change anything.
inline constexpr double kLeastGainDb = 1;

// Puts the layers that add most noise into FP16, 1, 2, 4 and 8 of them, on the simulator, and asks
// the judge about the best: `judged` gives the worst output of the int8 plan of a scheme, or
// nothing where that plan cannot be made. None where the gain is below kLeastGainDb. before_db: of
// the int8 plan as it is. samples: of the simulator's data.
std::optional<Advice> TryAdvice(
    const simulate::Simulator& simulator,
    const std::vector<std::optional<calibrate::Statistics>>& statistics,
    const quantize::Config& config, const quantize::Scheme& scheme,
    const analyze::Analysis& analysis, const std::vector<int64_t>& samples, double before_db,
    const std::function<std::optional<std::pair<std::string, double>>(const quantize::Scheme&)>&
        judged);

}  // namespace octet::judge

#endif  // OCTET_CONVERTER_JUDGE_ADVICE_H_
