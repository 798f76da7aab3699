#include "converter/judge/measure/precision.h"

#include <algorithm>
#include <array>
#include <bit>
#include <functional>

namespace octet::judge {

std::vector<uint16_t> FindTruths(const std::vector<Detection>& boxes,
                                 const std::vector<Detection>& truths) {
  std::vector<uint16_t> found(boxes.size(), 0);
  std::vector<uint16_t> taken(truths.size(), 0);
  for (size_t b = 0; b < boxes.size(); ++b) {
    std::vector<std::pair<double, size_t>> near;
    for (size_t t = 0; t < truths.size(); ++t) {
      if (truths[t].label != boxes[b].label) continue;
      const double overlap = BoxOverlap(boxes[b], truths[t]);
      if (overlap >= OverlapOf(0)) near.emplace_back(overlap, t);
    }
    std::ranges::stable_sort(near, std::greater{}, [](const auto& pair) { return pair.first; });
    for (size_t threshold = 0; threshold < kOverlaps; ++threshold) {
      const auto bit = static_cast<uint16_t>(1u << threshold);
      for (const auto& [overlap, t] : near) {
        if (overlap < OverlapOf(threshold)) break;
        if ((taken[t] & bit) != 0) continue;
        taken[t] |= bit;
        found[b] |= bit;
        break;
      }
    }
  }
  return found;
}

double AveragePrecision(const std::vector<Scored>& boxes, const std::vector<double>& weights,
                        double truths) {
  if (!(truths > 0)) return 0;
  constexpr size_t kRecalls = 101;
  // A box that finds nothing at a threshold has the recall of the box before it and no more
  // precision, so that it changes nothing: the others are kept.
  struct Point {
    double precision, recall;
  };
  std::array<std::vector<Point>, kOverlaps> points;
  std::array<double, kOverlaps> right{};
  double all = 0;
  uint32_t first = 0;  // what the best box finds
  for (const Scored& box : boxes) {
    const double weight = weights[box.sample];
    if (weight == 0) continue;
    if (all == 0) first = box.found;
    all += weight;
    for (uint32_t left = box.found; left != 0; left &= left - 1) {
      const auto t = static_cast<size_t>(std::countr_zero(left));
      right[t] += weight;
      points[t].push_back({right[t] / all, right[t] / truths});
    }
  }
  double sum = 0;
  for (size_t t = 0; t < kOverlaps; ++t) {
    // From the last box on: the best precision at this recall or above.
    double best = 0;
    size_t next = kRecalls;
    for (size_t i = points[t].size(); i-- > 0 && next > 0;) {
      // Recalls that only boxes up to this one reach.
      while (next > 0 && static_cast<double>(next - 1) / (kRecalls - 1) > points[t][i].recall) {
        sum += best;
        --next;
      }
      best = std::max(best, points[t][i].precision);
    }
    // Boxes before the first that finds something reach a recall of 0.
    for (; next > 1 && (first >> t & 1u) == 0; --next) sum += best;
    sum += best * static_cast<double>(next);
  }
  return 100 * sum / (kOverlaps * kRecalls);
}

}  // namespace octet::judge
