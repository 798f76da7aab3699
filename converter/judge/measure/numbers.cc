#include "converter/judge/measure/numbers.h"

#include <algorithm>
#include <cmath>

#include <fmt/format.h>

#include "converter/support/decibels.h"

namespace octet::judge {

void NumberMeasure::Add(int64_t /*sample*/, const Answer& expected, const Answer& actual) {
  std::vector<Sums>& outputs = samples_.emplace_back(expected.numbers.size());
  first_.resize(expected.numbers.size());
  for (size_t o = 0; o < outputs.size(); ++o) {
    const std::vector<float>&exact = expected.numbers[o], &plan = actual.numbers[o];
    if (samples_.size() == 1 && !exact.empty() && std::isfinite(exact[0])) first_[o] = exact[0];
    for (size_t i = 0; i < exact.size(); ++i) {
      if (!std::isfinite(exact[i])) continue;
      const double difference = exact[i] - first_[o];
      const double error = static_cast<double>(exact[i]) - plan[i];
      outputs[o].count += 1;
      outputs[o].sum += difference;
      outputs[o].squares += difference * difference;
      // A plan that fails has no finite number there: as much as the signal.
      outputs[o].noise += std::isfinite(error) ? error * error : difference * difference;
    }
  }
}

double NumberMeasure::LossOf(const Weights& weights) const {
  double worst = -kMostDecibels;
  for (size_t o = 0; o < first_.size(); ++o) {
    Sums all;
    for (size_t i = 0; i < samples_.size(); ++i) {
      const Sums& sums = samples_[i][o];
      all.count += weights[i] * sums.count;
      all.sum += weights[i] * sums.sum;
      all.squares += weights[i] * sums.squares;
      all.noise += weights[i] * sums.noise;
    }
    if (!(all.count > 0)) continue;
    const double signal = std::max(0.0, all.squares - all.sum * all.sum / all.count);
    if (signal > 0) worst = std::max(worst, -Decibels(signal, all.noise));
  }
  return worst;
}

std::string NumberMeasure::Words() const {
  return fmt::format("signal over error {:.1f} dB", 0.0 - Loss());
}

void NumberMeasure::AddJson(nlohmann::json* row) const {
  (*row)["db"] = 0.0 - Loss();
}

}  // namespace octet::judge
