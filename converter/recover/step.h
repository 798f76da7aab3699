// One step of recovery: variants of a scheme, of which the accepting pictures choose, and what the
// reporting ones say of the choice.
#ifndef OCTET_CONVERTER_RECOVER_STEP_H_
#define OCTET_CONVERTER_RECOVER_STEP_H_

#include <string>
#include <utility>
#include <vector>

#include "converter/quantize/scheme.h"
#include "converter/simulate/samples.h"
#include "converter/simulate/simulator.h"

namespace octet::recover {

struct Step {
  explicit Step(std::string step_name) : name(std::move(step_name)) {}

  std::string name;
  std::string note;    // what it did, in words; may be empty
  bool tried = false;  // false: too few samples
  bool kept = false;   // the accepting pictures gained
  // Of the loss and in dB (simulate::GainOf, GainInDecibels): there, of the best variant whether it
  // was kept or not; and on the reporting pictures, 0 where it was not.
  simulate::Gain accepted, accepted_db;
  simulate::Gain reported, reported_db;
  // The reporting pictures: outputs over their error, in dB (simulate::MeanDecibels), and how alike
  // FP32's the answers are, where they have a meaning.
  double before_db = 0, after_db = 0;
  bool judged = false;
  double before_agreement = 1, after_agreement = 1;

  // Sets *scheme to the variant that gained most on the accepting pictures, and leaves it alone
  // where none did: beyond luck in the loss or in decibels (simulate/chance.h), and with neither
  // falling by more than its standard error. `base` and `scores` are theirs of *scheme and of
  // `variants`.
  void Decide(const simulate::Simulator& simulator, const simulate::Samples& samples,
              const simulate::Scores& base, const std::vector<simulate::Scores>& scores,
              const std::vector<quantize::Scheme>& variants,
              const simulate::Simulator::Progress& progress, quantize::Scheme* scheme);
};

}  // namespace octet::recover

#endif  // OCTET_CONVERTER_RECOVER_STEP_H_
