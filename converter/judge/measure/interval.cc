#include "converter/judge/measure/interval.h"

#include <algorithm>
#include <cmath>

#include "converter/judge/measure/random.h"

namespace octet::judge {

Weights Resample(size_t count, size_t index) {
  Weights weights(count, 0);
  Random random(index);
  for (size_t i = 0; i < count; ++i) weights[random.Below(count)] += 1;
  return weights;
}

Interval Bootstrap(size_t count, const std::function<double(const Weights&)>& figure) {
  if (count == 0) return {};
  std::vector<double> figures;
  figures.reserve(kReplicates);
  for (size_t r = 0; r < kReplicates; ++r) figures.push_back(figure(Resample(count, r)));
  std::sort(figures.begin(), figures.end());
  constexpr size_t kCut = kReplicates / 40;  // 2.5 %
  return {figures[kCut], figures[kReplicates - 1 - kCut]};
}

Interval Wilson(int64_t part, int64_t whole) {
  if (whole == 0) return {0, 100};
  const auto n = static_cast<double>(whole);
  const double share = static_cast<double>(part) / n, z2 = kNormal95 * kNormal95;
  const double centre = (share + z2 / (2 * n)) / (1 + z2 / n);
  const double half =
      kNormal95 / (1 + z2 / n) * std::sqrt(share * (1 - share) / n + z2 / (4 * n * n));
  // Its ends are exact where nothing, or everything, is of the part.
  return {part == 0 ? 0 : 100 * std::max(0.0, centre - half),
          part == whole ? 100 : 100 * std::min(1.0, centre + half)};
}

}  // namespace octet::judge
