#include "converter/judge/measure/score_pairs.h"

#include <algorithm>
#include <cmath>

#include "converter/support/functions.h"

namespace octet::judge {

double Logit(double score) {
  constexpr double kLeast = 1e-6;
  const double inside = std::clamp(score, kLeast, 1 - kLeast);
  return math::Log(inside / (1 - inside));
}

double ShiftedScore(double score, double shift) {
  return 1 / (1 + math::Exp(-(Logit(score) + shift)));
}

double LogitShift(const std::vector<ScorePair>& pairs) {
  if (pairs.empty()) return 0;
  const auto difference = [&pairs](double shift) {
    double sum = 0;
    for (const ScorePair& pair : pairs) {
      sum += ShiftedScore(static_cast<double>(pair.plan), shift) - static_cast<double>(pair.exact);
    }
    return sum;
  };
  constexpr int kHalvings = 24;
  double low = -kLargestLogitShift, high = kLargestLogitShift;
  for (int i = 0; i < kHalvings; ++i) {
    const double middle = (low + high) / 2;
    (difference(middle) < 0 ? low : high) = middle;
  }
  return (low + high) / 2;
}

}  // namespace octet::judge
