// Means over pictures, as far as they are certain.
#ifndef OCTET_CONVERTER_RECOVER_CERTAIN_H_
#define OCTET_CONVERTER_RECOVER_CERTAIN_H_

#include <algorithm>
#include <cmath>
#include <cstddef>

namespace octet::recover {

// Of a mean m with standard error e over `count` numbers, of(i) each, m * max(0, 1 - (kCertain * e
// / m)^2) is kept. Deep layers see few positions of few pictures, and the error of a rare large
// value that was cut off is no shift. 0 where nothing finite comes out.
template <typename Of>
float CertainMean(size_t count, const Of& of) {
  constexpr double kCertain = 2;
  const auto n = static_cast<double>(count);
  double sum = 0, squares = 0;
  for (size_t i = 0; i < count; ++i) {
    const double number = of(i);
    sum += number;
    squares += number * number;
  }
  const double mean = sum / n;
  const double variance = std::max(0.0, squares / n - mean * mean);
  const double error = variance / std::max(1.0, n - 1);  // of the mean, squared
  const double kept = mean * std::max(0.0, 1 - kCertain * kCertain * error / (mean * mean));
  return std::isfinite(kept) ? static_cast<float>(kept) : 0;
}

}  // namespace octet::recover

#endif  // OCTET_CONVERTER_RECOVER_CERTAIN_H_
