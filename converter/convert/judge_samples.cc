#include "converter/convert/judge_samples.h"

#include <algorithm>
#include <iterator>
#include <set>
#include <utility>

#include "converter/calibrate/calibrate.h"

namespace octet::convert {

JudgeSamples ChooseJudgeSamples(const std::vector<int64_t>& kept,
                                const std::vector<int64_t>& calibrating, int64_t samples,
                                uint64_t seed, const simulate::Samples& decided) {
  std::vector<int64_t> calibrated;
  for (const int64_t i :
       calibrate::PickSamples(static_cast<int64_t>(calibrating.size()), samples, seed)) {
    calibrated.push_back(calibrating[static_cast<size_t>(i)]);
  }
  std::sort(calibrated.begin(), calibrated.end());
  std::set<int64_t> seen(calibrated.begin(), calibrated.end());
  for (const auto* set : {&decided.fit, &decided.accept, &decided.report}) {
    for (const int64_t i : *set) seen.insert(calibrating[static_cast<size_t>(i)]);
  }
  std::vector<int64_t> among;
  std::copy_if(kept.begin(), kept.end(), std::back_inserter(among),
               [&seen](int64_t i) { return seen.count(i) == 0; });
  JudgeSamples result;
  result.seen = among.empty();
  if (result.seen) among = std::move(calibrated);
  const auto available = static_cast<int64_t>(among.size());
  const int64_t wanted =
      std::clamp(static_cast<int64_t>(seen.size()) / kShareOfJudges, kFewestJudges, kMostJudges);
  const int64_t count = std::min(available, wanted);
  for (int64_t i = 0; i < count; ++i) {
    result.indices.push_back(among[static_cast<size_t>(i * available / count)]);
  }
  return result;
}

}  // namespace octet::convert
