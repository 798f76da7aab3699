#include "converter/convert/judge_samples.h"

#include <algorithm>
#include <iterator>

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

std::vector<int64_t> Spread(const std::vector<int64_t>& samples, size_t wanted) {
  const size_t count = samples.size();
  if (wanted >= count) return samples;
  const auto before = [&](size_t i) { return (i * wanted + wanted - 1) / count; };
  std::vector<int64_t> chosen;
  for (size_t i = 0; wanted > 0 && i < count; ++i) {
    if (before(i) != before(i + 1)) chosen.push_back(samples[i]);
  }
  return chosen;
}

JudgeSamples ChooseJudgeSamples(const std::vector<int64_t>& kept, std::vector<int64_t> calibrated,
                                bool answers) {
  std::sort(calibrated.begin(), calibrated.end());
  std::vector<int64_t> fresh;
  std::copy_if(kept.begin(), kept.end(), std::back_inserter(fresh), [&calibrated](int64_t i) {
    return !std::binary_search(calibrated.begin(), calibrated.end(), i);
  });
  JudgeSamples result;
  const int64_t of_numbers = std::clamp(static_cast<int64_t>(calibrated.size()) / kShareOfJudges,
                                        kFewestJudges, kMostJudges);
  const int64_t wanted = answers ? kMostAnswers : of_numbers;
  const int64_t unseen = std::min(static_cast<int64_t>(fresh.size()), wanted);
  const bool fills = answers || unseen < kFewestJudges;
  Add(fresh, unseen, &result.fresh);
  result.indices = result.fresh;
  if (fills) {
    Add(calibrated, std::min(static_cast<int64_t>(calibrated.size()), wanted - unseen),
        &result.indices);
  }
  std::sort(result.indices.begin(), result.indices.end());
  result.numbers = Spread(result.indices, static_cast<size_t>(of_numbers));
  return result;
}

}  // namespace octet::convert
