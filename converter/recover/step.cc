#include "converter/recover/step.h"

namespace octet::recover {

void Step::Decide(const simulate::Simulator& simulator, const simulate::Samples& samples,
                  const simulate::Scores& base, const std::vector<simulate::Scores>& scores,
                  const std::vector<quantize::Scheme>& variants,
                  const simulate::Simulator::Progress& progress, quantize::Scheme* scheme) {
  tried = true;
  const quantize::Scheme* best = nullptr;
  for (size_t v = 0; v < scores.size(); ++v) {
    const simulate::Gain gain = simulate::GainOf(base, scores[v]);
    // A gain that the pictures do not agree on is luck. What few answers do not tell, all the
    // numbers behind them may: they have to gain both then.
    const simulate::Gain numbers = simulate::GainInDecibels(base, scores[v]);
    const bool gains = gain.mean > gain.error || (gain.mean > 0 && numbers.mean > numbers.error);
    if (!gains || (best != nullptr && gain.mean <= accepted.mean)) continue;
    best = &variants[v];
    accepted = gain;
  }
  kept = best != nullptr;
  const auto told = simulator.Compare(
      *scheme, kept ? std::vector<quantize::Scheme>{*best} : std::vector<quantize::Scheme>{},
      samples.report, progress);
  judged = told.base.judged;
  before_db = after_db = simulate::MeanDecibels(told.base.Pieces());
  before_agreement = after_agreement = told.base.Agreement();
  if (!kept) return;
  reported = simulate::GainOf(told.base, told.variants[0]);
  after_db = simulate::MeanDecibels(told.variants[0].Pieces());
  after_agreement = told.variants[0].Agreement();
  *scheme = *best;
}

}  // namespace octet::recover
