// Stage 3, prepare: the files of --config, --board, --labels and --decode, and every check that
// does not need data: what can be refused is refused before the minutes that calibration takes. Of
// the graph it changes the scales of channels (equalization), and no result.
#ifndef OCTET_CONVERTER_CONVERT_PREPARE_H_
#define OCTET_CONVERTER_CONVERT_PREPARE_H_

#include <memory>

#include "converter/assign/clock.h"
#include "converter/convert/make_plan.h"
#include "converter/convert/passes.h"
#include "converter/graph/graph.h"
#include "converter/quantize/scheme.h"
#include "converter/sections/section.h"
#include "converter/write/write.h"

namespace octet::convert {

struct Prepared {
  const Passed& from;
  graph::Graph graph;  // equalized
  int equalized = 0;   // tensors of it whose channels took factors from neighbours
  quantize::Config config;
  Wishes wishes, whole_fp16;  // of plans with int8 layers, and of those in FP16 alone
  write::ModelInfo info;      // without optional sections
  sections::Asked asked;
  // Of the board's cores; null where nobody knows what FP16 costs there. Never of profiles: they
  // are of an int8 plan that must not change by them.
  std::unique_ptr<assign::Clock> clock;
  std::unique_ptr<assign::Clock> mixed_clock;  // of --mixed, else null

  const ConvertOptions& options() const { return from.from.options; }
};

Prepared Prepare(const Passed& from);

// Both plans with dummy ranges: what cannot run shows in shapes and constants. Throws UserError.
void CheckPlans(const graph::Graph& graph, quantize::Config config);

}  // namespace octet::convert

#endif  // OCTET_CONVERTER_CONVERT_PREPARE_H_
