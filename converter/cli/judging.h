// The judge asked about a blob that convert has just made: with which samples, and what of the blob
// stays.
#ifndef OCTET_CONVERTER_CLI_JUDGING_H_
#define OCTET_CONVERTER_CLI_JUDGING_H_

#include <cstdint>
#include <memory>
#include <vector>

#include "converter/cli/calibration_data.h"
#include "converter/cli/make_plan.h"
#include "converter/cli/options.h"
#include "converter/cli/pipeline.h"
#include "converter/cli/warnings.h"
#include "converter/graph/graph.h"
#include "converter/images/dataset.h"
#include "converter/judge/judge.h"
#include "converter/simulate/samples.h"
#include "converter/simulate/simulator.h"

namespace octet::cli {

// A sixteenth as many samples as calibrate judge, 16 at least and 32 at most: the judge then takes
// a small part of the time that calibration takes, whatever the model.
inline constexpr int64_t kShareOfJudges = 16, kFewestJudges = 16, kMostJudges = 32;

struct JudgeSamples {
  std::vector<int64_t> indices;  // of the data given, rising
  bool seen = true;              // ranges have seen them: there are no others
};

// given: samples of the data; kept: those that --sample-labels leaves, calibrating: those of which
// --samples picks (both by index into what was given); samples: --samples; decided: what recovery
// looks at, by index into `calibrating`. Samples that neither ranges nor recovery have seen where
// there are any, else those that calibrate; at equal distances.
JudgeSamples ChooseJudgeSamples(const std::vector<int64_t>& kept,
                                const std::vector<int64_t>& calibrating, int64_t samples,
                                uint64_t seed, const simulate::Samples& decided);

// The level and instructions of this machine.
judge::Machine ThisMachine();

// All plans of the blob, verified before it is run. inputs: the data given, in the graph's order.
judge::Findings JudgeBlob(const graph::Graph& imported, const std::vector<uint8_t>& blob,
                          const std::vector<std::unique_ptr<images::Dataset>>& inputs,
                          const std::vector<int64_t>& samples, int threads);

// What the judge is asked about.
struct Judging {
  const graph::Graph& imported;
  const ConvertOptions& options;
  const write::ModelInfo& info;
  const simulate::Simulator& simulator;
  int64_t given;  // samples of the data given
  const Wishes& wishes;
};

// Fills result->verdict, takes plans that fail out of result->plans, and analyzes the int8 plan
// where it is in doubt, or where options.analyze says so.
void JudgePlans(const Judging& by, Conversion* result, Warnings* warnings);

}  // namespace octet::cli

#endif  // OCTET_CONVERTER_CLI_JUDGING_H_
