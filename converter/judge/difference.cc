#include "converter/judge/difference.h"

#include <algorithm>
#include <cmath>

#include "converter/support/decibels.h"

namespace octet::judge {
namespace {

constexpr double kMostDb = 300;

// NaN is larger than every number.
double Larger(double a, double b) {
  return a != a || b <= a ? a : b;
}

}  // namespace

void Agreement::Add(const std::vector<float>& expected, const std::vector<float>& actual) {
  if (expected.empty()) return;
  const auto [lo, hi] = std::minmax_element(expected.begin(), expected.end());
  range = std::max(range, static_cast<double>(*hi) - *lo);
  for (size_t i = 0; i < expected.size(); ++i) {
    const double e = expected[i], a = actual[i], difference = a - e;
    signal += e * e;
    noise += difference * difference;
    product += e * a;
    power += a * a;
    largest = Larger(largest, std::fabs(difference));
  }
}

void Agreement::Merge(const Agreement& other) {
  signal += other.signal;
  noise += other.noise;
  product += other.product;
  power += other.power;
  largest = Larger(largest, other.largest);
  range = std::max(range, other.range);
}

double Agreement::SnrDb() const {
  return Decibels(signal, noise, kMostDb);
}

double Agreement::Cosine() const {
  if (noise == 0) return 1;
  if (!(signal > 0) || !(power > 0) || !std::isfinite(noise)) return 0;
  return product / std::sqrt(signal * power);
}

}  // namespace octet::judge
