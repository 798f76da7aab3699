#include "converter/convert/judge_samples.h"

#include <algorithm>
#include <iterator>
#include <set>
#include <utility>

#include "converter/calibrate/calibrate.h"

namespace octet::convert {

namespace {

// At equal distances.
void Add(const std::vector<int64_t>& among, int64_t count, std::vector<int64_t>* indices) {
  const auto available = static_cast<int64_t>(among.size());
  for (int64_t i = 0; i < count; ++i) {
    indices->push_back(among[static_cast<size_t>(i * available / count)]);
  }
}

}  // namespace

JudgeSamples ChooseJudgeSamples(const std::vector<int64_t>& kept,
                                const std::vector<int64_t>& calibrating, int64_t samples,
                                uint64_t seed, const simulate::Samples& decided, bool answers) {
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
  std::vector<int64_t> fresh;
  std::copy_if(kept.begin(), kept.end(), std::back_inserter(fresh),
               [&seen](int64_t i) { return seen.count(i) == 0; });
  JudgeSamples result;
  const int64_t of_numbers =
      std::clamp(static_cast<int64_t>(seen.size()) / kShareOfJudges, kFewestJudges, kMostJudges);
  const int64_t wanted = answers ? kMostAnswers : of_numbers;
  result.unseen = std::min(static_cast<int64_t>(fresh.size()), wanted);
  const bool fills = answers || result.unseen < kFewestJudges;
  result.seen =
      fills ? std::min(static_cast<int64_t>(calibrated.size()), wanted - result.unseen) : 0;
  Add(fresh, result.unseen, &result.fresh);
  result.indices = result.fresh;
  Add(calibrated, result.seen, &result.indices);
  std::sort(result.indices.begin(), result.indices.end());
  result.numbers = std::min(of_numbers, result.unseen + result.seen);
  return result;
}

}  // namespace octet::convert
