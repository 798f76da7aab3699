#include "converter/recover/step.h"

#include <algorithm>
#include <tuple>

#include "converter/simulate/chance.h"

namespace octet::recover {
namespace {

// Of conversions that can gain nothing, at most one in twenty may keep a step by luck: the usual
// level of a test, shared by the steps of one (stretches, ranges, rounding, biases).
constexpr double kLuck = 0.05, kSteps = 4;
// Each variant is looked at twice, by its answers and by the numbers behind them.
constexpr double kMeasures = 2;

}  // namespace

void Step::Decide(const simulate::Simulator& simulator, const simulate::Samples& samples,
                  const simulate::Scores& base, const std::vector<simulate::Scores>& scores,
                  const std::vector<quantize::Scheme>& variants,
                  const simulate::Simulator::Progress& progress, quantize::Scheme* scheme) {
  tried = true;
  const quantize::Scheme* best = nullptr;
  // The more there is to choose from, the better the luckiest of them looks: all share the level
  // (Bonferroni).
  const double level = kLuck / (kSteps * kMeasures * static_cast<double>(scores.size()));
  for (size_t v = 0; v < scores.size(); ++v) {
    const simulate::Gain gain = simulate::GainOf(base, scores[v]);
    const simulate::Gain numbers = simulate::GainInDecibels(base, scores[v]);
    // What one of the two tells beyond luck, the other must not deny by more than its own error:
    // few answers tell little, and the mean of decibels says nothing of pictures that lose most.
    const bool gains = gain.mean >= -gain.error && numbers.mean >= -numbers.error &&
                       std::min(simulate::ChanceOf(gain), simulate::ChanceOf(numbers)) <= level;
    // One that gains before any that does not, then the larger mean.
    if (v > 0 && std::tuple(gains, gain.mean, numbers.mean) <=
                     std::tuple(best != nullptr, accepted.mean, accepted_db.mean)) {
      continue;
    }
    best = gains ? &variants[v] : nullptr;
    accepted = gain;
    accepted_db = numbers;
  }
  kept = best != nullptr;
  const auto told = simulator.Compare(
      *scheme,
      best != nullptr ? std::vector<quantize::Scheme>{*best} : std::vector<quantize::Scheme>{},
      samples.report, progress);
  judged = told.base.judged;
  before_db = after_db = simulate::MeanDecibels(told.base.Pieces());
  before_agreement = after_agreement = told.base.Agreement();
  if (best == nullptr) return;
  reported = simulate::GainOf(told.base, told.variants[0]);
  reported_db = simulate::GainInDecibels(told.base, told.variants[0]);
  after_db = simulate::MeanDecibels(told.variants[0].Pieces());
  after_agreement = told.variants[0].Agreement();
  *scheme = *best;
}

}  // namespace octet::recover
