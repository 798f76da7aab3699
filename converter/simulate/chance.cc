#include "converter/simulate/chance.h"

#include <cmath>
#include <cstdint>
#include <numbers>

#include "converter/support/functions.h"

namespace octet::simulate {
namespace {

// Share of Student's distribution within +-t, t >= 0: with the angle whose tangent is t / sqrt(f),
// a finite sum for whole degrees of freedom f (Abramowitz and Stegun, "Handbook of Mathematical
// Functions", 26.7.3 and 26.7.4).
double ShareWithin(double t, int64_t freedom) {
  const double angle = math::Atan(t / std::sqrt(static_cast<double>(freedom)));
  const double cosine = math::Cos(angle), square = cosine * cosine;
  const bool odd = freedom % 2 != 0;
  double term = odd ? cosine : 1, sum = 0;
  for (int64_t i = odd ? 3 : 2; i <= freedom; i += 2) {
    sum += term;
    term *= square * static_cast<double>(i - 1) / static_cast<double>(i);
  }
  const double partial = math::Sin(angle) * sum;
  return odd ? 2 / std::numbers::pi * (angle + partial) : partial;
}

}  // namespace

double ChanceOf(const Gain& gain) {
  if (gain.count < 2) return 1;
  if (!(gain.error > 0)) return gain.mean > 0 ? 0 : 1;
  const double within = ShareWithin(std::abs(gain.mean) / gain.error, gain.count - 1);
  return gain.mean > 0 ? (1 - within) / 2 : (1 + within) / 2;
}

}  // namespace octet::simulate
