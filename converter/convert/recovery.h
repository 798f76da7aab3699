// From statistics to the scheme of the int8 plan: every step is kept only where calibration
// pictures gain that it was not found from.
#ifndef OCTET_CONVERTER_CONVERT_RECOVERY_H_
#define OCTET_CONVERTER_CONVERT_RECOVERY_H_

#include <optional>
#include <string>
#include <vector>

#include "converter/assign/clock.h"
#include "converter/assign/stretches.h"
#include "converter/calibrate/calibrate.h"
#include "converter/convert/options.h"
#include "converter/convert/progress.h"
#include "converter/convert/search.h"
#include "converter/convert/warnings.h"
#include "converter/quantize/scheme.h"
#include "converter/recover/step.h"
#include "converter/simulate/samples.h"
#include "converter/simulate/simulator.h"

namespace octet::convert {

using Statistics = std::vector<std::optional<calibrate::Statistics>>;

// Samples that recovery works with: half of them fit, a quarter accepts, a quarter reports.
int64_t RecoverySamples(Effort effort);

struct RecoveredInt8 {
  quantize::Scheme scheme;
  quantize::Config config;             // with what was chosen of precisions
  std::vector<std::string> stretches;  // nodes in FP16 that measuring moved there
  std::vector<std::string> notes;      // for the verdict: what stretches gain and cost
  std::vector<recover::Step> steps;
  Warnings warnings;
};

// Labels of the stages of RecoverInt8, in order: of those that the configuration and the effort let
// run.
std::vector<std::string> RecoveryStages(const graph::Graph& graph, const quantize::Config& config,
                                        const assign::Clock* clock, Effort effort);

// What recovery works on.
struct Recovery {
  const simulate::Simulator& simulator;
  const simulate::Samples& samples;
  int64_t available;  // samples of the data set that calibration took
  const Statistics& statistics;
  const assign::Clock* clock;  // of the board, or null: nobody knows what FP16 costs there
  const assign::ArenaOf& arena_of;
  const simulate::Simulator* boxes;  // of assign::ChooseStretches
  Search* search;                    // decides what runs in FP16
  Effort effort;
  bool mends;  // a plan that loses more than its limit
  Progress* progress;
};

RecoveredInt8 RecoverInt8(const Recovery& given, const quantize::Config& config);

}  // namespace octet::convert

#endif  // OCTET_CONVERTER_CONVERT_RECOVERY_H_
