// The converter in one place: import, passes, calibrate, quantize, recover, lower, plan,
// write.
#ifndef OCTET_CONVERTER_CLI_PIPELINE_H_
#define OCTET_CONVERTER_CLI_PIPELINE_H_

#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "converter/analyze/analyze.h"
#include "converter/assign/assign.h"
#include "converter/cli/calibration_data.h"
#include "converter/cli/options.h"
#include "converter/cli/temporal_section.h"
#include "converter/drift/section.h"
#include "converter/judge/verdict.h"
#include "converter/passes/passes.h"
#include "converter/quantize/scheme.h"
#include "converter/recover/step.h"
#include "converter/simulate/samples.h"
#include "converter/write/write.h"

namespace octet::cli {

struct Conversion {
  graph::Graph graph;  // canonical
  passes::PassReport passes;
  int equalized = 0;  // tensors of it whose channels took factors from neighbours
  quantize::Scheme scheme;
  quantize::Config config;             // that it was made of
  std::vector<std::string> stretches;  // nodes in FP16 that measuring moved there
  std::vector<recover::Step> steps;    // of the int8 plan's recovery
  analyze::Analysis analysis;          // of the int8 plan, on some of sets.report; where asked for
  judge::Verdict verdict;              // of the judge, where asked for
  std::vector<write::Plan> plans;
  std::vector<uint8_t> blob;                             // empty: no plan is left
  std::vector<std::unique_ptr<images::Dataset>> inputs;  // the calibration data
  std::vector<std::optional<calibrate::Statistics>> statistics;
  int64_t samples = 0;
  simulate::Samples sets;  // of the calibration data: who finds, who decides, who tells
  uint32_t golden = 0;     // vectors in the blob
  SampleChoice choice;     // of those samples among all
  std::optional<drift::Summary> drift;
  std::optional<TemporalChoice> temporal;    // where it was asked for
  std::optional<assign::Result> assignment;  // with a plan of its own where it has FP16 layers
};

// Model file to a verified blob in memory; nothing is written.
Conversion Convert(const ConvertOptions& options);

// Import only, with shapes: what the file means.
graph::Graph ImportGraph(const std::string& model, const import::ImportOptions& options);

// Import and passes only: the graph every other command works on.
graph::Graph LoadGraph(const std::string& model, const import::ImportOptions& options,
                       passes::PassReport* report);

// A picture of 1 or 3 channels, [1, C, H, W] or [1, H, W, C] (then *channels_last).
bool IsImageInput(const graph::Shape& shape, bool* channels_last);

// One dataset an input, in the graph's order; all of one length.
std::vector<std::unique_ptr<images::Dataset>> OpenInputs(const graph::Graph& graph,
                                                         const std::vector<std::string>& paths,
                                                         const images::Preprocess& preprocess,
                                                         std::vector<std::string>* warnings);

int ThreadCount(int requested);

}  // namespace octet::cli

#endif  // OCTET_CONVERTER_CLI_PIPELINE_H_
