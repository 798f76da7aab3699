// From statistics to the scheme of the int8 plan: every step is kept only where calibration
// pictures gain that it was not found from.
#ifndef OCTET_CONVERTER_CLI_RECOVERY_H_
#define OCTET_CONVERTER_CLI_RECOVERY_H_

#include <optional>
#include <vector>

#include "converter/calibrate/calibrate.h"
#include "converter/cli/options.h"
#include "converter/cli/warnings.h"
#include "converter/quantize/scheme.h"
#include "converter/recover/diagnosis.h"
#include "converter/recover/step.h"
#include "converter/simulate/samples.h"
#include "converter/simulate/simulator.h"

namespace octet::cli {

using Statistics = std::vector<std::optional<calibrate::Statistics>>;

// Samples that recovery works with: half of them fit, a quarter accepts, a quarter reports.
int64_t RecoverySamples(Effort effort);

struct Recovered {
  quantize::Scheme scheme;
  std::vector<recover::Step> steps;
  recover::Diagnosis diagnosis;  // of the result, on reporting samples
  Warnings warnings;
};

Recovered Recover(const simulate::Simulator& simulator, const simulate::Samples& samples,
                  const Statistics& statistics, const quantize::Config& config, Effort effort);

}  // namespace octet::cli

#endif  // OCTET_CONVERTER_CLI_RECOVERY_H_
