// The converter in one place: an ONNX file and calibration data to a blob, stage by stage. Each
// stage is a file of this folder, whose header says what it may change. A stage's result refers to
// those before it.
#ifndef OCTET_CONVERTER_CONVERT_CONVERT_H_
#define OCTET_CONVERTER_CONVERT_CONVERT_H_

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "converter/analyze/analyze.h"
#include "converter/assign/assign.h"
#include "converter/convert/calibration_data.h"
#include "converter/convert/options.h"
#include "converter/judge/verdict.h"
#include "converter/passes/passes.h"
#include "converter/quantize/scheme.h"
#include "converter/recover/step.h"
#include "converter/sections/section.h"
#include "converter/simulate/samples.h"
#include "converter/write/write.h"

namespace octet::convert {

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
  simulate::Samples sets;                    // of the calibration data: who finds, decides, tells
  SampleChoice choice;                       // of those samples among all
  sections::Told told;                       // of optional sections
  std::optional<assign::Result> assignment;  // with a plan of its own where it has FP16 layers
  std::vector<uint8_t> decode = {};          // the blob's decode section; empty: none
  std::unique_ptr<Progress> progress = {};   // for what is made of it
};

// Model file to a verified blob in memory; nothing is written.
Conversion Convert(const ConvertOptions& options);

}  // namespace octet::convert

#endif  // OCTET_CONVERTER_CONVERT_CONVERT_H_
