// Stage 5, recover: scales, precisions and weights of the int8 plan, each step kept only where
// samples gain that it was not found from. It changes neither graph nor statistics.
#ifndef OCTET_CONVERTER_CONVERT_RECOVER_H_
#define OCTET_CONVERTER_CONVERT_RECOVER_H_

#include <memory>
#include <string>
#include <vector>

#include "converter/convert/calibrate.h"
#include "converter/convert/evidence.h"
#include "converter/convert/task_likeness.h"
#include "converter/convert/warnings.h"
#include "converter/judge/verdict.h"
#include "converter/quantize/scheme.h"
#include "converter/recover/step.h"
#include "converter/simulate/samples.h"
#include "converter/simulate/simulator.h"
#include "converter/write/write.h"

namespace octet::convert {

struct Recovered {
  const Calibrated& from;
  std::unique_ptr<TaskLikeness> likeness;  // of the simulator; null where outputs are numbers
  std::unique_ptr<simulate::Simulator> simulator;  // of from.graph on from.datasets
  simulate::Samples sets;                          // who finds, who decides, who tells
  std::unique_ptr<Evidence> evidence;              // who speaks for plans
  quantize::Scheme scheme;
  quantize::Config config;                 // that it was made of
  std::vector<std::string> stretches;      // nodes in FP16 that measuring moved there
  std::vector<std::string> notes;          // for the verdict
  std::vector<judge::Proposal> proposals;  // what the search weighed
  std::string unit;                        // of their losses
  std::vector<recover::Step> steps;
  write::Plan int8;
  Warnings warnings;

  const ConvertOptions& options() const { return from.options(); }
};

// Throws UserError where the int8 plan has a layer that only FP16 can run and FP16 cannot hold.
Recovered Recover(const Calibrated& from);

}  // namespace octet::convert

#endif  // OCTET_CONVERTER_CONVERT_RECOVER_H_
